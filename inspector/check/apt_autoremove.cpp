#include "check/apt_autoremove.h"

#include <algorithm>

namespace ocilint {

AptAutoremove::AptAutoremove(const AptUniverse& universe, const AptOptions& options) : universe_(universe) {
  find_roots(options);
  const Follow configured{options.recommends, options.suggests};
  const Marks most = mark(configured, true, {});
  configured_ = least(configured);
  const Marks without_suggests = least({options.recommends, false});
  strict_ = least({false, false});
  levels_.reserve(reasons_.size());
  for (std::uint32_t i = 0; i < reasons_.size(); ++i) {
    AptLevel level = AptLevel::removable;
    if (system_[i] && universe_.members()[i].automatic)
      level = AptLevel::is_protected;
    else if (!reasons_[i].empty())
      level = AptLevel::manual;
    // What stricter options keep, these may take: following more relations can hide one of the others.
    else if (!configured_[i].reached)
      level = most[i].reached || is_kernel_package(universe_.members()[i].control->name) ? AptLevel::perhaps
                                                                                         : AptLevel::removable;
    else if (strict_[i].reached)
      level = strict_[i].by_system ? AptLevel::kept_by_system : AptLevel::kept_by_chain;
    else
      level = without_suggests[i].reached ? AptLevel::kept_by_recommends : AptLevel::kept_by_suggests;
    levels_.push_back(level);
  }
}

void AptAutoremove::find_roots(const AptOptions& options) {
  for (const AptUniverse::Member& member : universe_.members()) {
    const DpkgPackage& control = *member.control;
    std::string_view reason;
    if (control.essential || control.name == "apt")
      reason = "Essential";
    else if (control.important || control.is_protected)
      reason = "Protected";
    else if (control.priority == "required")
      reason = "Priority: required";
    else if (options.never_removed(control.name))
      reason = "APT::NeverAutoRemove";
    else if (options.honour_hold && control.want == DpkgWant::hold)
      reason = "on hold";
    system_.push_back(!reason.empty());
    if (reason.empty() && !member.automatic) reason = "manual";
    reasons_.push_back(reason);
  }
}

// Breadth first, from the protected roots before the others, so that chains are short and the protected ones win.
AptAutoremove::Marks AptAutoremove::mark(Follow follow, bool most, const std::vector<bool>& whole) const {
  const std::span<const AptUniverse::Member> members = universe_.members();
  Marks marks(members.size());
  std::vector<std::uint32_t> queue;
  const auto reach = [&](std::uint32_t member, std::uint32_t from, AptField by, bool by_system) {
    if (marks[member].reached) return;
    marks[member] = {true, by_system, from, by};
    queue.push_back(member);
  };
  for (const bool system : {true, false}) {
    for (std::uint32_t i = 0; i < members.size(); ++i)
      if ((!reasons_[i].empty() && system_[i] == system) ||
          (most && !system && is_kernel_package(members[i].control->name)))
        reach(i, nobody, AptField::depends, system);
    for (std::size_t at = 0; at < queue.size(); ++at) {
      for (const AptUniverse::Need& need : universe_.needs(members[queue[at]])) {
        if (!follow.has(need.field)) continue;
        const AptUniverse::Choice& choice = universe_.choice(need);
        if (!most && (choice.kernels || choice.order_matters || (!choice.whole && whole[choice.target]))) continue;
        for (const std::uint32_t next : choice.chosen) reach(next, queue[at], need.field, system);
      }
    }
    queue.clear();
  }
  return marks;
}

// apt looks no further at a name once it followed a relation on it that left no candidate out. So a relation that
// leaves some out is followed for certain only if no package that may be marked has one of the other kind.
AptAutoremove::Marks AptAutoremove::least(Follow follow) const {
  const Marks most = mark(follow, true, {});
  std::vector<bool> whole(universe_.targets());
  const std::span<const AptUniverse::Member> members = universe_.members();
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    if (!most[i].reached) continue;
    for (const AptUniverse::Need& need : universe_.needs(members[i]))
      if (const AptUniverse::Choice& choice = universe_.choice(need); follow.has(need.field) && choice.whole)
        whole[choice.target] = true;
  }
  return mark(follow, false, whole);
}

std::vector<std::uint32_t> AptAutoremove::removed(bool perhaps) const {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < levels_.size(); ++i)
    if (levels_[i] == AptLevel::removable || (perhaps && levels_[i] == AptLevel::perhaps)) out.push_back(i);
  return out;
}

std::vector<AptAutoremove::Step> AptAutoremove::chain(std::uint32_t member) const {
  const Marks& marks = strict_[member].reached ? strict_ : configured_;
  std::vector<Step> out;
  if (!marks[member].reached) return out;
  for (std::uint32_t at = member; at != nobody; at = marks[at].from)
    out.push_back({at, marks[at].from == nobody ? std::nullopt : std::optional(marks[at].by)});
  std::reverse(out.begin(), out.end());
  return out;
}

std::string AptAutoremove::chain_text(std::uint32_t member) const {
  std::string out;
  for (const Step& step : chain(member)) {
    if (!out.empty()) out += " -> ";
    out += universe_.name(step.member) + " (";
    out += step.by ? to_string(*step.by) : root_reason(step.member);
    out += ')';
  }
  return out;
}

}  // namespace ocilint
