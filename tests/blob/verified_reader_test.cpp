#include "blob/verified_reader.h"

#include <catch2/catch.hpp>
#include <optional>

#include "base/error.h"
#include "support/memory_stream.h"

namespace ocilint {
namespace {

using namespace test;

VerifiedReader reader(std::string bytes, std::optional<Digest> digest, std::optional<std::uint64_t> size,
                      std::size_t step = 7) {
  return VerifiedReader(std::make_unique<MemoryStream>(std::move(bytes), step), std::move(digest), size);
}

std::string refused(VerifiedReader blob) {
  try {
    read_all(blob);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::corrupt);
    CHECK_FALSE(blob.verified());
    return error.what();
  }
  return "";
}

const std::string text = "the bytes of a blob";
const Digest digest = Digest::sha256_of(std::string_view(text));

TEST_CASE("a blob is verified when its end has been read, not before") {
  VerifiedReader blob = reader(text, digest, text.size(), 100);
  std::uint8_t buffer[100];
  CHECK(blob.read(std::span(buffer, 0)) == 0);
  CHECK(blob.read(buffer) == text.size());
  CHECK_FALSE(blob.verified());
  CHECK(blob.read(buffer) == 0);
  CHECK(blob.verified());
  CHECK(blob.read(buffer) == 0);
  CHECK(blob.bytes_read() == text.size());
}

TEST_CASE("what the descriptor does not say is not checked") {
  for (const auto& want : {std::optional<Digest>(), std::optional(digest)})
    for (const auto& size : {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(text.size())}) {
      VerifiedReader blob = reader(text, want, size);
      CHECK(read_all(blob) == text);
      CHECK(blob.verified());
    }
}

TEST_CASE("sha512") {
  Hasher hasher(Algorithm::sha512);
  hasher.update(as_bytes(text));
  VerifiedReader blob = reader(text, hasher.finish(), {});
  CHECK(read_all(blob) == text);
}

TEST_CASE("a blob that is not what its descriptor says") {
  const std::string other = refused(reader(text + "!", digest, {}));
  CHECK(other.find(digest.text()) != std::string::npos);
  CHECK(other.find(Digest::sha256_of(std::string_view(text + "!")).text()) != std::string::npos);
  CHECK(refused(reader(text, digest, text.size() - 1)).find("longer") != std::string::npos);
  CHECK(refused(reader(text, digest, text.size() + 1)).find("has 19 bytes") != std::string::npos);
  CHECK_FALSE(refused(reader("", digest, {})).empty());
}

}  // namespace
}  // namespace ocilint
