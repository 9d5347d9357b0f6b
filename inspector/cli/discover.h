// Which policies a run uses: those that were named, else .ocilint.yaml here or in a parent up to the root of the
// repository, else the user's own, else the default (debian-baseline and image-secrets).
//
// A file that was found so is named on standard error. What may be one but cannot be looked at is no reason to go on
// with another: Error{policy}, as for everything that is wrong with a policy.
#pragma once

#include <string>
#include <vector>

#include "policy/policy.h"

namespace ocilint::cli {

LoadContext load_context();  // reads files; `today` is the clock's

std::vector<Policy> load_shipped();  // all of them

/// What a run uses where nothing is named and nothing found.
std::vector<std::string> default_policies();

std::vector<Policy> find_policies(const std::vector<std::string>& named);

}  // namespace ocilint::cli
