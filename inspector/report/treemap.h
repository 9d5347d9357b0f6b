// A tree of sizes as rectangles in rectangles, each area in proportion to its bytes (squarified treemaps: Bruls,
// Huizing, van Wijk, 2000). Pure. Cost: O(n log n). Depth is bounded: too small a folder is drawn whole.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "run/survey.h"

namespace ocilint {

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

/// In the order of the weights, which must be positive and descending. Together they fill the box.
std::vector<Box> squarify(std::span<const double> weights, const Box& box);

struct Tile {
  std::uint32_t node = 0;  // of the tree
  Box box;
  bool frame = false;  // a folder whose children follow, drawn on it
  double heading = 0;  // height left for the name of a frame; 0: no room for it
  std::uint32_t depth = 0;
};

/// Frames before what is in them.
std::vector<Tile> lay_out(const std::vector<SizeNode>& sizes, const Box& canvas);

}  // namespace ocilint
