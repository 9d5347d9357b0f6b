#include "run/waive.h"

#include <fmt/format.h>

#include "base/digest.h"

namespace ocilint {

void waive(ImageResult& result, const Policy& policy, std::chrono::sys_days today) {
  for (const Waiver& waiver : policy.waivers) {
    bool used = false;
    for (CheckResult& check : result.checks) {
      if (check.policy != policy.name || check.outcome != Outcome::fail) continue;
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
    if (!used) result.unused_waivers.push_back(fmt::format("{}: {}", waiver.place.text(), waiver.check));
  }
}

std::string fingerprint_of(std::string_view policy, std::string_view check, const Finding& finding) {
  std::string text;
  for (const std::string_view part : {policy, check, std::string_view(finding.kind), std::string_view(finding.subject)})
    text.append(part).push_back('\0');
  return Digest::sha256_of(text).hex().substr(0, 16);
}

}  // namespace ocilint
