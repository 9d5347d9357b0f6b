// What a distribution says of itself: METADATA of a .dist-info, PKG-INFO of an .egg-info (core metadata
// specification: headers as in mail, then a description), and requires.txt of an .egg-info.
//
// Names of fields are compared without case; a continued line is joined by one blank. Behind the first line
// that is no header everything is description, as for Python's own reader. Error{corrupt}: NUL in the headers,
// no Name or no Version, or two of them that differ. Error{limit}: python_metadata_bytes, python_header_fields.
// Requirements are texts here: one that cannot be read must not hide the others. Values; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ocilint {

struct PythonMetadata {
  struct Field {
    std::string name, value;
    std::string line() const { return name + ": " + value; }
  };
  std::vector<Field> fields;  // in order of the file
  std::string name, version;
  std::vector<std::string> requirements;  // Requires-Dist
  std::vector<std::string> extras;        // Provides-Extra, as written

  static PythonMetadata parse(std::string_view text);
};

/// The sections of requires.txt as requirements with markers: "[x:python_version<'3']" over "a>1" is
/// "a>1; (python_version<'3') and extra == 'x'". Error{corrupt}: NUL, or a header of a section without end.
std::vector<std::string> parse_egg_requires(std::string_view text);

}  // namespace ocilint
