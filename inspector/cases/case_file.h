// The cases of a policy: images described in YAML, each with what the policy must say of it (docs/policy.md).
//
//   cases:
//   - name: a later layer touches one name
//     from: good                       # the image of an earlier case, below the layers of this one; optional
//     image: {layers: […]}             # cases/image_description.h
//     gates: {stack: required}         # as --gate; optional
//     set: {release: '7.2.4'}          # as --set; optional
//     today: '2026-12-01'              # the day that waivers are held against; optional
//     expect:                          # `pass`: every check of the policy passes or does not apply; or by checks:
//       one-file: [{kind: split, subject: /opt/x/lib.so.1, layer: 1, waived: false}]
//       marker: pass                   # pass, fail, not-applicable or error
//
// A check that `expect` does not name does not run, but for the built-in ones and what gates demand: what these find
// must be named too. Error{policy} with the place for whatever does not fit, also for a check or a kind of finding
// that does not exist, and for a file without a case. Values.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cases/image_description.h"
#include "policy/expand.h"

namespace ocilint {

struct ExpectedFinding {
  std::string kind;
  std::string subject;                 // "" any
  std::optional<std::uint32_t> layer;  // unset: any
  bool waived = false;
  Place place;

  std::string text() const;  // "split of /opt/x, layer 1"
};

struct ExpectedCheck {
  std::string id;
  std::optional<Outcome> outcome;  // unset: these findings and no others
  std::vector<ExpectedFinding> findings;
  Place place;
};

struct PolicyCase {
  std::string name;
  Place place;
  DescribedImage image;
  Overrides overrides;
  std::optional<std::chrono::sys_days> today;
  bool all_pass = false;              // `expect: pass`
  std::vector<ExpectedCheck> checks;  // otherwise

  const ExpectedCheck* find(std::string_view id) const;
};

/// The rules are all of the program: built-in ones have findings too.
std::vector<PolicyCase> load_cases(std::string_view text, const std::string& file, const Policy& policy,
                                   std::span<const Rule* const> rules);

/// The files of cases beside the file of a policy, sorted: NAME.cases.yaml, and every *.yaml in the folder NAME.cases.
std::vector<std::string> case_files_beside(const std::string& policy_file);

}  // namespace ocilint
