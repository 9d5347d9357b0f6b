#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/error.h"
#include "blob/decoder.h"

namespace ocilint {
namespace {

// 128 MiB: libzstd's own default and what level 22 needs. A header may ask for terabytes.
constexpr int window_log_max = 27;

class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder(CompressedInput& input, Oddities& oddities)
      : input_(input), oddities_(oddities), context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, window_log_max);
  }

  std::size_t read(std::span<std::uint8_t> into) override {
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    while (out.pos < out.size) {
      if (!in_frame_ && !start_frame()) break;
      decode(out);
    }
    return out.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  bool start_frame() {
    if (ended_) return false;
    input_.want(zstd_magic.size());
    // Our own look: a libzstd built with legacy support would take the formats before 0.8, too.
    if (!input_.starts_with(zstd_magic) && !starts_with_skippable_frame(input_)) {
      input_.drain(oddities_);
      ended_ = true;
      return false;
    }
    in_frame_ = true;
    ++frames_;
    return true;
  }

  void decode(ZSTD_outBuffer& out) {
    input_.want(1);
    const Bytes from = input_.left();
    ZSTD_inBuffer in{from.data(), from.size(), 0};
    const std::size_t before = out.pos;
    const std::size_t result = ZSTD_decompressStream(context_.get(), &out, &in);
    input_.consume(in.pos);
    if (ZSTD_isError(result)) fail(result);
    if (result == 0)
      in_frame_ = false;
    else if (out.pos == before && in.pos == 0)
      corrupt(fmt::format("zstd: the stream ends inside frame {}", frames_));
  }

  [[noreturn]] void fail(std::size_t result) const {
    switch (ZSTD_getErrorCode(result)) {
      case ZSTD_error_frameParameter_windowTooLarge:
        throw Error(ErrorKind::limit, fmt::format("zstd: frame {} has a window above 128 MiB", frames_));
      case ZSTD_error_memory_allocation: throw std::bad_alloc();
      case ZSTD_error_dictionary_wrong:
        throw Error(ErrorKind::unsupported, fmt::format("zstd: frame {} needs a dictionary", frames_));
      default: corrupt(fmt::format("zstd: frame {}: {}", frames_, ZSTD_getErrorName(result)));
    }
  }

  CompressedInput& input_;
  Oddities& oddities_;
  std::unique_ptr<ZSTD_DCtx, Free> context_;
  bool in_frame_ = false;
  bool ended_ = false;
  std::uint64_t frames_ = 0;
};

}  // namespace

bool starts_with_skippable_frame(const CompressedInput& input) {
  const Bytes left = input.left();
  return left.size() >= 4 && (left[0] & 0xf0) == 0x50 && as_text(left).substr(1, 3) == "\x2a\x4d\x18";
}

std::unique_ptr<Decoder> zstd_decoder(CompressedInput& input, Oddities& oddities) {
  return std::make_unique<ZstdDecoder>(input, oddities);
}

}  // namespace ocilint
