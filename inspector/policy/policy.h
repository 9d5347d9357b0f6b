// A policy in memory (docs/policy.md): what is asserted of an image, with the place of everything in its
// file.
//
// load_policy() gives a policy whose names all lead somewhere: variables, gates, sets and rules exist, values
// fit the rule's table of parameters, patterns compile, waivers have reason, owner and a date. Whatever does
// not: Error{policy}, its text begins with "file:line:column: " and names the nearest spelling. Values of
// variables come from the image later (expand.h). Values; read-only after loading; any thread.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "base/glob.h"
#include "base/pattern.h"
#include "check/rule.h"
#include "policy/shipped.h"
#include "policy/yaml.h"

namespace ocilint {

/// A string of a policy in which $(name) stands for a variable; "$$(" is a plain "$(".
struct Template {
  struct Piece {
    bool variable;
    std::string text;  // the name of the variable, or literal text
  };
  std::string text;  // as written
  std::vector<Piece> pieces;
  Place place;

  static Template parse(const YamlNode& node);
  bool literal() const { return pieces.size() == 1 && !pieces.front().variable; }
};

/// A regular expression of the policy itself; `^` and `$` are line ends, as in the parameters of rules.
struct PolicyPattern {
  std::string text;
  Pattern compiled;
};

struct Variable {
  enum class Source : std::uint8_t { file, env, label, from };

  std::string name;
  Source source = Source::file;
  Template file;                         // source file
  std::string of;                        // env, label: the name there; from: another variable
  std::string key;                       // file: of KEY=value and KEY: value lines; "" for the text itself
  std::optional<PolicyPattern> pattern;  // the value is its first match, or group 1 of it
  bool list = false;                     // file and each: one value a line; from a list: the values that match
  std::optional<Template> otherwise;     // default:, when the image does not have it
  Place place;
};

enum class GateMode : std::uint8_t { automatic, required };

struct Gate {
  enum class Kind : std::uint8_t { file, package, env, label, variable };

  std::string name;
  Kind kind = Kind::file;
  Template file;                    // kind file
  std::string of;                   // the other kinds: package relation, name
  std::optional<Template> matches;  // a regular expression that the content or value must match
  GateMode mode = GateMode::automatic;
  Place place;
};

/// `any_of` and `one_of` of the gates: at least, or exactly, one of these is on.
struct GateChoice {
  std::vector<std::string> gates;
  Place place;
  bool empty() const { return gates.empty(); }
};

struct FileSet {
  std::vector<Template> include;
  std::vector<Template> exclude;
  std::vector<std::pair<std::string, Place>> sets;  // set:NAME
  std::string text;                                 // as written
  Place place;
};

struct Argument {
  using Records = std::vector<std::vector<Argument>>;
  using Value = std::variant<std::vector<Template>, bool, std::uint64_t, FileSet, Records>;
  const Param* param = nullptr;
  Value value;  // text, texts, pattern, patterns and mode: templates; paths: FileSet
  Place place;
};

struct Check {
  std::string id;
  const Rule* rule = nullptr;
  std::vector<std::string> when;  // gates that must all be on
  std::optional<Severity> severity;
  std::string why;
  std::vector<Argument> with;
  Place place;

  Severity level() const { return severity.value_or(rule->doc.severity); }
};

struct Waiver {
  std::string check;
  std::string kind;                 // "" any
  std::vector<std::string> paths;   // of the findings' subjects; none: any
  std::vector<std::string> values;  // ids of secrets, as their findings show them; none: any
  std::vector<std::string> images;  // of the reference; `*` matches anything; none: any
  std::string reason, owner, ticket;
  std::chrono::sys_days expires{};  // the last day on which it holds
  Place place;

  /// Does it speak of this finding? The date is not looked at.
  bool covers(std::string_view check_id, const Finding& finding, std::string_view image) const;
  bool expired(std::chrono::sys_days today) const { return today > expires; }
  std::string expires_text() const;  // YYYY-MM-DD
};

struct PolicySource {
  std::string file;
  Digest digest;
};

struct Policy {
  std::string name;
  std::string summary;
  std::string file;                   // as it is called in messages
  std::vector<PolicySource> sources;  // every file that was read, bases first
  std::map<std::string, Variable, std::less<>> variables;
  std::map<std::string, Gate, std::less<>> gates;
  GateChoice any_of, one_of;
  std::map<std::string, FileSet, std::less<>> files;
  std::vector<Check> checks;  // in order; ids are unique
  std::vector<Waiver> waivers;

  const Check* find_check(std::string_view id) const;
};

/// What loading needs from outside. Rules and shipped policies are linked later, so they are handed in.
struct LoadContext {
  std::span<const Rule* const> rules;                             // all_rules()
  std::span<const ShippedPolicy> shipped;                         // shipped_policies()
  std::function<std::string(const std::string& path)> read_file;  // throws Error
  std::chrono::sys_days today;
};

inline constexpr std::size_t policy_checks = 1000;         // of one policy, its bases included
inline constexpr std::size_t policy_pattern_bytes = 4096;  // of one regular expression or glob
inline constexpr std::size_t policy_bases = 32;            // files of one policy
inline constexpr int waiver_days = 366;                    // the furthest that a waiver may reach

Policy load_policy(std::string_view text, std::string file_name, const LoadContext& context);
/// A shipped name, or a path (anything with a slash or ending in .yaml or .yml).
Policy load_named(const std::string& name_or_path, const LoadContext& context);

}  // namespace ocilint
