// What a check says: findings, evidence, or that it could not say.
//
// The outcome is never set by hand. An Answer starts as "not evaluated"; it becomes pass only by evidence (what
// was looked at), fail by a finding, error by could_not(). An Answer with none of these is an error: a check
// that looked at nothing has proven nothing. Values; not for several threads. Texts may hold bytes of the
// image: whoever shows them escapes and redacts them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/secret_confidence.h"

namespace ocilint {

enum class Severity : std::uint8_t { note, warning, error };
enum class Outcome : std::uint8_t { pass, fail, not_applicable, error };

std::string_view to_string(Severity);
std::string_view to_string(Outcome);

class SecretContent;

struct Finding {
  std::string kind;                    // past participle or adjective: modified, missing, split
  std::string subject;                 // path, variable name, package: what a waiver's `paths` is matched against
  std::string message;                 // one sentence: what is wrong
  std::vector<std::string> details;    // expected, actual, aliases; a line each
  std::optional<std::uint32_t> layer;  // the layer that did it, base = 0
  std::string remedy;                  // what to do
  std::optional<Severity> severity;    // unset: the check's
  std::shared_ptr<const SecretContent> content = {};  // of a secret: compared with the ids of waivers, never shown
  std::optional<Confidence> confidence = {};          // that it is a secret; others are no guesses
};

struct Evidence {
  std::string text;  // "libdw1 0.188-2.1 is installed and marked manual"
  std::string path;  // the file it resolved to, "" when it is not about one
  std::optional<std::uint32_t> layer;
};

/// An entry of the coverage ledger that a check makes: what was there, and what of it was looked at.
struct Coverage {
  std::string what;
  std::size_t listed = 0, done = 0;
};

class Answer {
 public:
  void finding(Finding finding) { findings_.push_back(std::move(finding)); }
  void evidence(std::string text, std::string path = {}, std::optional<std::uint32_t> layer = {}) {
    evidence_.push_back({std::move(text), std::move(path), layer});
  }
  /// Something that the check needs could not be read or made out: outcome error, whatever else was found.
  void could_not(std::string why) { errors_.push_back(std::move(why)); }
  /// Things that must all be looked at ("documents"): listed and done. A difference is an error.
  void covered(std::string what, std::size_t listed, std::size_t done) {
    coverage_.push_back({std::move(what), listed, done});
  }
  /// A secret that was found: no text of the whole report may show it, whichever check the text comes from.
  void hide(std::string value) { hidden_.push_back(std::move(value)); }
  /// Positive proof that the check does not concern this image ("no package database of any kind").
  void not_applicable(std::string why) { not_applicable_ = std::move(why); }

  Outcome outcome() const;
  const std::vector<Finding>& findings() const { return findings_; }
  const std::vector<Evidence>& evidence() const { return evidence_; }
  const std::vector<std::string>& errors() const { return errors_; }
  const std::vector<Coverage>& coverage() const { return coverage_; }
  const std::vector<std::string>& hidden() const { return hidden_; }
  const std::string& reason() const { return not_applicable_; }

 private:
  std::vector<Finding> findings_;
  std::vector<Evidence> evidence_;
  std::vector<std::string> errors_;
  std::vector<Coverage> coverage_;
  std::vector<std::string> hidden_;
  std::string not_applicable_;
};

}  // namespace ocilint
