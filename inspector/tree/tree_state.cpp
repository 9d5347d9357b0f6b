#include "tree/tree_state.h"

#include <algorithm>
#include <utility>

#include "tree/components.h"

namespace ocilint {

Node node_of(const LayerEntry& entry, InodeId inode) {
  const std::uint32_t mode = entry.type == EntryType::symlink ? 0777 : entry.mode;  // format.md 1.7, "mode"
  return {inode,
          entry.type,
          mode,
          entry.uid,
          entry.gid,
          entry.type == EntryType::file ? entry.size : 0,
          entry.mtime,
          entry.type == EntryType::symlink ? entry.link : std::string_view{},
          entry.device_major,
          entry.device_minor};
}

void override_by(Node& node, const LayerEntry& link) {
  if (node.type != EntryType::symlink) node.mode = link.mode;
  node.uid = link.uid;
  node.gid = link.gid;
  node.mtime = link.mtime;
}

TreeState::TreeState(std::shared_ptr<NameTable> table, View view) : table_(std::move(table)), view_(view) {
  implied_ = add_inode({});
  slots_.resize(1);
  slots_[NameTable::root].inode = implied_;
  count_ = 1;
}

InodeIndex TreeState::add_inode(const Node& node) {
  inodes_.push_back(node);
  return static_cast<InodeIndex>(inodes_.size() - 1);
}

void TreeState::put(PathId path, InodeIndex inode, std::uint32_t layer, Deed deed) {
  if (path >= slots_.size()) slots_.resize(names().size());
  Slot& slot = slots_[path];
  if (slot.inode == none) {
    ++count_;
    Slot& parent = slots_[names().parent(path)];
    slot.next = parent.first_child;
    slot.previous = none;
    if (slot.next != none) slots_[slot.next].previous = path;
    parent.first_child = path;
  } else if (slot.first_child != none && inodes_[inode].type != EntryType::directory) {
    hide_children(path, layer);
  }
  slot.inode = inode;
  note(path, layer, deed, inode);
}

void TreeState::unlist(PathId path) {
  Slot& slot = slots_[path];
  if (slot.next != none) slots_[slot.next].previous = slot.previous;
  if (slot.previous != none)
    slots_[slot.previous].next = slot.next;
  else
    slots_[names().parent(path)].first_child = slot.next;
  slot.inode = slot.next = slot.previous = none;
  --count_;
}

void TreeState::hide_children(PathId path, std::uint32_t layer) {
  hiding_.push_back(path);
  while (!hiding_.empty()) {
    const PathId top = hiding_.back();
    hiding_.pop_back();
    PathId at = std::exchange(slots_[top].first_child, none);
    while (at != none) {
      Slot& slot = slots_[at];
      note(at, layer, Deed::hidden, none);
      if (slot.first_child != none) hiding_.push_back(at);
      slot.inode = slot.previous = none;
      --count_;
      at = std::exchange(slot.next, none);
    }
  }
}

void TreeState::remove(PathId path, std::uint32_t layer) {
  hide_children(path, layer);
  unlist(path);
  note(path, layer, Deed::removed, none);
}

bool TreeState::put_by(PathId path, std::uint32_t layer) const {
  return has_story(path) && records_[slots_[path].story].layer == layer;
}

void TreeState::note(PathId path, std::uint32_t layer, Deed deed, InodeIndex inode) {
  records_.push_back({slots_[path].story, layer, inode, deed});
  slots_[path].story = static_cast<std::uint32_t>(records_.size() - 1);
}

std::vector<Event> TreeState::story(PathId path) const {
  std::vector<Event> out;
  if (!has_story(path)) return out;
  for (std::uint32_t at = slots_[path].story; at != none; at = records_[at].older) {
    const Record& record = records_[at];
    out.push_back({record.layer, record.deed, record.inode == none ? InodeId{} : inodes_[record.inode].inode});
  }
  std::ranges::reverse(out);
  return out;
}

std::optional<PathId> TreeState::locate(std::string_view path, bool follow_last, LinkBudget* budget) const {
  PathId at = NameTable::root;
  Components left(path, budget);
  while (const auto component = left.next()) {
    if (*component == "..") {
      at = names().parent(at);
      continue;
    }
    const auto child = names().find(at, *component);
    if (!child || !shows(*child)) return std::nullopt;
    if (!follow_last && !left.more()) return child;
    const Node& found = node(*child);
    if (found.type == EntryType::symlink) {
      if (!left.follow(found.link)) return std::nullopt;
      if (found.link.starts_with('/')) at = NameTable::root;
    } else if (found.type == EntryType::directory || !left.more()) {
      at = *child;
    } else {
      return std::nullopt;
    }
  }
  return at;
}

void TreeState::finish(std::span<const LayerIndex* const> layers) {
  std::size_t entries = 0;
  for (const LayerIndex* const layer : layers) {
    first_entry_.push_back(entries);
    entries += layer->entries.size();
  }
  first_name_.assign(entries, none);
  for (PathId path = 0; path < slots_.size(); ++path) {
    if (!shows(path) || !node(path).inode.created()) continue;
    const InodeId inode = node(path).inode;
    PathId& first = first_name_[first_entry_[inode.layer] + inode.ordinal];
    slots_[path].alias = std::exchange(first, path);
  }
}

std::vector<PathId> TreeState::names_of(InodeId inode) const {
  std::vector<PathId> out;
  if (!inode.created() || inode.layer >= first_entry_.size()) return out;
  const std::size_t entry = first_entry_[inode.layer] + inode.ordinal;
  if (entry >= first_name_.size()) return out;
  for (PathId at = first_name_[entry]; at != none; at = slots_[at].alias)
    if (node(at).inode == inode) out.push_back(at);
  return out;
}

}  // namespace ocilint
