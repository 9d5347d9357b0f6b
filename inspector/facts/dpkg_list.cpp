#include "facts/dpkg_list.h"

#include "base/path.h"
#include "facts/limits.h"
#include "facts/lines.h"

namespace ocilint {

DpkgList DpkgList::parse(std::string_view text) {
  require_text(text, list_bytes);
  DpkgList list;
  for (Lines lines(text); lines.next();) {
    const auto line = lines.text();
    if (line.size() > list_line_bytes) limit_line(lines.number(), "a line of more bytes than is allowed");
    if (!lines.terminated()) add_note(list.notes, lines.number(), "no newline at the end");
    if (line.empty()) {
      add_note(list.notes, lines.number(), "an empty line");
      continue;
    }
    if (has_dot_dot(line)) {
      ++list.refused;
      add_note(list.notes, lines.number(), "a path with \"..\" is refused");
      continue;
    }
    if (line.front() != '/') add_note(list.notes, lines.number(), "a relative path");
    list.paths.push_back(normalise(line).path);
  }
  return list;
}

std::string DpkgList::text() const {
  std::string text;
  for (const std::string& path : paths) {
    text += path == "/" ? "/." : path;
    text += '\n';
  }
  return text;
}

}  // namespace ocilint
