// The cumulative rule: each layer is applied to the tree so far, whiteouts first (OCI image-spec layer.md).
//
// What containerd's native snapshotter, Podman on vfs and umoci show, with the specification's word where
// they err: all markers of a layer apply to the lower tree, in any order, then its entries in archive order.
// Links in parent folders are followed whoever made them, inside the root; an opaque mark never clears
// through the link it stands on. Refers to the tree; one thread. Cost: O(entries · depth and names that go).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tree/layer_tree.h"
#include "tree/tree_state.h"

namespace ocilint {

class SpecMerge {
 public:
  explicit SpecMerge(TreeState& tree) : tree_(tree) {}

  void apply(const LayerTree& layer);

 private:
  struct LateLink {
    PathId path;
    Ordinal ordinal;
  };

  void remove_lower(const LayerEntry& marker, Role role);
  /// The lower directory that a marker's folder means, or nothing.
  std::optional<PathId> lower_directory(std::string_view path, bool opaque) const;
  void put(Ordinal ordinal);
  void put_link(PathId path, const LayerEntry& entry, Ordinal ordinal);
  /// The directory for an entry, made where missing; nothing when it cannot be.
  std::optional<PathId> directory_for(const LayerEntry& entry, PathId recorded);
  std::optional<PathId> walk(std::string_view parent, const LayerEntry& entry);
  InodeIndex inode_of(Ordinal ordinal);
  void lose(PathId path);
  void bind_late();
  void refuse(std::string_view id, std::string_view path, std::string text);

  TreeState& tree_;
  const LayerTree* layer_ = nullptr;
  std::vector<InodeIndex> leftovers_;  // of the layer's inodes, those that stand in AUFS metadata only
  std::vector<LateLink> late_;
};

}  // namespace ocilint
