// What the layers of an image do to each other's files, in bytes: what each adds, changes and removes, what
// nobody can see any more, and how efficient that is.
//
// Hidden bytes are exact: contents of files no name of which is left in the merged tree. The score is dive's
// (github.com/wagoodman/dive), so that the two can be compared. Of every path at which some layer has a file,
// an empty folder or a whiteout, it takes the sizes that the layers state: 0 for a link, a folder and the
// whiteout of a file, the sizes of all files below for the whiteout of a folder. The score is the sum of the
// smallest sizes over the sum of all sizes; 1 when that is nothing. Its repeated bytes are the sizes of the
// paths that occur twice or more. Opaque folders do not count in it. Pure. Cost: O(entries · depth), about
// 200 bytes an entry while it runs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "check/layer_use.h"
#include "tree/merged_tree.h"

namespace ocilint {

struct Efficiency {
  std::vector<LayerUse> layers;
  std::uint64_t content_bytes = 0, hidden_bytes = 0;
  std::vector<HiddenPath> hidden;                                       // most bytes first, then by path
  std::uint64_t least_bytes = 0, stated_bytes = 0, repeated_bytes = 0;  // of dive's score

  double score() const;
};

/// `layers` are those that the tree was built from.
Efficiency measure_efficiency(std::span<const LayerIndex* const> layers, const MergedTree& tree);

}  // namespace ocilint
