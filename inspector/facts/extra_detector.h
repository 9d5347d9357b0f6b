// A detector of secrets that a policy adds to the table (facts/secret_detectors.h). A value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ocilint {

inline constexpr std::size_t shortest_keyword = 3;

/// All of `text` but the two separators is the caller's: "ID; KEYWORD, …; PATTERN".
struct ExtraDetector {
  std::string id, pattern;
  std::vector<std::string> keywords;  // each at least shortest_keyword bytes, as they are written

  /// Throws Error{policy}: a part is missing, a keyword is too short, the pattern does not compile.
  static ExtraDetector parse(std::string_view text);

  friend bool operator==(const ExtraDetector&, const ExtraDetector&) = default;
};

}  // namespace ocilint
