#include "layer/entry_stream.h"

#include <catch2/catch.hpp>

#include "base/error.h"
#include "support/memory_stream.h"
#include "support/tar_writer.h"

using namespace ocilint;
using namespace ocilint::test;

namespace {

LayerClaim claim_of(const std::string& stored, const std::string& tar) {
  return {"layer", "", Digest::sha256_of(stored), stored.size(), Digest::sha256_of(tar)};
}

std::string streamed(const std::string& stored, const LayerClaim& claim, Ordinal entry, LayerLimits limits = {},
                     std::size_t step = SIZE_MAX) {
  std::string out;
  stream_entry(std::make_unique<MemoryStream>(stored, step), claim, entry, limits,
               [&](Bytes piece) { out += as_text(piece); });
  return out;
}

ErrorKind kind_of(const std::string& stored, const LayerClaim& claim, Ordinal entry, LayerLimits limits = {}) {
  try {
    streamed(stored, claim, entry, limits);
  } catch (const Error& error) {
    return error.kind();
  }
  FAIL("nothing was thrown");
  return ErrorKind::internal;
}

const std::string big((40u << 20) + 7, 'b');  // more than two buffers

std::string archive() {
  return TarWriter()
      .directory("d")
      .file("d/a", "alpha")
      .file("d/big", big)
      .file("d/a", "second")
      .hard_link("h", "d/a")
      .finish();
}

}  // namespace

TEST_CASE("an entry comes whole, by its number, from plain and compressed layers") {
  const std::string tar = archive();
  CHECK(streamed(tar, claim_of(tar, tar), 1) == "alpha");
  CHECK(streamed(tar, claim_of(tar, tar), 3) == "second");
  CHECK(streamed(tar, claim_of(tar, tar), 1, {}, 777) == "alpha");
  const bool whole = streamed(tar, claim_of(tar, tar), 2) == big;
  CHECK(whole);
}

TEST_CASE("what is no regular file of the layer is none") {
  const std::string tar = archive();
  for (const Ordinal entry : {0u, 4u, 99u}) CHECK(kind_of(tar, claim_of(tar, tar), entry) == ErrorKind::internal);
}

TEST_CASE("a layer that is not what it is said to be throws, also behind the entry") {
  const std::string tar = archive();
  std::string changed = tar;
  changed[changed.size() - 2000] = static_cast<char>(changed[changed.size() - 2000] ^ 1);
  CHECK(kind_of(changed, claim_of(tar, tar), 1) == ErrorKind::corrupt);
  CHECK(kind_of(tar.substr(0, tar.size() / 2), claim_of(tar, tar), 1) == ErrorKind::corrupt);
  // A docker archive states no digest; the diff ID holds then.
  LayerClaim by_diff_id = claim_of(tar, tar);
  by_diff_id.digest.reset();
  CHECK(streamed(tar, by_diff_id, 1) == "alpha");
  by_diff_id.diff_id = Digest::sha256_of("x");
  CHECK(kind_of(tar, by_diff_id, 1) == ErrorKind::corrupt);
  CHECK(kind_of(tar, claim_of(tar, tar), 1, {.unpacked_bytes = 1 << 20, .image = nullptr}) == ErrorKind::limit);
}
