// Conditions on a Python version (PEP 440, "Version specifiers"): ">=1.2, !=1.5.*, <2", all of which must hold.
//
// Pre-releases are versions like others: what is judged is installed, not chosen. parse() throws
// Error{corrupt} with the text for what the specification does not allow (`>=1.*`, `<1.0+x`, `~=1`). An empty
// text is no condition; an empty item only stands at the end. Values; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/python_version.h"

namespace ocilint {

struct PythonSpecifier {
  enum class Operator : std::uint8_t { less, less_equal, equal, not_equal, greater_equal, greater, compatible, exact };

  Operator op = Operator::equal;
  std::string text;       // "==1.2.*", without blanks
  std::string operand;    // as written: what `===` compares
  PythonVersion version;  // unused with `===`
  bool wildcard = false;

  static std::optional<PythonSpecifier> parse(std::string_view text);
  bool matches(const PythonVersion& version) const;
  /// Of a text that may be no version: only `===` matches such.
  bool matches(std::string_view version) const;
};

struct PythonSpecifiers {
  std::vector<PythonSpecifier> all;

  static PythonSpecifiers parse(std::string_view text);
  bool empty() const { return all.empty(); }
  bool matches(std::string_view version) const;
  std::string text() const;  // ">=1.2,<2"
};

}  // namespace ocilint
