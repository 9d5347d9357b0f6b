// Links inside the image (tree/resolve.h).
#include "tree/resolve.h"

#include <catch2/catch.hpp>

#include "support/layer_builder.h"

namespace ocilint::test {

TEST_CASE("links are followed inside the image", "[resolve]") {
  LayerBuilder builder;
  builder.dir("/usr").dir("/usr/lib").file("/usr/lib/x", "x").symlink("/lib", "usr/lib").symlink("/abs", "/lib/x");
  builder.symlink("/up", "../../../usr").symlink("/gone", "nowhere/at/all").symlink("/l1", "l2").symlink("/l2", "l1");
  for (int i = 0; i < 60; ++i) builder.symlink("/chain" + std::to_string(i), "chain" + std::to_string(i + 1));
  builder.file("/chain60", "end");
  const LayerIndex layer = builder.build();
  const MergedTree tree = MergedTree::build(pointers_to(layer), View::overlay);

  const Resolution abs = resolve(tree, "/abs");
  REQUIRE(abs.found());
  CHECK(abs.path == "/usr/lib/x");
  REQUIRE(abs.hops.size() == 2);
  CHECK(abs.hops[0].path == "/abs");
  CHECK(abs.hops[1].target == "usr/lib");

  CHECK(resolve(tree, "/up/lib/./../lib//x").path == "/usr/lib/x");
  CHECK(resolve(tree, "/").node == MergedTree::root);
  CHECK(resolve(tree, "/lib", Last::keep).path == "/lib");
  CHECK(resolve(tree, "/lib", Last::follow).path == "/usr/lib");
  CHECK(resolve(tree, "/chain25").path == "/chain60");

  const Resolution gone = resolve(tree, "/gone");
  CHECK(gone.status == Resolution::Status::missing);
  CHECK(gone.dangling());
  CHECK(gone.path == "/nowhere");
  CHECK_FALSE(resolve(tree, "/usr/nothing").dangling());
  CHECK(resolve(tree, "/usr/lib/x/y").status == Resolution::Status::not_a_directory);
  CHECK(resolve(tree, "/l1").status == Resolution::Status::loop);
  CHECK(resolve(tree, "/l1", Last::keep).found());
  CHECK(resolve(tree, "/chain10").status == Resolution::Status::loop);
}

}  // namespace ocilint::test
