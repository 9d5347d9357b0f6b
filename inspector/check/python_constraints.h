// A file of constraints or of a lock, as pip reads it: a requirement a line, comments behind #, lines that go on
// behind a backslash. Lines with options (-r, -e, --hash) are listed, not obeyed.
//
// Error{corrupt} with the line for a requirement that is none; Error{limit}: small_text_bytes. Values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "facts/python_requirement.h"

namespace ocilint {

struct PythonConstraints {
  struct Line {
    PythonRequirement requirement;
    std::size_t number = 0;
  };
  std::vector<Line> lines;
  std::vector<std::string> options;  // "line 3: -r other.txt"

  static PythonConstraints parse(std::string_view text);
};

/// The version that the file name of a wheel in a URL states: "2.9.0+x" of ".../torch-2.9.0%2Bx-cp312-….whl". ""
/// when it states none.
std::string version_of_wheel(std::string_view url);

}  // namespace ocilint
