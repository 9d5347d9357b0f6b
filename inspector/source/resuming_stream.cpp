#include "source/resuming_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ocilint {
namespace {

/// A server that sends a little and breaks off would otherwise keep us for ever.
constexpr unsigned max_resumes = 16;

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t out = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (text.empty() || problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

/// RFC 9110, 14.4: "bytes first-last/complete".
bool is_rest(std::string_view range, std::uint64_t from, std::uint64_t size) {
  if (!range.starts_with("bytes ")) return false;
  range.remove_prefix(6);
  const std::size_t dash = range.find('-'), slash = range.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos || slash < dash) return false;
  if (number(range.substr(0, dash)) != from) return false;
  if (number(range.substr(dash + 1, slash - dash - 1)) != size - 1) return false;
  const std::string_view complete = range.substr(slash + 1);
  return complete == "*" || number(complete) == size;
}

}  // namespace

void ResumingStream::again(const Error& why) {
  exchange_.reset();
  if (++broken_ > max_resumes) throw why;
  backoff_.wait(why);
}

void ResumingStream::connect() {
  exchange_ = open_(at_, backoff_);
  const HttpReply& reply = exchange_->reply();
  if (const std::string coding = reply.header("content-encoding"); !coding.empty() && coding != "identity")
    corrupt(fmt::format("{}: sent as '{}', though it was asked for as it is", reply.place, coding));
  if (reply.status == 206) {
    if (at_ == 0 || !is_rest(reply.header("content-range"), at_, size_))
      throw Error(ErrorKind::network, fmt::format("{}: asked for the bytes from {} on, it sends others ('{}')",
                                                  reply.place, at_, reply.header("content-range")));
    return;
  }
  const std::string stated = reply.header("content-length");
  if (const auto length = number(stated); !stated.empty() && length != size_)
    corrupt(fmt::format("{}: {} bytes are sent, its descriptor says {}", reply.place, stated, size_));
  std::vector<std::uint8_t> known(64U << 10);
  for (std::uint64_t skipped = 0; skipped < at_;) {
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(known.size(), at_ - skipped));
    const std::size_t got = exchange_->read(std::span(known).first(most));
    if (got == 0) throw Error(ErrorKind::network, fmt::format("{}: ends after {} bytes", reply.place, skipped));
    skipped += got;
  }
}

std::size_t ResumingStream::read(std::span<std::uint8_t> into) {
  if (into.empty()) return 0;
  for (;;) {
    try {
      if (!exchange_) connect();
      const std::size_t got = exchange_->read(into);
      if (got == 0 && at_ < size_)
        throw Error(ErrorKind::network,
                    fmt::format("{}: ends after {} of {} bytes", exchange_->reply().place, at_, size_));
      at_ += got;
      if (got > 0) backoff_.progress();
      return got;
    } catch (const Error& error) {
      // All of it came; that the connection did not end well does not matter.
      if (error.kind() != ErrorKind::network) throw;
      if (exchange_ && at_ == size_) return 0;
      if (!exchange_) throw;  // open() has tried as often as is due
      again(error);
    }
  }
}

}  // namespace ocilint
