#include "layer/layer_index.h"

#include <algorithm>
#include <cstring>

namespace ocilint {

namespace {
constexpr std::size_t arena_block = 256 * 1024;
}

std::string_view LayerIndex::keep(std::string_view text) {
  if (text.empty()) return {};
  if (arena_size_ - arena_used_ < text.size()) {
    arena_size_ = std::max(arena_block, text.size());
    arena_used_ = 0;
    arena_.push_back(std::make_unique_for_overwrite<char[]>(arena_size_));
  }
  char* const at = arena_.back().get() + arena_used_;
  std::memcpy(at, text.data(), text.size());
  arena_used_ += text.size();
  return {at, text.size()};
}

}  // namespace ocilint
