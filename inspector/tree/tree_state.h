// The inside of a MergedTree while it is built and after: what every interned name shows now, and its story.
//
// Names are slots, by PathId; a slot that shows something belongs to a directory that shows something, and
// the directory lists it. Inodes are shared by slots. All changes go through put(), hide_children() and
// remove(), which keep the lists and write the events; a subtree costs what was put there, once. The name
// table is shared between the views. One thread while building. Throws only bad_alloc.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tree/merged_tree.h"
#include "tree/name_table.h"

namespace ocilint {

using InodeIndex = std::uint32_t;

/// What an entry that is no hard link makes.
Node node_of(const LayerEntry& entry, InodeId inode);
/// What a link's header makes of its inode.
void override_by(Node& node, const LayerEntry& link);

class TreeState {
 public:
  static constexpr std::uint32_t none = ~0u;

  TreeState(std::shared_ptr<NameTable> table, View view);

  const NameTable& names() const { return *table_; }
  NameTable& names() { return *table_; }
  View view() const { return view_; }
  std::size_t size() const { return count_; }

  bool shows(PathId path) const { return path < slots_.size() && slots_[path].inode != none; }
  bool is_directory(PathId path) const { return shows(path) && node(path).type == EntryType::directory; }
  bool has_children(PathId path) const { return shows(path) && slots_[path].first_child != none; }
  InodeIndex inode(PathId path) const { return slots_[path].inode; }
  const Node& node(PathId path) const { return inodes_[slots_[path].inode]; }
  Node& inode_at(InodeIndex inode) { return inodes_[inode]; }
  const Node& inode_at(InodeIndex inode) const { return inodes_[inode]; }
  PathId first_child(PathId path) const { return slots_[path].first_child; }
  PathId next_child(PathId path) const { return slots_[path].next; }

  InodeIndex add_inode(const Node& node);
  /// The name shows the inode from now on; the parent is a directory. Children of what was there are hidden
  /// unless both are directories.
  void put(PathId path, InodeIndex inode, std::uint32_t layer, Deed deed);
  /// A directory that no entry describes.
  void imply(PathId path, std::uint32_t layer) { put(path, implied_, layer, Deed::wrote); }
  void hide_children(PathId path, std::uint32_t layer);
  void remove(PathId path, std::uint32_t layer);
  /// Did the layer itself put there what the name shows?
  bool put_by(PathId path, std::uint32_t layer) const;

  bool has_story(PathId path) const { return path < slots_.size() && slots_[path].story != none; }
  std::vector<Event> story(PathId path) const;
  /// The name that a path means: links in parents followed, the last component kept as hard links do.
  std::optional<PathId> locate(std::string_view path, bool follow_last = false, LinkBudget* budget = nullptr) const;

  /// Makes the index from inodes to names. Nothing changes after it.
  void finish(std::span<const LayerIndex* const> layers);
  std::vector<PathId> names_of(InodeId inode) const;

  std::vector<Refusal> refusals;
  Oddities oddities;

 private:
  struct Slot {
    InodeIndex inode = none;
    std::uint32_t first_child = none, next = none, previous = none;  // of those that show something
    std::uint32_t story = none;                                      // newest event
    PathId alias = none;                                             // next name of the inode
  };
  struct Record {
    std::uint32_t older;
    std::uint32_t layer;
    InodeIndex inode;
    Deed deed;
  };

  void note(PathId path, std::uint32_t layer, Deed deed, InodeIndex inode);
  void unlist(PathId path);

  std::shared_ptr<NameTable> table_;
  View view_;
  InodeIndex implied_;
  std::size_t count_ = 0;
  std::vector<Slot> slots_;
  std::vector<Node> inodes_;
  std::vector<Record> records_;
  std::vector<PathId> hiding_;
  std::vector<std::size_t> first_entry_;  // by layer, in first_name_
  std::vector<PathId> first_name_;        // by entry
};

class MergedTree::State : public TreeState {
 public:
  using TreeState::TreeState;
};

}  // namespace ocilint
