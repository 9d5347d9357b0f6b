#include "blob/input.h"

#include <algorithm>
#include <cstring>

namespace ocilint {

CompressedInput::CompressedInput(ByteStream& source)
    : source_(source), buffer_(std::make_unique_for_overwrite<std::uint8_t[]>(capacity)) {}

bool CompressedInput::want(std::size_t count) {
  if (to_ - from_ >= count) return true;
  if (ended_) return false;
  std::memmove(buffer_.get(), buffer_.get() + from_, to_ - from_);
  to_ -= from_;
  from_ = 0;
  while (to_ < count && !ended_) {
    const std::size_t got = source_.read({buffer_.get() + to_, capacity - to_});
    to_ += got;
    ended_ = got == 0;
  }
  return to_ >= count;
}

void CompressedInput::drain(Oddities& oddities) {
  std::uint64_t count = 0;
  bool padding = true;
  while (want(1)) {
    const Bytes rest = left();
    padding = padding && std::ranges::all_of(rest, [](std::uint8_t byte) { return byte == 0; });
    count += rest.size();
    consume(rest.size());
  }
  if (!padding)
    oddities.push_back({.id = "data-after-compressed-stream",
                        .subject = {},
                        .text = std::to_string(count) + " bytes stand behind the compressed stream and "
                                                        "belong to no gzip member or zstd frame"});
}

}  // namespace ocilint
