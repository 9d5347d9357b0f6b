// A rule: what can be asserted of an image. Read this first when you add one (rules/README.md).
//
// A rule is one value in one file of rules/: its documentation, what it needs, and its check. The file name is
// the id with underscores; CMake makes the table of all rules from the file names, so nothing else is touched.
// Documentation, JSON Schema, `ocilint explain` and report metadata are generated from `doc`.
//
//   plan(params, plan)           says what it needs, before anything of the image is known
//   check(params, view, answer)  decides from what it declared; pure; throws Error, which becomes "error"
//
// check() must leave evidence for what it looked at: an answer without evidence or findings is an error.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "check/finding.h"
#include "check/image_view.h"
#include "check/params.h"
#include "layer/demand.h"

namespace ocilint {

struct FindingKind {
  std::string_view name;  // "modified"
  std::string_view doc;   // when it is reported
};

/// Runs as a test: `image` is a description as in testdata/cases (docs/policy.md), `with` the check's
/// parameters in YAML flow style, `expect` a line a finding ("kind subject"), or "pass", "error …".
struct Example {
  std::string_view title;
  std::string_view with;
  std::string_view image;
  std::string_view expect;
};

struct RuleDoc {
  std::string_view id;       // kebab-case, what is asserted: package-files
  std::string_view summary;  // one sentence
  std::string_view details;  // Markdown: what it does, why it matters, limits
  Severity severity = Severity::error;
  std::string_view security{};  // how bad as a weakness, scored as CVSS scores ("7.5"); "none": not one by itself
  std::string_view since;
  std::span<const Param> params;
  std::span<const FindingKind> kinds;
  std::span<const Example> examples;
  bool built_in = false;  // always runs, not to be listed in a policy
};

/// What all checks of a run ask of another image, which the command line names (--with NAME=REF).
struct OtherDemand {
  Demand demand;
  bool layers = false;  // false: its documents are enough
};
using OtherDemands = std::map<std::string, OtherDemand, std::less<>>;

/// Collects the needs of one check. Patterns are those of Params, which widened them already.
class Plan {
 public:
  explicit Plan(Demand& demand, OtherDemands* others = nullptr) : demand_(demand), others_(others) {}

  /// Needs of the image that is given under this name. What is declared of one image may be asked of the others.
  Plan& other(std::string_view name);

  /// The merged tree: every layer will be read.
  void tree() { layers_ = true; }
  void content(const PathSet& where) { add(FactKind::content, where); }
  void content(std::string_view glob) { add(FactKind::content, glob); }
  void md5(const PathSet& where) { add(FactKind::md5, where); }
  void sha1(const PathSet& where) { add(FactKind::sha1, where); }
  void sha256(const PathSet& where) { add(FactKind::sha256, where); }
  /// Every byte of these files, in every layer, goes by the search for secrets; `more` detectors beside its table.
  void scan(const PathSet& where, const std::vector<ExtraDetector>& more = {});
  void elf(const PathSet& where) { add(FactKind::elf, where); }
  void elf(std::string_view glob) { add(FactKind::elf, glob); }
  /// Of every ELF file that is read, whoever asked for it: `defined` and `undefined` are RE2, the whole name.
  void symbol_patterns(const std::vector<std::string>& defined, const std::vector<std::string>& undefined) {
    demand_.add_symbol_patterns(defined, undefined);
  }
  void symbols(const std::vector<std::string>& names) { demand_.add_symbols(names); }
  /// dpkg's status, lists, digests, diversions, configuration and apt's states: content of all of them.
  void packages();
  /// Facts only on demand: no pattern is known, a second read will bring them.
  void on_demand(FactKind kind) {
    layers_ = true;
    declared_.add(kind);
  }

  bool needs_layers() const { return layers_; }
  Wants declared() const;
  /// Enters which other images need their layers; once, after everything was declared.
  void finish();

 private:
  void add(FactKind kind, const PathSet& where);
  void add(FactKind kind, std::string_view glob);

  Demand& demand_;
  OtherDemands* others_;
  std::map<std::string, std::unique_ptr<Plan>, std::less<>> of_others_;
  Wants declared_;
  bool layers_ = false;
};

struct Rule {
  RuleDoc doc;
  void (*plan)(const Params& with, Plan& plan);
  void (*check)(const Params& with, const ImageView& image, Answer& answer);
};

/// Every rule of the program, sorted by id. The table is written by CMake and stands in the library `rules`.
std::span<const Rule* const> all_rules();
/// nullptr when there is none of that id.
const Rule* find_rule(std::span<const Rule* const> rules, std::string_view id);

}  // namespace ocilint
