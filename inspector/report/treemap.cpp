#include "report/treemap.h"

#include <algorithm>
#include <numeric>

namespace ocilint {
namespace {

constexpr double heading_height = 16;
constexpr double gap = 1.5;            // between a frame and what is in it
constexpr double least_inside = 5;     // width and height of what is drawn at all
constexpr double heading_width = 44;   // a frame must be that wide for its name
constexpr std::uint32_t deepest = 24;  // frames in frames; with their gaps nothing would be left

/// Of the row with these areas along `side`: how far the worst of its boxes is from a square.
double worst_ratio(double sum, double biggest, double smallest, double side) {
  const double square = side * side, total = sum * sum;
  return std::max(square * biggest / total, total / (square * smallest));
}

Box cut_row(std::span<const double> areas, double sum, Box& left, std::vector<Box>& out) {
  const bool upright = left.width >= left.height;  // the row is a column at the left
  const double side = upright ? left.height : left.width;
  const double thick = side > 0 ? sum / side : 0;
  double at = 0;
  for (const double area : areas) {
    const double length = thick > 0 ? area / thick : 0;
    out.push_back(upright ? Box{left.x, left.y + at, thick, length} : Box{left.x + at, left.y, length, thick});
    at += length;
  }
  if (upright) {
    left.x += thick;
    left.width = std::max(0.0, left.width - thick);
  } else {
    left.y += thick;
    left.height = std::max(0.0, left.height - thick);
  }
  return left;
}

}  // namespace

std::vector<Box> squarify(std::span<const double> weights, const Box& box) {
  std::vector<Box> out;
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (total <= 0) return std::vector<Box>(weights.size(), Box{box.x, box.y, 0, 0});
  std::vector<double> areas;
  areas.reserve(weights.size());
  for (const double weight : weights) areas.push_back(weight / total * box.width * box.height);
  Box left = box;
  for (std::size_t first = 0; first < areas.size();) {
    const double side = std::min(left.width, left.height);
    double sum = areas[first];
    double worst = worst_ratio(sum, areas[first], areas[first], side);
    std::size_t end = first + 1;
    for (; end < areas.size(); ++end) {
      const double ratio = worst_ratio(sum + areas[end], areas[first], areas[end], side);
      if (ratio > worst) break;
      worst = ratio;
      sum += areas[end];
    }
    cut_row(std::span(areas).subspan(first, end - first), sum, left, out);
    first = end;
  }
  return out;
}

std::vector<Tile> lay_out(const std::vector<SizeNode>& sizes, const Box& canvas) {
  std::vector<Tile> out;
  if (sizes.empty() || sizes.front().bytes == 0) return out;
  std::vector<std::vector<std::uint32_t>> children(sizes.size());
  for (std::uint32_t i = 1; i < sizes.size(); ++i)
    if (sizes[i].parent < i && sizes[i].bytes > 0) children[sizes[i].parent].push_back(i);

  std::vector<Tile> open = {{0, canvas, false, 0, 0}};
  while (!open.empty()) {
    Tile tile = open.back();
    open.pop_back();
    std::vector<std::uint32_t>& inside = children[tile.node];
    Box room = tile.box;
    if (tile.depth > 0) {
      const bool named = room.width >= heading_width && room.height >= 2 * heading_height;
      tile.heading = named ? heading_height : 0;
      room = {room.x + gap, room.y + gap + tile.heading, room.width - 2 * gap, room.height - 2 * gap - tile.heading};
    }
    tile.frame = !inside.empty() && room.width >= least_inside && room.height >= least_inside && tile.depth < deepest;
    if (!tile.frame) tile.heading = 0;
    out.push_back(tile);
    if (!tile.frame) continue;
    std::ranges::stable_sort(inside, std::greater(), [&](std::uint32_t node) { return sizes[node].bytes; });
    std::vector<double> weights;
    for (const std::uint32_t node : inside) weights.push_back(static_cast<double>(sizes[node].bytes));
    const std::vector<Box> boxes = squarify(weights, room);
    for (std::size_t i = inside.size(); i > 0; --i)
      open.push_back({inside[i - 1], boxes[i - 1], false, 0, tile.depth + 1});
  }
  return out;
}

}  // namespace ocilint
