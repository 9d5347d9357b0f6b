#include "look/cat.h"

#include <fmt/format.h>

#include "look/ask.h"
#include "look/question.h"

namespace ocilint {
namespace {

/// A regular file of the tree that was asked for.
NodeId wanted_file(const Scanned& scanned, const MergedTree& tree, const CatOptions& wanted) {
  const NodeId node = find_path(scanned, tree, wanted.path, Last::follow);
  if (tree[node].type != EntryType::file)
    throw Error(ErrorKind::usage,
                fmt::format("{}: a {}, not a regular file", tree.path(node), to_string(tree[node].type)));
  return node;
}

}  // namespace

FileContent look_into_file(const RunOptions& options, const CatOptions& wanted) {
  FileContent out;
  with_image(options, [&](ReadImage& read, const RedactText& redact) {
    out.redact = redact;
    ask_image(
        read, options, [](Plan& plan) { plan.on_demand(FactKind::content); },
        [&](const ImageView& view) {
          const TreeUpTo tree(view.scanned(), wanted.layer);
          const NodeId node = wanted_file(view.scanned(), *tree, wanted);
          out.file = describe_file(*tree, node, redact);
          out.content = view.content((*tree)[node].inode);
        });
    out.image = describe_image(options, read.image(), redact);
  });
  return out;
}

void stream_file(const RunOptions& options, const CatOptions& wanted, const std::function<void(Bytes)>& out) {
  with_image(options, [&](ReadImage& read, const RedactText&) {
    Demand headers;
    read_all(read, options, headers);
    const TreeUpTo tree(read.scanned(), wanted.layer);
    const NodeId node = wanted_file(read.scanned(), *tree, wanted);
    if ((*tree)[node].size > 0) read.stream((*tree)[node].inode, options, out);
  });
}

}  // namespace ocilint
