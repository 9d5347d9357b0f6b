#include "check/apt_universe.h"

#include <algorithm>

#include "base/error.h"
#include "check/package_db.h"

namespace ocilint {
namespace {

constexpr std::string_view any = "any";

const std::string& field_of(const DpkgPackage& control, AptField field) {
  switch (field) {
    case AptField::pre_depends: return control.pre_depends;
    case AptField::depends: return control.depends;
    case AptField::recommends: return control.recommends;
    case AptField::suggests: return control.suggests;
  }
  return control.depends;
}

constexpr AptField fields[] = {AptField::pre_depends, AptField::depends, AptField::recommends, AptField::suggests};

bool is_hard(AptField field) { return field == AptField::pre_depends || field == AptField::depends; }

DpkgRelations parse(const std::string& text, const DpkgPackage& control, std::string_view field) {
  try {
    return DpkgRelations::parse(text);
  } catch (Error& error) {
    error.within(control.name + ", " + std::string(field));
    throw;
  }
}

bool satisfies(std::string_view version, const DpkgRelation& relation) {
  if (!relation.version) return true;
  return !version.empty() && relation.version->matches(version);
}

}  // namespace

std::string_view to_string(AptField field) {
  switch (field) {
    case AptField::pre_depends: return "Pre-Depends";
    case AptField::depends: return "Depends";
    case AptField::recommends: return "Recommends";
    case AptField::suggests: return "Suggests";
  }
  return "Depends";
}

bool is_kernel_package(std::string_view name) {
  // APT::VersionedKernelPackages of apt's own configuration, with the version that stands in the name.
  if (!name.starts_with("linux-") && !name.starts_with("kfreebsd-") && !name.starts_with("gnumach-") &&
      name.find("-modules-") == std::string_view::npos && name.find("-kernel-") == std::string_view::npos)
    return false;
  for (std::size_t dash = name.find('-'); dash != std::string_view::npos; dash = name.find('-', dash + 1)) {
    const std::string_view rest = name.substr(dash + 1);
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits > 0 && digits + 1 < rest.size() && rest[digits] == '.') return true;
  }
  return false;
}

AptUniverse::AptUniverse(std::vector<Member> members, std::vector<std::string> architectures)
    : members_(std::move(members)), architectures_(std::move(architectures)) {
  if (architectures_.empty()) throw Error(ErrorKind::internal, "apt without an architecture");
  std::erase_if(members_, [](const Member& member) { return !member.control->unpacked(); });
  for (Member& member : members_) {
    const std::string& recorded = member.control->architecture;
    member.architecture = recorded.empty() || recorded == "all" ? architectures_.front() : recorded;
  }
  index_members();
  for (std::uint32_t i = 0; i < members_.size(); ++i) read_needs(i);
}

AptUniverse AptUniverse::of(const PackageDb& db, const std::vector<std::string>& architectures) {
  std::vector<Member> members;
  for (const Package& package : db.packages())
    members.push_back({.control = &package.control, .automatic = db.automatic(package).value_or(false)});
  return {std::move(members), architectures};
}

AptUniverse AptUniverse::without(const std::vector<std::uint32_t>& gone) const {
  std::vector<Member> left;
  for (std::uint32_t i = 0; i < members_.size(); ++i)
    if (!std::binary_search(gone.begin(), gone.end(), i))
      left.push_back({.control = members_[i].control, .automatic = members_[i].automatic});
  return {std::move(left), architectures_};
}

std::string AptUniverse::name(std::uint32_t member) const {
  const Member& of = members_[member];
  if (of.architecture == architectures_.front()) return of.control->name;
  return of.control->name + ":" + std::string(of.architecture);
}

std::string AptUniverse::relation(std::uint32_t member, AptField field, std::uint32_t group) const {
  const DpkgPackage& control = *members_[member].control;
  const DpkgRelations relations = parse(field_of(control, field), control, to_string(field));
  return to_text(relations.groups.at(group));
}

bool AptUniverse::is_configured(std::string_view architecture) const {
  return std::find(architectures_.begin(), architectures_.end(), architecture) != architectures_.end();
}

std::uint32_t AptUniverse::target(std::string_view name, std::string_view architecture) {
  std::string key(name);
  key += ' ';
  key += architecture;
  const auto [at, fresh] = target_ids_.try_emplace(std::move(key), static_cast<std::uint32_t>(candidates_.size()));
  if (fresh) candidates_.emplace_back();
  return at->second;
}

void AptUniverse::count_step() {
  if (++steps_ > candidate_steps) throw Error(ErrorKind::limit, "the packages relate to each other in too many ways");
}

void AptUniverse::index_members() {
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    const DpkgPackage& control = *member.control;
    const Candidate itself{i, control.version, true};
    candidates_[target(control.name, member.architecture)].push_back(itself);
    by_name_.emplace(control.name, itself);
    // A relation on name:arch is, for apt, one on a package of that whole name, which this one provides.
    candidates_[target(control.name + ":" + std::string(member.architecture), any)].push_back(itself);
    if (control.multi_arch == MultiArch::foreign && is_configured(member.architecture))
      for (const std::string& architecture : architectures_)
        if (architecture != member.architecture) {
          count_step();
          candidates_[target(control.name, architecture)].push_back({i, control.version, false});
        }
    if (control.multi_arch == MultiArch::allowed)
      candidates_[target(control.name, any)].push_back({i, control.version, false});
  }
  for (std::uint32_t i = 0; i < members_.size(); ++i) read_provides(i);
}

void AptUniverse::add_provided(std::string_view name, std::string_view architecture, std::uint32_t member,
                               std::string_view version) {
  count_step();
  const Member& of = members_[member];
  // As apt has it, no package provides itself, unless in another version.
  if (name == of.control->name && architecture == of.architecture &&
      (version.empty() || version == of.control->version))
    return;
  candidates_[target(name, architecture)].push_back({member, version, false});
  // Who asks for name:arch gets a provider of that architecture, in its own version or in the provided one, and one
  // for all architectures or not: that depends on which of the two stanzas apt meets first.
  if (architecture == of.architecture)
    candidates_[target(std::string(name) + ":" + std::string(architecture), any)].push_back(
        {member, of.control->version, false, version, of.architecture != of.control->architecture});
}

void AptUniverse::read_provides(std::uint32_t index) {
  const Member& member = members_[index];
  const DpkgPackage& control = *member.control;
  if (control.provides.empty()) return;
  for (const DpkgRelations::Group& group : parse(control.provides, control, "Provides").groups)
    for (const DpkgRelation& provided : group) {
      std::string_view version;
      if (provided.version) {
        if (provided.version->relation() != VersionConstraint::Relation::equal) continue;
        // The text lives in a relation that is about to go; the control field has it too.
        const std::size_t at = control.provides.find(provided.version->version());
        version = std::string_view(control.provides).substr(at, provided.version->version().size());
      }
      by_name_.emplace(provided.name, Candidate{index, version, false});
      if (provided.qualifier == any) {
        candidates_[target(provided.name, any)].push_back({index, version, false});
      } else if (!provided.qualifier.empty()) {
        add_provided(provided.name, provided.qualifier, index, version);
      } else if (control.multi_arch == MultiArch::foreign && is_configured(member.architecture)) {
        for (const std::string& architecture : architectures_)
          add_provided(provided.name, architecture, index, version);
      } else {
        add_provided(provided.name, member.architecture, index, version);
        if (control.multi_arch == MultiArch::allowed)
          candidates_[target(provided.name, any)].push_back({index, version, false});
      }
    }
}

void AptUniverse::read_needs(std::uint32_t index) {
  const DpkgPackage& control = *members_[index].control;
  const std::string_view architecture = members_[index].architecture;
  members_[index].first_need = static_cast<std::uint32_t>(needs_.size());
  for (const AptField field : fields) {
    const std::string& text = field_of(control, field);
    if (text.empty()) continue;
    std::uint32_t number = 0;
    for (const DpkgRelations::Group& group : parse(text, control, to_string(field)).groups) {
      for (const DpkgRelation& relation : group) {
        std::uint32_t asked = 0;
        if (relation.qualifier.empty()) {
          asked = target(relation.name, architecture);
        } else if (relation.qualifier == any) {
          asked = target(relation.name, any);
          // Of an architecture that is not set up, `any` also means its own.
          if (!is_configured(architecture))
            needs_.push_back({field, number, choice_of(target(relation.name, architecture), relation)});
        } else {
          const std::string& wanted = relation.qualifier == "native" ? architectures_.front() : relation.qualifier;
          asked = target(relation.name + ":" + wanted, any);
        }
        needs_.push_back({field, number, choice_of(asked, relation)});
      }
      ++number;
    }
  }
  members_[index].need_count = static_cast<std::uint32_t>(needs_.size()) - members_[index].first_need;
}

std::uint32_t AptUniverse::choice_of(std::uint32_t target, const DpkgRelation& relation) {
  const auto [at, fresh] =
      choice_ids_.try_emplace(std::pair(target, relation.version ? relation.version->text() : std::string()),
                              static_cast<std::uint32_t>(choices_.size()));
  if (!fresh) return at->second;
  Choice& choice = choices_.emplace_back();
  choice.target = target;
  for (const Candidate& candidate : candidates_[target]) {
    count_step();
    const bool fits = satisfies(candidate.version, relation);
    const bool otherwise = candidate.otherwise ? satisfies(*candidate.otherwise, relation) : fits;
    choice.order_matters |= fits != otherwise || (candidate.perhaps && fits);
    if (fits || otherwise)
      choice.satisfying.push_back(candidate.member);
    else
      choice.whole = false;
  }
  std::sort(choice.satisfying.begin(), choice.satisfying.end());
  choice.satisfying.erase(std::unique(choice.satisfying.begin(), choice.satisfying.end()), choice.satisfying.end());
  choose(choice);
  return at->second;
}

// Of those that one source package made, only the newest are followed.
void AptUniverse::choose(Choice& choice) const {
  std::map<std::string_view, std::vector<std::uint32_t>> by_source;
  for (const std::uint32_t member : choice.satisfying) by_source[members_[member].control->source].push_back(member);
  const auto version = [this](std::uint32_t member) -> std::string_view {
    return members_[member].control->source_version;
  };
  for (const auto& [source, members] : by_source) {
    const std::uint32_t newest = *std::max_element(members.begin(), members.end(), [&](auto left, auto right) {
      return compare_debian(version(left), version(right)) < 0;
    });
    std::size_t kernels = 0, kept = 0;
    for (const std::uint32_t member : members) {
      if (compare_debian(version(member), version(newest)) != 0) continue;
      choice.order_matters |= version(member) != version(newest);
      choice.chosen.push_back(member);
      kernels += is_kernel_package(members_[member].control->name);
      ++kept;
    }
    choice.kernels |= kept > 1 && kernels == kept;
  }
}

std::vector<AptUniverse::Unmet> AptUniverse::unmet() const {
  std::vector<Unmet> out;
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    const std::span<const Need> all = needs(members_[i]);
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t first = at;
      bool met = false;
      for (; at < all.size() && all[at].field == all[first].field && all[at].group == all[first].group; ++at)
        met |= !choice(all[at]).satisfying.empty();
      if (!met && is_hard(all[first].field)) out.push_back({i, all[first].field, all[first].group});
    }
  }
  return out;
}

// One package of two architectures may be there at once only if both say `Multi-Arch: same`.
void AptUniverse::clash_with_itself(std::uint32_t member, std::size_t& steps, std::vector<Clash>& out) const {
  const DpkgPackage& control = *members_[member].control;
  const auto [first, last] = by_name_.equal_range(control.name);
  for (auto at = first; at != last; ++at) {
    if (++steps > candidate_steps) throw Error(ErrorKind::limit, "too many conflicts to compare");
    const Candidate& other = at->second;
    const DpkgPackage& twin = *members_[other.member].control;
    if (!other.itself || other.member == member) continue;
    if (control.multi_arch == MultiArch::same && twin.multi_arch == MultiArch::same) continue;
    out.push_back({member, other.member, false, control.name});
  }
}

// Whom a Conflicts or Breaks is about: of every architecture, unless it names one.
std::vector<AptUniverse::Candidate> AptUniverse::named_by(const DpkgRelation& relation) const {
  std::vector<Candidate> out;
  if (relation.qualifier.empty()) {
    const auto [first, last] = by_name_.equal_range(relation.name);
    for (auto at = first; at != last; ++at) out.push_back(at->second);
    return out;
  }
  std::string key = relation.name;
  if (relation.qualifier != any)
    key += ":" + (relation.qualifier == "native" ? architectures_.front() : relation.qualifier);
  const auto at = target_ids_.find(key + " " + std::string(any));
  return at == target_ids_.end() ? out : candidates_[at->second];
}

std::vector<AptUniverse::Clash> AptUniverse::clashes() const {
  std::vector<Clash> out;
  std::size_t steps = 0;
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    const DpkgPackage& control = *members_[i].control;
    clash_with_itself(i, steps, out);
    for (const bool breaks : {false, true}) {
      const std::string& text = breaks ? control.breaks : control.conflicts;
      if (text.empty()) continue;
      for (const DpkgRelations::Group& group : parse(text, control, breaks ? "Breaks" : "Conflicts").groups)
        for (const DpkgRelation& relation : group) {
          for (const Candidate& other : named_by(relation)) {
            if (++steps > candidate_steps) throw Error(ErrorKind::limit, "too many conflicts to compare");
            // A package of the same name is the same one of another architecture, or it itself.
            if (members_[other.member].control->name == control.name) continue;
            if (!satisfies(other.version, relation)) continue;
            // The package itself and what it provides may both match.
            if (!out.empty() && out.back().member == i && out.back().with == other.member) continue;
            out.push_back({i, other.member, breaks, relation.text()});
          }
        }
    }
  }
  return out;
}

std::vector<std::uint32_t> AptUniverse::purged_with(const std::vector<std::uint32_t>& members) const {
  std::vector<std::vector<std::uint32_t>> choices_with(members_.size());
  std::vector<std::size_t> satisfiers_left(choices_.size());
  for (std::uint32_t i = 0; i < choices_.size(); ++i) {
    satisfiers_left[i] = choices_[i].satisfying.size();
    for (const std::uint32_t member : choices_[i].satisfying) choices_with[member].push_back(i);
  }
  struct HardGroup {
    std::uint32_t owner;
    std::size_t alternatives_left = 0;
  };
  std::vector<HardGroup> groups;
  std::vector<std::vector<std::uint32_t>> groups_with(choices_.size());
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    const Need* before = nullptr;
    for (const Need& need : needs(members_[i])) {
      if (!is_hard(need.field)) continue;
      if (before == nullptr || before->field != need.field || before->group != need.group) groups.push_back({i});
      before = &need;
      if (satisfiers_left[need.choice] == 0) continue;
      ++groups.back().alternatives_left;
      groups_with[need.choice].push_back(static_cast<std::uint32_t>(groups.size() - 1));
    }
  }

  std::vector<bool> gone(members_.size());
  std::vector<std::uint32_t> out, work;
  const auto remove = [&](std::uint32_t member) {
    if (gone[member]) return;
    gone[member] = true;
    out.push_back(member);
    work.push_back(member);
  };
  for (const std::uint32_t member : members) remove(member);
  while (!work.empty()) {
    const std::uint32_t member = work.back();
    work.pop_back();
    for (const std::uint32_t choice : choices_with[member])
      if (--satisfiers_left[choice] == 0)
        for (const std::uint32_t group : groups_with[choice])
          if (--groups[group].alternatives_left == 0) remove(groups[group].owner);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace ocilint
