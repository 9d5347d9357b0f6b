// var/lib/dpkg/statoverride: `user group mode path` a line; the administrator's owner and mode for a path.
//
// user and group are names, or `#` and a decimal id. The path is the rest of the line, never trimmed.
// Error{corrupt} like dpkg: a line of another form, a bad mode or id, a path twice, NUL. A line without its
// newline at the end is a note. Error{limit}: list_bytes, list_line_bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/notes.h"

namespace ocilint {

struct DpkgStatOverride {
  struct Owner {
    std::string name;                 // empty if given as a number
    std::optional<std::uint32_t> id;  // empty if given as a name
  };
  struct Entry {
    Owner user;
    Owner group;
    std::uint32_t mode = 0;  // 0 … 07777
    std::string path;        // normal form
    std::size_t line = 0;
  };
  std::vector<Entry> entries;  // sorted by path
  Notes notes;

  static DpkgStatOverride parse(std::string_view text);
  const Entry* find(std::string_view path) const;
};

}  // namespace ocilint
