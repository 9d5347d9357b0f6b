#include "look/package_reasons.h"

#include <algorithm>

#include "base/error.h"
#include "check/package_history.h"
#include "check/package_relation.h"

namespace ocilint {
namespace {

constexpr std::string_view states_path = "/var/lib/apt/extended_states";
constexpr std::size_t most_states_judged = 200;  // databases of earlier layers; images have fewer layers
constexpr std::size_t longest_chain = 50;        // links whose loss is tried; real chains have fewer than ten

using Alternative = PackageRelation::Alternative;

bool fits(const Alternative& asked, const AptUniverse::Member& member) {
  return member.control->name == asked.name &&
         (asked.architecture.empty() || asked.architecture == member.architecture);
}

std::vector<std::uint32_t> members_of(const AptUniverse& universe, const Alternative& asked) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < universe.members().size(); ++i)
    if (fits(asked, universe.members()[i])) out.push_back(i);
  return out;
}

/// Would autoremove take it once `first` is purged, with all that cannot stay without?
bool goes_with(const AptUniverse& universe, const AptOptions& options, std::uint32_t first, std::uint32_t member) {
  const std::vector<std::uint32_t> gone = universe.purged_with({first});
  if (std::ranges::binary_search(gone, member)) return true;
  const AptUniverse after = universe.without(gone);
  const AptAutoremove then(after, options);
  for (std::uint32_t i = 0; i < after.members().size(); ++i)
    if (after.members()[i].control == universe.members()[member].control) return then.level(i) <= AptLevel::perhaps;
  return false;
}

/// Of the shortest chain: whoever every chain goes through stands on each.
std::vector<std::string> keepers_of(const AptUniverse& universe, const AptOptions& options, const AptAutoremove& now,
                                    std::uint32_t member) {
  std::vector<std::string> out;
  const auto chain = now.chain(member);
  if (chain.size() > longest_chain) return out;
  for (const AptAutoremove::Step& step : chain)
    if (step.member != member && goes_with(universe, options, step.member, member))
      out.push_back(universe.name(step.member));
  return out;
}

std::vector<PackageUser> users_of(const AptUniverse& universe, const AptAutoremove& now, std::uint32_t member) {
  std::vector<PackageUser> out;
  for (std::uint32_t i = 0; i < universe.members().size(); ++i) {
    if (i == member) continue;
    for (const AptUniverse::Need& need : universe.needs(universe.members()[i])) {
      if (std::ranges::find(universe.choice(need).satisfying, member) == universe.choice(need).satisfying.end())
        continue;
      PackageUser user{universe.name(i), std::string(to_string(need.field)),
                       universe.relation(i, need.field, need.group), keeps_text(now.level(i))};
      const auto same = [&](const PackageUser& one) {
        return one.name == user.name && one.field == user.field && one.relation == user.relation;
      };
      if (std::ranges::none_of(out, same)) out.push_back(std::move(user));
    }
  }
  return out;
}

PackageReason describe(const AptUniverse& universe, const AptAutoremove& now, std::uint32_t member) {
  PackageReason out;
  const AptUniverse::Member& of = universe.members()[member];
  out.name = universe.name(member);
  out.version = of.control->version;
  out.mark = of.automatic ? "automatic" : "manual";
  out.keeps = keeps_text(now.level(member));
  out.chain = now.chain_text(member);
  out.users = users_of(universe, now, member);
  return out;
}

/// apt's states as a layer left them; a file that was not there marks nothing.
AptExtendedStates states_at(const ImageView& view, std::uint32_t layer) {
  const auto inode = inode_at(view.tree().story(states_path), layer);
  return inode ? AptExtendedStates::parse(view.content(*inode)) : AptExtendedStates{};
}

/// The universe of an earlier layer. `status` owns what it points at.
AptUniverse universe_of(const DpkgStatus& status, const AptExtendedStates& states,
                        const std::vector<std::string>& architectures) {
  std::vector<AptUniverse::Member> members;
  for (const DpkgPackage& package : status.packages) {
    const std::string& own = package.architecture;
    const std::string& native = architectures.empty() ? own : architectures.front();
    members.push_back({.control = &package, .automatic = states.automatic(package.name, own == "all" ? native : own)});
  }
  return {std::move(members), architectures};
}

bool is_installed(const DpkgStatus* status, const DpkgPackage& package) {
  return status != nullptr && std::ranges::any_of(status->packages, [&](const DpkgPackage& one) {
           return one.name == package.name && one.architecture == package.architecture && one.unpacked();
         });
}

/// Up to which layer something kept the package, and who of the chain went with the next one. `removed`: the layer that
/// has it no more.
void find_letting_go(const ImageView& view, PackageHistory& history, const AptOptions& options,
                     const Alternative& asked, std::uint32_t removed, PackageReason& out) {
  const std::vector<Event> states_story = view.tree().story(states_path);
  std::size_t judged = 0;
  const DpkgStatus* last_status = history.status_at(removed - 1);
  std::optional<InodeId> last_states = inode_at(states_story, removed - 1);
  for (std::uint32_t layer = removed - 1; layer-- > 0;) {
    const DpkgStatus* const status = history.status_at(layer);
    const std::optional<InodeId> states_inode = inode_at(states_story, layer);
    if (status == nullptr || ++judged > most_states_judged) return;
    if (status == last_status && states_inode == last_states) continue;
    last_status = status;
    last_states = states_inode;
    const AptExtendedStates states = states_at(view, layer);
    const AptUniverse universe = universe_of(*status, states, options.architectures);
    const auto members = members_of(universe, asked);
    if (members.empty()) return;  // nothing kept it since it was there
    const AptAutoremove then(universe, options);
    const std::uint32_t member = members.front();
    if (then.level(member) <= AptLevel::perhaps) continue;
    out.let_go_in = layer + 1;
    out.let_go_by = view.layers()[layer + 1].created_by;
    out.keeps_before = keeps_text(then.level(member));
    out.chain_before = then.chain_text(member);
    const DpkgStatus* const after = history.status_at(layer + 1);
    for (const AptAutoremove::Step& step : then.chain(member))
      if (step.member != member && !is_installed(after, *universe.members()[step.member].control))
        out.gone_along.push_back(universe.name(step.member));
    return;
  }
}

PackageReason reason_of_removal(const ImageView& view, const AptOptions& options, const Alternative& asked) {
  PackageHistory history(view);
  const auto removal = history.removal(asked.name, asked.architecture);
  if (!removal) throw Error(ErrorKind::usage, "no layer has a package " + asked.text());
  PackageReason out;
  out.name = asked.text();
  out.version = removal->version;
  out.removed_in = removal->layer;
  if (removal->layer < view.layers().size()) out.removed_by = view.layers()[removal->layer].created_by;
  const DpkgStatus* const before = removal->layer == 0 ? nullptr : history.status_at(removal->layer - 1);
  if (before == nullptr) {
    out.before_problem = "no layer below has a database that can be read";
    return out;
  }
  const AptExtendedStates states = states_at(view, removal->layer - 1);
  const AptUniverse universe = universe_of(*before, states, options.architectures);
  const AptAutoremove then(universe, options);
  const auto members = members_of(universe, asked);
  if (members.empty()) {
    out.before_problem = "the layer below has it, but not unpacked";
    return out;
  }
  PackageReason was = describe(universe, then, members.front());
  was.removed_in = out.removed_in;
  was.removed_by = out.removed_by;
  const DpkgStatus* const after = history.status_at(removal->layer);
  for (const AptAutoremove::Step& step : then.chain(members.front()))
    if (step.member != members.front() && !is_installed(after, *universe.members()[step.member].control))
      was.gone_along.push_back(universe.name(step.member));
  if (then.level(members.front()) <= AptLevel::perhaps)
    find_letting_go(view, history, options, asked, removal->layer, was);
  return was;
}

}  // namespace

std::string keeps_text(AptLevel level) {
  switch (level) {
    case AptLevel::removable: return "autoremove takes it";
    case AptLevel::perhaps: return "autoremove may take it";
    case AptLevel::kept_by_suggests: return "kept by a Suggests alone";
    case AptLevel::kept_by_recommends: return "kept by a Recommends alone";
    case AptLevel::kept_by_chain: return "kept by a chain";
    case AptLevel::kept_by_system: return "kept by the system";
    case AptLevel::is_protected: return "protected";
    case AptLevel::manual: return "manual";
  }
  return {};
}

std::vector<PackageReason> reasons_of(const ImageView& view, const AptOptions& options, const std::string& name) {
  const PackageRelation relation = PackageRelation::parse(name);
  const Alternative& asked = relation.alternatives.front();
  const AptUniverse universe = AptUniverse::of(view.packages(), options.architectures);
  const auto members = members_of(universe, asked);
  if (members.empty()) return {reason_of_removal(view, options, asked)};
  const AptAutoremove now(universe, options);
  std::vector<PackageReason> out;
  for (const std::uint32_t member : members) {
    PackageReason& reason = out.emplace_back(describe(universe, now, member));
    reason.installed = true;
    reason.keepers = keepers_of(universe, options, now, member);
  }
  return out;
}

}  // namespace ocilint
