// SARIF 2.1.0 (OASIS), in the subset that GitHub code scanning takes: a run an image, its own category each, every
// result with a relative URI, fingerprints of our own. Paths inside the image are no files of a repository: they
// stand in the message, in relatedLocations and in properties.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/json.h"
#include "check/rule.h"
#include "report/escape.h"
#include "report/json_text.h"
#include "report/problems.h"

namespace ocilint {
namespace {

using Ordered = nlohmann::ordered_json;

constexpr std::size_t results_of_a_check = 500;  // a check with more says one thing, not many
constexpr std::size_t results_of_a_run = 5000;   // GitHub keeps the 5,000 most severe and refuses 25,000
constexpr std::size_t line_most = 1000;          // characters of a line of a message: history lines can be pages
constexpr std::string_view image_root = "IMAGE";

/// A line of a message. Braces are placeholders unless doubled (3.11.5), "](" makes a link (3.11.6).
std::string message_line(std::string_view text) {
  std::string out;
  for (const char c : for_terminal(text, line_most)) {
    if (c == '(' && out.ends_with(']')) out += ' ';
    out += c;
    if (c == '{' || c == '}') out += c;
  }
  return out;
}

/// A relative reference (RFC 3986 section 4.2): whatever is not unreserved is percent-encoded, colons too.
std::string relative_uri(std::string_view path) {
  std::string out;
  while (path.starts_with('/')) path.remove_prefix(1);
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~' || c == '/';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

std::string_view level(Severity severity) { return to_string(severity); }

class SarifRun {
 public:
  SarifRun(const ImageResult& result, std::string name, const ReportStyle& style)
      : result_(result), name_(std::move(name)), style_(style) {}

  Ordered write() {
    // Every check that ran has its entry, also one that found nothing.
    for (const CheckResult& check : result_.checks) rule_of(check.policy + "/" + check.id, &check);
    const std::vector<Problem> problems = problems_of(result_, style_, style_.sarif_suppressed, true);
    Ordered notifications = Ordered::array();
    for (const Problem& problem : problems)
      if (problem.kind != Problem::Kind::finding) notifications.push_back(notification(problem));
    Ordered results = all_results(problems, notifications);

    const ExitStatus status = verdict(result_, style_.fail_on);
    Ordered out;
    out["tool"]["driver"] = {{"name", "ocilint"}, {"semanticVersion", OCILINT_VERSION}, {"rules", std::move(rules_)}};
    out["automationDetails"]["id"] = category();
    out["invocations"] = Ordered::array();
    out["invocations"].push_back({{"executionSuccessful", status == ExitStatus::good || status == ExitStatus::findings},
                                  {"exitCode", static_cast<int>(status)},
                                  {"toolExecutionNotifications", std::move(notifications)}});
    out["originalUriBaseIds"][std::string(image_root)]["description"]["text"] = "the root of the image's file system";
    out["columnKind"] = "unicodeCodePoints";
    out["results"] = std::move(results);
    out["properties"] = run_properties(status);
    return out;
  }

 private:
  std::string category() const {
    std::string policies;
    for (const PolicyResult& policy : result_.policies) policies += (policies.empty() ? "" : "+") + policy.name;
    return fmt::format("ocilint/{}/{}/", for_terminal(policies.empty() ? "built-in" : policies), for_terminal(name_));
  }

  std::size_t rule_of(const std::string& id, const CheckResult* check) {
    const auto [entry, fresh] = rule_indexes_.emplace(for_terminal(id), rules_.size());
    if (fresh) rules_.push_back(describe(id, check));
    return entry->second;
  }

  static Ordered describe(const std::string& id, const CheckResult* check) {
    const Rule* const rule = check == nullptr ? nullptr : find_rule(all_rules(), check->rule);
    std::string summary = "What the program says of the run itself.";
    std::string help = "The report is not an answer about the image: docs/ci.md has the exit statuses.";
    if (rule != nullptr) {
      summary = rule->doc.summary;
      help = fmt::format("{}\n\n{}\n\nMore, with examples: `ocilint explain {}`", rule->doc.summary, rule->doc.details,
                         rule->doc.id);
    } else if (check != nullptr) {
      summary = "The image is of the kind that the policy demands.";
      help = "A gate says of what kind an image is; where it is required, the image must be of that kind.";
    }
    Ordered out;
    out["id"] = for_terminal(id);
    out["shortDescription"]["text"] = summary;
    out["fullDescription"]["text"] =
        check == nullptr || check->why.empty() ? summary : summary + " " + message_line(check->why);
    out["help"] = {{"text", help}, {"markdown", help}};
    out["defaultConfiguration"]["level"] = level(check == nullptr ? Severity::error : check->severity);
    Ordered tags = Ordered::array({"container-image"});
    Ordered& properties = out["properties"];
    if (check != nullptr) properties["rule"] = for_terminal(check->rule);
    properties["precision"] = "very-high";
    if (rule != nullptr) {
      tags.push_back(rule->doc.id);
      // GitHub sorts what has a score as a security alert.
      if (rule->doc.security != "none") {
        tags.push_back("security");
        properties["security-severity"] = rule->doc.security;
      }
    }
    properties["tags"] = std::move(tags);
    return out;
  }

  /// Worst first, so that a limit leaves out the least.
  Ordered all_results(const std::vector<Problem>& problems, Ordered& notifications) {
    std::map<std::string, std::size_t> of_check, written;
    for (const Problem& problem : problems) ++of_check[problem.id];
    Ordered out = Ordered::array();
    std::size_t left_out = 0;
    for (const Problem& problem : problems) {
      std::size_t& count = written[problem.id];
      if (count == results_of_a_check || out.size() == results_of_a_run) {
        ++left_out;
        continue;
      }
      ++count;
      const std::size_t hidden = count == results_of_a_check ? of_check[problem.id] - count : 0;
      out.push_back(result_of(problem, hidden));
    }
    if (left_out > 0)
      notifications.push_back(
          {{"level", "warning"},
           {"message", {{"text", fmt::format("{} results are left out of this report", left_out)}}}});
    return out;
  }

  std::string message(const Problem& problem, std::size_t hidden) const {
    std::string text = message_line(problem.text);
    for (const std::string& line : problem.more) text += "\n" + message_line(line);
    text += "\nimage: " + message_line(pinned_reference(result_));
    if (!result_.platform.empty()) text += " " + message_line(result_.platform);
    if (hidden > 0) text += fmt::format("\nand {} more findings of this check, not in this report", hidden);
    return text;
  }

  Ordered location(const Problem& problem) const {
    Ordered out;
    out["physicalLocation"] = {{"artifactLocation", {{"uri", relative_uri(problem.file)}}},
                               {"region", {{"startLine", problem.line}}}};
    return out;
  }

  Ordered result_of(const Problem& problem, std::size_t hidden) {
    Ordered out;
    out["ruleId"] = for_terminal(problem.id);
    out["ruleIndex"] = rule_of(problem.id, problem.check);
    out["level"] = level(problem.severity);
    out["message"]["text"] = message(problem, hidden);
    out["locations"] = Ordered::array({location(problem)});
    if (problem.found != nullptr && problem.found->finding.subject.starts_with('/')) {
      const std::string uri = relative_uri(problem.found->finding.subject);
      if (!uri.empty() && !uri.starts_with(".."))
        out["relatedLocations"] = Ordered::array({inside(*problem.found, uri)});
    }
    out["partialFingerprints"]["primaryLocationLineHash"] = for_terminal(problem.fingerprint);
    if (problem.found != nullptr && problem.found->waived)
      out["suppressions"] = Ordered::array({suppression(*problem.found->waived)});
    // 3.27.24; what is gone has no result of its own, viewers that do not know the property would show it.
    if (style_.baseline && problem.found != nullptr) out["baselineState"] = problem.found->known ? "unchanged" : "new";
    out["properties"] = result_properties(problem);
    return out;
  }

  static Ordered inside(const ReportedFinding& found, const std::string& uri) {
    Ordered out;
    out["id"] = 1;
    out["physicalLocation"]["artifactLocation"] = {{"uri", uri}, {"uriBaseId", image_root}};
    std::string text = message_line(found.finding.subject) + " in the image";
    if (found.finding.layer) text += fmt::format(", of layer {}", *found.finding.layer);
    out["message"]["text"] = text;
    return out;
  }

  static Ordered suppression(const WaiverUse& waiver) {
    Ordered out = {{"kind", "external"}, {"status", "accepted"}, {"justification", for_terminal(waiver.reason)}};
    out["properties"] = {{"owner", for_terminal(waiver.owner)},
                         {"expires", for_terminal(waiver.expires)},
                         {"ticket", for_terminal(waiver.ticket)},
                         {"place", for_terminal(waiver.place)}};
    return out;
  }

  Ordered result_properties(const Problem& problem) const {
    Ordered out;
    if (problem.check != nullptr) out["rule"] = for_terminal(problem.check->rule);
    out["image"] = for_terminal(result_.full_reference);
    out["digest"] = for_terminal(result_.manifest_digest);
    out["platform"] = for_terminal(result_.platform);
    if (problem.found == nullptr) return out;
    const Finding& finding = problem.found->finding;
    out["kind"] = for_terminal(finding.kind);
    out[finding.subject.starts_with('/') ? "path" : "subject"] = for_terminal(finding.subject);
    if (finding.confidence) out["confidence"] = to_string(*finding.confidence);
    if (finding.layer) {
      out["layer"] = *finding.layer;
      out["layerName"] = for_terminal(problem.found->layer_name);
      out["createdBy"] = for_terminal(problem.found->created_by);
    }
    return out;
  }

  Ordered notification(const Problem& problem) {
    Ordered out;
    out["level"] = level(problem.severity);
    out["message"]["text"] = message_line(problem.text);
    out["associatedRule"] = {{"id", for_terminal(problem.id)}, {"index", rule_of(problem.id, problem.check)}};
    return out;
  }

  Ordered run_properties(ExitStatus status) const {
    Ordered out;
    out["image"] = for_terminal(result_.full_reference);
    out["digest"] = for_terminal(result_.manifest_digest);
    out["platform"] = for_terminal(result_.platform);
    out["verdict"] = to_string(status);
    for (const std::string& other : compared_with(result_)) out["comparedWith"].push_back(for_terminal(other));
    if (style_.baseline) {
      out["baselineFixed"] = Ordered::array();
      for (const std::string& one : style_.baseline->fixed) out["baselineFixed"].push_back(one);
    }
    out["policies"] = Ordered::array();
    for (const PolicyResult& policy : result_.policies)
      for (const auto& [file, digest] : policy.sources)
        out["policies"].push_back(
            {{"name", for_terminal(policy.name)}, {"file", for_terminal(file)}, {"digest", for_terminal(digest)}});
    return out;
  }

  const ImageResult& result_;
  const std::string name_;
  const ReportStyle& style_;
  Ordered rules_ = Ordered::array();
  std::map<std::string, std::size_t> rule_indexes_;
};

}  // namespace

std::string write_sarif(std::span<const ImageResult> results, const ReportStyle& style) {
  Ordered out;
  out["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  out["version"] = "2.1.0";
  out["runs"] = Ordered::array();
  const std::vector<std::string> names = distinct_names(results);
  for (std::size_t i = 0; i < results.size(); ++i) out["runs"].push_back(SarifRun(results[i], names[i], style).write());
  return json_text(out);
}

}  // namespace ocilint
