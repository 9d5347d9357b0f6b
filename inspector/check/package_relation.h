// A package as a policy names it: "libdw1", "libdw1 (>= 0.188)", "libdw1:amd64", "libdw1 | libdw1t64".
//
// parse() throws Error{policy} with the text for anything else. Values; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"

namespace ocilint {

struct PackageRelation {
  struct Alternative {
    std::string name;
    std::string architecture;  // empty: any
    std::optional<VersionConstraint> version;
    std::string text() const;  // "libdw1:amd64 (>= 0.188)"
  };
  std::vector<Alternative> alternatives;  // at least one

  static PackageRelation parse(std::string_view text);
  std::string text() const;  // "libdw1 | libdw1t64"
};

}  // namespace ocilint
