// A decoder of one compression format, as Decompressor drives it.
#pragma once

#include <memory>
#include <span>

#include "blob/input.h"

namespace ocilint {

class Decoder {
 public:
  virtual ~Decoder() = default;
  /// As ByteStream::read(), for a span that is not empty; 0 is the end, and `input` is drained.
  virtual std::size_t read(std::span<std::uint8_t> into) = 0;
};

// RFC 1952, 2.3: ID1, ID2 and the only method there is.
inline constexpr std::string_view gzip_magic("\x1f\x8b\x08", 3);
// RFC 8878, 3.1.1.
inline constexpr std::string_view zstd_magic("\x28\xb5\x2f\xfd", 4);

/// RFC 8878, 3.1.2: 0x184D2A50 to 0x184D2A5F, little-endian.
bool starts_with_skippable_frame(const CompressedInput& input);

std::unique_ptr<Decoder> gzip_decoder(CompressedInput& input, Oddities& oddities);
std::unique_ptr<Decoder> zstd_decoder(CompressedInput& input, Oddities& oddities);

}  // namespace ocilint
