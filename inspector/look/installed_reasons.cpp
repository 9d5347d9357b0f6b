#include "look/installed_reasons.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "check/package_graph.h"
#include "facts/python_version.h"

namespace ocilint {
namespace {

constexpr std::size_t longest_chain = 50;  // links whose loss is tried, as for dpkg

struct Words {
  std::string_view unneeded;  // of a package that nothing leads to, where it is known what was asked for
  std::string_view limits;
  bool lets_go = false;  // takes what nothing keeps any more
};

Words words_of(const PackageGraph& graph) {
  const bool known = graph.knows_who_was_asked_for();
  switch (graph.manager) {
    case Manager::apk:
      return {
          "nothing keeps it: the next apk add or del takes it",
          known
              ? std::string_view()
              : "there is no /etc/apk/world, so nothing tells what was asked for by name; chains begin where nobody asks",
          true};
    case Manager::rpm:
      return {"",
              "rpm records no marks: chains begin with what no package asks for, and rpm itself removes nothing with "
              "another package (dnf and zypper keep lists of their own, which are not read)"};
    case Manager::python:
      return {
          "nothing that was asked for by name leads to it",
          known
              ? "pip removes nothing that is no longer asked for"
              : "pip marked nothing as asked for by name here: chains begin where nobody asks; it removes nothing by itself"};
    default:
      return {
          "no project leads to it: npm prune takes it",
          known ? std::string_view(
                      "npm marks nothing: what a project's package.json asks for counts as asked for by name")
                : "no project's package.json stands beside node_modules, so nothing tells what was asked for by name; "
                  "chains begin where nobody asks",
          known};
  }
}

std::string chain_text(const PackageGraph& graph, const std::vector<PackageGraph::Step>& chain) {
  std::string out;
  for (const PackageGraph::Step& step : chain) {
    const PackageGraph::Member& member = graph.members[step.member];
    out += (out.empty() ? "" : " -> ") + member.name;
    if (member.outside) continue;
    if (step.by == nullptr) {
      out += member.manual == true ? " (asked for by name)" : " (asked for by nobody)";
      continue;
    }
    // Where the text is the name again, the field says more.
    const bool plain = step.by->text == member.name || step.by->field == "dependencies" || step.by->field == "world";
    out += " (" + (plain ? step.by->field : step.by->field + " " + step.by->text) + ")";
  }
  return out;
}

std::string keeps_of(const PackageGraph& graph, const PackageChains& chains, const Words& words, std::uint32_t member) {
  const bool known = chains.known();
  const std::size_t steps = chains.to(member).size();
  if (steps > 1 || (steps == 1 && known))
    return steps == 1 && graph.members[member].manual == true ? "manual" : "kept by a chain";
  if (known) return std::string(words.unneeded);
  return !chains.is_asked_for(member) ? "nothing asks for it" : "asked for in a circle only";
}

PackageReason describe(const PackageGraph& graph, const PackageChains& chains, std::uint32_t number) {
  const PackageGraph::Member& member = graph.members[number];
  const Words words = words_of(graph);
  PackageReason out;
  out.manager = to_string(graph.manager);
  out.name = member.name;
  out.installed = true;
  out.version = member.version;
  out.place = member.place;
  out.limits = words.limits;
  const auto chain = chains.to(number);
  const auto users = graph.users(number);
  const bool by_list = std::ranges::any_of(users, [&](const auto& user) { return graph.members[user.first].outside; });
  if (by_list || member.manual == true)
    out.mark = "manual";
  else if (member.manual || (graph.manager == Manager::node && chains.known()))
    out.mark = "automatic";
  out.keeps = out.mark == "manual" ? "manual" : keeps_of(graph, chains, words, number);
  if (chain.size() > 1) out.chain = chain_text(graph, chain);
  for (const auto& [user, ask] : users) {
    const PackageGraph::Member& of = graph.members[user];
    out.users.push_back({of.name, ask->field, ask->text, of.outside ? "" : keeps_of(graph, chains, words, user)});
  }
  if (!words.lets_go || chain.empty() || chain.size() > longest_chain || out.mark == "manual") return out;
  for (const PackageGraph::Step& step : chain)
    if (step.member != number && !graph.members[step.member].outside &&
        !PackageChains(graph, step.member).leads_to(number))
      out.keepers.push_back(graph.members[step.member].name);
  if (!out.keepers.empty()) out.remedy = (graph.manager == Manager::apk ? "apk add " : "npm install ") + member.name;
  return out;
}

bool is_asked(const PackageGraph& graph, const PackageGraph::Member& member, const std::string& name) {
  if (member.outside) return false;
  if (member.name == name || (!member.architecture.empty() && member.name + ":" + member.architecture == name))
    return true;
  return graph.manager == Manager::python && normal_python_name(member.name) == normal_python_name(name);
}

bool same(const PackageReason& one, const PackageReason& other) {
  const auto same_user = [](const PackageUser& a, const PackageUser& b) {
    return a.name == b.name && a.relation == b.relation && a.keeps == b.keeps;
  };
  return one.manager == other.manager && one.place == other.place && one.chain == other.chain &&
         one.mark == other.mark && std::ranges::equal(one.users, other.users, same_user);
}

/// By their metadata, what the operating system's packages brought: their manager keeps these.
std::map<std::string, std::string> owners_of(const ImageView& view) {
  constexpr Manager python[] = {Manager::python};
  std::map<std::string, std::string> out;
  try {
    for (const InstalledPackages& read : read_installed(view, python))
      for (const Installed& one : read.packages)
        if (!one.owner.empty()) out.emplace(one.path, one.owner);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;  // dpkg's database is damaged, which is said already
  }
  return out;
}

}  // namespace

std::vector<PackageReason> installed_reasons(const ImageView& view, const std::string& name,
                                             std::vector<std::string>& unread) {
  std::vector<PackageReason> out;
  std::optional<std::map<std::string, std::string>> owners;
  for (const PackageGraph& graph : package_graphs(view)) {
    unread.insert(unread.end(), graph.problems.begin(), graph.problems.end());
    std::optional<PackageChains> chains;
    for (std::uint32_t i = 0; i < graph.members.size(); ++i) {
      if (!is_asked(graph, graph.members[i], name)) continue;
      if (!chains) chains.emplace(graph);
      PackageReason reason = describe(graph, *chains, i);
      // Several interpreters may search one folder.
      if (std::ranges::any_of(out, [&](const PackageReason& one) { return same(one, reason); })) continue;
      if (graph.manager == Manager::python) {
        if (!owners) owners = owners_of(view);
        if (const auto at = owners->find(reason.place); at != owners->end()) reason.owner = at->second;
      }
      out.push_back(std::move(reason));
    }
  }
  return out;
}

}  // namespace ocilint
