// The result of a run as in-toto statements (Statement v1, predicate test-result v0.1), for somebody else to sign.
//
// A statement an image, one a line: its subject is the manifest digest, its tests are the checks ("policy/check").
// PASSED: no findings at all; WARNED: all are waived, known (--baseline) or below --fail-on; FAILED: others are there.
// What the run was asked to do stands in `configuration`: the files of the policies and the images that were compared
// with, by digest, then the program with its settings. Names of set variables are told, values are not: who sets one
// may have taken it from a secret store. No time, no path outside of `style.folder`: the same run gives the same bytes.
// Pure. Error{internal} for an image without a verdict that can be trusted.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/report.h"

namespace ocilint {

/// What of the call a result does not hold.
struct RunSettings {
  std::string version;  // of the program
  std::vector<std::string> only, skip;
  std::vector<std::pair<std::string, std::string>> gates;  // name and mode, as the call set them
  std::vector<std::string> variables;                      // names that the call set
};

inline constexpr std::string_view test_result_type = "https://in-toto.io/attestation/test-result/v0.1";

std::string write_statements(std::span<const ImageResult> results, const ReportStyle& style,
                             const RunSettings& settings);

}  // namespace ocilint
