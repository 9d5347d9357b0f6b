// What a policy says of a variable or a label, in one text:
//
//   NAME         it has a value that is not empty
//   NAME=VALUE   its value is this one; NAME= is the empty value
//   NAME~REGEX   its value matches; ^ and $ are the ends of the value, also when it has several lines
//
// A * in NAME stands for any bytes. parse() throws Error{policy}. Values; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/pattern.h"

namespace ocilint {

class ConfigTerm {
 public:
  enum class Kind { named, equal, matching };

  static ConfigTerm parse(std::string_view text);

  Kind kind() const { return kind_; }
  const std::string& text() const { return text_; }  // as written
  const std::string& name() const { return name_; }
  bool one_name() const { return name_.find('*') == std::string::npos; }

  bool names(std::string_view name) const;
  bool fits(std::string_view value) const;

 private:
  std::string text_, name_, value_;
  Kind kind_ = Kind::named;
  std::optional<Pattern> pattern_;
};

/// A pattern for whole values: ^ and $ are their ends, not those of lines.
Pattern value_pattern(std::string_view regex);

}  // namespace ocilint
