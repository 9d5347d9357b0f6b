#include "report/treemap.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <random>

using namespace ocilint;

namespace {

double area(const Box& box) { return box.width * box.height; }

bool inside(const Box& inner, const Box& outer) {
  constexpr double slack = 1e-6;
  return inner.x >= outer.x - slack && inner.y >= outer.y - slack &&
         inner.x + inner.width <= outer.x + outer.width + slack &&
         inner.y + inner.height <= outer.y + outer.height + slack;
}

double overlap(const Box& a, const Box& b) {
  const double width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const double height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}

}  // namespace

TEST_CASE("the example of the authors of squarified treemaps has their first row") {
  // 6 6 4 3 2 2 1 in 6 x 4: the two sixes are a column of width 3.
  const std::vector<double> weights = {6, 6, 4, 3, 2, 2, 1};
  const std::vector<Box> boxes = squarify(weights, {0, 0, 6, 4});
  REQUIRE(boxes.size() == 7);
  CHECK(boxes[0].width == Approx(3));
  CHECK(boxes[0].height == Approx(2));
  CHECK(boxes[1].y == Approx(2));
  // 4 and 3 lie beside each other at the top of what is left.
  CHECK(boxes[2].height == Approx(7.0 / 3));
  CHECK(boxes[3].y == Approx(boxes[2].y));
}

TEST_CASE("random weights: areas in proportion, within the box, none over another") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> weights(1 + random() % 40);
    for (double& weight : weights) weight = 1 + static_cast<double>(random() % 100000);
    std::ranges::sort(weights, std::greater());
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    const Box canvas = {10, 20, 300 + static_cast<double>(random() % 900), 50 + static_cast<double>(random() % 600)};
    const std::vector<Box> boxes = squarify(weights, canvas);
    REQUIRE(boxes.size() == weights.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      CHECK(inside(boxes[i], canvas));
      CHECK(area(boxes[i]) == Approx(weights[i] / total * area(canvas)).epsilon(1e-6));
      for (std::size_t j = 0; j < i; ++j) CHECK(overlap(boxes[i], boxes[j]) < 1e-3);
    }
  }
}

TEST_CASE("children lie in their folder's frame, and a tree of any depth ends") {
  std::vector<SizeNode> sizes(1);
  sizes[0].folder = true;
  sizes[0].bytes = 1000;
  for (std::uint32_t i = 1; i < 5000; ++i) {  // a chain of folders
    SizeNode& node = sizes.emplace_back();
    node.folder = true;
    node.bytes = 1000;
    node.parent = i - 1;
  }
  const std::vector<Tile> tiles = lay_out(sizes, {0, 0, 1200, 620});
  REQUIRE(!tiles.empty());
  CHECK(tiles.size() < 40);
  for (std::size_t i = 1; i < tiles.size(); ++i) {
    CHECK(inside(tiles[i].box, tiles[i - 1].box));
    CHECK(tiles[i].frame == (i + 1 < tiles.size()));
  }
  CHECK(lay_out({}, {0, 0, 10, 10}).empty());
}
