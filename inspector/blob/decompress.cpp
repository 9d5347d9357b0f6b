#include "blob/decompress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "blob/decoder.h"

namespace ocilint {
namespace {

struct ForeignFormat {
  std::string_view name;
  std::size_t offset;
  std::string_view magic;
};

// What is no layer that can be read here, said by name instead of as a damaged archive.
constexpr ForeignFormat foreign_formats[] = {
    {"xz", 0,
     std::string_view("\xfd"
                      "7zXZ\0",
                      6)},
    {"bzip2", 4, "\x31\x41\x59\x26\x53\x59"},
    {"lz4", 0, "\x04\x22\x4d\x18"},
    {"zip", 0, "PK\x03\x04"},
    {"7-zip", 0, "7z\xbc\xaf\x27\x1c"},
    {"SquashFS", 0, "hsqs"},
    {"EROFS", 1024, "\xe2\xe1\xf5\xe0"},
};
constexpr std::size_t sniffed = 1028;
constexpr std::size_t tar_magic_offset = 257;

bool has(Bytes bytes, std::size_t offset, std::string_view magic) {
  return bytes.size() >= offset + magic.size() && as_text(bytes).substr(offset, magic.size()) == magic;
}

/// Bytes as they are: first those read for sniffing, then straight into the caller's span.
class PlainDecoder final : public Decoder {
 public:
  PlainDecoder(CompressedInput& input, ByteStream& source) : input_(input), source_(source) {}

  std::size_t read(std::span<std::uint8_t> into) override {
    const Bytes rest = input_.left();
    if (rest.empty()) return source_.read(into);
    const std::size_t count = std::min(rest.size(), into.size());
    std::memcpy(into.data(), rest.data(), count);
    input_.consume(count);
    return count;
  }

 private:
  CompressedInput& input_;
  ByteStream& source_;
};

}  // namespace

std::string_view to_string(Compression compression) {
  switch (compression) {
    case Compression::none: return "none";
    case Compression::gzip: return "gzip";
    case Compression::zstd: return "zstd";
  }
  return "";
}

class Decompressor::State {
 public:
  State(ByteStream& source, Oddities& oddities) : input_(source) {
    input_.want(sniffed);
    if (input_.starts_with(gzip_magic)) {
      compression_ = Compression::gzip;
      decoder_ = gzip_decoder(input_, oddities);
    } else if (input_.starts_with(zstd_magic) || starts_with_skippable_frame(input_)) {
      compression_ = Compression::zstd;
      decoder_ = zstd_decoder(input_, oddities);
    } else {
      if (!has(input_.left(), tar_magic_offset, "ustar"))
        for (const ForeignFormat& format : foreign_formats)
          if (has(input_.left(), format.offset, format.magic))
            throw Error(ErrorKind::unsupported, fmt::format("the blob is {}: not read here", format.name));
      decoder_ = std::make_unique<PlainDecoder>(input_, source);
    }
  }

  Compression compression() const { return compression_; }
  std::size_t read(std::span<std::uint8_t> into) { return into.empty() ? 0 : decoder_->read(into); }

 private:
  CompressedInput input_;
  Compression compression_ = Compression::none;
  std::unique_ptr<Decoder> decoder_;
};

Decompressor::Decompressor(ByteStream& source, Oddities& oddities)
    : state_(std::make_unique<State>(source, oddities)) {}
Decompressor::~Decompressor() = default;

Compression Decompressor::compression() const { return state_->compression(); }
std::size_t Decompressor::read(std::span<std::uint8_t> into) { return state_->read(into); }

}  // namespace ocilint
