#include "tree/merge_spec.h"

#include <fmt/format.h>

#include "base/path.h"
#include "tree/components.h"
#include "tree/marker.h"

namespace ocilint {

void SpecMerge::apply(const LayerTree& layer) {
  layer_ = &layer;
  leftovers_.assign(layer.inodes().size(), TreeState::none);
  late_.clear();
  for (const LayerRefusal& refused : layer.refusals())
    if (refused.everywhere) tree_.refusals.push_back(refused.refusal);
  tree_.oddities.insert(tree_.oddities.end(), layer.oddities().begin(), layer.oddities().end());

  const std::vector<LayerEntry>& entries = layer.index().entries;
  const std::vector<Role>& roles = layer.roles();
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (roles[i] == Role::whiteout || roles[i] == Role::opaque) remove_lower(entries[i], roles[i]);
  for (Ordinal i = 0; i < entries.size(); ++i)
    if (roles[i] == Role::content) put(i);
  bind_late();
}

void SpecMerge::remove_lower(const LayerEntry& marker, Role role) {
  const auto directory = lower_directory(parent_path(marker.path), role == Role::opaque);
  if (!directory) return;
  if (role == Role::opaque) {
    tree_.hide_children(*directory, layer_->layer());
    return;
  }
  const auto target = tree_.names().find(*directory, whiteout_target(base_name(marker.path)));
  if (target && tree_.shows(*target)) tree_.remove(*target, layer_->layer());
}

std::optional<PathId> SpecMerge::lower_directory(std::string_view path, bool opaque) const {
  PathId at = NameTable::root;
  bool linked = false;
  Components left(path, &tree_.names().links());
  while (const auto component = left.next()) {
    if (*component == "..") {
      at = tree_.names().parent(at);
      continue;
    }
    const auto child = tree_.names().find(at, *component);
    if (!child) return std::nullopt;
    const LayerNode* const here = layer_->at(*child);
    std::string_view link;
    if (here != nullptr && here->kind == LayerNode::Kind::directory) {
      // Written by this layer: a lower link of the name goes, and what it leads to is not meant.
      if (!tree_.is_directory(*child)) return std::nullopt;
    } else if (here != nullptr && here->kind == LayerNode::Kind::inode) {
      const LayerEntry& entry = layer_->entry_of(*here);
      if (entry.type != EntryType::symlink) return std::nullopt;
      link = entry.link;
    } else if (!tree_.shows(*child)) {
      return std::nullopt;
    } else if (tree_.node(*child).type == EntryType::symlink) {
      link = tree_.node(*child).link;
    } else if (!tree_.is_directory(*child)) {
      return std::nullopt;
    }
    if (link.empty()) {
      at = *child;
      continue;
    }
    if (opaque && !linked && !left.more()) return std::nullopt;
    linked = true;
    if (!left.follow(link)) return std::nullopt;
    if (link.starts_with('/')) at = NameTable::root;
  }
  return at;
}

void SpecMerge::put(Ordinal ordinal) {
  const LayerEntry& entry = layer_->index().entries[ordinal];
  const std::uint32_t layer = layer_->layer();
  const PathId recorded = layer_->ids()[ordinal];
  if (recorded == NameTable::root) return tree_.put(recorded, inode_of(ordinal), layer, Deed::wrote);
  const auto parent = directory_for(entry, recorded);
  if (!parent) return;
  const PathId path =
      *parent == tree_.names().parent(recorded) ? recorded : tree_.names().intern(*parent, base_name(entry.path));
  if (entry.type == EntryType::hard_link) return put_link(path, entry, ordinal);
  tree_.put(path, inode_of(ordinal), layer, Deed::wrote);
}

void SpecMerge::put_link(PathId path, const LayerEntry& entry, Ordinal ordinal) {
  InodeIndex inode = TreeState::none;
  if (const auto leftover = layer_->leftover_target(ordinal)) {
    InodeIndex& known = leftovers_[*leftover];
    if (known == TreeState::none) known = inode_of(layer_->inodes()[*leftover].ordinal);
    inode = known;
  } else {
    const auto target = tree_.locate(entry.link, false, &tree_.names().links());
    if (!target) {
      lose(path);
      late_.push_back({path, ordinal});
      return;
    }
    if (*target == path) {
      refuse("self-hardlink", entry.path, "a hard link to itself; unpacking it loses the file");
      return lose(path);
    }
    if (tree_.is_directory(*target)) {
      refuse("hardlink-to-directory", entry.path, fmt::format("a hard link to the directory {}", entry.link));
      return lose(path);
    }
    inode = tree_.inode(*target);
  }
  tree_.put(path, inode, layer_->layer(), Deed::linked);
  override_by(tree_.inode_at(inode), entry);
}

void SpecMerge::bind_late() {
  for (const LateLink& late : late_) {
    if (tree_.shows(late.path) || !tree_.is_directory(tree_.names().parent(late.path))) continue;
    const LayerEntry& entry = layer_->index().entries[late.ordinal];
    const auto target = tree_.locate(entry.link, false, &tree_.names().links());
    if (!target) {
      const auto recorded = tree_.names().find_path(entry.link);
      const LayerNode* const here = recorded ? layer_->at(*recorded) : nullptr;
      if (here != nullptr && here->whiteout)
        refuse("hardlink-to-whiteout", entry.path,
               fmt::format("a hard link to {}, which the same layer removes", entry.link));
      else
        refuse("missing-hardlink-target", entry.path,
               fmt::format("a hard link to {}, which does not exist", entry.link));
      continue;
    }
    if (tree_.is_directory(*target)) {
      refuse("hardlink-to-directory", entry.path, fmt::format("a hard link to the directory {}", entry.link));
      continue;
    }
    refuse("forward-hardlink", entry.path,
           fmt::format("a hard link to {}, which comes later in the layer", entry.link));
    const InodeIndex inode = tree_.inode(*target);
    tree_.put(late.path, inode, layer_->layer(), Deed::linked);
    override_by(tree_.inode_at(inode), entry);
  }
}

std::optional<PathId> SpecMerge::directory_for(const LayerEntry& entry, PathId recorded) {
  const PathId parent = tree_.names().parent(recorded);
  if (tree_.is_directory(parent)) return parent;
  return walk(parent_path(entry.path), entry);
}

std::optional<PathId> SpecMerge::walk(std::string_view parent, const LayerEntry& entry) {
  PathId at = NameTable::root;
  Components left(parent, &tree_.names().links());
  while (const auto component = left.next()) {
    if (*component == "..") {
      at = tree_.names().parent(at);
      continue;
    }
    const PathId child = tree_.names().intern(at, *component);
    if (!tree_.is_directory(child)) {
      if (tree_.shows(child)) {
        const Node& found = tree_.node(child);
        if (found.type == EntryType::symlink) {
          const std::string_view target = found.link;
          if (!left.follow(target)) {
            refuse("symlink-loop", entry.path, "its folder is a loop of symbolic links");
            return std::nullopt;
          }
          if (target.starts_with('/')) at = NameTable::root;
          continue;
        }
        refuse("child-of-file", entry.path,
               fmt::format("{} is no directory when the entry comes", tree_.names().path(child)));
        if (tree_.put_by(child, layer_->layer())) return std::nullopt;  // of this layer: it stays
      }
      tree_.imply(child, layer_->layer());
    }
    at = child;
  }
  return at;
}

InodeIndex SpecMerge::inode_of(Ordinal ordinal) {
  return tree_.add_inode(node_of(layer_->index().entries[ordinal], {layer_->layer(), ordinal}));
}

void SpecMerge::lose(PathId path) {
  if (tree_.shows(path)) tree_.remove(path, layer_->layer());
}

void SpecMerge::refuse(std::string_view id, std::string_view path, std::string text) {
  tree_.refusals.push_back({id, layer_->layer(), std::string(path), std::move(text)});
}

}  // namespace ocilint
