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
#include "policy/policy.h"
#include "run/read_layers.h"
#include "run/run.h"
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
    const auto layers = read_layers(*source, image, demand, 2);
    std::vector<const LayerIndex*> indexes;
    for (const auto& layer : layers) indexes.push_back(layer.get());
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

namespace {

/// Subjects of every finding of package-files over the whole image.
std::set<std::string> changed_files(const std::string& reference) {
  const LoadContext context{all_rules(), shipped_policies(), {}, std::chrono::sys_days{}};
  RunOptions options;
  options.reference = reference;
  options.jobs = 2;
  options.policies.push_back(
      load_policy("policy: oracle\nlanguage: 1\nsummary: all package files\nchecks:\n"
                  "- {id: files, rule: package-files}\n",
                  "oracle.yaml", context));
  const ImageResult result = check_image(options, all_rules());
  REQUIRE_FALSE(result.unreadable);
  std::set<std::string> subjects;
  for (const CheckResult& check : result.checks)
    if (check.id == "files")
      for (const ReportedFinding& found : check.findings) subjects.insert(found.finding.subject);
  return subjects;
}

}  // namespace

TEST_CASE("every change that dpkg --verify sees in a package's file is a finding of package-files") {
  if (folder().empty() || !std::filesystem::exists(folder() + "/oracle.json")) {
    WARN("skipped: no oracle.json");
    return;
  }
  const Json oracle = load(folder() + "/oracle.json")["scenes"], scenes = load(folder() + "/scenes.json")["scenes"];
  std::size_t files = 0;
  for (const Json& scene : scenes) {
    const std::string name = scene["name"].get<std::string>();
    if (!oracle.contains(name) || !oracle[name].contains("dpkg_verify")) continue;
    // dpkg takes upper-case digests for other ones: a mistake of its own (pkgdb C1g).
    if (oracle[name]["dpkg_verify"]["exit"] != 0 || name.starts_with("c1g")) continue;
    std::set<std::string> subjects;
    for (const Json& entry : oracle[name]["dpkg_verify"]["lines"]) {
      const std::string line = entry.get<std::string>();
      const std::size_t slash = line.find('/');
      const bool content = line.size() > 2 && (line[2] == '5' || line[1] == 'M');
      const bool conffile = line.find(" c ") != std::string::npos;
      if (slash == std::string::npos || !content || conffile) continue;
      if (subjects.empty()) subjects = changed_files(scene["image"].get<std::string>());
      const std::string path = line.substr(slash);
      INFO("scene " << name << ": " << line);
      const bool found = subjects.contains(path) || subjects.contains("/usr" + path);
      CHECK(found);
      ++files;
    }
  }
  CHECK(files > 30);
  WARN(files << " changed files were compared with dpkg --verify");
}
