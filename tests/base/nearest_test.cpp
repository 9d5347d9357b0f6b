#include "base/nearest.h"

#include <catch2/catch.hpp>

#include "base/utf8.h"

using namespace ocilint;

TEST_CASE("edit distance counts a swap of neighbours once") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("same-file", "same-file") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("smae-file", "same-file") == 1);
  CHECK(edit_distance("same_file", "same-file") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("the nearest word is offered, a far one is not") {
  const std::vector<std::string> rules = {"file", "file-mode", "package-files", "same-file"};
  CHECK(nearest("smae-file", rules) == "same-file");
  CHECK(nearest("package-file", rules) == "package-files");
  CHECK_FALSE(nearest("history-secrets", rules));
  CHECK_FALSE(nearest("", rules));
  CHECK_FALSE(nearest(std::string(1000, 'a'), rules));
  CHECK(did_you_mean("fiel", rules) == "; did you mean 'file'?");
  CHECK(did_you_mean("zzzz", rules).empty());
}

TEST_CASE("invalid UTF-8 is found at its first byte") {
  CHECK(first_invalid_utf8("plain") == std::string_view::npos);
  CHECK(first_invalid_utf8("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80") == std::string_view::npos);
  CHECK(first_invalid_utf8("a\xc0\x80") == 1);         // overlong
  CHECK(first_invalid_utf8("ab\xed\xa0\x80") == 2);    // surrogate
  CHECK(first_invalid_utf8("\xf4\x90\x80\x80") == 0);  // above U+10FFFF
  CHECK(first_invalid_utf8("x\xe2\x82") == 1);         // cut
  CHECK(first_invalid_utf8("x\x80") == 1);
}
