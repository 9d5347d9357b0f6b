// apt.conf(5): `A::B "x";`, `A { B "x"; C { "one"; "two"; }; };`, lists by `A::B:: "x";`, comments `//`, `#`
// and /* */, and the directives #clear and #include. Keys have no case.
//
// apt reads etc/apt/apt.conf.d in the order of the names, then etc/apt/apt.conf: append() in that order.
// Error{corrupt} with the line: a closing brace too many or too few, a string or comment that does not end, a
// statement without `;` at the end, NUL. Error{limit}: limits.h.
// #include is a note: what it names is not read.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "facts/notes.h"

namespace ocilint {

class AptConf {
 public:
  static AptConf parse(std::string_view text);
  /// Does apt read a file of this name in apt.conf.d? Letters, digits, `-`, `_`, `.`; no extension or `.conf`.
  static bool counts(std::string_view file_name);

  /// Reads one more file over this one: later values hold, lists grow, #clear removes.
  void append(std::string_view text);

  /// Value of `A::B`. Empty when it was never set.
  std::optional<std::string> find(std::string_view key) const;
  /// The values that are not empty directly below `A::B`, of anonymous and named members, in order. As for apt,
  /// a value of `A::B` itself is none of them.
  std::vector<std::string> list(std::string_view key) const;
  /// yes, true, with, on, enable and numbers but 0 are true; no, false, without, off, disable and 0 are false;
  /// anything else and absent: `otherwise`.
  bool flag(std::string_view key, bool otherwise) const;

  bool includes = false;  // there was an #include
  Notes notes;

 private:
  friend class AptConfReader;
  struct Node {
    std::optional<std::string> value;
    std::size_t order = 0;
    std::vector<std::pair<std::size_t, std::string>> members;  // anonymous, with their order
  };
  void set(std::string_view key, std::string value, std::size_t line);
  void clear(std::string_view key);

  std::map<std::string, Node, std::less<>> nodes_;  // by lower-case key
  std::size_t items_ = 0;                           // set so far
};

}  // namespace ocilint
