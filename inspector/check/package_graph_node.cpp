#include <map>
#include <set>

#include "base/error.h"
#include "base/path.h"
#include "check/canonical_paths.h"
#include "check/installed_readers.h"
#include "check/package_graph_parts.h"
#include "facts/node_package.h"

namespace ocilint {
namespace {

constexpr std::string_view modules = "node_modules";

class NodeAsks {
 public:
  NodeAsks(const ImageView& image, PackageGraph& graph) : image_(image), graph_(graph), canonical_(image.tree()) {}

  void run(const std::vector<Installed>& packages) {
    std::set<std::string> projects;
    for (const Installed& package : packages) {
      const std::string folder(parent_path(package.path));
      folders_.emplace(folder, static_cast<std::uint32_t>(graph_.members.size()));
      PackageGraph::Member& member = graph_.members.emplace_back();
      member.name = package.name;
      member.version = package.version;
      member.place = package.path;
      if (!package.unusable.empty()) graph_.problems.push_back(package.path + ": " + package.unusable);
      if (const auto project = project_of(folder)) projects.insert(*project);
    }
    for (std::uint32_t i = 0; i < packages.size(); ++i)
      if (packages[i].unusable.empty()) ask(i, packages[i].path, std::string(parent_path(packages[i].path)), false);
    for (const std::string& project : projects) add_project(project);
  }

 private:
  /// The folder that holds the outermost node_modules of a path.
  static std::optional<std::string> project_of(std::string_view folder) {
    const std::size_t at = folder.find("/node_modules/");
    if (at == std::string_view::npos) return std::nullopt;
    return at == 0 ? "/" : std::string(folder.substr(0, at));
  }

  void add_project(const std::string& folder) {
    const std::string manifest = (folder == "/" ? "" : folder) + "/package.json";
    const Resolution at = image_.resolve(manifest);
    if (!at.found()) return;
    const std::uint32_t number = static_cast<std::uint32_t>(graph_.members.size());
    PackageGraph::Member& project = graph_.members.emplace_back();
    project.name = project.place = manifest;
    project.outside = true;
    ask(number, manifest, folder == "/" ? "" : folder, true);
  }

  void ask(std::uint32_t member, const std::string& manifest, const std::string& folder, bool project) {
    try {
      const auto text = image_.text_of(manifest);
      for (const NodePackage::Dependency& one :
           NodePackage::dependencies_of(text && !image_.pending() ? *text : "{}")) {
        // What a package needs for its own development was never installed with it.
        if (!project && one.field == "devDependencies") continue;
        PackageGraph::Ask ask{one.field, one.range.empty() ? one.name : one.name + " " + one.range, {}};
        if (const auto found = find(folder, one.name); found && *found != member) ask.met_by.push_back(*found);
        graph_.members[member].asks.push_back(std::move(ask));
      }
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal || error.kind() == ErrorKind::limit) throw;
      graph_.problems.push_back(manifest + ": " + error.what());
    }
  }

  /// As `require` looks for it: node_modules of the folder, then of each above it.
  std::optional<std::uint32_t> find(std::string_view folder, const std::string& name) {
    if (name.empty() || name.find("..") != std::string::npos) return std::nullopt;
    for (std::string at(folder);;) {
      count_relation(relations_);
      const bool inside = base_name(at) == modules;
      if (!inside) {
        const std::string below = canonical_.directory(at + "/" + std::string(modules) + "/" + name);
        if (const auto found = folders_.find(below); found != folders_.end()) return found->second;
      }
      const std::size_t slash = at.rfind('/');
      if (slash == std::string::npos) return std::nullopt;
      at.resize(slash);
    }
  }

  const ImageView& image_;
  PackageGraph& graph_;
  CanonicalPaths canonical_;
  std::map<std::string, std::uint32_t, std::less<>> folders_;
  std::size_t relations_ = 0;
};

}  // namespace

std::optional<PackageGraph> node_graph(const ImageView& image) {
  const auto read = read_node(image);
  if (!read) return std::nullopt;
  PackageGraph out;
  out.manager = Manager::node;
  out.problems = read->problems;
  NodeAsks(image, out).run(read->packages);
  return out;
}

}  // namespace ocilint
