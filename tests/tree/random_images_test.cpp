// Some thousand small random images: the real merge against the naive one, and what must always hold.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "support/layer_builder.h"
#include "tree/naive_merge.h"

namespace ocilint::test {
namespace {

class RandomImage {
 public:
  explicit RandomImage(unsigned seed) : random_(seed) {
    const int count = 1 + below(4);
    for (int i = 0; i < count; ++i) layers.push_back(layer());
  }

  std::vector<LayerIndex> layers;

 private:
  int below(int most) { return std::uniform_int_distribution<int>(0, most - 1)(random_); }

  std::string path() {
    std::string out;
    for (int depth = 1 + below(3); depth > 0; --depth) out += std::string("/") + "abc"[below(3)];
    return out;
  }

  LayerIndex layer() {
    LayerBuilder out;
    std::set<std::string> used;
    std::vector<std::string> files;
    for (int i = 1 + below(7); i > 0; --i) {
      const std::string name = path();
      const int kind = below(12);
      const std::string recorded = kind == 9 || kind == 10
                                       ? join(parent_path(name), ".wh." + std::string(base_name(name)))
                                   : kind == 11 ? name + "/.wh..wh..opq"
                                                : name;
      if (!used.insert(recorded).second) continue;
      if (kind < 3) {
        files.push_back(name);
        out.file(name, name);
      } else if (kind < 6) {
        out.dir(name, {.mode = below(2) == 0 ? 0755u : 0700u});
      } else if (kind == 6) {
        static const char* const targets[] = {"/a", "/b", "/a/b", "../b", "c", "../../c", "b/a", "/c/c"};
        out.symlink(name, targets[below(8)]);
      } else if (kind < 9) {
        out.hardlink(name, files.empty() || below(8) == 0 ? path() : files[below(static_cast<int>(files.size()))]);
      } else if (kind == 11) {
        out.opaque(name);
      } else {
        out.whiteout(name);
      }
    }
    return out.build();
  }

  std::mt19937 random_;
};

Items items_of(const MergedTree& tree) {
  Items out;
  std::vector<NodeId> open{MergedTree::root};
  while (!open.empty()) {
    const NodeId top = open.back();
    open.pop_back();
    for (const NodeId child : tree.children(top)) {
      open.push_back(child);
      const Node& node = tree[child];
      out[tree.path(child)] = {node.type, node.inode, node.mode, std::string(node.link), false};
    }
  }
  return out;
}

std::string text_of(const Items& items) {
  std::string out;
  for (const auto& [path, item] : items)
    out += path + " " + std::string(to_string(item.type)) + " " + std::to_string(static_cast<int>(item.inode.layer)) +
           ":" + std::to_string(item.inode.ordinal) + " " + std::to_string(item.mode) + " " + item.link + "\n";
  return out;
}

std::string text_of(const std::vector<LayerIndex>& layers) {
  std::string out;
  for (const LayerIndex& layer : layers) {
    out += "layer\n";
    for (const LayerEntry& entry : layer.entries)
      out += "  " + std::string(to_string(entry.type)) + " " + std::string(entry.path) + " " + std::string(entry.link) +
             "\n";
  }
  return out;
}

void check_invariants(const MergedTree& tree) {
  const Items items = items_of(tree);
  REQUIRE(tree.size() == items.size() + 1);
  for (const auto& [path, item] : items) {
    const auto node = tree.find(path);
    REQUIRE(node);
    REQUIRE(tree.path(*node) == path);
    const std::vector<Event> story = tree.story(path);
    REQUIRE_FALSE(story.empty());
    REQUIRE((story.back().deed == Deed::wrote || story.back().deed == Deed::linked));
    REQUIRE(story.back().inode == item.inode);
    if (!item.inode.created()) continue;
    std::size_t names = 0;
    for (const auto& [other, that] : items) names += that.inode == item.inode;
    const std::vector<NodeId> aliases = tree.names_of(item.inode);
    REQUIRE(aliases.size() == names);
    REQUIRE(std::ranges::find(aliases, *node) != aliases.end());
  }
  for (const std::string& path : tree.removed_below("/")) {
    REQUIRE_FALSE(tree.find(path));
    const Deed last = tree.story(path).back().deed;
    REQUIRE((last == Deed::removed || last == Deed::hidden));
  }
}

}  // namespace

TEST_CASE("random images merge as the naive model says", "[random]") {
  int overlay = 0, spec = 0;
  for (unsigned seed = 0; seed < 6000; ++seed) {
    const RandomImage image(seed);
    const auto layers = pointers_to(image.layers);
    const MergedViews views = MergedTree::build_views(layers);
    INFO("seed " << seed << "\n" << text_of(image.layers));
    check_invariants(views.overlay);
    check_invariants(views.spec);
    if (views.overlay.refusals().empty()) {
      ++overlay;
      REQUIRE(text_of(items_of(views.overlay)) == text_of(NaiveMerge::overlay(layers)));
    }
    if (views.overlay.refusals().empty() && views.spec.refusals().empty()) {
      ++spec;
      REQUIRE(text_of(items_of(views.spec)) == text_of(NaiveMerge::spec(layers)));
    }
    const bool same = items_of(views.overlay) == items_of(views.spec);
    const auto differences = compare(views.overlay, views.spec);
    REQUIRE((differences.empty() || !same));
    REQUIRE(std::ranges::is_sorted(differences, {}, &Divergence::path));
    // Alone and together, a view is the same.
    REQUIRE(text_of(items_of(MergedTree::build(layers, View::spec))) == text_of(items_of(views.spec)));
    REQUIRE(text_of(items_of(MergedTree::build(layers, View::overlay))) == text_of(items_of(views.overlay)));
  }
  CHECK(overlay > 1000);
  CHECK(spec > 1000);
}

}  // namespace ocilint::test
