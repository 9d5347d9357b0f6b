// The program against real tools on the same images: the kernel's overlayfs says which names are one inode, and
// `dpkg --verify` which package files changed (testdata/oracles.py wrote down what they said).
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "base/file.h"
#include "base/json.h"
#include "base/path.h"
#include "run/read_layers.h"
#include "source/open.h"
#include "tree/merged_tree.h"
#include "tree/resolve.h"

using namespace ocilint;

namespace {

std::string folder() {
  const char* const value = std::getenv("OCILINT_SCENES");
  return value == nullptr ? "" : value;
}

Json load(const std::string& file) { return parse_json(read_file(file, 64u << 20)); }

using Groups = std::set<std::set<std::string>>;

/// Names of regular files that share an inode, two or more.
Groups groups_of(const MergedTree& tree) {
  std::map<InodeId, std::set<std::string>> by_inode;
  std::vector<NodeId> open{MergedTree::root};
  while (!open.empty()) {
    const NodeId folder = open.back();
    open.pop_back();
    for (const NodeId child : tree.children(folder)) {
      if (tree[child].type == EntryType::file) by_inode[tree[child].inode].insert(tree.path(child));
      if (tree[child].type == EntryType::directory) open.push_back(child);
    }
  }
  Groups out;
  for (const auto& [inode, names] : by_inode)
    if (names.size() > 1) out.insert(names);
  return out;
}

}  // namespace

TEST_CASE("names that are one inode on a kernel overlay mount are one inode here, and no others") {
  if (folder().empty() || !std::filesystem::exists(folder() + "/oracle.json")) {
    WARN("skipped: no oracle.json; mounting an overlay needs root");
    return;
  }
  const Json oracle = load(folder() + "/oracle.json")["scenes"], scenes = load(folder() + "/scenes.json")["scenes"];
  std::size_t compared = 0;
  for (const Json& scene : scenes) {
    const std::string name = scene["name"].get<std::string>();
    if (!oracle.contains(name) || !oracle[name].contains("one_inode")) continue;
    INFO("scene " << name);
    const auto source = open_source(Reference::parse(scene["image"].get<std::string>()));
    const Image image = source->resolve({});
    Demand demand;
    demand.freeze();
    const std::deque<LayerIndex> layers = read_layers(*source, image, demand, 2);
    std::vector<const LayerIndex*> indexes;
    for (const LayerIndex& layer : layers) indexes.push_back(&layer);
    Groups expected;
    for (const Json& group : oracle[name]["one_inode"]) {
      std::set<std::string> names;
      for (const Json& path : group) names.insert(normalise(path.get<std::string>()).path);
      expected.insert(names);
    }
    CHECK(groups_of(MergedTree::build(indexes, View::overlay)) == expected);
    ++compared;
  }
  CHECK(compared > 20);
  WARN(compared << " images were compared with the kernel");
}
