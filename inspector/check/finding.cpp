#include "check/finding.h"

#include <algorithm>

namespace ocilint {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::warning: return "warning";
    case Severity::error: return "error";
  }
  return "error";
}

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass: return "pass";
    case Outcome::fail: return "fail";
    case Outcome::not_applicable: return "not applicable";
    case Outcome::error: return "error";
  }
  return "error";
}

Outcome Answer::outcome() const {
  const bool hole = std::ranges::any_of(coverage_, [](const Coverage& c) { return c.listed != c.done; });
  if (!errors_.empty() || hole) return Outcome::error;
  if (!findings_.empty()) return Outcome::fail;
  if (!evidence_.empty()) return Outcome::pass;
  return not_applicable_.empty() ? Outcome::error : Outcome::not_applicable;
}

}  // namespace ocilint
