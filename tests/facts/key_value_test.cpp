#include "facts/key_value.h"

#include <catch2/catch.hpp>

#include "base/error.h"

using namespace ocilint;

TEST_CASE("both forms of lines", "[key_value]") {
  const auto file = KeyValue::parse(
      "# versions\n"
      "PYTHON_VERSION: 3.12\n"
      "ROCM_VERSION=6.4.1\r\n"
      "\n"
      "  QUOTED = \"a b\"\n"
      "KEPT: \"a b\"\n"
      "REPO: https://example.com/x.git\n"
      "URL=https://example.com/?a=b\n"
      "EMPTY:\n"
      "a.b-c: d");
  CHECK(file.find("PYTHON_VERSION") == "3.12");
  CHECK(file.find("ROCM_VERSION") == "6.4.1");
  CHECK(file.find("QUOTED") == "a b");
  CHECK(file.find("KEPT") == "\"a b\"");
  CHECK(file.find("REPO") == "https://example.com/x.git");
  CHECK(file.find("URL") == "https://example.com/?a=b");
  CHECK(file.find("EMPTY") == "");
  CHECK(file.find("a.b-c") == "d");
  CHECK_FALSE(file.find("python_version"));
  CHECK(file.entries[1].line == 3);
  CHECK(file.notes.empty());
}

TEST_CASE("other lines are noted", "[key_value]") {
  const auto file = KeyValue::parse("free text\ntwo words: x\n=x\nA=1\n");
  CHECK(file.entries.size() == 1);
  CHECK(file.notes.size() == 3);
  CHECK(file.notes[0].starts_with("line 1: "));
}

TEST_CASE("a key with two values has none", "[key_value]") {
  const auto file = KeyValue::parse("A=1\nB=1\nA: 2\nB: 1\n");
  CHECK(file.find("B") == "1");
  CHECK_THROWS_WITH(file.find("A"), Catch::Contains("line 3"));
  CHECK_THROWS_AS(KeyValue::parse(std::string("A=\0", 3)), Error);
}
