#include "base/digest.h"

#include <catch2/catch.hpp>

#include "base/error.h"

using namespace ocilint;

TEST_CASE("digest: known values") {
  CHECK(Digest::sha256_of(std::string_view{}).text() ==
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  Hasher md5(Algorithm::md5);
  md5.update(as_bytes("abc"));
  CHECK(md5.finish().hex() == "900150983cd24fb0d6963f7d28e17f72");
  Hasher sha512(Algorithm::sha512);
  sha512.update(as_bytes("abc"));
  CHECK(sha512.finish().hex().substr(0, 16) == "ddaf35a193617aba");
}

TEST_CASE("digest: a hasher starts again after finish, and can be moved") {
  Hasher hasher(Algorithm::sha256);
  hasher.update(as_bytes("a"));
  hasher.update(as_bytes("bc"));
  const Digest first = hasher.finish();
  CHECK(first == Digest::sha256_of("abc"));
  Hasher moved(std::move(hasher));
  moved.update(as_bytes("abc"));
  CHECK(moved.finish() == first);
}

TEST_CASE("digest: only the exact grammar is taken") {
  const std::string hex = Digest::sha256_of("abc").hex();
  CHECK(Digest::parse("sha256:" + hex) == Digest::sha256_of("abc"));
  CHECK(Digest::parse("sha512:" + hex + hex).algorithm() == Algorithm::sha512);
  std::string upper = hex;
  upper[0] = 'B';
  for (const std::string& text :
       {std::string(), std::string("sha256"), "sha256:" + hex.substr(1), "sha256:" + hex + "0", "SHA256:" + hex, hex,
        "sha256:" + upper, "sha512:" + hex, "md5:" + hex.substr(0, 32), "sha256: " + hex.substr(1),
        "sha256:../" + hex.substr(3), "blake3:" + hex, "sha256:" + hex + "\n"})
    CHECK_THROWS_AS(Digest::parse(text), Error);
}

TEST_CASE("digest: from_hex takes either case, and empty equals nothing that was hashed") {
  CHECK(Digest::from_hex(Algorithm::md5, "900150983CD24FB0D6963F7D28E17F72").hex() ==
        "900150983cd24fb0d6963f7d28e17f72");
  CHECK(Digest().empty());
  CHECK(Digest() != Digest::sha256_of(std::string_view{}));
  CHECK(Digest::sha256_of("abc").short_text() == "sha256:ba7816bf8f01");
}
