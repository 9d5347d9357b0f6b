#include "look/ls.h"

#include <algorithm>

#include "look/ask.h"

namespace ocilint {
namespace {

/// A folder behind a link is listed; any other link is what it is.
NodeId start_of(const Scanned& scanned, const MergedTree& tree, const std::string& path) {
  const Resolution end = resolve(tree, path);
  if (end.found() && tree[end.node].type == EntryType::directory) return end.node;
  return find_path(scanned, tree, path, Last::keep);
}

}  // namespace

FileList look_at_folder(const RunOptions& options, const ListOptions& wanted) {
  FileList out;
  with_image(options, [&](ReadImage& read, const RedactText& redact) {
    out.image = describe_image(options, read.image(), redact);
    Demand nothing;
    read_all(read, options, nothing);
    const TreeUpTo tree(read.scanned(), wanted.layer);
    const NodeId start = start_of(read.scanned(), *tree, wanted.path);
    if ((*tree)[start].type != EntryType::directory) {
      out.rows.push_back(describe_file(*tree, start, redact));
      return;
    }
    std::vector<NodeId> left = tree->children(start);
    std::ranges::reverse(left);
    while (!left.empty()) {
      const NodeId node = left.back();
      left.pop_back();
      out.rows.push_back(describe_file(*tree, node, redact));
      if (!wanted.recursive || (*tree)[node].type != EntryType::directory) continue;
      const std::vector<NodeId> children = tree->children(node);
      left.insert(left.end(), children.rbegin(), children.rend());
    }
  });
  return out;
}

}  // namespace ocilint
