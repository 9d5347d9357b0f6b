#include "facts/key_value.h"

#include <algorithm>

#include "facts/limits.h"
#include "facts/lines.h"

namespace ocilint {
namespace {

bool is_key(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
}

std::string_view unquoted(std::string_view value) {
  const bool quoted =
      value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front();
  return quoted ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

KeyValue KeyValue::parse(std::string_view text) {
  require_text(text, small_text_bytes);
  KeyValue file;
  for (Lines lines(text); lines.next();) {
    auto line = lines.text();
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = trim_blanks(line);
    if (line.empty() || line.front() == '#') continue;
    const auto mark = line.find_first_of(":=");
    const auto key = trim_blanks(line.substr(0, mark));
    if (mark == line.npos || !is_key(key)) {
      add_note(file.notes, lines.number(), "neither KEY: value nor KEY=value");
      continue;
    }
    auto value = trim_blanks(line.substr(mark + 1));
    if (line[mark] == '=') value = unquoted(value);
    file.entries.push_back({std::string(key), std::string(value), lines.number()});
  }
  return file;
}

std::optional<std::string_view> KeyValue::find(std::string_view key) const {
  const Entry* found = nullptr;
  for (const Entry& entry : entries) {
    if (entry.key != key) continue;
    if (found && found->value != entry.value)
      corrupt_line(entry.line, std::string(key) + " has another value than on line " + std::to_string(found->line));
    if (!found) found = &entry;
  }
  if (!found) return std::nullopt;
  return found->value;
}

}  // namespace ocilint
