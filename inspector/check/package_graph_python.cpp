#include <map>

#include "check/package_graph_parts.h"
#include "check/python_asks.h"

namespace ocilint {
namespace {

void add_asks(const PythonDists& dists, PythonEnvironment environment, PackageGraph& graph) {
  std::map<const PythonDist*, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < dists.all.size(); ++i) numbers.emplace(&dists.all[i], i);
  PythonAsks read =
      python_asks(dists, std::move(environment), [](std::string_view, std::string_view) { return false; });
  for (const PythonDist* const dist : dists.visible())
    if (!dist->problem.empty()) graph.problems.push_back(dist->title() + ": " + dist->problem);
  graph.problems.insert(graph.problems.end(), read.problems.begin(), read.problems.end());
  std::size_t relations = 0;
  for (const PythonAsk& one : read.asks) {
    count_relation(relations);
    PackageGraph::Ask ask{
        one.extra.empty() ? "Requires-Dist" : "Requires-Dist [" + one.extra + "]", one.requirement.text, {}};
    if (one.found != nullptr && one.found != one.by) ask.met_by.push_back(numbers.at(one.found));
    graph.members[numbers.at(one.by)].asks.push_back(std::move(ask));
  }
}

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
    add_asks(dists, std::move(environment), graph);
  }
  return out;
}

}  // namespace ocilint
