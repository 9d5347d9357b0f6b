// Relations between packages as control files have them (deb-control(5), Debian Policy 7.1): groups set apart by
// commas, alternatives of a group by bars, each a name, perhaps `:any`, `:native` or an architecture behind it, and
// perhaps a version: "libc6 (>= 2.36), default-mta | mail-transport-agent, python3:any".
//
// parse() throws Error{corrupt} for what is no relation: apt, too, refuses the whole database then. Restrictions in
// [] or <> belong to source packages and are refused. `<` and `>` mean `<=` and `>=`, as for dpkg. Error{limit}:
// dependency_atoms. One pass, no recursion. Values; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"

namespace ocilint {

struct DpkgRelation {
  std::string name;
  std::string qualifier;  // "any", "native", an architecture; empty: none
  std::optional<VersionConstraint> version;

  std::string text() const;  // "libdw1:any (>= 0.188)"
};

struct DpkgRelations {
  using Group = std::vector<DpkgRelation>;  // alternatives, at least one
  std::vector<Group> groups;

  static DpkgRelations parse(std::string_view field);
};

std::string to_text(const DpkgRelations::Group& group);  // "a | b (>= 1)"

}  // namespace ocilint
