// One layer alone: what unpacking its archive into an empty directory would leave (OCI image-spec layer.md).
//
// This is what overlay engines do with every layer, and here alone the order of the archive matters. Parent
// links made earlier in the same layer are followed, everything else becomes a real directory. Whiteouts and
// opaque marks are kept beside the names, whatever their position. What engines refuse is put right as
// format.md 1.1 to 1.5 says, and reported. Refers to the name table and to the index, owns the rest; read()
// starts afresh and reuses the memory. One thread. Cost: O(entries · depth). Throws Error{limit} of the
// table.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "layer/layer_index.h"
#include "tree/components.h"
#include "tree/merged_tree.h"
#include "tree/name_table.h"

namespace ocilint {

/// What an entry of the archive is to a tree.
enum class Role : std::uint8_t {
  content,
  whiteout,
  opaque,
  leftover,  // AUFS metadata: names to link to, never shown
  ignored,   // no meaning: an invalid marker, a root that is no directory, a name that cannot exist
};

/// An inode of this layer with what later link headers changed.
struct LayerInode {
  Ordinal ordinal = 0;
  std::uint32_t mode = 0, uid = 0, gid = 0;
  std::int64_t mtime = 0;

  /// Unpackers apply a link's header to the inode; a symbolic link has no mode. Was the header another one?
  bool override_by(const LayerEntry& link, bool symlink);
};

struct LayerNode {
  enum class Kind : std::uint8_t { none, implied, directory, inode, late_link };
  static constexpr std::uint32_t no_node = ~0u;

  PathId path = NameTable::root;
  std::uint32_t parent = 0;
  std::uint32_t first_child = no_node, next_sibling = no_node;
  std::uint32_t value = 0;  // directory, inode: in inodes(); late_link: the ordinal
  Kind kind = Kind::none;
  bool whiteout = false;   // of the lower name
  bool opaque = false;     // a directory
  bool by_marker = false;  // implied by markers only
  bool leftover = false;
  bool linked = false;  // an inode by way of a hard link
  bool listed = true;   // among the parent's children

  bool is_directory() const { return kind == Kind::implied || kind == Kind::directory; }
};

struct LayerRefusal {
  Refusal refusal;
  bool everywhere;  // by cumulative engines too
};

class LayerTree {
 public:
  static constexpr std::uint32_t no_node = LayerNode::no_node;

  explicit LayerTree(NameTable& table) : table_(table) {}

  void read(const LayerIndex& index, std::uint32_t layer);

  const LayerIndex& index() const { return *index_; }
  std::uint32_t layer() const { return layer_; }
  /// The name of each entry as recorded (NameTable::none: it cannot exist), and its role.
  const std::vector<PathId>& ids() const { return ids_; }
  const std::vector<Role>& roles() const { return roles_; }

  /// Parents before children, the root first; nodes of kind none without a whiteout mean nothing.
  const std::vector<LayerNode>& nodes() const { return nodes_; }
  const std::vector<LayerInode>& inodes() const { return inodes_; }
  const LayerNode* at(PathId path) const;
  const LayerEntry& entry_of(const LayerNode& node) const {
    return index_->entries[node.kind == LayerNode::Kind::late_link ? node.value : inodes_[node.value].ordinal];
  }
  /// The inode of a link into AUFS metadata.
  std::optional<std::uint32_t> leftover_target(Ordinal link) const;

  const std::vector<LayerRefusal>& refusals() const { return refusals_; }
  const Oddities& oddities() const { return oddities_; }

 private:
  struct Seen {
    std::uint32_t stamp = 0;  // layer + 1
    std::uint32_t node = no_node;
    Ordinal ordinal = 0;
    bool named = false;  // some entry has this very name
  };

  void intern_names();
  Role classify(const LayerEntry& entry, PathId id);
  void note_duplicate(Ordinal ordinal);
  void put(Ordinal ordinal);
  void put_root(const LayerEntry& entry, Ordinal ordinal);
  void put_marker(const LayerEntry& entry, Ordinal ordinal);
  void put_directory(std::uint32_t node, const LayerEntry& entry, Ordinal ordinal);
  void put_link(std::uint32_t node, const LayerEntry& entry, Ordinal ordinal);
  void note_attributes(std::uint32_t node, const LayerEntry& entry, Ordinal ordinal);

  /// The directory for an entry's parent, made where it is missing; no_node when nothing can be put there.
  std::uint32_t directory_for(const LayerEntry& entry, Ordinal ordinal, bool marker);
  std::uint32_t walk(std::string_view parent, const LayerEntry& entry, bool marker);
  /// Where a link's target stands: parents resolved, the last component kept.
  std::uint32_t target_of(std::string_view path) const;
  std::uint32_t find_node(PathId path) const;
  std::uint32_t make_node(PathId path, std::uint32_t parent);
  std::uint32_t add_inode(const LayerEntry& entry, Ordinal ordinal);
  void list(std::uint32_t node);
  void drop_content(std::uint32_t node);
  void lose(std::uint32_t node);
  bool is_symlink(const LayerNode& node) const;

  void refuse(std::string_view id, std::string_view path, std::string text, bool everywhere = false);
  void remark(std::string_view id, std::string_view path, std::string text);

  NameTable& table_;
  const LayerIndex* index_ = nullptr;
  std::uint32_t layer_ = 0;
  std::vector<PathId> ids_;
  std::vector<Role> roles_;
  std::vector<Seen> seen_;  // by PathId
  std::vector<LayerNode> nodes_;
  std::vector<LayerInode> inodes_;
  std::unordered_map<Ordinal, std::uint32_t> leftover_links_;
  std::vector<std::uint32_t> dropping_;
  std::size_t next_attribute_ = 0;
  std::vector<LayerRefusal> refusals_;
  Oddities oddities_;
};

}  // namespace ocilint
