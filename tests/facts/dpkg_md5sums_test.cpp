#include "facts/dpkg_md5sums.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "facts/limits.h"

using namespace ocilint;

namespace {

const std::string a = "0123456789abcdef0123456789abcdef";
const std::string b = "fedcba9876543210fedcba9876543210";

DpkgMd5sums::Listed listing(std::vector<std::string> paths) {
  return [paths = std::move(paths)](std::string_view path) {
    return std::find(paths.begin(), paths.end(), path) != paths.end();
  };
}

std::string only_path(const std::string& text, const DpkgMd5sums::Listed& listed = {}) {
  const auto sums = DpkgMd5sums::parse(text, listed);
  INFO(text);
  REQUIRE(sums.malformed.empty());
  REQUIRE(sums.refused == 0);
  REQUIRE(sums.entries.size() == 1);
  REQUIRE(sums.entries[0].digest.hex().starts_with(a));
  return sums.entries[0].path;
}

}  // namespace

TEST_CASE("a regular file of digests", "[dpkg_md5sums]") {
  const auto sums = DpkgMd5sums::parse(a + "  usr/bin/x\n" + b + "  usr/share/a  b\n");
  REQUIRE(sums.entries.size() == 2);
  CHECK(sums.entries[0].path == "/usr/bin/x");
  CHECK(sums.entries[0].digest.hex() == a);
  CHECK(sums.entries[0].digest.algorithm() == Algorithm::md5);
  CHECK(sums.entries[1].path == "/usr/share/a  b");
  CHECK(sums.entries[1].line == 2);
  CHECK(sums.notes.empty());
  CHECK_FALSE(sums.unverifiable());
}

TEST_CASE("C1b: no newline at the end", "[dpkg_md5sums]") {
  const auto sums = DpkgMd5sums::parse(a + "  x");
  CHECK(sums.entries.size() == 1);
  CHECK(sums.notes == Notes{"line 1: no newline at the end"});
}

TEST_CASE("C1c: one blank", "[dpkg_md5sums]") {
  CHECK(only_path(a + " usr/x\n") == "/usr/x");
  CHECK(DpkgMd5sums::parse(a + " usr/x\n").notes == Notes{"line 1: one blank between digest and path"});
}

TEST_CASE("C1d: a star is a mark only if the path without it is listed", "[dpkg_md5sums]") {
  CHECK(only_path(a + " *usr/x\n", listing({"/usr/x"})) == "/usr/x");
  CHECK(only_path(a + " *usr/x\n", listing({"/*usr/x"})) == "/*usr/x");
  CHECK(only_path(a + " *usr/x\n") == "/usr/x");
  CHECK(only_path(a + "  *usr/x\n", listing({"/usr/x"})) == "/*usr/x");
  const auto neither = DpkgMd5sums::parse(a + " *usr/x\n" + b + "  y\n", listing({"/y"}));
  CHECK(neither.refused == 1);
  CHECK(neither.entries.size() == 1);
}

TEST_CASE("C1e, C1f: prefixes", "[dpkg_md5sums]") {
  CHECK(only_path(a + "  ./usr/x\n") == "/usr/x");
  CHECK(only_path(a + "  /usr/x\n") == "/usr/x");
  CHECK(only_path(a + "  ././/usr//x\n") == "/usr/x");
}

TEST_CASE("C1g: capital letters", "[dpkg_md5sums]") {
  std::string capital = a;
  std::transform(capital.begin(), capital.end(), capital.begin(), [](char c) { return std::toupper(c); });
  CHECK(only_path(capital + "  x\n") == "/x");
}

TEST_CASE("C1h: SHA-256", "[dpkg_md5sums]") {
  CHECK(only_path(a + b + "  x\n") == "/x");
  const auto sums = DpkgMd5sums::parse(a + b + "  x\n");
  CHECK(sums.entries[0].digest.algorithm() == Algorithm::sha256);
  CHECK(sums.notes == Notes{"line 1: SHA-256 instead of MD5"});
}

TEST_CASE("C1i: an empty file verifies nothing", "[dpkg_md5sums]") {
  CHECK(DpkgMd5sums::parse("").unverifiable());
  CHECK(DpkgMd5sums::parse("\n\n").unverifiable());
  CHECK(DpkgMd5sums::parse("").malformed.empty());
}

TEST_CASE("C1j: paths that are not listed stay; who owns them is not for this parser", "[dpkg_md5sums]") {
  CHECK(only_path(a + "  usr/x\n", listing({"/usr/y"})) == "/usr/x");
}

TEST_CASE("C1k: CR", "[dpkg_md5sums]") {
  CHECK(only_path(a + "  x\r\n", listing({"/x"})) == "/x");
  CHECK(only_path(a + "  x\r\n", listing({"/x\r"})) == "/x\r");
  CHECK(only_path(a + "  x\r\n", listing({"/x", "/x\r"})) == "/x\r");
  CHECK(only_path(a + "  x\r\n", listing({})) == "/x\r");
  CHECK(only_path(a + " *x\r\n", listing({"/x"})) == "/x");
  const auto all = DpkgMd5sums::parse(a + "  x\r\n" + b + "  y\r\n");
  CHECK(all.entries.at(1).path == "/y");
  const auto some = DpkgMd5sums::parse(a + "  x\r\n" + b + "  y\n");
  CHECK(some.entries.at(0).path == "/x\r");
}

TEST_CASE("C1l: .. is refused", "[dpkg_md5sums]") {
  const auto sums = DpkgMd5sums::parse(a + "  usr/../etc/x\n" + b + "  ..y\n");
  CHECK(sums.refused == 1);
  REQUIRE(sums.entries.size() == 1);
  CHECK(sums.entries[0].path == "/..y");
  CHECK(sums.notes == Notes{"line 1: refused: a path with \"..\""});
}

TEST_CASE("C1m: blank lines", "[dpkg_md5sums]") { CHECK(only_path("\n" + a + "  x\n\n") == "/x"); }

TEST_CASE("C3: names are bytes and are not trimmed", "[dpkg_md5sums]") {
  CHECK(only_path(a + "   lead\n") == "/ lead");
  CHECK(only_path(a + "  trail \n") == "/trail ");
  CHECK(only_path(a + "  a\tb\n") == "/a\tb");
  CHECK(only_path(a + "  \xe9\n") == "/\xe9");
  CHECK(only_path(a + "  a\\b\n") == "/a\\b");
}

TEST_CASE("C3': md5sum's escapes", "[dpkg_md5sums]") {
  CHECK(only_path("\\" + a + "  a\\nb\\\\c\n") == "/a\nb\\c");
  CHECK(DpkgMd5sums::parse("\\" + a + "  a\\qb\n" + b + "  y\n").refused == 1);
}

TEST_CASE("lines of no use are counted, files of no use say why", "[dpkg_md5sums]") {
  const auto some = DpkgMd5sums::parse(a + "  x\nnonsense\n" + a + "\n" + a + "\ty\n" + a + "  \n" + a + "0  z\n");
  CHECK(some.entries.size() == 1);
  CHECK(some.refused == 5);
  CHECK(some.malformed.empty());
  for (const std::string& text : {std::string("<html>\n"), a + "  x\n" + std::string(1, '\0'),
                                  std::string(list_bytes + 1, '\n'), "MD5 (x) = " + a + "\n"}) {
    const auto none = DpkgMd5sums::parse(text);
    CHECK_FALSE(none.malformed.empty());
    CHECK(none.unverifiable());
  }
}

TEST_CASE("of two lines for a path the later holds", "[dpkg_md5sums]") {
  const auto sums = DpkgMd5sums::parse(a + "  x\n" + a + "  y\n" + b + "  ./x\n");
  REQUIRE(sums.entries.size() == 2);
  CHECK(sums.entries[0].path == "/y");
  CHECK(sums.entries[1].digest.hex() == b);
  CHECK(sums.notes == Notes{"line 3: /x stands there twice"});
}
