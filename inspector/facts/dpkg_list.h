// var/lib/dpkg/info/NAME.list: every path a package brought, directories and links too; diverted files stand
// under their original name.
//
// Paths are bytes in normal form (base/path.h), in the order of the file and never trimmed ("/." is "/").
// Notes: an empty line, a relative path, a missing last newline. A path with `..` is refused: a note, counted.
// Error{corrupt}: NUL. Error{limit}: list_bytes, list_line_bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "facts/notes.h"

namespace ocilint {

struct DpkgList {
  std::vector<std::string> paths;
  std::size_t refused = 0;  // lines that gave no path though they should have
  Notes notes;

  static DpkgList parse(std::string_view text);
  /// As dpkg writes it: "/." for the root, one path a line.
  std::string text() const;
};

}  // namespace ocilint
