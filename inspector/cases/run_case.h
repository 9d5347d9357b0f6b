// One case of a policy: its image goes through the whole pipeline (run/run.h), and what came out is held against
// what was expected. Pure but for threads.
#pragma once

#include <string>
#include <vector>

#include "cases/case_file.h"
#include "run/run.h"

namespace ocilint {

struct CaseResult {
  std::string name;
  std::string place;                     // file:line
  std::vector<std::string> differences;  // "one-file: expected split of /opt/x, it is not there"; none: as expected
  bool evaluated = true;                 // false: the image could not be checked at all, which no case can expect
  ImageResult result;

  bool as_expected() const { return evaluated && differences.empty(); }
};

CaseResult run_case(const Policy& policy, const PolicyCase& one, std::span<const Rule* const> rules,
                    std::chrono::sys_days today, unsigned jobs = 1);

/// Checks of the policy of which no result has a finding: nobody has seen them fail.
std::vector<std::string> never_failed(const Policy& policy, std::span<const CaseResult> results);

}  // namespace ocilint
