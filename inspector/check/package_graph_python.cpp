#include <deque>
#include <map>
#include <set>

#include "base/error.h"
#include "check/package_graph_parts.h"
#include "check/python_dists.h"

namespace ocilint {
namespace {

constexpr std::size_t extras_most = 500;  // of one distribution; real ones offer a few dozen

/// Whose requirements hold: of every distribution those without extra, and of an extra where another asks for it.
class PythonAsks {
 public:
  PythonAsks(const PythonDists& dists, PythonEnvironment environment, PackageGraph& graph)
      : dists_(dists), environment_(std::move(environment)), graph_(graph) {
    for (std::uint32_t i = 0; i < dists.all.size(); ++i) numbers_.emplace(&dists.all[i], i);
  }

  void run() {
    for (const PythonDist* const dist : dists_.visible()) {
      read(*dist);
      want(*dist, "");
    }
    while (!waiting_.empty()) {
      const auto [dist, extra] = waiting_.front();
      waiting_.pop_front();
      environment_["extra"] = extra;
      for (Parsed& each : parsed_[dist]) judge(*dist, extra, each);
    }
  }

 private:
  struct Parsed {
    PythonRequirement requirement;
    bool settled = false;
  };

  void problem(const PythonDist& dist, const std::string& what) { graph_.problems.push_back(dist.title() + ": " + what); }

  void read(const PythonDist& dist) {
    if (!dist.problem.empty()) problem(dist, dist.problem);
    for (const std::string& text : dist.requirements) try {
        parsed_[&dist].push_back({PythonRequirement::parse(text)});
      } catch (const Error& error) {
        problem(dist, error.what());
      }
  }

  void want(const PythonDist& dist, const std::string& extra) {
    std::set<std::string>& extras = wanted_[&dist];
    if (extras.size() < extras_most && extras.insert(extra).second) waiting_.emplace_back(&dist, extra);
  }

  void judge(const PythonDist& dist, const std::string& extra, Parsed& each) {
    if (each.settled) return;
    count_relation(relations_);
    try {
      // What the image does not tell (the kernel's release) may hold: then it is asked for.
      if (each.requirement.marker.evaluate(environment_) == false) return;
    } catch (const Error& error) {
      each.settled = true;
      problem(dist, each.requirement.text + ": " + error.what());
      return;
    }
    each.settled = true;
    PackageGraph::Ask ask{extra.empty() ? "Requires-Dist" : "Requires-Dist [" + extra + "]", each.requirement.text, {}};
    if (const PythonDist* const found = dists_.find(each.requirement.normal)) {
      if (found != &dist) ask.met_by.push_back(numbers_.at(found));
      for (const std::string& asked : each.requirement.extras) want(*found, asked);
    }
    graph_.members[numbers_.at(&dist)].asks.push_back(std::move(ask));
  }

  const PythonDists& dists_;
  PythonEnvironment environment_;
  PackageGraph& graph_;
  std::map<const PythonDist*, std::uint32_t> numbers_;
  std::map<const PythonDist*, std::vector<Parsed>> parsed_;
  std::map<const PythonDist*, std::set<std::string>> wanted_;
  std::deque<std::pair<const PythonDist*, std::string>> waiting_;
  std::size_t relations_ = 0;
};

}  // namespace

std::vector<PackageGraph> python_graphs(const ImageView& image) {
  std::vector<PackageGraph> out;
  for (PythonPath& path : find_python_paths(image, {})) {
    PythonEnvironment environment = python_environment(path, image);
    const PythonDists dists = PythonDists::read(image, std::move(path));
    if (dists.all.empty()) continue;
    PackageGraph& graph = out.emplace_back();
    graph.manager = Manager::python;
    graph.title = dists.path.title();
    for (const PythonDist& dist : dists.all) {
      PackageGraph::Member& member = graph.members.emplace_back();
      member.name = dist.name;
      member.version = dist.version;
      member.place = dist.metadata_path.empty() ? dist.path : dist.metadata_path;
      if (dist.requested || dist.installer == "pip") member.manual = dist.requested;
    }
    PythonAsks(dists, std::move(environment), graph).run();
  }
  return out;
}

}  // namespace ocilint
