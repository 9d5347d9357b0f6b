#include "tree/layer_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/path.h"
#include "tree/marker.h"

namespace ocilint {
namespace {

// Linux: PATH_MAX with its NUL, NAME_MAX; and no tool that unpacks goes deeper than a thousand folders.
constexpr std::size_t longest_path = 4095;
constexpr std::size_t longest_component = 255;
constexpr std::ptrdiff_t deepest = 1024;

/// Why no runtime could create the name, or nullptr.
const char* impossible(std::string_view path) {
  if (path.size() <= longest_component) return nullptr;
  if (path.size() > longest_path) return "longer than 4095 bytes";
  if (std::count(path.begin(), path.end(), '/') > deepest) return "more than 1024 folders deep";
  Components left(path);
  while (const auto component = left.next())
    if (component->size() > longest_component) return "a component longer than 255 bytes";
  return nullptr;
}

}  // namespace

bool LayerInode::override_by(const LayerEntry& link, bool symlink) {
  const bool other = (!symlink && mode != link.mode) || uid != link.uid || gid != link.gid;
  if (!symlink) mode = link.mode;
  uid = link.uid;
  gid = link.gid;
  mtime = link.mtime;
  return other;
}

void LayerTree::read(const LayerIndex& index, std::uint32_t layer) {
  index_ = &index;
  layer_ = layer;
  nodes_.clear();
  inodes_.clear();
  leftover_links_.clear();
  refusals_.clear();
  oddities_.clear();
  next_attribute_ = 0;
  intern_names();
  seen_.resize(std::max(seen_.size(), table_.size()));
  make_node(NameTable::root, 0);
  nodes_[0].kind = LayerNode::Kind::implied;
  for (Ordinal ordinal = 0; ordinal < ids_.size(); ++ordinal) {
    if (roles_[ordinal] == Role::ignored) continue;
    note_duplicate(ordinal);
    put(ordinal);
  }
}

void LayerTree::intern_names() {
  const std::vector<LayerEntry>& entries = index_->entries;
  ids_.assign(entries.size(), NameTable::none);
  roles_.assign(entries.size(), Role::ignored);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (const char* const why = impossible(entries[i].path)) {
      remark("impossible-name", entries[i].path.substr(0, longest_path),
             fmt::format("no runtime can create this name: {}", why));
      continue;
    }
    ids_[i] = table_.intern_path(entries[i].path);
    roles_[i] = classify(entries[i], ids_[i]);
  }
}

Role LayerTree::classify(const LayerEntry& entry, PathId id) {
  if (id == NameTable::root) {
    if (entry.type == EntryType::directory) return Role::content;
    remark("root-not-directory", "/", "the root is recorded as something else than a directory; ignored");
    return Role::ignored;
  }
  const std::size_t at = entry.path.find("/.wh.");
  if (at == std::string_view::npos) return Role::content;
  if (is_aufs_leftover(entry.path)) {
    if (entry.type != EntryType::directory)
      remark("aufs-leftover", entry.path, "metadata of AUFS, not a part of the image");
    return Role::leftover;
  }
  const std::string_view name = base_name(entry.path);
  if (!is_marker(name)) {
    remark("invalid-whiteout-name", entry.path, "stands below a name that is reserved for whiteouts");
    return Role::content;
  }
  if (name == opaque_name) return Role::opaque;
  if (!is_invalid_target(whiteout_target(name))) return Role::whiteout;
  refuse("invalid-whiteout-name", entry.path, "the whiteout names nothing that could be removed", true);
  return Role::ignored;
}

void LayerTree::note_duplicate(Ordinal ordinal) {
  Seen& seen = seen_[ids_[ordinal]];
  if (seen.stamp != layer_ + 1) seen = {layer_ + 1, no_node, 0, false};
  if (seen.named)
    refuse("duplicate-entry", index_->entries[ordinal].path,
           fmt::format("recorded twice in one layer, as entries {} and {}; the last one wins", seen.ordinal, ordinal));
  seen.named = true;
  seen.ordinal = ordinal;
}

void LayerTree::put(Ordinal ordinal) {
  const LayerEntry& entry = index_->entries[ordinal];
  if (ids_[ordinal] == NameTable::root) return put_root(entry, ordinal);
  if (roles_[ordinal] == Role::whiteout || roles_[ordinal] == Role::opaque) return put_marker(entry, ordinal);

  const std::uint32_t parent = directory_for(entry, ordinal, false);
  if (parent == no_node) return;
  const PathId path = nodes_[parent].path == table_.parent(ids_[ordinal])
                          ? ids_[ordinal]
                          : table_.intern(nodes_[parent].path, base_name(entry.path));
  const std::uint32_t node = make_node(path, parent);
  nodes_[node].leftover = nodes_[parent].leftover || roles_[ordinal] == Role::leftover;
  switch (entry.type) {
    case EntryType::directory: put_directory(node, entry, ordinal); break;
    case EntryType::hard_link: put_link(node, entry, ordinal); break;
    case EntryType::unsupported:
      refuse("unknown-tar-type", entry.path, "an entry of a type that no engine unpacks", true);
      [[fallthrough]];
    default:
      drop_content(node);
      nodes_[node].kind = LayerNode::Kind::inode;
      nodes_[node].value = add_inode(entry, ordinal);
      if (entry.type == EntryType::character && entry.device_major == 0 && entry.device_minor == 0)
        remark("smuggled-whiteout", entry.path,
               "a character device 0:0: overlay engines take it for a whiteout, others show a device");
  }
  note_attributes(node, entry, ordinal);
}

void LayerTree::put_root(const LayerEntry& entry, Ordinal ordinal) {
  nodes_[0].kind = LayerNode::Kind::directory;
  nodes_[0].value = add_inode(entry, ordinal);
  note_attributes(0, entry, ordinal);
}

void LayerTree::put_marker(const LayerEntry& entry, Ordinal ordinal) {
  const std::uint32_t parent = directory_for(entry, ordinal, true);
  if (parent == no_node) return;
  if (roles_[ordinal] == Role::opaque) {
    if (parent == 0)
      remark("root-opaque", entry.path,
             "the root is marked opaque: overlay engines ignore it, others remove every lower file");
    else
      nodes_[parent].opaque = true;
    return;
  }
  const std::string_view target = whiteout_target(base_name(entry.path));
  const std::uint32_t node = make_node(table_.intern(nodes_[parent].path, target), parent);
  LayerNode& found = nodes_[node];
  if (found.kind != LayerNode::Kind::none)
    refuse("whiteout-same-layer", table_.path(found.path),
           "written and then whited out in one layer; what is new is kept");
  if (found.by_marker) drop_content(node);  // nothing new: a folder of markers only
  nodes_[node].whiteout = true;
}

void LayerTree::put_directory(std::uint32_t node, const LayerEntry& entry, Ordinal ordinal) {
  if (!nodes_[node].is_directory()) drop_content(node);
  nodes_[node].kind = LayerNode::Kind::directory;
  nodes_[node].by_marker = false;
  nodes_[node].value = add_inode(entry, ordinal);
}

void LayerTree::put_link(std::uint32_t node, const LayerEntry& entry, Ordinal ordinal) {
  if (entry.target_escaped)
    remark("hardlink-target-escapes", entry.path,
           fmt::format("the link's target leaves the root of the image; taken as {}", entry.link));
  const std::uint32_t target = target_of(entry.link);
  if (target == node) {
    refuse("self-hardlink", entry.path, "a hard link to itself; unpacking it loses the file");
    return lose(node);
  }
  const LayerNode::Kind kind = target == no_node ? LayerNode::Kind::none : nodes_[target].kind;
  if (kind == LayerNode::Kind::implied || kind == LayerNode::Kind::directory) {
    refuse("hardlink-to-directory", entry.path, fmt::format("a hard link to the directory {}", entry.link));
    return lose(node);
  }
  if (kind == LayerNode::Kind::none && target != no_node && nodes_[target].whiteout) {
    refuse("hardlink-to-whiteout", entry.path,
           fmt::format("a hard link to {}, which the same layer removes: both names vanish", entry.link));
    return lose(node);
  }
  if (kind != LayerNode::Kind::inode) {  // not in this layer, or not yet
    drop_content(node);
    nodes_[node].kind = LayerNode::Kind::late_link;
    nodes_[node].value = ordinal;
    return;
  }
  const std::uint32_t inode = nodes_[target].value;
  // The target may stand below the name that the link replaces; the inode outlives its names.
  drop_content(node);
  nodes_[node].kind = LayerNode::Kind::inode;
  nodes_[node].value = inode;
  nodes_[node].linked = true;
  if (is_aufs_leftover(entry.link)) leftover_links_[ordinal] = inode;
  const LayerInode before = inodes_[inode];
  if (inodes_[inode].override_by(entry, is_symlink(nodes_[node])))
    remark("hardlink-metadata-override", entry.path,
           fmt::format("the link's header changes its file: mode {:04o} {}:{} becomes {:04o} {}:{}", before.mode,
                       before.uid, before.gid, inodes_[inode].mode, inodes_[inode].uid, inodes_[inode].gid));
}

void LayerTree::note_attributes(std::uint32_t node, const LayerEntry& entry, Ordinal ordinal) {
  const std::vector<EntryAttribute>& attributes = index_->attributes;
  while (next_attribute_ < attributes.size() && attributes[next_attribute_].ordinal < ordinal) ++next_attribute_;
  for (std::size_t i = next_attribute_; i < attributes.size() && attributes[i].ordinal == ordinal; ++i) {
    const EntryAttribute& attribute = attributes[i];
    if (attribute.name.starts_with("user.overlay."))
      remark("smuggled-whiteout", entry.path,
             fmt::format("carries {}, which rootless overlay mounts obey", attribute.name));
    if (!attribute.name.starts_with("trusted.overlay.")) continue;
    const bool opaque = attribute.name == "trusted.overlay.opaque" && attribute.value == "y" &&
                        nodes_[node].is_directory() && node != 0;
    remark("smuggled-whiteout", entry.path,
           opaque ? "carries trusted.overlay.opaque: Docker and Podman hide the lower files, containerd does not"
                  : fmt::format("carries {}, which some overlay engines obey", attribute.name));
    if (opaque) nodes_[node].opaque = true;
  }
}

std::uint32_t LayerTree::directory_for(const LayerEntry& entry, Ordinal ordinal, bool marker) {
  const std::uint32_t known = find_node(table_.parent(ids_[ordinal]));
  if (known == no_node || !nodes_[known].is_directory()) return walk(parent_path(entry.path), entry, marker);
  if (!marker)
    for (std::uint32_t at = known; nodes_[at].by_marker; at = nodes_[at].parent) nodes_[at].by_marker = false;
  return known;
}

std::uint32_t LayerTree::walk(std::string_view parent, const LayerEntry& entry, bool marker) {
  std::uint32_t at = 0;
  bool linked = false, escaped = false, made = false;
  Components left(parent, &table_.links());
  while (const auto component = left.next()) {
    if (*component == "..") {
      escaped = escaped || at == 0;
      at = nodes_[at].parent;
      continue;
    }
    const std::uint32_t child = make_node(table_.intern(nodes_[at].path, *component), at);
    LayerNode& node = nodes_[child];
    if (is_symlink(node)) {
      const std::string_view target = entry_of(node).link;
      if (!left.follow(target)) {
        refuse("symlink-loop", entry.path, "its folder is a loop of symbolic links");
        return no_node;
      }
      linked = true;
      if (target.starts_with('/')) at = 0;
      continue;
    }
    if (node.is_directory()) {
      if (!marker) node.by_marker = false;
    } else if (node.kind != LayerNode::Kind::none) {
      refuse("child-of-file", entry.path, fmt::format("{} is no directory, by the same layer", table_.path(node.path)));
      return no_node;
    } else {
      if (node.whiteout) {
        refuse("whiteout-same-layer", entry.path,
               fmt::format("its folder {} is whited out by the same layer", table_.path(node.path)));
        if (marker) return no_node;
        node.opaque = true;  // nothing of the lower folder was meant to stay
      }
      node.kind = LayerNode::Kind::implied;
      node.by_marker = marker;
      node.leftover = nodes_[at].leftover || is_aufs_leftover(table_.path(node.path));
      made = made || linked;
    }
    at = child;
  }
  if (escaped)
    refuse("escaping-symlink", entry.path, "its folder is a symbolic link that leaves the root of the image");
  else if (made)
    refuse("write-through-symlink", entry.path, "its folder is a symbolic link to what the layer does not hold");
  return at;
}

std::uint32_t LayerTree::target_of(std::string_view path) const {
  std::uint32_t at = 0;
  Components left(path, &table_.links());
  while (const auto component = left.next()) {
    if (*component == "..") {
      at = nodes_[at].parent;
      continue;
    }
    const auto id = table_.find(nodes_[at].path, *component);
    const std::uint32_t child = id ? find_node(*id) : no_node;
    if (!left.more()) return child;
    if (child == no_node) return no_node;
    if (is_symlink(nodes_[child])) {
      const std::string_view target = entry_of(nodes_[child]).link;
      if (!left.follow(target)) return no_node;
      if (target.starts_with('/')) at = 0;
    } else if (nodes_[child].is_directory()) {
      at = child;
    } else {
      // A whiteout further up removes the target as well.
      return nodes_[child].whiteout ? child : no_node;
    }
  }
  return at;
}

bool LayerTree::is_symlink(const LayerNode& node) const {
  return node.kind == LayerNode::Kind::inode && entry_of(node).type == EntryType::symlink;
}

const LayerNode* LayerTree::at(PathId path) const {
  const std::uint32_t node = find_node(path);
  return node == no_node ? nullptr : &nodes_[node];
}

std::optional<std::uint32_t> LayerTree::leftover_target(Ordinal link) const {
  const auto found = leftover_links_.find(link);
  if (found == leftover_links_.end()) return std::nullopt;
  return found->second;
}

std::uint32_t LayerTree::find_node(PathId path) const {
  if (path >= seen_.size() || seen_[path].stamp != layer_ + 1) return no_node;
  return seen_[path].node;
}

std::uint32_t LayerTree::make_node(PathId path, std::uint32_t parent) {
  if (path >= seen_.size()) seen_.resize(table_.size());
  Seen& seen = seen_[path];
  if (seen.stamp != layer_ + 1) seen = {layer_ + 1, no_node, 0, false};
  if (seen.node != no_node) {
    if (!nodes_[seen.node].listed) list(seen.node);
    return seen.node;
  }
  const auto node = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({});
  nodes_[node].path = path;
  nodes_[node].parent = parent;
  if (node != 0) list(node);
  seen.node = node;
  return node;
}

void LayerTree::list(std::uint32_t node) {
  LayerNode& parent = nodes_[nodes_[node].parent];
  nodes_[node].listed = true;
  nodes_[node].next_sibling = parent.first_child;
  parent.first_child = node;
}

std::uint32_t LayerTree::add_inode(const LayerEntry& entry, Ordinal ordinal) {
  const std::uint32_t mode = entry.type == EntryType::symlink ? 0777 : entry.mode;
  inodes_.push_back({ordinal, mode, entry.uid, entry.gid, entry.mtime});
  return static_cast<std::uint32_t>(inodes_.size() - 1);
}

/// What the layer put here so far goes, with everything below it; a whiteout of the name itself stays.
/// Children leave the list, so that names which come and go cost no more than what was put there since.
void LayerTree::drop_content(std::uint32_t node) {
  const bool tree = nodes_[node].is_directory();
  nodes_[node].kind = LayerNode::Kind::none;
  nodes_[node].opaque = nodes_[node].by_marker = nodes_[node].linked = false;
  if (!tree) return;
  dropping_.push_back(node);
  while (!dropping_.empty()) {
    const std::uint32_t top = dropping_.back();
    dropping_.pop_back();
    for (std::uint32_t at = std::exchange(nodes_[top].first_child, no_node); at != no_node;
         at = nodes_[at].next_sibling) {
      LayerNode& child = nodes_[at];
      child.listed = false;
      if (child.is_directory()) dropping_.push_back(at);
      child.kind = LayerNode::Kind::none;
      child.whiteout = child.opaque = child.by_marker = child.linked = false;
    }
  }
}

/// The name is gone, also the lower one.
void LayerTree::lose(std::uint32_t node) {
  drop_content(node);
  nodes_[node].whiteout = true;
}

void LayerTree::refuse(std::string_view id, std::string_view path, std::string text, bool everywhere) {
  refusals_.push_back({{id, layer_, std::string(path), std::move(text)}, everywhere});
}

void LayerTree::remark(std::string_view id, std::string_view path, std::string text) {
  oddities_.push_back({id, std::string(path), std::move(text), static_cast<int>(layer_)});
}

}  // namespace ocilint
