// What the cases of a policy came to, for a terminal: those that did not come out as expected say how they differ.
// Pure.
#pragma once

#include <span>
#include <string>

#include "cases/run_case.h"

namespace ocilint {

/// `of`: what the policy is called. The last lines count, and name the checks that no case has seen fail.
std::string write_cases(const std::string& of, const Policy& policy, std::span<const CaseResult> results, bool color);

}  // namespace ocilint
