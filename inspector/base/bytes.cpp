#include "base/bytes.h"

#include <fmt/format.h>

#include "base/error.h"

namespace ocilint {

void Cursor::seek(std::uint64_t offset) {
  if (offset > bytes_.size()) corrupt(fmt::format("offset {} lies beyond {} bytes", offset, bytes_.size()));
  at_ = static_cast<std::size_t>(offset);
}

Bytes Cursor::take(std::uint64_t count) {
  if (count > left()) corrupt(fmt::format("{} bytes wanted at offset {}, {} left", count, at_, left()));
  const Bytes slice = bytes_.subspan(at_, static_cast<std::size_t>(count));
  at_ += static_cast<std::size_t>(count);
  return slice;
}

std::uint64_t Cursor::number(unsigned width) {
  const Bytes raw = take(width);
  std::uint64_t value = 0;
  for (unsigned i = 0; i < width; ++i) {
    const unsigned from = endian_ == Endian::little ? width - 1 - i : i;
    value = value << 8 | raw[from];
  }
  return value;
}

}  // namespace ocilint
