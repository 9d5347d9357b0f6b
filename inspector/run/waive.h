// Waivers against findings (policy-language.md section 2): reason, owner and a last day are the policy's, the
// day is the caller's. A waiver that covers nothing is listed, an expired one leaves the finding open and says
// so. A finding of an outcome "error" cannot be waived: there is none.
#pragma once

#include <chrono>
#include <span>

#include "policy/policy.h"
#include "run/result.h"

namespace ocilint {

/// Marks the findings of `checks` that belong to the policy; adds unused waivers to `result`.
void waive(ImageResult& result, const Policy& policy, std::chrono::sys_days today);

/// A waiver that one image of the run uses is not unused in the others.
void settle_waivers(std::span<ImageResult> results);

/// Stable over rebuilds: of policy, check, kind and subject; 16 hex digits.
std::string fingerprint_of(std::string_view policy, std::string_view check, const Finding& finding);

}  // namespace ocilint
