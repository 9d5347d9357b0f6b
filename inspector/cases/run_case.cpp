#include "cases/run_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "cases/memory_image.h"

namespace ocilint {
namespace {

std::string text_of(const ReportedFinding& found) {
  std::string out = found.finding.kind + " of " + found.finding.subject;
  if (found.finding.layer) out += fmt::format(" in layer {}", *found.finding.layer);
  return out + (found.waived ? ", waived: " : ": ") + found.finding.message;
}

/// "pass", "2 findings, the first: …", "could not check: …"
std::string came_out(const CheckResult& check) {
  if (!check.errors.empty()) return "it could not be checked: " + check.errors.front();
  if (check.outcome == Outcome::not_applicable) return "it does not apply: " + check.reason;
  if (check.findings.empty()) return "it passes";
  return fmt::format("it has {} finding{}, the first: {}", check.findings.size(), check.findings.size() == 1 ? "" : "s",
                     text_of(check.findings.front()));
}

bool fits(const ExpectedFinding& expected, const ReportedFinding& found) {
  return expected.kind == found.finding.kind &&
         (expected.subject.empty() || expected.subject == found.finding.subject) &&
         (!expected.layer || expected.layer == found.finding.layer) && expected.waived == found.waived.has_value();
}

class Comparison {
 public:
  explicit Comparison(std::vector<std::string>& differences) : differences_(differences) {}

  void expected(const ExpectedCheck& wanted, const CheckResult& check) {
    if (!wanted.outcome) {
      findings(wanted, check);
    } else if (check.outcome != *wanted.outcome) {
      differ(check.id, fmt::format("expected {}, but {}", to_string(*wanted.outcome), came_out(check)));
    }
  }

  /// A check that nothing is expected of: it passes or does not apply.
  void unnamed(const CheckResult& check) {
    if (check.outcome == Outcome::fail || check.outcome == Outcome::error)
      differ(check.id, "nothing was expected, but " + came_out(check));
  }

  void differ(const std::string& id, const std::string& text) { differences_.push_back(id + ": " + text); }

 private:
  /// Each expected finding takes one that is there; what is left on either side differs.
  void findings(const ExpectedCheck& wanted, const CheckResult& check) {
    if (check.outcome != Outcome::fail) {
      differ(check.id, fmt::format("expected {}, but {}", wanted.findings.front().text(), came_out(check)));
      return;
    }
    // The most exact ones choose first: "any split" must not take what "split of /a" needs.
    std::vector<const ExpectedFinding*> order;
    for (const ExpectedFinding& one : wanted.findings) order.push_back(&one);
    std::ranges::stable_sort(order, std::greater{}, [](const ExpectedFinding* one) {
      return !one->subject.empty() * 2 + one->layer.has_value();
    });
    std::set<const ReportedFinding*> taken;
    for (const ExpectedFinding* const one : order) {
      const auto found = std::ranges::find_if(check.findings, [&](const ReportedFinding& candidate) {
        return !taken.contains(&candidate) && fits(*one, candidate);
      });
      if (found == check.findings.end())
        differ(check.id, "expected " + one->text() + ", which was not found");
      else
        taken.insert(&*found);
    }
    for (const ReportedFinding& found : check.findings)
      if (!taken.contains(&found)) differ(check.id, "not expected: " + text_of(found));
  }

  std::vector<std::string>& differences_;
};

}  // namespace

CaseResult run_case(const Policy& policy, const PolicyCase& one, std::span<const Rule* const> rules,
                    std::chrono::sys_days today, unsigned jobs) {
  RunOptions options;
  options.reference = one.name;
  options.policies = {policy};
  options.overrides = one.overrides;
  options.today = one.today.value_or(today);
  options.jobs = jobs;
  if (!one.all_pass)
    for (const Check& check : policy.checks)
      if (!one.find(check.id)) options.skip.push_back(check.id);
  std::map<std::string, const DescribedImage*, std::less<>> images = {{one.name, &one.image}};
  for (const auto& [name, other] : one.image.others) {
    options.others[name] = one.name + ", " + name;
    images[options.others[name]] = &other;
  }
  options.open = [&](const std::string& reference) { return make_memory_source(*images.at(reference), reference); };

  CaseResult out;
  out.name = one.name;
  out.place = fmt::format("{}:{}", *one.place.file, one.place.line);
  out.result = check_image(options, rules);
  if (out.result.unreadable) {
    out.evaluated = false;
    out.differences.push_back(std::string("the image could not be checked: ") + out.result.unreadable->what());
    return out;
  }
  Comparison comparison(out.differences);
  std::size_t passed = 0;
  for (const CheckResult& check : out.result.checks) {
    const ExpectedCheck* const wanted = one.find(check.id);
    if (wanted)
      comparison.expected(*wanted, check);
    else
      comparison.unnamed(check);
    passed += check.outcome == Outcome::pass && check.policy == policy.name;
  }
  for (const ExpectedCheck& wanted : one.checks)
    if (std::ranges::find(out.result.checks, wanted.id, &CheckResult::id) == out.result.checks.end())
      comparison.differ(wanted.id, "it was not asked");
  if (one.all_pass && passed == 0) out.differences.push_back("no check of the policy applies, which proves nothing");
  return out;
}

std::vector<std::string> never_failed(const Policy& policy, std::span<const CaseResult> results) {
  std::set<std::string> failed;
  for (const CaseResult& one : results)
    for (const CheckResult& check : one.result.checks)
      if (!check.findings.empty()) failed.insert(check.id);
  std::vector<std::string> out;
  for (const Check& check : policy.checks)
    if (!failed.contains(check.id)) out.push_back(check.id);
  return out;
}

}  // namespace ocilint
