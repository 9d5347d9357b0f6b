// What a Python distribution asks for (PEP 508; packaging.python.org, "Dependency specifiers"):
//   name [extra, …] (>= 1, < 2) ; python_version >= "3.9" and extra == "gpu"       name @ URL ; marker
//
// A marker is kept in postfix order and evaluated with a stack, so no depth of parentheses recurses. Its value
// has three states: what depends on a variable that nobody knows (the kernel's release) is unknown. parse()
// throws Error{corrupt} with the text for another grammar (also for escapes in strings, and for a comparison
// without a variable), Error{limit} for a longer or deeper text. Values; any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/python_specifier.h"

namespace ocilint {

/// The variables of markers, by their names of today (os_name, python_version, …). Absent: unknown. `extra` is
/// "" or one normal name. Of python_full_version the third number may be unknown: "3.12".
using PythonEnvironment = std::map<std::string, std::string, std::less<>>;

/// One comparison of a marker: a variable and a text.
struct PythonMarkerItem {
  std::string variable;
  std::string op;  // "==", "in", "not in", …
  std::string text;
  bool text_first = false;  // '3.8' <= python_version

  std::optional<bool> evaluate(const PythonEnvironment& environment) const;
};

class PythonMarker {
 public:
  static PythonMarker parse(std::string_view text);

  bool empty() const { return steps_.empty(); }
  /// True without a marker. Error{corrupt}: an operator that the two sides do not have (`~=` of texts).
  std::optional<bool> evaluate(const PythonEnvironment& environment) const;
  /// As written.
  const std::string& text() const { return text_; }

 private:
  friend class PythonMarkerReader;
  enum class Step : std::uint8_t { item, both, either };

  std::vector<Step> steps_;
  std::vector<PythonMarkerItem> items_;  // in the order of the steps `item`
  std::string text_;
};

struct PythonRequirement {
  std::string text;                 // as written
  std::string name;                 // as written
  std::string normal;               // PEP 503
  std::vector<std::string> extras;  // normal names
  PythonSpecifiers specifiers;
  std::string url;
  PythonMarker marker;

  static PythonRequirement parse(std::string_view text);
};

}  // namespace ocilint
