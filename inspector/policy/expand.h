// Policy against image, in two phases.
//
// Before the pass nothing of the image is known: widened_params() puts wildcards where variables stand and
// widens paths (check/params.h), so that the pass keeps too much rather than too little; defaults narrow
// nothing. After the merge an Expansion reads variables and gates through an ImageView and makes exact
// parameters. Bytes of the image never act as a pattern: they are escaped in globs and regular expressions,
// and a value that would lead out of its path component is refused.
//
// A variable is read on first use and remembered. While the view is pending() the answers do not count: read
// what is missing and make a new Expansion with a new view. One thread. The policy and the view must outlive
// it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "check/finding.h"
#include "check/image_view.h"
#include "check/params.h"
#include "check/rule.h"
#include "policy/policy.h"

namespace ocilint {

/// --set NAME=VALUE and --gate NAME=MODE.
struct Overrides {
  std::map<std::string, std::string, std::less<>> variables;  // of a list: values separated by commas
  std::map<std::string, GateMode, std::less<>> gates;
};

/// Error{usage} for names that the policy lacks.
void verify_overrides(const Policy& policy, const Overrides& overrides);

Params widened_params(const Policy& policy, const Check& check);

/// Needs of the variables and gates that the policy's checks use.
void plan_variables(const Policy& policy, Plan& plan);

struct GateState {
  enum class State : std::uint8_t { on, off, unknown };
  State state = State::unknown;
  std::string text;  // what was read: "no /opt/rocm/.info/version", "env ROCM_PATH is set"
};

/// What the gates themselves demand: a required one, any_of, one_of.
struct GateVerdict {
  std::string id;  // "gate:apt", "gates:any_of"
  Answer answer;
  Place place;
};

class Expansion {
 public:
  static constexpr std::size_t list_values = 10'000;  // of one list variable
  static constexpr std::size_t value_bytes = 4096;    // of one value: PATH_MAX

  Expansion(const Policy& policy, const ImageView& view, Overrides overrides = {});

  /// Exact parameters. Throws Error{not_found} for a variable that the image lacks, Error{corrupt} for one
  /// that it has but that is not what the policy says: the check could not be evaluated.
  Params params(const Check& check);

  const GateState& gate(std::string_view name);
  GateMode mode(std::string_view gate) const;
  /// All gates of `when` together: unknown before off before on. Without gates: on.
  GateState applies(const Check& check);
  std::vector<GateVerdict> gate_verdicts();

  /// Values of a variable, for messages and for gates: one, or those of a list (never none).
  const std::vector<std::string>& values(std::string_view variable);

 private:
  struct Value {
    std::vector<std::string> texts;
    bool slashes = false;  // may hold several components of a path: a pattern or the operator allowed it
    std::optional<Error> error;
  };
  enum class Into : std::uint8_t { text, file, glob, pattern };  // what values are put into

  const Value& value(std::string_view variable);
  Value read(const Variable& variable);
  /// Empty: the image does not have it, `why` says what is missing.
  std::vector<std::string> found(const Variable& variable, std::string& why);
  std::vector<std::string> found_in_file(const Variable& variable, std::string& why);
  std::vector<std::string> fill(const Template& from, Into into);
  std::vector<Glob> globs(const std::vector<Template>& patterns);
  PathSet paths(const FileSet& set);
  ParamValue argument(const Argument& argument);
  Params arguments(std::span<const Param> table, const std::vector<Argument>& arguments);
  GateState detect(const Gate& gate);
  GateState detect_file(const Gate& gate);
  GateState detect_package(const Gate& gate);
  GateState detect_value(const Gate& gate, const std::string& what, const std::vector<std::string>& texts);

  const Policy& policy_;
  const ImageView& view_;
  Overrides overrides_;
  std::map<std::string, Value, std::less<>> values_;
  std::map<std::string, GateState, std::less<>> states_;
};

}  // namespace ocilint
