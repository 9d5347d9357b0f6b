// What `apt-get autoremove` would take from an image, by apt's own mark and sweep, and what keeps the rest.
//
// Roots: not automatic, Essential, Important or Protected, priority required, APT::NeverAutoRemove, on hold, and apt
// itself. Marked from there: Pre-Depends, Depends, and by configuration Recommends and Suggests. What is automatic
// and not marked goes. Two things cannot be seen in an image, so there are two answers, `removable` for certain and
// `perhaps`: which kernel runs during the build, and apt's order of packages, on which the answer depends when a
// relation that leaves out some version of a name is met after one that leaves out none.
// apt refuses to remove anything while a dependency is unmet (AptUniverse::unmet): these are the levels of then.
// The universe must outlive it. Const once made; any thread. Cost: linear in the relations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/apt_options.h"
#include "check/apt_universe.h"

namespace ocilint {

/// From what goes to what stays.
enum class AptLevel : std::uint8_t {
  removable,
  perhaps,             // see above
  kept_by_suggests,    // goes once APT::AutoRemove::SuggestsImportant is false
  kept_by_recommends,  // goes once RecommendsImportant is false too, as build scripts say on the command line
  kept_by_chain,       // dependencies of packages that are installed by hand
  kept_by_system,      // dependencies of packages that are protected
  is_protected,        // essential, required, on hold, named by NeverAutoRemove
  manual,
};

class AptAutoremove {
 public:
  AptAutoremove(const AptUniverse& universe, const AptOptions& options);

  AptLevel level(std::uint32_t member) const { return levels_[member]; }
  /// Members that go for certain; with `perhaps`, all that may go.
  std::vector<std::uint32_t> removed(bool perhaps = false) const;

  /// Why a member is a root: "manual", "Essential", "on hold"; empty when it is none.
  std::string_view root_reason(std::uint32_t member) const { return reasons_[member]; }

  struct Step {
    std::uint32_t member;
    std::optional<AptField> by;  // of the step before; empty for the root
  };
  /// From a root to the member, the shortest there is, over dependencies alone if these suffice. Empty when it goes.
  std::vector<Step> chain(std::uint32_t member) const;
  /// "setup (manual) -> libdw1 (Depends) -> libelf1 (Depends)".
  std::string chain_text(std::uint32_t member) const;

 private:
  static constexpr std::uint32_t nobody = ~0u;
  struct Mark {
    bool reached = false;
    bool by_system = false;
    std::uint32_t from = nobody;
    AptField by = AptField::depends;
  };
  using Marks = std::vector<Mark>;
  struct Follow {
    bool recommends, suggests;
    bool has(AptField field) const {
      return (field != AptField::recommends || recommends) && (field != AptField::suggests || suggests);
    }
  };

  /// What every order of packages marks, or (`most`) what some order could.
  Marks mark(Follow follow, bool most, const std::vector<bool>& whole) const;
  Marks least(Follow follow) const;
  void find_roots(const AptOptions& options);

  const AptUniverse& universe_;
  std::vector<std::string_view> reasons_;
  std::vector<bool> system_;  // roots that are not just manual
  Marks strict_, configured_;
  std::vector<AptLevel> levels_;
};

}  // namespace ocilint
