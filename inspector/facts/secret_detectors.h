// Secrets that are known by their shape: the table of detectors, and what they find in a text.
//
// A row has a keyword, without which its pattern (RE2, Latin-1, group 1 is the value) is never run, a lower
// bound of the value's entropy, and guards. Patterns are compiled on the first text that holds their keyword.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace ocilint {

struct ShapeHit {
  std::size_t begin = 0, end = 0;
  std::string_view detector;
};

/// In no order; may overlap.
std::vector<ShapeHit> find_shapes(std::string_view text);

}  // namespace ocilint
