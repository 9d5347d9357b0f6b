#include "facts/dpkg_list.h"

#include <catch2/catch.hpp>

#include "base/error.h"
#include "facts/limits.h"

using namespace ocilint;

TEST_CASE("paths of a list are bytes and are not trimmed", "[dpkg_list]") {
  const std::string text =
      "/.\n/usr\n/usr/a b\n/usr/ lead\n/usr/trail \n/usr/\ttab\n/usr/\xc3\xa9\n/usr/\xe9\n/usr/cr\r\n";
  const auto list = DpkgList::parse(text);
  CHECK(list.paths == std::vector<std::string>{"/", "/usr", "/usr/a b", "/usr/ lead", "/usr/trail ", "/usr/\ttab",
                                               "/usr/\xc3\xa9", "/usr/\xe9", "/usr/cr\r"});
  CHECK(list.text() == text);
  CHECK(list.notes.empty());
  CHECK(list.refused == 0);
}

TEST_CASE("oddities of a list", "[dpkg_list]") {
  const auto list = DpkgList::parse("/opt/\n\nusr/x\n/a/../etc\n//b\n/..c\n/last");
  CHECK(list.paths == std::vector<std::string>{"/opt", "/usr/x", "/b", "/..c", "/last"});
  CHECK(list.refused == 1);
  CHECK(list.notes == Notes{"line 2: an empty line", "line 3: a relative path", "line 4: a path with \"..\" is refused",
                            "line 7: no newline at the end"});
  CHECK(DpkgList::parse("").paths.empty());
}

TEST_CASE("lists that are none", "[dpkg_list]") {
  CHECK_THROWS_AS(DpkgList::parse(std::string("/a\n\0", 4)), Error);
  CHECK_THROWS_AS(DpkgList::parse("/" + std::string(list_line_bytes, 'a')), Error);
  CHECK_THROWS_AS(DpkgList::parse(std::string(list_bytes + 1, '\n')), Error);
}
