// A blob of a server as one stream, whatever happens to the connections that bring it.
//
// Opened with the first read. A connection that breaks or stalls is followed by another one that asks for the rest
// (Range); a server that sends all again has the known part skipped, one that sends another part is refused. Nothing
// is trusted for that: who reads checks the digest of the whole. Throws what `open` throws and Error{network,
// corrupt}. One thread.
#pragma once

#include <functional>

#include "source/http.h"

namespace ocilint {

/// The reply (200 or 206) to a request for the bytes from `from` on.
using OpenAt = std::function<std::unique_ptr<HttpExchange>(std::uint64_t from, Backoff& backoff)>;

class ResumingStream final : public ByteStream {
 public:
  ResumingStream(const HttpSettings& settings, OpenAt open, std::uint64_t size)
      : open_(std::move(open)), size_(size), backoff_(settings) {}
  std::size_t read(std::span<std::uint8_t> into) override;

 private:
  void connect();
  void again(const Error& why);

  OpenAt open_;
  std::uint64_t size_;
  std::uint64_t at_ = 0;
  unsigned broken_ = 0;
  Backoff backoff_;
  std::unique_ptr<HttpExchange> exchange_;
};

}  // namespace ocilint
