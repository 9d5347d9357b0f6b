// Secrets that are known by their shape: the table of detectors as data, and what they find in a text.
//
// A row has keywords, without one of which its pattern (RE2, Latin-1) is never run, a lower bound of the
// value's entropy, and guards against what only looks like a secret. `history-secrets` scans whole texts;
// `file-secrets` finds the keywords of windows by other means (keywords() is what a prefilter takes) and asks
// verify(): windows overlap by secret_reach, and a candidate nearer than that to a window's end is left to the
// next one. Patterns are compiled on first use, once a set; never as one RE2::Set, whose answer is "no match" when
// it runs out of memory. const and thread safe. Cost: one pass for the keywords, then each candidate is bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "facts/extra_detector.h"
#include "facts/secret_confidence.h"

namespace ocilint {

/// What kind of text it is decides which detectors run.
enum class SecretScope : std::uint8_t {
  file,             // any file: `prefix` and `context`
  credential_file,  // its name says that credentials may be in it: all, and words of documentation excuse nothing
  document,         // history, configuration, attestations: all; named values are found by secret_pairs.h
};

/// What a hit must be besides matched, and how its keywords are looked for.
struct Guard {
  enum Bit : unsigned {
    any_case = 1,            // of the keywords, which then stand in lower case
    across_lines = 2,        // a match may hold line ends
    placeholder = 4,         // values that were made to be none
    boundary = 8,            // no letter or digit stands before the keyword
    reference = 16,          // the value stands elsewhere: ${NAME}, $(command), <name>
    words = 32,              // changeme, true, paths, checksums: is_harmless()
    named = 64,              // group 1 is a name, which names_secret(); group 2 is the value
    private_key = 128,       // the body of a PEM block: decoded, it is a key
    userinfo = 256,          // masks and documentation of user:password@host
    token_user = 512,        // user names that are public: keys of error collectors
    base64_pair = 1024,      // decoded, it is user:password
    base64_key = 2048,       // decoded, it is a PEM private key
    whole_reference = 4096,  // the whole value is a reference: a part of it may be one
    one_row = 8192,  // token characters up to the first that is none: when no match begins at a keyword of a row, none
                     // begins behind it in that row
  };
};

struct Detector {
  enum class Kind : std::uint8_t {
    prefix,    // the pattern is anchored at the keyword
    context,   // the line around the keyword
    file,      // the same, where the scope is not `file`
    metadata,  // the same; too noisy for the contents of files
  };
  std::string_view id;    // "github-token"
  std::string_view what;  // "a GitHub token"
  Confidence confidence = Confidence::high;
  Kind kind = Kind::prefix;
  double entropy = 0;             // bits a byte of the value, at least
  unsigned guards = 0;            // of Guard
  std::string_view keywords;      // blanks between them; every match holds one
  std::string_view pattern;       // the first group that took part is the value
  std::string_view example = {};  // what make_example() (secret_example.h) writes one from
};

/// Of a variable that must have no value, in any case: `NAME=value`, `"NAME": "value"`, `ENV NAME value`. Its id is
/// never_id and the name. Throws Error{policy} for a name that is too short for a keyword.
ExtraDetector never_detector(std::string_view name);
inline constexpr std::string_view never_id = "never:";

/// The table: specific detectors first, which give an overlap its name. Static data.
std::span<const Detector> secret_detectors();

struct Keyword {
  std::string text;
  bool any_case = false;  // then `text` is lower case
  bool in_files = false;  // some detector of it runs in SecretScope::file
};

struct ShapeHit {
  std::size_t begin = 0, end = 0;  // of the value
  const Detector* detector = nullptr;
};

inline constexpr std::size_t secret_look_back = 512;   // before a keyword, within its line
inline constexpr std::size_t secret_reach = 16 << 10;  // behind it: a private key of 8192 bits with headers

class DetectorSet {
 public:
  /// The table alone, shared by all.
  static const DetectorSet& standard();
  /// The table and more. Throws Error{policy} for an id that is taken.
  explicit DetectorSet(std::span<const ExtraDetector> extra);
  ~DetectorSet();
  DetectorSet(const DetectorSet&) = delete;
  DetectorSet& operator=(const DetectorSet&) = delete;

  /// Each once; the index is its id for verify().
  std::span<const Keyword> keywords() const;
  const Detector* find(std::string_view id) const;  // nullptr: none

  /// In no order; may overlap; hits of one detector do not.
  std::vector<ShapeHit> scan(std::string_view text, SecretScope scope) const;
  /// Appends what the detectors of one keyword find where it begins at `at`; the same hit may come again from
  /// another keyword of its line.
  void verify(std::string_view text, std::size_t keyword, std::size_t at, SecretScope scope,
              std::vector<ShapeHit>& hits) const;

  /// How far each detector has looked in a text, empty at first. With it keywords come in the order in which they
  /// stand, nothing is looked at twice, and the hits are those of scan().
  using Looked = std::vector<std::size_t>;
  void verify(std::string_view text, std::size_t keyword, std::size_t at, SecretScope scope, Looked& looked,
              std::vector<ShapeHit>& hits) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace ocilint
