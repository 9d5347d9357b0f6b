// package.json: name, version and licence, in the forms that packages use.
#include "facts/node_package.h"

#include <catch2/catch.hpp>

#include "base/error.h"

using namespace ocilint;

TEST_CASE("node: name, version, licence") {
  const auto read =
      NodePackage::parse(R"({"name":"@a/b","version":"1.2.3","license":"MIT","dependencies":{"X":"1","x":"2"}})");
  REQUIRE(read);
  CHECK(read->name == "@a/b");
  CHECK(read->version == "1.2.3");
  CHECK(read->license == "MIT");
  CHECK_FALSE(read->is_private);
  CHECK(NodePackage::parse(R"({"name":"a","license":{"type":"ISC","url":"u"}})")->license == "ISC");
  CHECK(NodePackage::parse(R"({"name":"a","licenses":[{"type":"MIT"},{"type":"Apache-2.0"},{}]})")->license ==
        "MIT OR Apache-2.0");
  CHECK(NodePackage::parse("\xef\xbb\xbf{\"name\":\"a\",\"private\":true}")->is_private);
  CHECK(NodePackage::parse(R"({"name":"a"})")->version.empty());
}

TEST_CASE("node: a part of a package says nothing, and what is no package.json is refused") {
  CHECK_FALSE(NodePackage::parse(R"({"type":"module"})"));
  CHECK_FALSE(NodePackage::parse(R"({"name":""})"));
  for (const char* const text :
       {"", "{", "[]", "\"x\"", R"({"name":1})", R"({"name":"a","version":{}})", "{\"name\":\"\xff\"}"}) {
    INFO(text);
    CHECK_THROWS_AS(NodePackage::parse(text), Error);
  }
  CHECK_THROWS_AS(NodePackage::parse(std::string(2'000'000, '[')), Error);
}
