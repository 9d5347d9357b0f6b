// Named values in a text, `NAME=value`, as image builders and shells write them.
//
// Histories are written without quotes: `ENV A=x y B=z` (Docker, BuildKit), `|2 A=x y B=z /bin/sh -c cmd`
// (build arguments before a RUN), `ENV A=x "B"="y z"` (Buildah). A value there ends where the next ` NAME=`
// begins, so a value that holds ` NAME=` itself comes out as two; config.Env is exact. Elsewhere shell and
// JSON spelling is taken. Views into the text. Pure; linear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ocilint {

enum class TextForm : std::uint8_t {
  words,    // any text, also a Dockerfile
  history,  // created_by of a history entry
};

struct NamedValue {
  std::string_view name;
  std::size_t begin = 0, end = 0;  // of the value, without its quotes
  bool exact = false;              // written by a builder, not found among words
  bool parameter = false;          // of a URL's query
};

/// In order of their beginning; pairs among words may stand inside each other (`--build-arg=A=b`).
std::vector<NamedValue> find_pairs(std::string_view text, TextForm form);

}  // namespace ocilint
