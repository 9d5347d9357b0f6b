#include "run/verdict.h"

#include <algorithm>

namespace ocilint {

std::size_t CheckResult::open_findings(Severity at_least) const {
  return static_cast<std::size_t>(std::ranges::count_if(findings, [&](const ReportedFinding& found) {
    return !found.waived && !found.known && found.severity >= at_least;
  }));
}

std::size_t CheckResult::waived_findings() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(findings, [](const ReportedFinding& found) { return found.waived.has_value(); }));
}

std::size_t CheckResult::known_findings() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(findings, [](const ReportedFinding& found) { return found.known && !found.waived; }));
}

ExitStatus verdict(const ImageResult& result, Severity fail_on) {
  if (result.unreadable) {
    const ErrorKind kind = result.unreadable->kind();
    const bool ours = kind == ErrorKind::usage || kind == ErrorKind::policy || kind == ErrorKind::internal;
    return ours ? ExitStatus::untrusted : ExitStatus::unreadable;
  }
  if (!result.ledger.holes().empty()) return ExitStatus::untrusted;
  // The ledger speaks of these checks and no others.
  if (result.checks.size() != result.ledger.checks_evaluated) return ExitStatus::untrusted;
  const bool could_not =
      std::ranges::any_of(result.checks, [](const CheckResult& check) { return check.outcome == Outcome::error; });
  if (could_not) return ExitStatus::untrusted;
  const bool found =
      std::ranges::any_of(result.checks, [&](const CheckResult& check) { return check.open_findings(fail_on) > 0; });
  const bool stale = result.strict_waivers && (!result.unused_waivers.empty() || !result.expired_waivers.empty());
  return found || stale ? ExitStatus::findings : ExitStatus::good;
}

ExitStatus verdict(std::span<const ImageResult> results, Severity fail_on, std::size_t reports_asked,
                   std::size_t reports_closed) {
  ExitStatus worst = ExitStatus::good;
  for (const ImageResult& result : results) worst = std::max(worst, verdict(result, fail_on));
  if (results.empty() || reports_asked != reports_closed || reports_asked == 0)
    worst = std::max(worst, ExitStatus::untrusted);
  return worst;
}

}  // namespace ocilint
