// A large image merges in about a second, and hostile shapes do not make it super-linear.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <ctime>
#include <functional>

#include "base/error.h"
#include "support/layer_builder.h"
#include "tree/merged_tree.h"

namespace ocilint::test {
namespace {

double seconds_of(const std::function<void()>& work) {
  const std::clock_t start = std::clock();  // of the processor: tests run beside each other
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// Only headers: no content is hashed while the layers are made.
void add(LayerIndex& index, const std::string& path, EntryType type = EntryType::fifo) {
  LayerEntry& entry = index.entries.emplace_back();
  entry.path = index.keep(path);
  entry.type = type;
}

}  // namespace

TEST_CASE("a million entries over a hundred layers", "[speed]") {
  std::vector<LayerIndex> layers(100);
  for (int i = 0; i < 100; ++i)
    for (int k = 0; k < 10000; ++k) {
      const int folder = k / 50;
      if (k % 50 == 0) add(layers[i], fmt::format("/usr/lib/p{}/d{}/x", i / 4, folder), EntryType::directory);
      add(layers[i], fmt::format("/usr/lib/p{}/d{}/x/some_file_name_{}", i / 4, folder, k));
    }
  const auto pointers = pointers_to(layers);
  double merge = 0, differ = 0;
  merge = seconds_of([&] {
    const MergedViews views = MergedTree::build_views(pointers);
    CHECK(views.overlay.size() == views.spec.size());
    differ = seconds_of([&] { CHECK(compare(views.overlay, views.spec).empty()); });
  });
  const double one = seconds_of([&] { MergedTree::build(pointers, View::overlay); });
  std::printf("merge of 1,020,000 entries: both views %.2f s (compare %.2f s), overlay alone %.2f s\n", merge, differ,
              one);
  CHECK(merge < 20);
}

TEST_CASE("hostile layers cost what they hold", "[speed]") {
  SECTION("a large folder that comes and goes in every layer") {
    std::vector<LayerIndex> layers;
    layers.push_back({});
    for (int k = 0; k < 100000; ++k) add(layers[0], fmt::format("/a/f{}", k));
    for (int i = 0; i < 500; ++i) {
      layers.push_back({});
      add(layers.back(), "/.wh.a");
      add(layers.back(), "/a/f1");
    }
    const auto pointers = pointers_to(layers);
    CHECK(seconds_of([&] { MergedTree::build_views(pointers); }) < 5);
  }
  SECTION("a folder that becomes a file and a folder again, in one layer") {
    LayerIndex layer;
    for (int k = 0; k < 100000; ++k) add(layer, fmt::format("/a/f{}", k));
    for (int i = 0; i < 20000; ++i) {
      add(layer, "/a");
      add(layer, "/a", EntryType::directory);
    }
    const auto pointers = pointers_to(layer);
    CHECK(seconds_of([&] { MergedTree::build_views(pointers); }) < 5);
  }
  SECTION("long chains of long links") {
    LayerBuilder layer;
    std::string target;
    while (target.size() < 4000) target += "./";
    for (int i = 0; i < 39; ++i) layer.symlink("/l" + std::to_string(i), target + "l" + std::to_string(i + 1));
    layer.dir("/l39");
    SECTION("some") {
      for (int k = 0; k < 100; ++k) layer.other(fmt::format("/l0/f{}", k), EntryType::fifo);
      const LayerIndex index = layer.build();
      const MergedTree tree = MergedTree::build(pointers_to(index), View::overlay);
      CHECK(tree.find("/l39/f7"));
    }
    SECTION("too many for any real image") {
      for (int k = 0; k < 10000; ++k) layer.other(fmt::format("/l0/f{}", k), EntryType::fifo);
      const LayerIndex index = layer.build();
      const auto pointers = pointers_to(index);
      CHECK_THROWS_AS(MergedTree::build(pointers, View::overlay), Error);
    }
  }
  SECTION("as deep as can be") {
    LayerBuilder layer;
    std::string deep;
    for (int i = 0; i < 1000; ++i) deep += "/d";
    for (int k = 0; k < 1000; ++k) layer.other(deep + std::to_string(k) + "/f", EntryType::fifo);
    layer.other(deep + deep + "/f", EntryType::fifo);
    const LayerIndex index = layer.build();
    const auto pointers = pointers_to(index);
    const MergedTree tree = MergedTree::build(pointers, View::overlay);
    CHECK(tree.find(deep + "7/f"));
    REQUIRE(tree.oddities().size() == 1);
    CHECK(tree.oddities()[0].id == "impossible-name");
  }
}

}  // namespace ocilint::test
