// Bytes of an image, and checked reads from them.
//
// `Bytes` is a view; whoever hands it out says how long it lives. A Cursor reads fixed-width integers and
// slices from a view; a read beyond its end throws Error{corrupt}. No alignment is assumed. Not thread safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ocilint {

using Bytes = std::span<const std::uint8_t>;

inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline std::string_view as_text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

enum class Endian { little, big };

class Cursor {
 public:
  explicit Cursor(Bytes bytes, Endian endian = Endian::little) : bytes_(bytes), endian_(endian) {}

  std::size_t at() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }
  void seek(std::uint64_t offset);
  void skip(std::uint64_t count) { (void)take(count); }
  Bytes take(std::uint64_t count);
  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }

 private:
  std::uint64_t number(unsigned width);

  Bytes bytes_;
  std::size_t at_ = 0;
  Endian endian_;
};

}  // namespace ocilint
