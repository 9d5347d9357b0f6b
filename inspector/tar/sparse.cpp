#include "tar/sparse.h"

#include <fmt/format.h>

#include <charconv>

#include "base/error.h"
#include "tar/header.h"

namespace ocilint::tar {
namespace {

constexpr std::uint64_t most = INT64_MAX;

[[noreturn]] void too_many() {
  throw Error(ErrorKind::limit, fmt::format("a sparse file of more than {} regions", max_sparse_regions));
}

}  // namespace

std::uint64_t parse_decimal(std::string_view text, std::string_view what) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value > most)
    corrupt(fmt::format("the {} '{}' is not a number", what, text.substr(0, 40)));
  return value;
}

void SparseMap::clear() {
  regions_.clear();
  half_ = counted_ = false;
  number_ = numbers_left_ = 0;
  digits_ = 0;
}

void SparseMap::add_offset(std::uint64_t value) {
  if (half_) corrupt("the sparse map has an offset without a length");
  if (regions_.size() >= max_sparse_regions) too_many();
  regions_.push_back({value, 0});
  half_ = true;
}

void SparseMap::add_length(std::uint64_t value) {
  if (!half_) corrupt("the sparse map has a length without an offset");
  regions_.back().length = value;
  half_ = false;
}

void SparseMap::parse_list(std::string_view text) {
  if (!empty()) corrupt("two sparse maps for one file");
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    add(parse_decimal(text.substr(0, comma), "sparse map's number"));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) corrupt("the sparse map ends with a comma");
  }
}

bool SparseMap::parse_block(Bytes block) {
  for (const std::uint8_t byte : block) {
    if (byte >= '0' && byte <= '9' && digits_ < 19) {
      number_ = number_ * 10 + (byte - '0');
      ++digits_;
      continue;
    }
    if (byte != '\n' || digits_ == 0 || number_ > most) corrupt("the sparse map is not a list of numbers");
    if (counted_) {
      add(number_);
      --numbers_left_;
    } else {
      if (number_ > max_sparse_regions) too_many();
      numbers_left_ = 2 * number_;
      counted_ = true;
    }
    number_ = 0;
    digits_ = 0;
    if (numbers_left_ == 0) return true;
  }
  return false;
}

void SparseMap::check(std::uint64_t size, std::uint64_t stored) const {
  if (half_) corrupt("the sparse map has an offset without a length");
  std::uint64_t end = 0, sum = 0;
  for (const Region& region : regions_) {
    if (region.offset < end) corrupt("the regions of the sparse map overlap or are out of order");
    if (__builtin_add_overflow(region.offset, region.length, &end) || end > size)
      corrupt("a region of the sparse map reaches beyond the file");
    sum += region.length;  // the regions do not overlap, so that the sum is at most `size`
  }
  if (sum != stored) corrupt(fmt::format("the sparse map describes {} bytes, {} are stored", sum, stored));
}

bool OldSparseHeaders::read(Bytes block, bool extension) {
  const std::size_t first = extension ? 0 : 386, count = extension ? 21 : 4;
  for (std::size_t i = 0; i < count; ++i) {
    const Bytes region = block.subspan(first + 24 * i, 24);
    if (region[0] == 0) break;
    (void)parse_unsigned(region.first(12), "sparse region's offset");
    (void)parse_unsigned(region.last(12), "sparse region's length");
    ++regions_;
  }
  const bool more = block[extension ? 504 : 482] != 0;
  // The blocks count as well: an endless chain may hold no region at all.
  if (extension) ++regions_;
  if (regions_ > max_sparse_regions) too_many();
  return more;
}

}  // namespace ocilint::tar
