// os-release(5): /etc/os-release or /usr/lib/os-release.
//
// Assignments as a shell would read them without expansion: NAME=value, '…' and "…" quoting with \" \$ \\ \`
// inside double quotes, comments. A line that is no assignment is a note; the last of two equal names holds,
// with a note. Error{corrupt}: NUL, a quote that does not end on its line. Error{limit}: small_text_bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "facts/notes.h"

namespace ocilint {

/// The first of these that is there is the one.
inline constexpr std::string_view os_release_places[] = {"/etc/os-release", "/usr/lib/os-release"};

struct OsRelease {
  std::vector<std::pair<std::string, std::string>> variables;  // in order of the file, each name once
  Notes notes;

  static OsRelease parse(std::string_view text);

  std::optional<std::string_view> find(std::string_view name) const;  // case-sensitive
  std::string_view id() const;                                        // "linux" when absent, as the page says
  std::string_view version_id() const;                                // empty when absent (rolling releases)
  std::string_view version_codename() const;
  std::string_view pretty_name() const;
  std::vector<std::string_view> id_like() const;
};

}  // namespace ocilint
