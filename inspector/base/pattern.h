// A regular expression over bytes of an image: RE2 in Latin-1 mode (in UTF-8 mode `.` would not match bytes that
// are no UTF-8, and a rule would pass over them), with bounded memory. Linear time whatever the pattern.
//
// Throws Error{policy} for a pattern that does not compile; a match that ran out of memory is Error{limit},
// never "no match". Values share the compiled program; matching is const and thread safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace ocilint {

class Pattern {
 public:
  static Pattern compile(std::string_view text);

  /// Does it match anywhere? `^` and `$` are the ends of a line.
  bool found_in(std::string_view text) const;
  /// The first match, or group 1 of it when the pattern has groups.
  std::optional<std::string> first_in(std::string_view text) const;
  const std::string& text() const;

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace ocilint
