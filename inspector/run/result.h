// What a run found out about one image: the one structure that every report format is written from.
//
// A value without pointers into other stages; no format looks back at the image. Strings that come from the
// image are raw bytes, with the values of known secrets already replaced (run/redact.h); a format escapes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "check/finding.h"
#include "run/ledger.h"
#include "run/survey.h"

namespace ocilint {

struct WaiverUse {
  std::string reason, owner, expires, ticket;
  std::string place;  // file:line
};

struct ReportedFinding {
  Finding finding;
  Severity severity = Severity::error;
  std::string layer_name;   // digest of the layer that did it
  std::string created_by;   // its history line
  std::string fingerprint;  // of policy, check, kind and subject: stable over rebuilds
  std::optional<WaiverUse> waived;
  bool secret = false;                      // of a value that is not shown
  bool known = false;                       // stands in the baseline
  std::string expired_waiver;               // place of a waiver that would have covered it, "" when there is none
  std::optional<std::uint32_t> story = {};  // of ImageSurvey::stories
};

struct CheckResult {
  std::string id, rule, policy;
  std::string file;  // where the check stands; "" for built-in ones
  std::uint32_t line = 0, column = 0;
  Severity severity = Severity::error;
  std::string why;
  Outcome outcome = Outcome::error;
  std::vector<ReportedFinding> findings;
  std::vector<Evidence> evidence;
  std::vector<std::string> errors;
  std::string reason;  // why it is not applicable: the gate and what was read

  std::size_t open_findings(Severity at_least) const;  // neither waived, known nor below
  std::size_t waived_findings() const;
  std::size_t known_findings() const;  // that are not waived
};

struct GateResult {
  std::string policy, name, state, text, mode;
};

struct LayerResult {
  std::string name, diff_id, created_by, compression;
  std::uint64_t stored_bytes = 0, unpacked_bytes = 0;
  std::size_t entries = 0;
  std::string shared_with = {};  // image and layer of this run that it was read for; "" when it was read for this one
};

/// An image that checks compared with (--with NAME=REF).
struct OtherImageResult {
  std::string name;
  std::string reference, full_reference;
  std::string manifest_digest;
  std::string platform;
  std::size_t layers = 0, layers_read = 0, layers_shared = 0;  // shared: the image itself has them, read once
  bool earlier = false;  // read for an earlier image of the run: what was read then counts here too
};

struct PolicyResult {
  std::string name, summary, file;
  std::vector<std::pair<std::string, std::string>> sources;  // file and digest, bases first
};

/// For --stats: what the pass did.
struct Stats {
  std::uint64_t hashed_files = 0, hashed_bytes = 0, kept_files = 0, kept_bytes = 0, elf_files = 0;
  std::uint64_t searched_files = 0, searched_bytes = 0;  // for secrets
  std::size_t refilled_layers = 0, refilled_facts = 0, refill_rounds = 0;
  std::uint64_t spooled_bytes = 0;
  std::size_t entries = 0, names = 0;
};

struct ImageResult {
  std::string reference;       // as asked for
  std::string full_reference;  // with transport and what was chosen
  std::string manifest_digest;
  std::string platform;
  std::string view = "overlay";
  std::vector<LayerResult> layers;
  std::vector<OtherImageResult> others;
  std::vector<PolicyResult> policies;
  std::vector<GateResult> gates;
  std::vector<CheckResult> checks;           // built-in ones first
  std::vector<std::string> unused_waivers;   // place and check
  std::vector<std::string> expired_waivers;  // that cover a finding
  bool strict_waivers = false;               // either of them fails the image
  Ledger ledger;
  Stats stats;
  std::optional<ImageSurvey> survey;  // only when asked for (RunOptions::survey)
  std::optional<Error> unreadable;    // the image could not be read: nothing above is a verdict
};

}  // namespace ocilint
