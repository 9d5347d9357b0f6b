// Reads a blob and checks its size and digest (OCI image-spec descriptor.md, "Verification").
//
// The check is complete only when read() has returned 0: one byte more or fewer than the descriptor says, or
// another digest, throws Error{corrupt} with both values. Destroying the reader earlier means that the bytes
// were not verified; verified() says so. Not for several threads; holds no buffer of its own.
#pragma once

#include <memory>
#include <optional>

#include "base/byte_stream.h"
#include "base/digest.h"

namespace ocilint {

class VerifiedReader final : public ByteStream {
 public:
  /// Without `digest` or `size` (a docker archive names layers by path only) that part is not checked here;
  /// the layer's diff ID still is.
  VerifiedReader(std::unique_ptr<ByteStream> bytes, std::optional<Digest> digest, std::optional<std::uint64_t> size);

  std::size_t read(std::span<std::uint8_t> into) override;

  bool verified() const { return ended_; }
  std::uint64_t bytes_read() const { return count_; }

 private:
  std::unique_ptr<ByteStream> bytes_;
  std::optional<Digest> digest_;
  std::optional<std::uint64_t> size_;
  Hasher hasher_;
  std::uint64_t count_ = 0;
  bool ended_ = false;
};

}  // namespace ocilint
