// What a layer blob holds: gzip (RFC 1952, every member), zstd (RFC 8878, every frame, skippable ones too) or
// plain bytes. Found by magic bytes; the media type is only compared with the finding.
//
// read() gives decompressed bytes; 0 is the end of the last member or frame, and the source has then been
// drained, so that a VerifiedReader below has seen its end. A damaged or cut stream, a wrong CRC or length, an
// unknown format (xz, bzip2 and the like) throw Error{corrupt} or Error{unsupported}; a zstd window beyond
// 128 MiB throws Error{limit}. Bytes behind the stream that are not zero padding become an oddity
// "data-after-compressed-stream". One thread; holds one input buffer (256 KiB), reused.
#pragma once

#include <memory>

#include "base/byte_stream.h"
#include "base/oddity.h"

namespace ocilint {

enum class Compression : std::uint8_t { none, gzip, zstd };

std::string_view to_string(Compression);

class Decompressor final : public ByteStream {
 public:
  /// Reads the first bytes of `source` to know the format. `source` must outlive this.
  Decompressor(ByteStream& source, Oddities& oddities);
  ~Decompressor() override;

  Compression compression() const;
  std::size_t read(std::span<std::uint8_t> into) override;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace ocilint
