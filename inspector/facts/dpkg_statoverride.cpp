#include "facts/dpkg_statoverride.h"

#include <algorithm>

#include "base/path.h"
#include "facts/limits.h"
#include "facts/lines.h"
#include "facts/passwd.h"

namespace ocilint {
namespace {

std::string_view take_field(std::string_view& line, std::size_t number) {
  const auto blank = line.find(' ');
  if (blank == line.npos || blank == 0) corrupt_line(number, "not: user group mode path");
  const auto field = line.substr(0, blank);
  line.remove_prefix(blank + 1);
  return field;
}

DpkgStatOverride::Owner read_owner(std::string_view text, std::size_t number) {
  DpkgStatOverride::Owner owner;
  if (!text.starts_with('#')) {
    owner.name = text;
    return owner;
  }
  owner.id = parse_id(text.substr(1));
  if (!owner.id) corrupt_line(number, "this is no id");
  return owner;
}

std::uint32_t read_mode(std::string_view text, std::size_t number) {
  std::uint32_t mode = 0;
  for (const char c : text) {
    if (c < '0' || c > '7') corrupt_line(number, "this is no octal mode");
    mode = mode * 8 + static_cast<std::uint32_t>(c - '0');
    if (mode > 07777) corrupt_line(number, "a mode beyond 7777");
  }
  return mode;
}

}  // namespace

DpkgStatOverride DpkgStatOverride::parse(std::string_view text) {
  require_text(text, list_bytes);
  DpkgStatOverride overrides;
  for (Lines lines(text); lines.next();) {
    auto line = lines.text();
    const std::size_t number = lines.number();
    if (line.size() > list_line_bytes) limit_line(number, "a line of more bytes than is allowed");
    if (!lines.terminated()) add_note(overrides.notes, number, "no newline at the end");
    Entry entry;
    entry.line = number;
    entry.user = read_owner(take_field(line, number), number);
    entry.group = read_owner(take_field(line, number), number);
    entry.mode = read_mode(take_field(line, number), number);
    if (!line.starts_with('/') || has_dot_dot(line)) corrupt_line(number, "no absolute path");
    entry.path = normalise(line).path;
    overrides.entries.push_back(std::move(entry));
  }
  auto& entries = overrides.entries;
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.path < b.path; });
  const auto same = std::adjacent_find(entries.begin(), entries.end(),
                                       [](const Entry& a, const Entry& b) { return a.path == b.path; });
  if (same != entries.end()) corrupt_line(same[1].line, "several overrides of " + same->path);
  return overrides;
}

const DpkgStatOverride::Entry* DpkgStatOverride::find(std::string_view path) const {
  const auto at = std::lower_bound(entries.begin(), entries.end(), path,
                                   [](const Entry& entry, std::string_view p) { return entry.path < p; });
  return at != entries.end() && at->path == path ? &*at : nullptr;
}

}  // namespace ocilint
