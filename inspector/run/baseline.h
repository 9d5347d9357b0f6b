// A baseline: findings that are known and do not fail a run, so that a policy can be taken up before everything that
// it finds is mended. A text file: a comment line of the tool, then fingerprints, sorted, one a line.
//
// A finding is known by policy, check, kind and subject (fingerprint_of), in whichever image. Only findings are ever
// known: a check that could not be evaluated, or an image that could not be read, is what it is. Nor are secrets:
// another one at the same place would be; a waiver names them by value. Throws Error{policy} for a file that is not
// of this form. Values.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run/result.h"

namespace ocilint {

class Baseline {
 public:
  /// `name`: of the file, for messages.
  static Baseline parse(std::string_view text, std::string_view name);
  /// Of all findings that nobody has waived, whatever their severity.
  static Baseline of(std::span<const ImageResult> results);

  /// Marks what is known.
  void mark(std::span<ImageResult> results) const;
  /// Of this one, what the results still have.
  Baseline still_in(std::span<const ImageResult> results) const;
  /// What no result has any more. Sorted.
  std::vector<std::string> fixed(std::span<const ImageResult> results) const;

  std::string text() const;
  std::size_t size() const { return fingerprints_.size(); }

 private:
  std::set<std::string, std::less<>> fingerprints_;
};

/// Whether every image could be evaluated: else what is not found is not known to be gone.
bool all_evaluated(std::span<const ImageResult> results);

}  // namespace ocilint
