// The unpacked packages as apt relates them: who satisfies which relation, on which architecture.
//
// apt's reading, not Policy's: every alternative and every provider that satisfies a relation counts, a version
// asks for a versioned Provides, an unqualified relation means the depender's architecture, `Multi-Arch: foreign`
// satisfies any, `:any` needs `allowed`. Satisfiers that are built from one source count only in its newest version
// (kernel packages; `chosen`). Half-installed and unconfigured packages are part of it, rc ones are not.
// The constructor throws Error{corrupt} for a relation that cannot be parsed (apt refuses the database then) and
// Error{limit} beyond candidate_steps. The packages must outlive it. Const once made; any thread. Cost: linear in
// relations plus candidates, which are looked at once for each name and version that something asks for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "facts/dpkg_relations.h"
#include "facts/dpkg_status.h"

namespace ocilint {

class PackageDb;

enum class AptField : std::uint8_t { pre_depends, depends, recommends, suggests };
std::string_view to_string(AptField);  // "Depends"

class AptUniverse {
 public:
  /// Comparisons of a relation with a candidate, two seconds of them. Real images need some ten thousand; a status
  /// file of 64 MiB could ask for 10^11.
  static constexpr std::size_t candidate_steps = 5'000'000;

  struct Member {
    const DpkgPackage* control = nullptr;
    bool automatic = false;
    std::string_view architecture = {};  // never "all"
    std::uint32_t first_need = 0, need_count = 0;
  };
  /// One relation of a package that keeps others.
  struct Need {
    AptField field;
    std::uint32_t group;  // alternatives of one group stand side by side
    std::uint32_t choice;
  };
  /// Who satisfies a relation; shared by all that ask for the same.
  struct Choice {
    std::uint32_t target = 0;               // the name and architecture asked for
    bool whole = true;                      // no candidate was left out by its version
    bool kernels = false;                   // more than one, and all look like packages of a kernel version
    bool order_matters = false;             // apt's answer depends on the order of the stanzas
    std::vector<std::uint32_t> satisfying;  // members, each once
    std::vector<std::uint32_t> chosen;      // of them, those that autoremove follows
  };
  struct Unmet {
    std::uint32_t member;
    AptField field;
    std::uint32_t group;
  };
  struct Clash {
    std::uint32_t member, with;
    bool breaks;           // Breaks, else Conflicts
    std::string relation;  // as the field has it
  };

  /// `architectures`: the native one first. Members that are not unpacked are left out.
  AptUniverse(std::vector<Member> members, std::vector<std::string> architectures);
  AptUniverse(AptUniverse&&) = default;  // not to be copied: its parts point at each other
  AptUniverse& operator=(AptUniverse&&) = default;
  static AptUniverse of(const PackageDb& db, const std::vector<std::string>& architectures);

  std::span<const Member> members() const { return members_; }
  std::span<const Need> needs(const Member& member) const {
    return std::span(needs_).subspan(member.first_need, member.need_count);
  }
  const Choice& choice(const Need& need) const { return choices_[need.choice]; }
  std::size_t targets() const { return candidates_.size(); }
  const std::vector<std::string>& architectures() const { return architectures_; }

  /// "libdw1", or "libdw1:i386" of an architecture that is not the native one: apt's way to name it.
  std::string name(std::uint32_t member) const;
  /// The group as the field has it: "a | b (>= 1)".
  std::string relation(std::uint32_t member, AptField field, std::uint32_t group) const;

  /// Groups of Pre-Depends and Depends that nothing satisfies.
  std::vector<Unmet> unmet() const;
  /// Conflicts and Breaks between members.
  std::vector<Clash> clashes() const;
  /// What goes when these go: they, and what hard dependencies would have nobody left for. Sorted.
  std::vector<std::uint32_t> purged_with(const std::vector<std::uint32_t>& members) const;
  /// The universe without some members (sorted).
  AptUniverse without(const std::vector<std::uint32_t>& members) const;

 private:
  struct Candidate {
    std::uint32_t member;
    std::string_view version;                        // empty: provided without version
    bool itself;                                     // the package of that name, not a provider
    std::optional<std::string_view> otherwise = {};  // or this version
    bool perhaps = false;                            // apt may not see it
  };

  std::uint32_t target(std::string_view name, std::string_view architecture);
  bool is_configured(std::string_view architecture) const;
  void add_provided(std::string_view name, std::string_view architecture, std::uint32_t member,
                    std::string_view version);
  void index_members();
  void read_provides(std::uint32_t member);
  void read_needs(std::uint32_t member);
  std::uint32_t choice_of(std::uint32_t target, const DpkgRelation& relation);
  void choose(Choice& choice) const;
  std::vector<Candidate> named_by(const DpkgRelation& relation) const;
  void clash_with_itself(std::uint32_t member, std::size_t& steps, std::vector<Clash>& out) const;
  void count_step();

  std::vector<Member> members_;
  std::vector<std::string> architectures_;
  std::unordered_map<std::string, std::uint32_t> target_ids_;  // name, blank, architecture
  std::vector<std::vector<Candidate>> candidates_;             // by target
  std::unordered_multimap<std::string, Candidate> by_name_;    // of any architecture: for Conflicts
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> choice_ids_;
  std::vector<Choice> choices_;
  std::vector<Need> needs_;
  std::size_t steps_ = 0;
};

/// A package of one version of a kernel: whether apt keeps it depends on the kernel that runs during the build.
bool is_kernel_package(std::string_view name);

}  // namespace ocilint
