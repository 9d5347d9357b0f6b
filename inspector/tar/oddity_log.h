// Reports oddities of one archive, each kind at most 100 times and then by number: a layer made by a writer
// with one habit has that habit in every entry, and an archive made to hurt must not fill the memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/oddity.h"

namespace ocilint::tar {

class OddityLog {
 public:
  explicit OddityLog(Oddities& oddities) : oddities_(oddities) {}

  /// `id` is a string literal.
  void add(std::string_view id, std::string_view subject, std::string text);
  /// Says how many of each kind were not listed.
  void finish();

 private:
  struct Count {
    std::string_view id;
    std::uint64_t count;
  };

  static constexpr std::uint64_t listed = 100;

  Oddities& oddities_;
  std::vector<Count> counts_;
};

}  // namespace ocilint::tar
