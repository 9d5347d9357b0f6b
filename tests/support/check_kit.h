// Runs checks on described images through the whole program but for the command line: description → OCI layout
// in a temporary folder → source → layers → tree → check → result.
#pragma once

#include <string>
#include <vector>

#include "policy/policy.h"
#include "run/run.h"
#include "support/image_description.h"

namespace ocilint::testing {

inline LoadContext test_context() {
  using namespace std::chrono;
  return {all_rules(), shipped_policies(),
          [](const std::string& path) -> std::string { throw Error(ErrorKind::policy, path + ": not read in tests"); },
          sys_days(year(2026) / 12 / 1)};
}

inline RunOptions run_options(const std::string& policy_yaml) {
  RunOptions options;
  options.policies.push_back(load_policy(policy_yaml, "policy.yaml", test_context()));
  options.today = test_context().today;
  options.jobs = 2;
  return options;
}

/// Writes the image and those to compare with below a folder, and names them in the options.
inline void write_images(const TestImage& image, const std::string& folder, RunOptions& options,
                         std::string_view compression = {}) {
  options.reference = write_oci_layout(image, folder + "/image", compression);
  for (const auto& [name, other] : image.others)
    options.others[name] = write_oci_layout(other, folder + "/with-" + name, compression);
}

inline ImageResult run_on(const TestImage& image, RunOptions options, std::string_view compression = {}) {
  const TempDir dir;
  write_images(image, dir.path(), options, compression);
  return check_image(options, all_rules());
}

/// A policy of one check, `with` in YAML flow style.
inline std::string policy_of(std::string_view rule, std::string_view with) {
  return "policy: test\nlanguage: 1\nsummary: a test\nchecks:\n  - id: tested\n    rule: " + std::string(rule) +
         (with.empty() || with == "{}" ? std::string("\n") : "\n    with: " + std::string(with) + "\n");
}

inline const CheckResult* find_check(const ImageResult& result, std::string_view id) {
  for (const CheckResult& check : result.checks)
    if (check.id == id) return &check;
  return nullptr;
}

/// "kind subject" of every finding, sorted as found; "pass"; "not applicable"; "error why".
inline std::vector<std::string> lines_of(const CheckResult& check) {
  std::vector<std::string> out;
  for (const std::string& error : check.errors) out.push_back("error " + error);
  for (const ReportedFinding& found : check.findings) out.push_back(found.finding.kind + " " + found.finding.subject);
  if (check.outcome == Outcome::pass) out.push_back("pass");
  if (check.outcome == Outcome::not_applicable) out.push_back("not applicable");
  return out;
}

}  // namespace ocilint::testing
