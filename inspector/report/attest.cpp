#include "report/attest.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/json.h"
#include "report/escape.h"
#include "report/json_text.h"
#include "report/problems.h"

namespace ocilint {
namespace {

using Ordered = nlohmann::ordered_json;

/// {"sha256": "9c…"}
Ordered digest_set(const std::string& digest) {
  const std::size_t colon = digest.find(':');
  if (colon == std::string::npos) throw Error(ErrorKind::internal, "a statement about an image without a digest");
  return {{digest.substr(0, colon), digest.substr(colon + 1)}};
}

/// Below the folder of the run; of a file elsewhere only its name, since machines differ in the rest.
std::string stable_name(const std::string& file, const ReportStyle& style) {
  const std::filesystem::path path = std::filesystem::path(file).lexically_normal();
  if (!path.is_absolute() && (path.empty() || *path.begin() != "..")) return path.string();
  const std::filesystem::path below = path.lexically_relative(style.folder);
  return below.empty() || *below.begin() == ".." ? path.filename().string() : below.string();
}

bool at_all(const CheckResult& check) { return !check.findings.empty(); }

Ordered names(const std::vector<std::string>& texts) {
  Ordered out = Ordered::array();
  for (const std::string& text : texts) out.push_back(for_json(text));
  return out;
}

Ordered program(const ImageResult& result, const ReportStyle& style, const RunSettings& settings) {
  Ordered told = {{"version", settings.version}, {"failOn", to_string(style.fail_on)}, {"view", for_json(result.view)}};
  if (!result.platform.empty()) told["platform"] = for_json(result.platform);
  if (!settings.only.empty()) told["only"] = names(settings.only);
  if (!settings.skip.empty()) told["skip"] = names(settings.skip);
  if (result.strict_waivers) told["strictWaivers"] = true;
  if (style.baseline) told["baseline"] = for_json(stable_name(style.baseline->file, style));
  for (const auto& [name, mode] : settings.gates) told["gates"][for_json(name)] = for_json(mode);
  if (!settings.variables.empty()) told["variables"] = names(settings.variables);
  std::vector<std::string> skipped;
  for (const CheckResult& check : result.checks)
    if (check.outcome == Outcome::not_applicable) skipped.push_back(check.policy + "/" + check.id);
  if (!skipped.empty()) told["notApplicable"] = names(skipped);
  return {{"name", "ocilint"}, {"uri", "pkg:generic/ocilint@" + settings.version}, {"annotations", std::move(told)}};
}

Ordered configuration(const ImageResult& result, const ReportStyle& style, const RunSettings& settings) {
  Ordered out = Ordered::array();
  for (const PolicyResult& policy : result.policies)
    for (const auto& [file, digest] : policy.sources)
      out.push_back({{"name", for_json(stable_name(file, style))},
                     {"digest", digest_set(digest)},
                     {"annotations", {{"policy", for_json(policy.name)}}}});
  for (const OtherImageResult& other : result.others)
    if (!other.manifest_digest.empty())
      out.push_back({{"name", for_json(other.name)},
                     {"digest", digest_set(other.manifest_digest)},
                     {"annotations", {{"comparedWith", true}}}});
  out.push_back(program(result, style, settings));
  return out;
}

Ordered statement(const ImageResult& result, const ReportStyle& style, const RunSettings& settings) {
  const ExitStatus status = verdict(result, style.fail_on);
  if (status > ExitStatus::findings)
    throw Error(ErrorKind::internal, "a statement about an image that was not checked to the end");
  Ordered lists = {
      {"passedTests", Ordered::array()}, {"warnedTests", Ordered::array()}, {"failedTests", Ordered::array()}};
  for (const CheckResult& check : result.checks) {
    if (check.outcome == Outcome::not_applicable) continue;
    const char* const list = check.open_findings(style.fail_on) > 0 ? "failedTests"
                             : at_all(check)                        ? "warnedTests"
                                                                    : "passedTests";
    lists[list].push_back(for_json(check.policy + "/" + check.id));
  }
  Ordered predicate;
  predicate["result"] = status == ExitStatus::findings               ? "FAILED"
                        : std::ranges::any_of(result.checks, at_all) ? "WARNED"
                                                                     : "PASSED";
  predicate["configuration"] = configuration(result, style, settings);
  predicate.update(lists);
  return {{"_type", "https://in-toto.io/Statement/v1"},
          {"subject",
           Ordered::array({{{"name", for_json(image_name(result))}, {"digest", digest_set(result.manifest_digest)}}})},
          {"predicateType", test_result_type},
          {"predicate", std::move(predicate)}};
}

}  // namespace

std::string write_statements(std::span<const ImageResult> results, const ReportStyle& style,
                             const RunSettings& settings) {
  std::string out;
  for (const ImageResult& result : results) out += json_line(statement(result, style, settings));
  return out;
}

}  // namespace ocilint
