// apk's database of installed packages: fields, digests of every form, and what is refused.
#include "facts/apk_installed.h"

#include <catch2/catch.hpp>

#include "base/base64.h"
#include "base/error.h"

using namespace ocilint;

namespace {

std::string sha1_text(std::string_view of) {
  Hasher hasher(Algorithm::sha1);
  hasher.update(as_bytes(of));
  return encode_base64(as_text(hasher.finish().raw()));
}

ErrorKind kind_of(std::string_view text) {
  try {
    (void)ApkInstalled::parse(text);
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::internal;
}

}  // namespace

TEST_CASE("apk: packages with their folders and files") {
  const std::string text =
      "C:Q1x\nP:musl\nV:1.2.5-r0\nA:x86_64\no:musl\nL:MIT\nm:A <a@b>\nD:so:a\np:so:b=1\nF:lib\nR:ld-musl.so.1\na:0:0:755\nZ:Q1" +
      sha1_text("code") + "\nR:plain\nF:var/empty\nM:22:23:1777\nF:\nR:root\n\nP:meta\nV:1\n";
  const ApkInstalled read = ApkInstalled::parse(text);
  REQUIRE(read.packages.size() == 2);
  CHECK(read.notes.empty());
  const ApkPackage& musl = read.packages[0];
  CHECK(musl.name == "musl");
  CHECK(musl.version == "1.2.5-r0");
  CHECK(musl.architecture == "x86_64");
  CHECK(musl.origin == "musl");
  CHECK(musl.license == "MIT");
  CHECK(musl.folders == std::vector<std::string>{"/lib", "/var/empty", "/"});
  REQUIRE(musl.files.size() == 3);
  CHECK(musl.files[0].path == "/lib/ld-musl.so.1");
  CHECK(musl.files[0].mode == 0755);
  REQUIRE(musl.files[0].digest);
  CHECK(musl.files[0].digest->algorithm == Algorithm::sha1);
  Hasher hasher(Algorithm::sha1);
  hasher.update(as_bytes("code"));
  CHECK(musl.files[0].digest->matches(hasher.finish()));
  CHECK_FALSE(musl.files[0].digest->matches(Digest::sha256_of("code")));
  CHECK(musl.files[1].mode == 0644);
  CHECK_FALSE(musl.files[1].digest);
  CHECK(musl.files[2].path == "/root");
  CHECK(read.packages[1].name == "meta");
}

TEST_CASE("apk: a digest is SHA-1, SHA-256, or the first 160 bits of it") {
  const Digest sha256 = Digest::sha256_of("x");
  const std::string whole = encode_base64(as_text(sha256.raw())), cut = encode_base64(as_text(sha256.raw().first(20)));
  const auto digest_of = [](const std::string& flags, const std::string& value) {
    const ApkInstalled read = ApkInstalled::parse("P:a\nV:1\n" + flags + "F:\nR:f\nZ:" + value + "\n\n");
    return read.packages.at(0).files.at(0).digest;
  };
  const std::vector<std::string> known = {"Q1" + whole, "Q2" + whole, "X2" + sha256.hex()};
  for (const std::string& value : known) {
    INFO(value);
    REQUIRE(digest_of("", value));
    CHECK(digest_of("", value)->matches(sha256));
  }
  CHECK(digest_of("f:S\n", "Q1" + cut)->matches(sha256));
  CHECK_FALSE(digest_of("", "Q1" + cut)->matches(sha256));
  CHECK(digest_of("f:S\n", "Q1" + cut)->text().ends_with("(its first 20 bytes)"));
  const std::vector<std::string> unknown = {
      "", "Q", "Q1", "Q3" + whole, "Q1***", "Q1" + whole.substr(4), "Q2" + cut, "X1zz", "X2" + std::string(64, 'g')};
  for (const std::string& value : unknown) {
    INFO(value);
    CHECK_FALSE(digest_of("", value));
  }
}

TEST_CASE("apk: what cannot be read is refused with its line") {
  for (const char* const text :
       {"P:a\n\n", "V:1\n\n", "nonsense\n", "P:a\nV:1\nR:f\n", "P:a\nV:1\nF:x\nZ:Q1aa\n", "P:a\nV:1\nF:x\na:0:0:644\n",
        "P:a\nV:1\nM:0:0:755\n", "P:a\nV:1\nF:x\nR:f\na:0:0\n", "P:a\nV:1\nF:x\nR:f\na:0:0:9\n",
        "P:a\nV:1\nF:x\nR:f\na:0:0:77777\n", "P:a\nV:1\nF:../etc\n", "P:a\nV:1\nF:x\nR:..\n", "P:a\nV:1\nF:x\nR:y/z\n",
        "P:a\nV:1\nF:x\nR:\n"}) {
    INFO(text);
    CHECK(kind_of(text) == ErrorKind::corrupt);
  }
  CHECK(kind_of(std::string_view("P:a\nV:1\0\n", 9)) == ErrorKind::corrupt);
  CHECK(ApkInstalled::parse("").packages.empty());
  CHECK(ApkInstalled::parse("\n\n").packages.empty());
}

TEST_CASE("apk: world names what was asked for") {
  CHECK(parse_apk_world("alpine-baselayout\ncurl>8.0 nginx@edge\n!bad python3~3.12\n.build-deps=2024\n") ==
        std::vector<std::string>{"alpine-baselayout", "curl", "nginx", "python3", ".build-deps"});
  CHECK(parse_apk_world("").empty());
}
