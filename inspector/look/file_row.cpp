#include "look/file_row.h"

#include <algorithm>

namespace ocilint {

FileRow describe_file(const MergedTree& tree, NodeId node, const RedactText& redact) {
  const Node& shown = tree[node];
  FileRow out;
  out.path = tree.path(node);
  out.type = shown.type;
  out.mode = shown.mode;
  out.uid = shown.uid;
  out.gid = shown.gid;
  out.size = shown.size;
  out.mtime = shown.mtime;
  out.link = shown.link;
  out.device_major = shown.device_major;
  out.device_minor = shown.device_minor;
  if (shown.inode.created()) {
    out.layer = shown.inode.layer;
    out.names = std::max<std::size_t>(1, tree.names_of(shown.inode).size());
  }
  redact(out.path);
  redact(out.link);
  return out;
}

}  // namespace ocilint
