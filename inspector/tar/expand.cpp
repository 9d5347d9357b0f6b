#include "tar/expand.h"

#include <algorithm>

#include "base/error.h"

namespace ocilint::tar {
namespace {

constexpr std::size_t page_size = 64 << 10;
const std::uint8_t zero_page[page_size] = {};

}  // namespace

void SparseExpander::start(const SparseMap& map, std::uint64_t size) {
  map_ = &map;
  size_ = size;
  at_ = 0;
  region_ = 0;
}

std::size_t SparseExpander::data(Bytes bytes, TarSink& sink) {
  const auto& regions = map_->regions();
  while (region_ < regions.size() && regions[region_].offset + regions[region_].length <= at_) ++region_;
  while (region_ < regions.size() && regions[region_].length == 0) ++region_;
  if (region_ == regions.size()) throw Error(ErrorKind::internal, "more sparse data than regions");
  const SparseMap::Region& region = regions[region_];
  zeros(region.offset, sink);
  const auto count =
      static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), region.offset + region.length - at_));
  sink.body(at_, bytes.first(count), at_ + count == size_);
  at_ += count;
  return count;
}

void SparseExpander::zeros(std::uint64_t until, TarSink& sink) {
  while (at_ < until) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(page_size, until - at_));
    sink.body(at_, {zero_page, count}, at_ + count == size_);
    at_ += count;
  }
}

}  // namespace ocilint::tar
