#include "run/baseline.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "run/verdict.h"

namespace ocilint {
namespace {

constexpr std::string_view head = "# ocilint baseline 1";  // the number is of the form
constexpr std::string_view head_rest =
    ": known findings, made by ocilint check --write-baseline; do not add lines by hand\n";
constexpr std::size_t fingerprint_length = 16;

bool is_fingerprint(std::string_view text) {
  return text.size() == fingerprint_length && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

Baseline Baseline::parse(std::string_view text, std::string_view name) {
  const auto refuse = [&](std::size_t line, std::string_view why) {
    throw Error(ErrorKind::policy, fmt::format("{}:{}: {}", name, line, why));
  };
  Baseline out;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    // A file that was cut knows less than it should: that must not go by in silence.
    if (end == std::string_view::npos) refuse(number, "the last line is cut off");
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (number == 1 && line.substr(0, line.find(':')) != head)
      refuse(number, fmt::format("no baseline of ocilint: the first line of one begins with '{}'", head));
    if (line.starts_with('#') || line.empty()) continue;
    if (!is_fingerprint(line))
      refuse(number, fmt::format("no fingerprint: {} hex digits are wanted", fingerprint_length));
    out.fingerprints_.emplace(line);
  }
  if (number == 0) refuse(1, "the baseline is empty, it has not even its first line");
  return out;
}

Baseline Baseline::of(std::span<const ImageResult> results) {
  Baseline out;
  for (const ImageResult& result : results)
    for (const CheckResult& check : result.checks)
      for (const ReportedFinding& found : check.findings)
        if (!found.waived && !found.secret) out.fingerprints_.insert(found.fingerprint);
  return out;
}

void Baseline::mark(std::span<ImageResult> results) const {
  for (ImageResult& result : results)
    for (CheckResult& check : result.checks)
      for (ReportedFinding& found : check.findings)
        found.known = !found.secret && fingerprints_.contains(found.fingerprint);
}

Baseline Baseline::still_in(std::span<const ImageResult> results) const {
  Baseline out = of(results);
  std::erase_if(out.fingerprints_, [&](const std::string& one) { return !fingerprints_.contains(one); });
  return out;
}

std::vector<std::string> Baseline::fixed(std::span<const ImageResult> results) const {
  const Baseline now = of(results);
  std::vector<std::string> out;
  std::ranges::set_difference(fingerprints_, now.fingerprints_, std::back_inserter(out));
  return out;
}

std::string Baseline::text() const {
  std::string out = std::string(head) + std::string(head_rest);
  for (const std::string& one : fingerprints_) out += one + "\n";
  return out;
}

bool all_evaluated(std::span<const ImageResult> results) {
  return !results.empty() && std::ranges::all_of(results, [](const ImageResult& result) {
    return verdict(result, Severity::error) < ExitStatus::untrusted;
  });
}

}  // namespace ocilint
