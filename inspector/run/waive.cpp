#include "run/waive.h"

#include <fmt/format.h>

#include <set>

#include "base/digest.h"

namespace ocilint {

void waive(ImageResult& result, const Policy& policy, std::chrono::sys_days today) {
  for (const Waiver& waiver : policy.waivers) {
    bool used = false, settled = false;
    for (CheckResult& check : result.checks) {
      if (check.policy != policy.name) continue;
      // What a check that did not run or could not say has found is not known.
      settled = settled || (check.id == waiver.check && check.outcome != Outcome::error);
      if (check.outcome != Outcome::fail) continue;
      for (ReportedFinding& reported : check.findings) {
        if (reported.waived || !waiver.covers(check.id, reported.finding, result.full_reference)) continue;
        used = true;
        if (waiver.expired(today))
          reported.expired_waiver = waiver.place.text();
        else
          reported.waived =
              WaiverUse{waiver.reason, waiver.owner, waiver.expires_text(), waiver.ticket, waiver.place.text()};
      }
    }
    const std::string named = fmt::format("{}: {}", waiver.place.text(), waiver.check);
    if (!used && settled) result.unused_waivers.push_back(named);
    if (used && waiver.expired(today)) result.expired_waivers.push_back(named);
  }
}

void settle_waivers(std::span<ImageResult> results) {
  std::set<std::string> used;
  for (const ImageResult& result : results)
    for (const CheckResult& check : result.checks)
      for (const ReportedFinding& found : check.findings) {
        if (found.waived) used.insert(found.waived->place + ": " + check.id);
        if (!found.expired_waiver.empty()) used.insert(found.expired_waiver + ": " + check.id);
      }
  for (ImageResult& result : results)
    std::erase_if(result.unused_waivers, [&](const std::string& waiver) { return used.contains(waiver); });
}

std::string fingerprint_of(std::string_view policy, std::string_view check, const Finding& finding) {
  std::string text;
  for (const std::string_view part : {policy, check, std::string_view(finding.kind), std::string_view(finding.subject)})
    text.append(part).push_back('\0');
  return Digest::sha256_of(text).hex().substr(0, 16);
}

}  // namespace ocilint
