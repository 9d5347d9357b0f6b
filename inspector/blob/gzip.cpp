#include <fmt/format.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>

#include "base/error.h"
#include "blob/decoder.h"

namespace ocilint {
namespace {

class GzipDecoder final : public Decoder {
 public:
  GzipDecoder(CompressedInput& input, Oddities& oddities)
      : input_(input), oddities_(oddities), state_(std::make_unique<inflate_state>()) {
    isal_inflate_init(state_.get());
  }

  std::size_t read(std::span<std::uint8_t> into) override {
    into = into.first(std::min(into.size(), most_output));
    std::size_t made = 0;
    while (made < into.size()) {
      if (!in_member_ && !start_member()) break;
      made += inflate(into.subspan(made));
    }
    return made;
  }

 private:
  static constexpr std::size_t most_output = std::size_t{1} << 30;  // ISA-L counts in 32 bits

  bool start_member() {
    if (ended_) return false;
    input_.want(4);
    if (!input_.starts_with(gzip_magic)) {
      input_.drain(oddities_);
      ended_ = true;
      return false;
    }
    // RFC 1952, 2.3.1.2: reserved bits must be zero. ISA-L does not look.
    if (input_.left().size() > 3 && (input_.left()[3] & 0xe0) != 0)
      corrupt("gzip: reserved flags are set in a member's header");
    isal_inflate_reset(state_.get());
    state_->crc_flag = ISAL_GZIP;
    in_member_ = true;
    ++members_;
    return true;
  }

  std::size_t inflate(std::span<std::uint8_t> into) {
    input_.want(1);
    const Bytes from = input_.left();
    state_->next_in = const_cast<std::uint8_t*>(from.data());
    state_->avail_in = static_cast<std::uint32_t>(from.size());
    state_->next_out = into.data();
    state_->avail_out = static_cast<std::uint32_t>(into.size());
    const int result = isal_inflate(state_.get());
    input_.consume(from.size() - state_->avail_in);
    const std::size_t made = into.size() - state_->avail_out;
    if (result != ISAL_DECOMP_OK) fail(result);
    // ISA-L says OK for a stream without its trailer; only this state means that the trailer was compared.
    if (state_->block_state == ISAL_BLOCK_FINISH)
      in_member_ = false;
    else if (made == 0 && state_->avail_in == from.size())
      corrupt(fmt::format("gzip: the stream ends inside member {}", members_));
    return made;
  }

  [[noreturn]] void fail(int result) const {
    switch (result) {
      case ISAL_INCORRECT_CHECKSUM: corrupt(fmt::format("gzip: member {} does not match its CRC or length", members_));
      case ISAL_INVALID_WRAPPER:
      case ISAL_UNSUPPORTED_METHOD: corrupt(fmt::format("gzip: the header of member {} is damaged", members_));
      default: corrupt(fmt::format("gzip: damaged data in member {}", members_));
    }
  }

  CompressedInput& input_;
  Oddities& oddities_;
  std::unique_ptr<inflate_state> state_;
  bool in_member_ = false;
  bool ended_ = false;
  std::uint64_t members_ = 0;
};

}  // namespace

std::unique_ptr<Decoder> gzip_decoder(CompressedInput& input, Oddities& oddities) {
  return std::make_unique<GzipDecoder>(input, oddities);
}

}  // namespace ocilint
