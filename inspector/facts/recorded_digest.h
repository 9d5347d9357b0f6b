// A digest as a package manager recorded it of a file: an algorithm, and all of its bytes or the first of them.
//
// apk cuts SHA-256 to 160 bits. What names an algorithm that this program does not compute is kept by that name: the
// file is there and cannot be compared. Values; any thread; nothing throws.
#pragma once

#include <string>

#include "base/digest.h"

namespace ocilint {

struct RecordedDigest {
  Algorithm algorithm = Algorithm::sha256;
  std::string bytes;    // raw; empty: nothing to compare with
  std::string unknown;  // the name of another algorithm, "" when `algorithm` holds

  bool usable() const { return !bytes.empty() && unknown.empty(); }
  bool matches(const Digest& actual) const {
    return usable() && actual.algorithm() == algorithm && as_text(actual.raw()).starts_with(bytes);
  }
  std::string text() const;  // "sha1 0a4d…", or the name of the unknown algorithm
};

}  // namespace ocilint
