// The examples in the rules' own documentation, run: a page cannot lie.
#include <catch2/catch.hpp>

#include "support/check_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// Several checks may share a run; a built-in rule needs another check to be there, or nothing is read.
std::string policy_for(const Rule& rule, const Example& example) {
  return rule.doc.built_in ? policy_of("file-mode", "{files: ['/**'], deny: o+w, allow_empty: true}")
                           : policy_of(rule.doc.id, example.with);
}

}  // namespace

TEST_CASE("every example of every rule comes out as its page says") {
  std::size_t run = 0;
  for (const Rule* const rule : all_rules()) {
    INFO("rule " << rule->doc.id);
    CHECK_FALSE(rule->doc.examples.empty());
    for (const Example& example : rule->doc.examples) {
      INFO("example: " << example.title);
      const ImageResult result = run_on(describe_image(example.image), run_options(policy_for(*rule, example)));
      const std::string why = result.unreadable ? result.unreadable->what() : "";
      INFO(why);
      REQUIRE_FALSE(result.unreadable);
      const CheckResult* const check =
          find_check(result, rule->doc.built_in ? std::string(rule->doc.id) : std::string("tested"));
      REQUIRE(check != nullptr);
      const std::vector<std::string> expected = split_lines(example.expect), found = lines_of(*check);
      REQUIRE(found.size() == expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        INFO("found: " << found[i]);
        // An error's text may be longer than the page quotes.
        const bool same =
            expected[i].starts_with("error") ? found[i].starts_with(expected[i]) : found[i] == expected[i];
        CHECK(same);
      }
      ++run;
    }
  }
  CHECK(run >= all_rules().size());
}

TEST_CASE("a rule's documentation is whole") {
  for (const Rule* const rule : all_rules()) {
    INFO("rule " << rule->doc.id);
    CHECK_FALSE(rule->doc.summary.empty());
    CHECK(rule->doc.details.size() > 60);
    CHECK_FALSE(rule->doc.since.empty());
    // Each says how bad it is as a weakness, or that it is none by itself; forgotten is neither.
    const std::string security(rule->doc.security);
    INFO("security: '" << security << "'");
    const bool score = security.size() == 3 && security[1] == '.' && security != "0.0" &&
                       security.find_first_not_of("0123456789.") == std::string::npos && security.rfind('.') == 1;
    const bool stated = score || security == "none" || security == "10.0";
    CHECK(stated);
    CHECK_FALSE(rule->doc.kinds.empty());
    for (const Param& param : rule->doc.params) CHECK_FALSE(param.doc.empty());
  }
}

TEST_CASE("a finding's kind is one that the rule documents") {
  for (const Rule* const rule : all_rules()) {
    if (rule->doc.id == "image-integrity") continue;  // every oddity of the readers is a kind
    for (const Example& example : rule->doc.examples) {
      const ImageResult result = run_on(describe_image(example.image), run_options(policy_for(*rule, example)));
      for (const CheckResult& check : result.checks) {
        if (check.rule != rule->doc.id) continue;
        for (const ReportedFinding& found : check.findings) {
          INFO(check.rule << ": " << found.finding.kind);
          const bool known = std::any_of(rule->doc.kinds.begin(), rule->doc.kinds.end(),
                                         [&](const FindingKind& kind) { return kind.name == found.finding.kind; });
          CHECK(known);
        }
      }
    }
  }
}
