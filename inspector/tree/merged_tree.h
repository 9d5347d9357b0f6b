// The merged file system of an image: names bound to inodes after all layers (OCI image-spec layer.md).
//
// There is no single merged file system (format.md section 0): `overlay` is what Docker, containerd and
// Podman on overlay show (each layer alone, then merged by name), `spec` is the cumulative reading (whiteouts
// first, then additions, symbolic links of lower layers followed). Both are built from the same layer trees.
//
// An inode is (layer, ordinal) of the entry that created it; later layers rebind names, never inodes. Node
// ids index one tree and mean nothing in another. The layer indexes must outlive the tree. Built by one
// thread, then read by any. Cost: O(entries · depth) time, about 100 bytes a name. Throws Error{corrupt} only
// for what no reader could give a meaning to; what engines disagree about is kept in refusals() and
// compare().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "layer/layer_index.h"

namespace ocilint {

enum class View : std::uint8_t { overlay, spec };

struct InodeId {
  static constexpr std::uint32_t no_layer = ~0u;
  std::uint32_t layer = no_layer;  // no_layer: a directory that no entry created (an implied parent, the root)
  Ordinal ordinal = 0;

  bool created() const { return layer != no_layer; }
  friend bool operator==(const InodeId&, const InodeId&) = default;
  friend auto operator<=>(const InodeId&, const InodeId&) = default;
};

using NodeId = std::uint32_t;

/// What a name in the merged tree shows; names of one inode share it.
struct Node {
  InodeId inode;
  EntryType type = EntryType::directory;  // never hard_link
  std::uint32_t mode = 0755, uid = 0, gid = 0;
  std::uint64_t size = 0;
  std::int64_t mtime = 0;
  std::string_view link;  // of a symbolic link, as recorded
  std::uint32_t device_major = 0, device_minor = 0;
};

/// What a layer did to a name.
enum class Deed : std::uint8_t { wrote, linked, removed, hidden };  // hidden: an ancestor went away or changed type

std::string_view to_string(Deed);

struct Event {
  std::uint32_t layer;
  Deed deed;
  InodeId inode;  // after the deed (wrote, linked)

  /// Whether the name is there after the deed.
  bool shows() const { return deed == Deed::wrote || deed == Deed::linked; }
};

/// Why engines of the view's kind refuse to unpack a layer (format.md 1.1 to 1.5), with the case's name.
struct Refusal {
  std::string_view id;  // "cross-layer-hardlink", "whiteout-same-layer", "duplicate-entry", …
  std::uint32_t layer;
  std::string path;
  std::string text;
};

struct MergedViews;

class MergedTree {
 public:
  /// Both views at once: every name is interned and every layer tree is made only once.
  static MergedViews build_views(std::span<const LayerIndex* const> layers);
  static MergedTree build(std::span<const LayerIndex* const> layers, View view);
  ~MergedTree();
  MergedTree(MergedTree&&) noexcept;
  MergedTree& operator=(MergedTree&&) noexcept;

  static constexpr NodeId root = 0;

  const Node& operator[](NodeId node) const;
  std::size_t size() const;  // names, the root included
  /// A normal path, no link followed.
  std::optional<NodeId> find(std::string_view path) const;
  std::optional<NodeId> child(NodeId directory, std::string_view name) const;
  NodeId parent(NodeId node) const;
  std::string_view name(NodeId node) const;
  std::string path(NodeId node) const;
  /// Sorted by name.
  std::vector<NodeId> children(NodeId directory) const;

  /// All names of an inode in this tree, sorted by path: the alias group. Empty for what no entry created.
  std::vector<NodeId> names_of(InodeId inode) const;
  /// Every layer that touched the name, base first; also for names that are gone.
  std::vector<Event> story(std::string_view path) const;
  /// Every normal path that ever existed below `directory` in some layer and no longer does, sorted.
  std::vector<std::string> removed_below(std::string_view directory) const;

  const std::vector<Refusal>& refusals() const;
  /// Readable but odd: AUFS leftovers, smuggled whiteouts, names that no runtime can create, …
  const Oddities& oddities() const;
  View view() const;

 private:
  class State;
  friend class Comparison;
  explicit MergedTree(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct MergedViews {
  MergedTree overlay, spec;
};

/// A path on which two views differ: existence, type, link target, inode or (by `attributes`) mode and owner.
struct Divergence {
  std::string path;
  std::string text;     // "a directory on overlay engines (made by layer 1), a symbolic link to x elsewhere"
  std::uint32_t layer;  // the layer from which on they differ
  bool attributes_only = false;
};

/// Sorted by path; below a path that differs in type or existence, the children are summarised, not listed.
/// O(names) for trees of one build_views().
std::vector<Divergence> compare(const MergedTree& overlay, const MergedTree& spec);

}  // namespace ocilint
