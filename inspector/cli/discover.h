// Which policies a run uses: those that were named, else .ocilint.yaml here or in a parent up to the root of the
// repository, else the user's own, else the default (debian-baseline and image-secrets). Throws Error{policy}.
#pragma once

#include <string>
#include <vector>

#include "policy/policy.h"

namespace ocilint::cli {

LoadContext load_context();  // reads files; `today` is the clock's

std::vector<Policy> find_policies(const std::vector<std::string>& named);

}  // namespace ocilint::cli
