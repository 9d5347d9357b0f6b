#include "run/ledger.h"

#include <fmt/format.h>

namespace ocilint {

std::vector<std::string> Ledger::holes() const {
  std::vector<std::string> out;
  const auto equal = [&](std::uint64_t listed, std::uint64_t done, const char* what) {
    if (listed != done) out.push_back(fmt::format("{}: {} of {}", what, done, listed));
  };
  if (checks_listed == 0) out.push_back("no check was loaded");
  equal(checks_listed, checks_evaluated, "checks evaluated");
  // A check that could not be evaluated is an error of its own; this is about silence.
  if (checks_passed + checks_failed + checks_not_evaluated == 0) out.push_back("no check applies to this image");
  if (layers_needed) {
    equal(layers_listed, layers_verified, "layers verified");
    equal(layers_listed, layers_parsed, "layers read to the end");
    equal(blob_bytes_listed, blob_bytes_hashed, "bytes of layers hashed");
  }
  for (const Coverage& coverage : covered) equal(coverage.listed, coverage.done, coverage.what.c_str());
  return out;
}

}  // namespace ocilint
