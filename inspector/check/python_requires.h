// Are the requirements of the distributions of one path satisfied? What `pip check` asks, without running it,
// and further: the requirements of the extras that other distributions ask for.
//
// Pure. Never throws for what an image says: a requirement that cannot be read, or whose marker cannot be
// decided while it is unmet, is listed. Cost: requirements × extras asked for, of each distribution.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "check/python_dists.h"

namespace ocilint {

struct UnmetRequirement {
  const PythonDist* by = nullptr;
  PythonRequirement requirement;
  std::string extra;                  // of `by` that brings it in, "" when it always holds
  const PythonDist* found = nullptr;  // of another version; nullptr: there is none
};

struct RequirementsFacts {
  std::vector<UnmetRequirement> unmet;
  std::vector<std::string> undecided;  // texts: a sentence each
  std::size_t satisfied = 0;           // requirements that apply and are met
  std::size_t ignored = 0;
};

/// `ignored(by, name)`: normal names; such a requirement is not looked at.
RequirementsFacts check_requirements(const PythonDists& dists, const PythonEnvironment& environment,
                                     const std::function<bool(std::string_view, std::string_view)>& ignored);

}  // namespace ocilint
