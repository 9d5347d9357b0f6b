// A ByteStream over a string, that gives at most `step` bytes a read and counts whether its end was read.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "base/byte_stream.h"

namespace ocilint::test {

class MemoryStream final : public ByteStream {
 public:
  explicit MemoryStream(std::string bytes, std::size_t step = SIZE_MAX) : bytes_(std::move(bytes)), step_(step) {}

  std::size_t read(std::span<std::uint8_t> into) override {
    const std::size_t count = std::min({into.size(), step_, bytes_.size() - at_});
    if (count == 0) {
      drained_ = drained_ || !into.empty();
      return 0;
    }
    std::memcpy(into.data(), bytes_.data() + at_, count);
    at_ += count;
    return count;
  }
  bool drained() const { return drained_; }

 private:
  std::string bytes_;
  std::size_t step_;
  std::size_t at_ = 0;
  bool drained_ = false;
};

inline std::string read_all(ByteStream& stream, std::size_t step = 64 << 10) {
  std::string out;
  std::string buffer(step, '\0');
  const std::span<std::uint8_t> into(reinterpret_cast<std::uint8_t*>(buffer.data()), buffer.size());
  while (const std::size_t count = stream.read(into)) out.append(buffer, 0, count);
  return out;
}

}  // namespace ocilint::test
