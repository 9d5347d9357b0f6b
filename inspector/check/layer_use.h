// What one layer does to the files of an image, and what of them nobody sees in the end (check/efficiency.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ocilint {

/// Files are everything but folders.
struct LayerUse {
  std::size_t added = 0, changed = 0, removed = 0;
  std::uint64_t content_bytes = 0;  // of regular files
  std::uint64_t hidden_bytes = 0;   // of those, what no name shows in the end
};

struct HiddenPath {
  std::string path;
  std::uint64_t bytes = 0;            // hidden, of all layers
  std::vector<std::uint32_t> layers;  // that hold them, base first
  std::uint32_t last_layer = 0;       // that touched the name
};

}  // namespace ocilint
