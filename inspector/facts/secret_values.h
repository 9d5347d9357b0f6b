// The values of secrets that were found, and where they stand in other texts: as they are, in lower case,
// percent-encoded or decoded, or escaped as in JSON; also the beginning of one that was cut, before "…".
//
// Only values of at least six bytes are looked for: a shorter one is in every text. add() all, freeze(), then
// any thread may search. find_in() is linear in the text while few values begin with the same six bytes.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "facts/secrets.h"

namespace ocilint {

class SecretValues {
 public:
  static constexpr std::size_t shortest = 6;

  void add(std::string_view value);
  void freeze();
  /// Appends a hit without name and detector for each occurrence.
  void find_in(std::string_view text, std::vector<SecretHit>& hits) const;

 private:
  std::set<std::string> all_;
  std::unordered_map<std::uint64_t, std::vector<const std::string*>> by_start_;  // the longest first
  std::array<std::uint64_t, 64> maybe_{};                                        // hashes of these starts
};

/// Sorted, and overlapping ones made one: what masked() takes.
std::vector<SecretHit> united(std::vector<SecretHit> hits);

}  // namespace ocilint
