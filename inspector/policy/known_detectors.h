// The detectors of secrets that the checks of policies add to the table: their parameter `known`.
//
// Two of one id would stand for different things in a report, and the files of an image are searched once for all
// checks: so an id means one detector in a whole run. Pure.
#pragma once

#include <span>
#include <vector>

#include "facts/extra_detector.h"
#include "policy/policy.h"

namespace ocilint {

/// Each once; those in which a variable stands are not among them. Throws Error{policy} with the place of one that
/// is no detector, has the id of the table's, or that of another one before it.
std::vector<ExtraDetector> known_detectors(std::span<const Policy> policies);

}  // namespace ocilint
