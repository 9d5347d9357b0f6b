// The compressed bytes in front of a decoder: one buffer over a ByteStream, filled from its front.
//
// Shared by the decoders of this folder; not for several threads. want(n) moves what is left to the front and
// reads until n bytes are there or the stream ends, so that a magic number never lies across two reads.
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_stream.h"
#include "base/bytes.h"
#include "base/oddity.h"

namespace ocilint {

class CompressedInput {
 public:
  explicit CompressedInput(ByteStream& source);

  Bytes left() const { return {buffer_.get() + from_, to_ - from_}; }
  void consume(std::size_t count) { from_ += count; }
  /// Brings at least `count` bytes into left(), or all there are; says whether that many are there.
  bool want(std::size_t count);
  bool starts_with(std::string_view magic) const { return as_text(left()).starts_with(magic); }

  /// Reads what stands behind the last member or frame, to the end of the source. Zero bytes are padding;
  /// anything else is reported, since engines differ in whether they refuse it.
  void drain(Oddities& oddities);

 private:
  // Measured: read() in steps of 256 KiB into a reused buffer is the fastest way in.
  static constexpr std::size_t capacity = 256 << 10;

  ByteStream& source_;
  std::unique_ptr<std::uint8_t[]> buffer_;
  std::size_t from_ = 0, to_ = 0;
  bool ended_ = false;
};

}  // namespace ocilint
