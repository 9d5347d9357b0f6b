// The overlay rule: a layer's own tree is laid over the tree so far, name by name (format.md section 0).
//
// This is what Docker's overlay2, containerd's overlayfs and Podman show. Lower links are never followed:
// where the layer has a directory, the merged tree has one. Device 0:0 counts as a whiteout, an opaque root
// does not count. A hard link to a lower file, which these engines refuse, binds to the lower inode. Refers
// to the tree; one thread. Cost: O(nodes of the layer and names that go).
#pragma once

#include <vector>

#include "tree/layer_tree.h"
#include "tree/tree_state.h"

namespace ocilint {

class OverlayMerge {
 public:
  explicit OverlayMerge(TreeState& tree) : tree_(tree) {}

  void apply(const LayerTree& layer);

 private:
  struct LateLink {
    std::uint32_t node;
    InodeIndex inode;  // of the lower layers, or none
    bool refused;      // and why has been said
  };

  void find_lower_targets();
  void merge(const LayerNode& node, std::uint32_t number);
  void merge_directory(const LayerNode& node);
  void merge_other(const LayerNode& node);
  void bind_late();
  InodeIndex inode_of(const LayerNode& node);
  void refuse(std::string_view id, PathId path, std::string text);
  void remark(std::string_view id, PathId path, std::string text);

  TreeState& tree_;
  const LayerTree* layer_ = nullptr;
  std::vector<InodeIndex> inodes_;  // of the layer's own
  std::vector<LateLink> late_;
  std::size_t next_late_ = 0;
};

}  // namespace ocilint
