// The exit status (docs/ci.md): one function decides, from the results of all images and what became of the
// reports. 3 beats 2 beats 1 beats 0. Pure.
#pragma once

#include <span>

#include "run/result.h"

namespace ocilint {

enum class ExitStatus : int {
  good = 0,        // every check passed, was waived, or lies below --fail-on
  findings = 1,    // at least one finding at or above --fail-on
  untrusted = 2,   // the answer cannot be trusted: usage, policy, a check or a report that failed, no check at all
  unreadable = 3,  // an image could not be read
};

/// Of one image.
ExitStatus verdict(const ImageResult& result, Severity fail_on);

/// Of a run. No image at all, or a report that was not written and closed: untrusted.
ExitStatus verdict(std::span<const ImageResult> results, Severity fail_on, std::size_t reports_asked,
                   std::size_t reports_closed);

}  // namespace ocilint
