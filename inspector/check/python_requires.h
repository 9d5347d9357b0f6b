// Are the requirements of the distributions of one path satisfied? What `pip check` asks, without running it,
// and further: the requirements of the extras that other distributions ask for.
//
// Pure. Never throws for what an image says: a requirement that cannot be read, or whose marker cannot be
// decided while it is unmet, is listed. Cost: requirements × extras asked for, of each distribution.
#pragma once

#include <string>
#include <vector>

#include "check/python_asks.h"

namespace ocilint {

struct RequirementsFacts {
  std::vector<PythonAsk> unmet;        // `found` is of another version, or there is none
  std::vector<std::string> undecided;  // texts: a sentence each
  std::size_t satisfied = 0;           // requirements that apply and are met
  std::size_t ignored = 0;
};

/// `ignored(by, name)`: normal names; such a requirement is not looked at.
RequirementsFacts check_requirements(const PythonDists& dists, const PythonEnvironment& environment,
                                     const IgnoredRequirement& ignored);

}  // namespace ocilint
