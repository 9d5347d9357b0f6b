// The coverage ledger: the only way from "not evaluated" to "pass".
//
// Every stage enters what it was given and what it finished. holes() names each difference; verdict() gives 0
// only without a hole, with at least one check that passed, and with every report written and closed. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/finding.h"

namespace ocilint {

struct Ledger {
  std::size_t checks_listed = 0, checks_evaluated = 0, checks_passed = 0, checks_failed = 0, checks_not_evaluated = 0;
  std::size_t layers_listed = 0, layers_verified = 0, layers_parsed = 0;
  std::size_t layers_shared = 0;  // of these, read for an earlier image of the run, verified then
  bool layers_needed = false;     // some check looks at files
  std::uint64_t blob_bytes_listed = 0, blob_bytes_hashed = 0;  // of layers whose size is stated
  std::vector<Coverage> covered;  // what checks counted themselves: documents scanned, packages compared

  std::vector<std::string> holes() const;
};

}  // namespace ocilint
