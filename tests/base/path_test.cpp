#include "base/path.h"

#include <catch2/catch.hpp>

using namespace ocilint;

TEST_CASE("path: every spelling has one normal form") {
  for (const char* raw : {"usr/lib", "/usr/lib", "./usr/lib", "usr/lib/", "//usr///lib//", "usr/./lib", "usr/x/../lib"})
    CHECK(normalise(raw).path == "/usr/lib");
  for (const char* raw : {"", "/", ".", "./", "a/.."}) CHECK(normalise(raw).path == "/");
  CHECK(normalise("a\\b/ c").path == "/a\\b/ c");
  CHECK(normalise("...").path == "/...");
}

TEST_CASE("path: the root cannot be left") {
  const NormalPath out = normalise("../../etc/passwd");
  CHECK(out.path == "/etc/passwd");
  CHECK(out.escaped);
  CHECK(normalise("a/../../b").escaped);
  CHECK_FALSE(normalise("a/../b").escaped);
}

TEST_CASE("path: links resolve from where they stand") {
  CHECK(resolve_lexically("/a/b/link", "c").path == "/a/b/c");
  CHECK(resolve_lexically("/a/b/link", "../c").path == "/a/c");
  CHECK(resolve_lexically("/a/b/link", "/c").path == "/c");
  CHECK(resolve_lexically("/link", "x").path == "/x");
  const NormalPath out = resolve_lexically("/a/link", "../../../etc");
  CHECK(out.path == "/etc");
  CHECK(out.escaped);
}

TEST_CASE("path: parts") {
  CHECK(base_name("/a/b") == "b");
  CHECK(base_name("/").empty());
  CHECK(parent_path("/a/b") == "/a");
  CHECK(parent_path("/a") == "/");
  CHECK(parent_path("/") == "/");
  CHECK(join("/", "a") == "/a");
  CHECK(join("/a", "b") == "/a/b");
  CHECK(is_within("/a/b", "/a"));
  CHECK(is_within("/a", "/a"));
  CHECK(is_within("/a", "/"));
  CHECK_FALSE(is_within("/ab", "/a"));
  CHECK_FALSE(is_within("/a", "/a/b"));
}
