#include "blob/verified_reader.h"

#include <fmt/format.h>

#include "base/error.h"

namespace ocilint {

VerifiedReader::VerifiedReader(std::unique_ptr<ByteStream> bytes, std::optional<Digest> digest,
                               std::optional<std::uint64_t> size)
    : bytes_(std::move(bytes)),
      digest_(std::move(digest)),
      size_(size),
      hasher_(digest_ ? digest_->algorithm() : Algorithm::sha256) {}

std::size_t VerifiedReader::read(std::span<std::uint8_t> into) {
  if (ended_ || into.empty()) return 0;
  const std::size_t got = bytes_->read(into);
  if (got > 0) {
    count_ += got;
    // At once: what is too long may also be endless.
    if (size_ && count_ > *size_)
      corrupt(fmt::format("the blob is longer than its descriptor says: more than {} bytes", *size_));
    if (digest_) hasher_.update(into.first(got));
    return got;
  }
  if (size_ && count_ != *size_) corrupt(fmt::format("the blob has {} bytes, its descriptor says {}", count_, *size_));
  if (digest_) {
    const Digest found = hasher_.finish();
    if (found != *digest_)
      corrupt(fmt::format("the blob's digest is {}, its descriptor says {}", found.text(), digest_->text()));
  }
  ended_ = true;
  return 0;
}

}  // namespace ocilint
