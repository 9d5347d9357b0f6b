// GitLab's Code Quality report: an array of what is wrong. The widget shows description and location alone, so the
// id and the image stand in the description; entries with equal fingerprints are one to GitLab. Known findings are in
// it, as info: the widget compares with the target branch and would call them fixed.
#include "base/digest.h"
#include "base/json.h"
#include "report/escape.h"
#include "report/json_text.h"
#include "report/problems.h"

namespace ocilint {
namespace {

using Ordered = nlohmann::ordered_json;

constexpr std::size_t text_most = 1000;  // characters of a description's parts

std::string_view severity(const Problem& problem) {
  if (problem.kind < Problem::Kind::finding) return "blocker";
  if (problem.found != nullptr && problem.found->known) return "info";
  switch (problem.severity) {
    case Severity::note: return "info";
    case Severity::warning: return "minor";
    case Severity::error: return "critical";
  }
  return "blocker";
}

Ordered entry(const Problem& problem, const ImageResult& result, const std::string& name) {
  Ordered out;
  std::string image = for_terminal(pinned_reference(result), text_most);
  if (!result.platform.empty()) image += " " + for_terminal(result.platform);
  for (const std::string& other : compared_with(result)) image += ", compared with " + for_terminal(other, text_most);
  const bool known = problem.found != nullptr && problem.found->known;
  out["description"] = for_terminal(problem.id, text_most) + ": " + (known ? "known, of the baseline: " : "") +
                       for_terminal(problem.text, text_most) + " (image " + image + ")";
  out["check_name"] = for_terminal(problem.id);
  out["severity"] = severity(problem);
  out["fingerprint"] = Digest::sha256_of(name + '\0' + problem.id + '\0' + problem.fingerprint).hex();
  out["location"] = {{"path", for_terminal(problem.file)}, {"lines", {{"begin", problem.line}}}};
  return out;
}

}  // namespace

std::string write_gitlab(std::span<const ImageResult> results, const ReportStyle& style) {
  Ordered out = Ordered::array();
  const std::vector<std::string> names = distinct_names(results);
  for (std::size_t i = 0; i < results.size(); ++i)
    for (const Problem& problem : problems_of(results[i], style, false, true))
      out.push_back(entry(problem, results[i], names[i]));
  return json_text(out);
}

}  // namespace ocilint
