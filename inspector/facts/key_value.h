// Files of `KEY: value` and `KEY=value` lines, mixed: version files and build records that images carry.
//
// A key is letters, digits and _ - . only, and the first `:` or `=` ends it; blanks around both parts go, one
// pair of quotes around a value behind `=` goes. Blank lines and lines beginning with `#` are skipped, any
// other line is a note. Error{corrupt}: NUL. Error{limit}: small_text_bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/notes.h"

namespace ocilint {

struct KeyValue {
  struct Entry {
    std::string key;
    std::string value;
    std::size_t line = 0;
  };
  std::vector<Entry> entries;  // in order of the file
  Notes notes;

  static KeyValue parse(std::string_view text);

  /// Case-sensitive. Error{corrupt} when the key stands there twice with different values.
  std::optional<std::string_view> find(std::string_view key) const;
};

}  // namespace ocilint
