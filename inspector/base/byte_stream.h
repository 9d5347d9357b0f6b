// A sequence of bytes that is read once, front to back: a blob as it is stored, or what a decoder makes of it.
//
// read() fills the front of `into` and returns how many bytes it wrote; fewer than asked for is normal, 0 is
// the end (and stays so). Throws Error. One thread at a time. Implementations hold at most one buffer.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace ocilint {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  virtual std::size_t read(std::span<std::uint8_t> into) = 0;
};

}  // namespace ocilint
