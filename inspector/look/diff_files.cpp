#include "look/diff_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/path.h"
#include "check/selection.h"

namespace ocilint {
namespace {

std::vector<std::string> diff_ids_of(const ImageView& view) {
  std::vector<std::string> out;
  for (const LayerIndex& layer : view.scanned().facts.layers()) out.push_back(layer.diff_id.text());
  return out;
}

std::string describe(const Node& node) {
  if (node.type == EntryType::symlink) return fmt::format("{} to {}", to_string(node.type), node.link);
  return std::string(to_string(node.type));
}

std::optional<std::uint32_t> layer_of(InodeId inode) {
  return inode.created() ? std::optional(inode.layer) : std::nullopt;
}

std::map<std::string, NodeId> children_of(const MergedTree& tree, std::optional<NodeId> node) {
  std::map<std::string, NodeId> out;
  if (!node || tree[*node].type != EntryType::directory) return out;
  for (const NodeId child : tree.children(*node)) out.emplace(tree.name(child), child);
  return out;
}

}  // namespace

FileDiff::FileDiff(const ImageView& before, const ImageView& after, bool ignore_timestamps)
    : before_(before),
      after_(after),
      ignore_timestamps_(ignore_timestamps),
      attributes_before_(attributes_of(before)),
      attributes_after_(attributes_of(after)),
      diff_ids_before_(diff_ids_of(before)),
      diff_ids_after_(diff_ids_of(after)) {}

FileDiff::Attributes FileDiff::attributes_of(const ImageView& view) {
  Attributes out;
  std::uint32_t number = 0;
  for (const LayerIndex& layer : view.scanned().facts.layers()) {
    for (const EntryAttribute& one : layer.attributes) out[{number, one.ordinal}][one.name] = one.value;
    ++number;
  }
  return out;
}

bool FileDiff::same_origin(InodeId before, InodeId after) const {
  return before.created() && after.created() && before.ordinal == after.ordinal &&
         diff_ids_before_[before.layer] == diff_ids_after_[after.layer];
}

bool FileDiff::same_bytes(const Node& before, const Node& after) const {
  if (before.size != after.size) return false;
  if (before.size == 0 || same_origin(before.inode, after.inode)) return true;
  // Both are asked for before they are compared: one more read brings both.
  const Digest& one = before_.sha256(before.inode);
  const Digest& two = after_.sha256(after.inode);
  return one == two;
}

void FileDiff::compare_both(const Node& before, const Node& after, DiffFile& file) const {
  if (before.type != after.type) {
    file.what.push_back(fmt::format("{} -> {}", describe(before), describe(after)));
  } else if (before.type == EntryType::symlink) {
    if (before.link != after.link) file.what.push_back(fmt::format("target {} -> {}", before.link, after.link));
  } else if (before.type == EntryType::file) {
    if (!same_bytes(before, after)) file.what.emplace_back("content");
  } else if (before.device_major != after.device_major || before.device_minor != after.device_minor) {
    file.what.push_back(fmt::format("device {}:{} -> {}:{}", before.device_major, before.device_minor,
                                    after.device_major, after.device_minor));
  }
  // Modes of links mean nothing on Linux.
  if (before.mode != after.mode && (before.type != EntryType::symlink || after.type != EntryType::symlink))
    file.what.push_back(fmt::format("mode {:04o} -> {:04o}", before.mode, after.mode));
  if (before.uid != after.uid || before.gid != after.gid)
    file.what.push_back(fmt::format("owner {}:{} -> {}:{}", before.uid, before.gid, after.uid, after.gid));
  const auto of_before = attributes_before_.find(before.inode), of_after = attributes_after_.find(after.inode);
  static const std::map<std::string, std::string> none;
  if ((of_before == attributes_before_.end() ? none : of_before->second) !=
      (of_after == attributes_after_.end() ? none : of_after->second))
    file.what.emplace_back("extended attributes");
  if (!ignore_timestamps_ && before.mtime != after.mtime && before.inode.created() && after.inode.created())
    file.what.emplace_back("time");
}

void FileDiff::compare(const Pair& pair, std::vector<DiffFile>& out) const {
  DiffFile file;
  file.path = pair.path;
  const Node* const before = pair.before ? &before_.tree()[*pair.before] : nullptr;
  const Node* const after = pair.after ? &after_.tree()[*pair.after] : nullptr;
  if (before != nullptr) {
    file.layer_before = layer_of(before->inode);
    if (before->type == EntryType::file) file.bytes_before = before->size;
  }
  if (after != nullptr) {
    file.layer_after = layer_of(after->inode);
    if (after->type == EntryType::file) file.bytes_after = after->size;
  }
  if (before != nullptr && after != nullptr) {
    compare_both(*before, *after, file);
    if (file.what.empty()) return;
  } else {
    file.change = after != nullptr ? Change::added : Change::removed;
    file.what.push_back(describe(after != nullptr ? *after : *before));
    if (after == nullptr) file.layer_after = last_touched(after_, pair.path);
  }
  out.push_back(std::move(file));
}

void FileDiff::add_children(const Pair& pair, std::vector<Pair>& todo) const {
  std::map<std::string, Pair> below;
  for (const auto& [name, node] : children_of(before_.tree(), pair.before)) below[name].before = node;
  for (const auto& [name, node] : children_of(after_.tree(), pair.after)) below[name].after = node;
  for (auto& [name, child] : below) {
    child.path = join(pair.path, name);
    todo.push_back(std::move(child));
  }
}

std::vector<DiffFile> FileDiff::run() {
  std::vector<DiffFile> out;
  std::vector<Pair> todo = {{MergedTree::root, MergedTree::root, "/"}};
  names_ = 0;
  while (!todo.empty()) {
    const Pair pair = std::move(todo.back());
    todo.pop_back();
    ++names_;
    compare(pair, out);
    add_children(pair, todo);
  }
  std::ranges::sort(out, {}, &DiffFile::path);
  return out;
}

}  // namespace ocilint
