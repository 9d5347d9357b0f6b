#include "tree/resolve.h"

#include "base/path.h"

namespace ocilint {

Resolution resolve(const MergedTree& tree, std::string_view path, Last last) {
  Resolution out;
  NodeId at = MergedTree::root;
  const auto stop = [&](Resolution::Status status, std::string where) {
    out.status = status;
    out.path = std::move(where);
    return std::move(out);
  };
  Components left(path);
  while (const auto component = left.next()) {
    if (tree[at].type != EntryType::directory) return stop(Resolution::Status::not_a_directory, tree.path(at));
    if (*component == "..") {
      at = tree.parent(at);
      continue;
    }
    const auto child = tree.child(at, *component);
    if (!child) return stop(Resolution::Status::missing, join(tree.path(at), *component));
    const Node& node = tree[*child];
    if (node.type != EntryType::symlink || (last == Last::keep && !left.more())) {
      at = *child;
      continue;
    }
    out.hops.push_back({*child, tree.path(*child), std::string(node.link)});
    if (node.link.empty()) return stop(Resolution::Status::missing, tree.path(*child));  // as Linux does
    if (!left.follow(node.link)) return stop(Resolution::Status::loop, tree.path(*child));
    if (node.link.starts_with('/')) at = MergedTree::root;
  }
  out.node = at;
  return stop(Resolution::Status::found, tree.path(at));
}

}  // namespace ocilint
