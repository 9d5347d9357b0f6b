#include "report/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "run/waive.h"

namespace ocilint {
namespace {

constexpr std::string_view our_name = "ocilint";
constexpr std::string_view shipped_prefix = "shipped:";

constexpr std::size_t fixed_shown = 10;

std::string pinned(const std::string& reference, const std::string& digest) {
  return digest.empty() || reference.find(digest) != std::string::npos ? reference : reference + "@" + digest;
}

class Collector {
 public:
  Collector(const ImageResult& result, const ReportStyle& style) : result_(result), style_(style) {}

  std::vector<Problem> collect(bool with_waived, bool with_known) {
    with_waived_ = with_waived;
    with_known_ = with_known;
    if (result_.unreadable) {
      of_run(Problem::Kind::unreadable, Severity::error, "unreadable", "",
             std::string("the image could not be checked: ") + result_.unreadable->what());
    } else {
      for (const std::string& hole : result_.ledger.holes())
        of_run(Problem::Kind::untrusted, Severity::error, "coverage", hole.substr(0, hole.find(':')),
               "not to be trusted: " + hole);
      for (const CheckResult& check : result_.checks) of_check(check);
      const Severity stale = result_.strict_waivers ? Severity::error : Severity::warning;
      for (const std::string& waiver : result_.unused_waivers)
        of_run(Problem::Kind::stale_waiver, stale, "unused-waiver", waiver,
               "unused waiver, it covers no finding: " + waiver);
      // Otherwise the finding that it covered says so.
      if (result_.strict_waivers)
        for (const std::string& waiver : result_.expired_waivers)
          of_run(Problem::Kind::stale_waiver, stale, "expired-waiver", waiver, "expired waiver: " + waiver);
    }
    // Whatever else makes the verdict one that nobody can trust: no list of problems is silent about it.
    const auto said = [](const Problem& problem) { return problem.kind < Problem::Kind::finding; };
    if (verdict(result_, style_.fail_on) >= ExitStatus::untrusted && std::ranges::none_of(out_, said))
      of_run(Problem::Kind::untrusted, Severity::error, "coverage", "checks",
             fmt::format("not to be trusted: the report has {} checks, {} were evaluated", result_.checks.size(),
                         result_.ledger.checks_evaluated));
    std::ranges::stable_sort(out_, {}, [](const Problem& problem) {
      const bool finding = problem.kind >= Problem::Kind::finding;
      return std::pair(finding ? Problem::Kind::finding : problem.kind, -static_cast<int>(problem.severity));
    });
    return std::move(out_);
  }

 private:
  Problem& add(Problem::Kind kind, Severity severity, const std::string& fingerprint, const CheckResult* check) {
    Problem& problem = out_.emplace_back();
    problem.kind = kind;
    problem.severity = severity;
    problem.check = check;
    problem.fingerprint = fmt::format("{}:{}", fingerprint, ++seen_[fingerprint]);
    std::string_view file;
    if (check != nullptr) file = check->file;
    if (file.empty() && !result_.policies.empty()) file = result_.policies.front().file;
    problem.file = repository_path(file, style_);
    problem.line = !style_.anchor_file.empty()                ? style_.anchor_line
                   : check != nullptr && !check->file.empty() ? check->line
                                                              : 1;
    problem.line = std::max(problem.line, 1u);
    return problem;
  }

  void of_run(Problem::Kind kind, Severity severity, std::string_view id, const std::string& subject,
              std::string text) {
    Finding finding;
    finding.subject = subject;
    Problem& problem = add(kind, severity, fingerprint_of(our_name, id, finding), nullptr);
    problem.id = fmt::format("{}/{}", our_name, id);
    problem.text = std::move(text);
  }

  void of_check(const CheckResult& check) {
    for (const std::string& error : check.errors) {
      Finding finding;
      finding.kind = "not evaluated";
      Problem& problem =
          add(Problem::Kind::not_evaluated, Severity::error, fingerprint_of(check.policy, check.id, finding), &check);
      problem.id = check.policy + "/" + check.id;
      problem.text = "could not check: " + error;
    }
    for (const ReportedFinding& found : check.findings) {
      if (found.waived ? !with_waived_ : found.known && !with_known_) continue;
      Problem& problem = add(Problem::Kind::finding, found.severity, found.fingerprint, &check);
      problem.found = &found;
      problem.id = check.policy + "/" + check.id;
      problem.text = fmt::format("{}: {}: {}", found.finding.kind, found.finding.subject, found.finding.message);
      problem.more = found.finding.details;
      if (found.finding.layer)
        problem.more.push_back(
            fmt::format("layer {}: {}", *found.finding.layer,
                        found.created_by.empty() ? found.layer_name + " (no history line)" : found.created_by));
      if (!found.finding.remedy.empty()) problem.more.push_back("to do: " + found.finding.remedy);
      if (!found.expired_waiver.empty())
        problem.more.push_back("a waiver covered it and has expired: " + found.expired_waiver);
      if (!check.why.empty()) problem.more.push_back("why: " + check.why);
    }
  }

  const ImageResult& result_;
  const ReportStyle& style_;
  bool with_waived_ = false, with_known_ = false;
  std::vector<Problem> out_;
  std::map<std::string, std::size_t> seen_;  // by fingerprint: one check may say the same of a subject twice
};

}  // namespace

std::vector<Problem> problems_of(const ImageResult& result, const ReportStyle& style, bool with_waived,
                                 bool with_known) {
  return Collector(result, style).collect(with_waived, with_known);
}

std::vector<std::string> compared_with(const ImageResult& result) {
  std::vector<std::string> out;
  for (const OtherImageResult& other : result.others) {
    std::string& text = out.emplace_back(other.name + ": " + pinned(other.full_reference, other.manifest_digest));
    if (!other.platform.empty()) text += " " + other.platform;
  }
  return out;
}

std::string fixed_line(const ReportStyle& style) {
  if (!style.baseline || style.baseline->fixed.empty()) return {};
  const std::vector<std::string>& fixed = style.baseline->fixed;
  std::string out = fmt::format("{} known finding{} of {} {} gone, --write-baseline takes {} out:", fixed.size(),
                                fixed.size() == 1 ? "" : "s", style.baseline->file, fixed.size() == 1 ? "is" : "are",
                                fixed.size() == 1 ? "it" : "them");
  for (std::size_t i = 0; i < fixed.size() && i < fixed_shown; ++i) out += " " + fixed[i];
  if (fixed.size() > fixed_shown) out += fmt::format(" and {} more", fixed.size() - fixed_shown);
  return out;
}

std::string repository_path(std::string_view file, const ReportStyle& style) {
  if (!style.anchor_file.empty()) file = style.anchor_file;
  if (file.starts_with(shipped_prefix)) return fmt::format("shipped/{}.yaml", file.substr(shipped_prefix.size()));
  std::string path = std::filesystem::path(file).lexically_normal().string();
  if (!style.folder.empty() && path.starts_with(style.folder + "/")) path.erase(0, style.folder.size());
  while (path.starts_with('/') || path.starts_with("./") || path.starts_with("../")) path.erase(0, path.find('/') + 1);
  return path.empty() || path == "." || path == ".." ? "policy.yaml" : path;
}

std::string image_name(const ImageResult& result) {
  const std::string& reference = result.reference;
  std::string_view name = std::string_view(reference).substr(0, reference.find("@sha256:"));
  // The transport ends at the first colon; a path has a slash before its first colon.
  const std::size_t colon = name.find(':');
  if (colon != std::string_view::npos && name.find('/') > colon) name.remove_prefix(colon + 1);
  while (name.starts_with('/')) name.remove_prefix(1);
  const std::size_t tag = name.rfind(':');
  if (tag != std::string_view::npos && name.find('/', tag) == std::string_view::npos) name = name.substr(0, tag);
  return std::string(name.empty() ? "image" : name);
}

std::vector<std::string> distinct_names(std::span<const ImageResult> results) {
  std::vector<std::string> names;
  for (const ImageResult& result : results) names.push_back(image_name(result));
  const auto settle = [&](const auto& longer) {
    std::map<std::string, std::size_t> count;
    for (const std::string& name : names) ++count[name];
    for (std::size_t i = 0; i < names.size(); ++i)
      if (count[names[i]] > 1) names[i] = longer(i);
  };
  settle([&](std::size_t i) { return results[i].reference; });
  settle([&](std::size_t i) { return results[i].platform.empty() ? names[i] : names[i] + " " + results[i].platform; });
  std::set<std::string> taken;
  for (std::string& name : names)
    for (std::size_t n = 2; !taken.insert(name).second; ++n) name += fmt::format(" ({})", n);
  return names;
}

std::string pinned_reference(const ImageResult& result) {
  return pinned(result.full_reference, result.manifest_digest);
}

std::string count_images(std::span<const ImageResult> results, Severity fail_on) {
  std::map<ExitStatus, std::size_t> count;
  for (const ImageResult& result : results) ++count[verdict(result, fail_on)];
  std::string out = fmt::format("{} images:", results.size());
  for (const auto& [status, images] : count)
    out += fmt::format("{} {} {}", out.ends_with(':') ? "" : ",", images, to_string(status));
  return out;
}

std::string count_line(const ImageResult& result, Severity fail_on) {
  std::size_t by_outcome[4] = {}, waived = 0, known = 0, open = 0;
  for (const CheckResult& check : result.checks) {
    Outcome outcome = check.outcome;
    // A check whose findings are all waived, known or below the threshold does not fail the run.
    if (outcome == Outcome::fail && check.open_findings(fail_on) == 0) outcome = Outcome::pass;
    ++by_outcome[static_cast<int>(outcome)];
    waived += check.waived_findings();
    known += check.known_findings();
    open += check.open_findings(fail_on);
  }
  std::string text = fmt::format("{} checks: {} passed, {} failed", result.checks.size(), by_outcome[0], by_outcome[1]);
  if (by_outcome[2] > 0) text += fmt::format(", {} not applicable", by_outcome[2]);
  if (by_outcome[3] > 0) text += fmt::format(", {} could not be evaluated", by_outcome[3]);
  if (open > 0) text += fmt::format("; {} finding{}", open, open == 1 ? "" : "s");
  if (waived > 0) text += fmt::format("; {} waived", waived);
  if (known > 0) text += fmt::format("; {} known", known);
  const std::size_t stale = result.unused_waivers.size() + result.expired_waivers.size();
  if (result.strict_waivers && stale > 0)
    text += fmt::format("; {} waiver{} unused or expired", stale, stale == 1 ? "" : "s");
  return text;
}

}  // namespace ocilint
