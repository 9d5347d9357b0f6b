// RECORD of a .dist-info: what a wheel's installation wrote (packaging.python.org, "Recording installed
// projects"). Rows of CSV: path, digest (sha256=, base64 for URLs, without padding), size in decimal digits.
//
// Fields may be in quotes and hold newlines. Paths stay as written: relative to the folder that holds the
// .dist-info, or absolute. A row that cannot be used is a note and counted, the others stay; Error{corrupt}
// only for NUL, Error{limit}: python_record_bytes, python_record_rows. Values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "facts/notes.h"

namespace ocilint {

struct PythonRecord {
  struct Row {
    std::string path;
    std::optional<Digest> digest;  // sha256 or sha512
    std::string algorithm;         // of a digest that is none of these: "sha384", else ""
    std::optional<std::uint64_t> size;
    std::size_t line = 0;
  };
  std::vector<Row> rows;
  Notes notes;  // "line 3: …" for each refused row
  std::size_t refused = 0;

  static PythonRecord parse(std::string_view text);
};

}  // namespace ocilint
