#include "check/package_graph.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "check/installed_readers.h"
#include "check/package_graph_parts.h"
#include "facts/apk_installed.h"

namespace ocilint {
namespace {

/// Who gives what, by name.
class Givers {
 public:
  void add(const std::string& name, std::uint32_t member, const std::string& version) {
    givers_[name].push_back({member, version});
  }

  void meet(const InstalledRelation& asked, std::uint32_t by, std::vector<std::uint32_t>& out) {
    const auto found = givers_.find(asked.name);
    if (found == givers_.end()) return;
    for (const auto& [member, version] : found->second) {
      count_relation(relations_);
      if (member != by && (asked.version.empty() || version.empty() || same_version(asked.version, version)) &&
          std::ranges::find(out, member) == out.end())
        out.push_back(member);
    }
  }

 private:
  /// [epoch:]version[-release], rpm's: what the asker leaves out may be any.
  static bool same_version(std::string_view asked, std::string_view given) {
    for (std::string_view* const one : {&asked, &given})
      if (one->starts_with("0:")) one->remove_prefix(2);
    if (asked.find('-') == std::string_view::npos) given = given.substr(0, given.rfind('-'));
    return asked == given;
  }

  std::unordered_map<std::string, std::vector<std::pair<std::uint32_t, std::string>>> givers_;
  std::size_t relations_ = 0;
};

/// rpm's packages may ask for a path, and whoever owns it gives it.
void add_paths(const std::vector<Installed>& packages, Givers& givers) {
  std::unordered_set<std::string_view> asked;
  for (const Installed& package : packages)
    for (const InstalledRelation& relation : package.asks)
      if (relation.name.starts_with('/')) asked.insert(relation.name);
  if (asked.empty()) return;
  for (std::uint32_t i = 0; i < packages.size(); ++i)
    for (const InstalledFile& file : packages[i].files)
      for (const std::string* const path : {&file.path, file.recorded == file.path ? nullptr : &file.recorded})
        if (path != nullptr && asked.contains(*path)) givers.add(*path, i, "");
}

/// apk installs a package with install_if by itself when all that this names is there: these keep it, not the other way
/// round. All conditions are taken out before any is turned, for what is turned stands among the asks of others.
void turn_around(PackageGraph& graph) {
  constexpr std::string_view condition = "install_if";
  std::vector<std::vector<PackageGraph::Ask>> conditions(graph.members.size());
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    std::vector<PackageGraph::Ask>& asks = graph.members[i].asks;
    const auto first =
        std::stable_partition(asks.begin(), asks.end(), [&](const auto& ask) { return ask.field != condition; });
    conditions[i].assign(std::move_iterator(first), std::move_iterator(asks.end()));
    asks.erase(first, asks.end());
  }
  for (std::uint32_t i = 0; i < conditions.size(); ++i) {
    if (std::ranges::any_of(conditions[i], [](const auto& one) { return one.met_by.empty(); })) continue;
    for (const PackageGraph::Ask& one : conditions[i])
      for (const std::uint32_t giver : one.met_by)
        graph.members[giver].asks.push_back({std::string(condition), one.text, {i}});
  }
}

std::optional<PackageGraph> related(std::optional<InstalledPackages> read) {
  if (!read) return std::nullopt;
  PackageGraph out{.manager = read->manager, .title = {}, .members = {}, .problems = std::move(read->problems)};
  Givers givers;
  for (std::uint32_t i = 0; i < read->packages.size(); ++i) {
    const Installed& package = read->packages[i];
    givers.add(package.name, i, package.version);
    for (const InstalledRelation& given : package.gives) givers.add(given.name, i, given.version);
  }
  add_paths(read->packages, givers);
  for (std::uint32_t i = 0; i < read->packages.size(); ++i) {
    Installed& package = read->packages[i];
    PackageGraph::Member& member = out.members.emplace_back();
    member.name = package.name;
    member.version = package.version;
    member.architecture = package.architecture;
    member.manual = package.manual;
    for (const InstalledRelation& asked : package.asks) {
      PackageGraph::Ask ask{asked.field, asked.text, {}};
      givers.meet(asked, i, ask.met_by);
      member.asks.push_back(std::move(ask));
    }
  }
  turn_around(out);
  return out;
}

/// etc/apk/world as one who asks.
void add_world(const ImageView& image, PackageGraph& graph) {
  try {
    const auto text = image.text_of(apk_world);
    if (!text) return;
    std::map<std::string, std::vector<std::uint32_t>> wanted;
    for (const std::string& name : parse_apk_world(*text)) wanted[name];
    for (std::uint32_t i = 0; i < graph.members.size(); ++i)
      if (const auto at = wanted.find(graph.members[i].name); at != wanted.end()) at->second.push_back(i);
    PackageGraph::Member& world = graph.members.emplace_back();
    world.name = apk_world;
    world.outside = true;
    for (auto& [name, members] : wanted) world.asks.push_back({"world", name, std::move(members)});
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
    graph.problems.push_back(std::string(apk_world) + ": " + error.what());
  }
}

}  // namespace

void count_relation(std::size_t& so_far) {
  constexpr std::size_t relations_most = 20'000'000;  // a distribution with all its packages has some millions
  if (++so_far > relations_most) throw Error(ErrorKind::limit, "the packages ask for each other too often");
}

bool PackageGraph::knows_who_was_asked_for() const {
  return std::ranges::any_of(members, [](const Member& one) { return one.outside || one.manual == true; });
}

PackageChains::PackageChains(const PackageGraph& graph, std::optional<std::uint32_t> without)
    : graph_(graph),
      known_(graph.knows_who_was_asked_for()),
      asked_for_(graph.members.size(), false),
      came_(graph.members.size()) {
  const std::vector<PackageGraph::Member>& members = graph.members;
  for (std::uint32_t i = 0; i < members.size(); ++i)
    for (const PackageGraph::Ask& ask : members[i].asks)
      for (const std::uint32_t to : ask.met_by) asked_for_[to] = asked_for_[to] || to != i;
  begin(without);
  for (std::size_t at = 0; at < reached_.size(); ++at)
    for (const PackageGraph::Ask& ask : members[reached_[at]].asks)
      for (const std::uint32_t to : ask.met_by)
        if (!came_[to].here && to != without) {
          came_[to] = {true, reached_[at], &ask};
          reached_.push_back(to);
        }
  show_lists();
}

void PackageChains::begin(std::optional<std::uint32_t> without) {
  const std::vector<PackageGraph::Member>& members = graph_.members;
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    const bool root = known_ ? members[i].outside || members[i].manual == true : !asked_for_[i];
    if (!root || i == without) continue;
    came_[i] = {true, i, nullptr};
    reached_.push_back(i);
  }
  std::ranges::stable_sort(reached_, std::ranges::greater(), [&](std::uint32_t one) { return members[one].outside; });
}

/// What a list names by name is shown with its list.
void PackageChains::show_lists() {
  const std::vector<PackageGraph::Member>& members = graph_.members;
  for (std::uint32_t i = 0; i < members.size(); ++i)
    if (members[i].outside)
      for (const PackageGraph::Ask& ask : members[i].asks)
        for (const std::uint32_t to : ask.met_by)
          if (came_[to].here && came_[to].by == nullptr && !members[to].outside) came_[to] = {true, i, &ask};
}

std::vector<PackageGraph::Step> PackageChains::to(std::uint32_t member) const {
  std::vector<PackageGraph::Step> out;
  if (!leads_to(member)) return out;
  for (std::uint32_t at = member;; at = came_[at].from) {
    out.push_back({at, came_[at].by});
    if (came_[at].by == nullptr) break;
  }
  std::ranges::reverse(out);
  return out;
}

std::vector<std::pair<std::uint32_t, const PackageGraph::Ask*>> PackageGraph::users(std::uint32_t member) const {
  std::vector<std::pair<std::uint32_t, const Ask*>> out;
  for (std::uint32_t i = 0; i < members.size(); ++i)
    for (const Ask& ask : members[i].asks)
      if (i != member && std::ranges::find(ask.met_by, member) != ask.met_by.end()) out.emplace_back(i, &ask);
  return out;
}

void plan_package_graphs(Plan& plan) { plan.on_demand(FactKind::content); }

std::vector<PackageGraph> package_graphs(const ImageView& image) {
  std::vector<PackageGraph> out;
  if (auto apk = related(read_apk(image, Relations::read))) {
    add_world(image, *apk);
    out.push_back(std::move(*apk));
  }
  if (auto rpm = related(read_rpm(image, Relations::read))) out.push_back(std::move(*rpm));
  for (PackageGraph& python : python_graphs(image)) out.push_back(std::move(python));
  if (auto node = node_graph(image)) out.push_back(std::move(*node));
  return out;
}

}  // namespace ocilint
