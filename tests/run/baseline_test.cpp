// Findings that are known, and waivers that are stale: what fails a run and what does not.
#include "run/baseline.h"

#include <catch2/catch.hpp>
#include <unistd.h>

#include "run/verdict.h"
#include "run/waive.h"
#include "support/check_kit.h"

using namespace ocilint;
using namespace ocilint::testing;
using Catch::Matchers::Contains;

namespace {

const std::string modes = policy_of("file-mode", "{files: [/app/**], deny: o+w}");
const char* const two_open =
    "layers:\n- files: {/app/a: {content: x, mode: '0666'}, /app/b: {content: x, mode: '0666'}}\n";
const char* const one_open =
    "layers:\n- files: {/app/a: {content: x, mode: '0666'}, /app/c: {content: x, mode: '0644'}}\n";
const char* const another =
    "layers:\n- files: {/app/a: {content: x, mode: '0666'}, /app/c: {content: x, mode: '0666'}}\n";

std::vector<ImageResult> results_of(const std::vector<std::string>& images, const std::string& policy = modes) {
  std::vector<ImageResult> out;
  for (const std::string& image : images) out.push_back(run_on(describe_image(image), run_options(policy)));
  return out;
}

ExitStatus status_of(const std::vector<ImageResult>& results) { return verdict(results, Severity::error, 1, 1); }

std::string refusal(const std::string& text) {
  try {
    (void)Baseline::parse(text, "b.txt");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::policy);
    return error.what();
  }
  return "accepted";
}

std::string waived(const std::string& expires, const std::string& more = "") {
  return modes + "waivers:\n- {check: tested, reason: r, owner: '@o', expires: '" + expires + "'" + more + "}\n";
}

}  // namespace

TEST_CASE("baseline: what is known does not fail, what is new does, what is gone is named") {
  std::vector<ImageResult> before = results_of({two_open});
  const Baseline baseline = Baseline::parse(Baseline::of(before).text(), "b.txt");
  CHECK(baseline.size() == 2);
  CHECK(status_of(before) == ExitStatus::findings);
  baseline.mark(before);
  CHECK(status_of(before) == ExitStatus::good);
  CHECK(before[0].checks.back().known_findings() == 2);
  CHECK(baseline.fixed(before).empty());

  std::vector<ImageResult> better = results_of({one_open});
  baseline.mark(better);
  CHECK(status_of(better) == ExitStatus::good);
  CHECK(baseline.fixed(better).size() == 1);
  CHECK(baseline.still_in(better).size() == 1);

  std::vector<ImageResult> worse = results_of({another});
  baseline.mark(worse);
  CHECK(status_of(worse) == ExitStatus::findings);
  CHECK(find_check(worse[0], "tested")->open_findings(Severity::error) == 1);
  // Together with the old one a new baseline never takes in what is new.
  CHECK(baseline.still_in(worse).size() == 1);
  CHECK(Baseline::of(worse).size() == 2);

  // What one image of a run still has is not gone.
  std::vector<ImageResult> both = results_of({one_open, two_open});
  CHECK(baseline.fixed(both).empty());
}

TEST_CASE("baseline: errors and unreadable images are never known") {
  std::vector<ImageResult> results = results_of({two_open});
  const Baseline baseline = Baseline::of(results);
  CHECK(all_evaluated(results));
  results[0].checks.back().outcome = Outcome::error;
  results[0].checks.back().errors = {"it could not be read"};
  baseline.mark(results);
  CHECK_FALSE(all_evaluated(results));
  CHECK(status_of(results) == ExitStatus::untrusted);
  results.push_back(unread({}, "oci:none", Error(ErrorKind::not_found, "not there")));
  baseline.mark(results);
  CHECK(status_of(results) == ExitStatus::unreadable);
  CHECK_FALSE(all_evaluated({}));
}

TEST_CASE("baseline: a waived finding is not taken in") {
  CHECK(Baseline::of(results_of({two_open}, waived("2026-12-31"))).size() == 0);
  CHECK(Baseline::of(results_of({two_open}, waived("2026-11-30"))).size() == 2);  // expired
}

TEST_CASE("baseline: a secret is never known, another one could stand in its place") {
  std::vector<ImageResult> results = results_of({two_open});
  const Baseline both = Baseline::of(results);
  ReportedFinding& first = results[0].checks.back().findings[0];
  first.secret = true;
  CHECK(Baseline::of(results).size() == 1);
  both.mark(results);
  CHECK_FALSE(first.known);
  CHECK(status_of(results) == ExitStatus::findings);
  // It is the rules that find secrets whose findings are.
  const std::string value = "hunter" + std::to_string(::getpid()) + "xyz";
  const std::vector<ImageResult> found =
      results_of({"config: {env: [AWS_SECRET_ACCESS_KEY=" + value + "]}\nlayers:\n- files: {/a: x}\n"},
                 policy_of("history-secrets", "{never: [AWS_SECRET_ACCESS_KEY]}"));
  REQUIRE(find_check(found[0], "tested")->findings.size() >= 1);
  for (const ReportedFinding& one : find_check(found[0], "tested")->findings) CHECK(one.secret);
  CHECK(Baseline::of(found).size() == 0);
}

TEST_CASE("baseline: the text is sorted, has a first line, and nothing malformed is taken for one") {
  const std::string text = Baseline::of(results_of({two_open})).text();
  const std::string head = text.substr(0, text.find('\n') + 1);
  CHECK_THAT(head, Catch::StartsWith("# ocilint baseline 1"));
  const std::string first = text.substr(head.size(), 16), second = text.substr(head.size() + 17, 16);
  CHECK(first < second);
  CHECK(text.size() == head.size() + 34);
  CHECK(Baseline::parse(head, "b.txt").size() == 0);
  CHECK(Baseline::parse(head + second + "\n\n# a remark\n" + first + "\r\n" + first + "\n", "b.txt").size() == 2);

  CHECK_THAT(refusal(""), Contains("b.txt:1: the baseline is empty"));
  CHECK_THAT(refusal(first + "\n"), Contains("b.txt:1: no baseline of ocilint"));
  CHECK_THAT(refusal("# ocilint baseline 2: later\n"), Contains("no baseline of ocilint"));
  CHECK_THAT(refusal("# ocilint baseline 12: later\n"), Contains("no baseline of ocilint"));
  CHECK_THAT(refusal(head + first), Contains("b.txt:2: the last line is cut off"));
  CHECK_THAT(refusal(head + first.substr(1) + "\n"), Contains("b.txt:2: no fingerprint"));
  CHECK_THAT(refusal(head + first + "0\n"), Contains("no fingerprint"));
  CHECK_THAT(refusal(head + "<<<<<<< HEAD\n"), Contains("no fingerprint"));
  CHECK_THAT(refusal(head + "0123456789ABCDEF\n"), Contains("no fingerprint"));
  CHECK_THAT(refusal(head + " " + first + "\n"), Contains("no fingerprint"));
}

TEST_CASE("strict waivers: unused and expired ones fail the image, in use they do not") {
  const auto status = [&](const std::string& policy, bool strict, const char* image) {
    RunOptions options = run_options(policy);
    options.strict_waivers = strict;
    const ImageResult result = run_on(describe_image(image), options);
    return verdict(result, Severity::error);
  };
  const char* const nothing = "layers:\n- files: {/app/a: x}\n";
  CHECK(status(waived("2026-12-31"), true, two_open) == ExitStatus::good);
  CHECK(status(waived("2026-12-31"), false, nothing) == ExitStatus::good);
  CHECK(status(waived("2026-12-31"), true, nothing) == ExitStatus::findings);
  CHECK(status(waived("2026-11-30"), true, nothing) == ExitStatus::findings);
  CHECK(status(waived("2026-11-30"), true, two_open) == ExitStatus::findings);
  // Also where the finding alone would not fail.
  const std::string quiet =
      "policy: test\nlanguage: 1\nsummary: a test\nchecks:\n"
      "- {id: tested, rule: file-mode, severity: note, with: {files: [/app/**], deny: o+w}}\n"
      "waivers:\n- {check: tested, reason: r, owner: '@o', expires: '2026-11-30'}\n";
  CHECK(status(quiet, false, two_open) == ExitStatus::good);
  CHECK(status(quiet, true, two_open) == ExitStatus::findings);
}

TEST_CASE("waivers: unused is what no image of the run uses, and only what its check could tell") {
  const std::string policy = waived("2026-12-31", ", paths: [/app/b]");
  std::vector<ImageResult> results = results_of({one_open, two_open}, policy);
  CHECK(results[0].unused_waivers.size() == 1);
  CHECK(results[1].unused_waivers.empty());
  settle_waivers(results);
  CHECK(results[0].unused_waivers.empty());

  std::vector<ImageResult> neither = results_of({one_open, one_open}, policy);
  settle_waivers(neither);
  for (const ImageResult& result : neither) CHECK(result.unused_waivers.size() == 1);

  RunOptions skipped = run_options(policy + "");
  skipped.skip = {"tested"};
  skipped.strict_waivers = true;
  CHECK(run_on(describe_image(one_open), skipped).unused_waivers.empty());
}
