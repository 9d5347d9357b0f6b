#include <catch2/catch.hpp>

#include "base/error.h"
#include "support/layer_builder.h"
#include "tree/match.h"

using namespace ocilint;
using namespace ocilint::test;

TEST_CASE("match: links that multiply names end in a limit, not in hours") {
  LayerBuilder builder;
  builder.dir("/many").dir("/links");
  for (int i = 0; i < 300; ++i) {
    builder.file("/many/" + std::to_string(i));
    builder.symlink("/links/" + std::to_string(i), "../many");
  }
  const LayerIndex layer = builder.build();
  const MergedTree tree = MergedTree::build(pointers_to(layer), View::overlay);
  CHECK(match(tree, Glob::parse("/links/*/*")).size() == 90'000);
  CHECK_THROWS_AS(match(tree, Glob::parse("/links/*/*"), 100'000), Error);
  CHECK_THROWS_AS(match(tree, Glob::parse("/links/*/no-such-*"), 50'000), Error);
  CHECK(match(tree, Glob::parse("/many/*"), 10'000).size() == 300);
}

TEST_CASE("match: several spanning wildcards over one deep chain end in a limit") {
  LayerBuilder builder;
  std::string path;
  for (int i = 0; i < 1000; ++i) builder.dir(path += "/a");
  const LayerIndex layer = builder.build();
  const MergedTree tree = MergedTree::build(pointers_to(layer), View::overlay);
  CHECK(match(tree, Glob::parse("/**")).size() == 1000);
  CHECK_THROWS_AS(match(tree, Glob::parse("/**/a/**/a/**/b"), 1'000'000), Error);
}
