#include "tree/merge_overlay.h"

#include <fmt/format.h>

#include <algorithm>

namespace ocilint {
namespace {

using Kind = LayerNode::Kind;

bool is_plain(const Node& directory) { return directory.mode == 0755 && directory.uid == 0 && directory.gid == 0; }

}  // namespace

void OverlayMerge::apply(const LayerTree& layer) {
  layer_ = &layer;
  inodes_.assign(layer.inodes().size(), TreeState::none);
  for (const LayerRefusal& refused : layer.refusals()) tree_.refusals.push_back(refused.refusal);
  tree_.oddities.insert(tree_.oddities.end(), layer.oddities().begin(), layer.oddities().end());

  find_lower_targets();
  for (std::uint32_t i = 0; i < layer.nodes().size(); ++i)
    if (!layer.nodes()[i].leftover) merge(layer.nodes()[i], i);
  bind_late();
}

/// Links to what this layer does not hold. Looked up before the layer changes anything.
void OverlayMerge::find_lower_targets() {
  late_.clear();
  for (std::uint32_t i = 0; i < layer_->nodes().size(); ++i) {
    const LayerNode& node = layer_->nodes()[i];
    if (node.kind != Kind::late_link || node.leftover) continue;
    const std::string_view link = layer_->entry_of(node).link;
    const auto target = tree_.locate(link, false, &tree_.names().links());
    late_.push_back({i, TreeState::none, target.has_value()});
    if (!target) continue;
    if (tree_.is_directory(*target)) {
      refuse("hardlink-to-directory", node.path, fmt::format("a hard link to the directory {}", link));
      continue;
    }
    const LayerNode* const here = layer_->at(*target);
    if (here != nullptr && here->whiteout && here->kind == Kind::none) {
      refuse("hardlink-to-whiteout", node.path, fmt::format("a hard link to {}, which the same layer removes", link));
      continue;
    }
    late_.back().inode = tree_.inode(*target);
    const Node& lower = tree_.inode_at(late_.back().inode);
    refuse("cross-layer-hardlink", node.path,
           fmt::format("a hard link to {}, which only layer {} holds: overlay engines cannot unpack it", link,
                       lower.inode.layer));
  }
  next_late_ = 0;
}

void OverlayMerge::merge(const LayerNode& node, std::uint32_t number) {
  if (node.is_directory()) return merge_directory(node);
  if (node.kind == Kind::inode) return merge_other(node);
  if (node.kind == Kind::none) {
    if (node.whiteout && tree_.shows(node.path)) tree_.remove(node.path, layer_->layer());
    return;
  }
  while (late_[next_late_].node != number) ++next_late_;
  const InodeIndex lower = late_[next_late_].inode;
  if (lower != TreeState::none) {
    tree_.put(node.path, lower, layer_->layer(), Deed::linked);
    override_by(tree_.inode_at(lower), layer_->entry_of(node));
  } else if (tree_.shows(node.path)) {
    tree_.remove(node.path, layer_->layer());
  }
}

void OverlayMerge::merge_directory(const LayerNode& node) {
  const std::uint32_t layer = layer_->layer();
  const bool was_directory = tree_.is_directory(node.path);
  if (was_directory && node.opaque)
    tree_.hide_children(node.path, layer);
  else if (was_directory && node.whiteout && tree_.has_children(node.path))
    remark("whiteout-then-directory", node.path,
           "removed and made again as a directory: on overlay engines what lower layers put there comes back");
  if (node.kind == Kind::directory) {
    tree_.put(node.path, inode_of(node), layer, Deed::wrote);
    return;
  }
  if (!was_directory) {
    if (tree_.shows(node.path) && tree_.node(node.path).type != EntryType::symlink)
      remark("child-of-file", node.path, "no directory in the lower layers, yet the layer puts names below it");
    tree_.imply(node.path, layer);
    return;
  }
  const Node& lower = tree_.node(node.path);
  if (node.path != NameTable::root && !is_plain(lower))
    remark("implied-parent-resets-mode", node.path,
           fmt::format("{:04o} {}:{} in lower layers and not recorded in this one, which puts names below it: "
                       "Docker and Podman make it 0755 0:0",
                       lower.mode, lower.uid, lower.gid));
}

void OverlayMerge::merge_other(const LayerNode& node) {
  const LayerEntry& entry = layer_->entry_of(node);
  if (entry.type == EntryType::character && entry.device_major == 0 && entry.device_minor == 0) {
    if (tree_.shows(node.path)) tree_.remove(node.path, layer_->layer());
    return;
  }
  tree_.put(node.path, inode_of(node), layer_->layer(), node.linked ? Deed::linked : Deed::wrote);
}

/// Targets that come later in the layer, or are reached through lower links: engines fail, the name is clear.
void OverlayMerge::bind_late() {
  for (const LateLink& late : late_) {
    const LayerNode& node = layer_->nodes()[late.node];
    if (late.refused || tree_.shows(node.path)) continue;
    const LayerEntry& entry = layer_->entry_of(node);
    const auto target = tree_.locate(entry.link, false, &tree_.names().links());
    if (!target) {
      refuse("missing-hardlink-target", node.path, fmt::format("a hard link to {}, which does not exist", entry.link));
      continue;
    }
    if (tree_.is_directory(*target)) {
      refuse("hardlink-to-directory", node.path, fmt::format("a hard link to the directory {}", entry.link));
      continue;
    }
    refuse("forward-hardlink", node.path, fmt::format("a hard link to {}, which comes later in the layer", entry.link));
    const InodeIndex inode = tree_.inode(*target);
    tree_.put(node.path, inode, layer_->layer(), Deed::linked);
    override_by(tree_.inode_at(inode), entry);
  }
}

InodeIndex OverlayMerge::inode_of(const LayerNode& node) {
  InodeIndex& known = inodes_[node.value];
  if (known != TreeState::none) return known;
  const LayerInode& inode = layer_->inodes()[node.value];
  Node made = node_of(layer_->index().entries[inode.ordinal], {layer_->layer(), inode.ordinal});
  made.mode = inode.mode;
  made.uid = inode.uid;
  made.gid = inode.gid;
  made.mtime = inode.mtime;
  return known = tree_.add_inode(made);
}

void OverlayMerge::refuse(std::string_view id, PathId path, std::string text) {
  tree_.refusals.push_back({id, layer_->layer(), tree_.names().path(path), std::move(text)});
}

void OverlayMerge::remark(std::string_view id, PathId path, std::string text) {
  tree_.oddities.push_back({id, tree_.names().path(path), std::move(text), static_cast<int>(layer_->layer())});
}

}  // namespace ocilint
