#include "facts/dpkg_path_filter.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "facts/limits.h"
#include "facts/lines.h"

namespace ocilint {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_letter(char c) { return is_upper(c) || is_lower(c); }
bool is_print(char c) { return c >= ' ' && c <= '~'; }

bool in_named_class(std::string_view name, char c) {
  if (name == "alpha") return is_letter(c);
  if (name == "digit") return is_digit(c);
  if (name == "alnum") return is_letter(c) || is_digit(c);
  if (name == "upper") return is_upper(c);
  if (name == "lower") return is_lower(c);
  if (name == "xdigit") return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  if (name == "space") return c == ' ' || (c >= '\t' && c <= '\r');
  if (name == "blank") return c == ' ' || c == '\t';
  if (name == "print") return is_print(c);
  if (name == "graph") return is_print(c) && c != ' ';
  if (name == "punct") return is_print(c) && c != ' ' && !is_letter(c) && !is_digit(c);
  if (name == "cntrl") return static_cast<unsigned char>(c) < 32 || c == 127;
  return false;
}

// `pattern[at]` is '['. The byte behind the closing bracket and whether `c` is in it; empty without a close:
// then '[' is an ordinary byte.
std::optional<std::pair<std::size_t, bool>> match_bracket(std::string_view pattern, std::size_t at, char c) {
  ++at;
  const bool inverted = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (inverted) ++at;
  bool in = false;
  const auto value = static_cast<unsigned char>(c);
  for (bool first = true; at < pattern.size(); first = false) {
    if (pattern[at] == ']' && !first) return std::pair{at + 1, in != inverted};
    if (pattern.substr(at).starts_with("[:")) {
      if (const auto close = pattern.find(":]", at + 2); close != pattern.npos) {
        in |= in_named_class(pattern.substr(at + 2, close - at - 2), c);
        at = close + 2;
        continue;
      }
    }
    if (pattern[at] == '\\' && ++at == pattern.size()) return std::nullopt;
    const auto low = static_cast<unsigned char>(pattern[at++]);
    auto high = low;
    if (at + 1 < pattern.size() && pattern[at] == '-' && pattern[at + 1] != ']') {
      ++at;
      if (pattern[at] == '\\' && ++at == pattern.size()) return std::nullopt;
      high = static_cast<unsigned char>(pattern[at++]);
    }
    in |= low <= value && value <= high;
  }
  return std::nullopt;
}

// One pair of quotes around the whole, as dpkg takes it off.
std::string_view unquoted(std::string_view value, std::size_t line) {
  const bool opens = value.starts_with('"') || value.starts_with('\'');
  if (!opens) return value;
  if (value.size() < 2 || value.back() != value.front()) corrupt_line(line, "unbalanced quotes");
  return value.substr(1, value.size() - 2);
}

}  // namespace

// Only the last star needs another try: what an earlier one could take, the last one can take as well.
bool fnmatch_plain(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0;
  std::size_t star = pattern.npos, resume = 0;
  while (t < text.size()) {
    std::optional<std::size_t> behind;  // the pattern behind what matched text[t]
    if (p < pattern.size()) {
      const char c = pattern[p];
      if (c == '*') {
        star = ++p;
        resume = t;
        continue;
      }
      if (c == '?') {
        behind = p + 1;
      } else if (const auto bracket = c == '[' ? match_bracket(pattern, p, text[t]) : std::nullopt) {
        if (bracket->second) behind = bracket->first;
      } else {
        const bool escaped = c == '\\' && p + 1 < pattern.size();
        if (pattern[p + escaped] == text[t]) behind = p + escaped + 1;
      }
    }
    if (behind) {
      p = *behind;
      ++t;
    } else if (star != pattern.npos) {
      p = star;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

DpkgPathFilter DpkgPathFilter::parse(std::string_view text) {
  require_text(text, small_text_bytes);
  DpkgPathFilter filter;
  for (Lines lines(text); lines.next();) {
    auto line = lines.text();
    while (!line.empty() && (line.back() == ' ' || (line.back() >= '\t' && line.back() <= '\r'))) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    const auto end =
        std::find_if_not(line.begin(), line.end(), [](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
    const auto option = line.substr(0, static_cast<std::size_t>(end - line.begin()));
    if (option != "path-exclude" && option != "path-include") continue;
    line.remove_prefix(option.size());
    line = trim_blanks(line);
    if (line.starts_with('=')) line = trim_blanks(line.substr(1));
    const auto pattern = unquoted(line, lines.number());
    if (pattern.empty()) {
      add_note(filter.notes, lines.number(), std::string(option) + " without a pattern");
      continue;
    }
    if (filter.rules.size() == path_filter_rules) limit_line(lines.number(), "too many rules");
    filter.rules.push_back({option == "path-include", std::string(pattern)});
  }
  return filter;
}

bool DpkgPathFilter::counts(std::string_view file_name) {
  return !file_name.empty() && std::all_of(file_name.begin(), file_name.end(),
                                           [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; });
}

void DpkgPathFilter::append(DpkgPathFilter later) {
  std::move(later.rules.begin(), later.rules.end(), std::back_inserter(rules));
  std::move(later.notes.begin(), later.notes.end(), std::back_inserter(notes));
}

bool DpkgPathFilter::excluded(std::string_view path) const {
  const auto last =
      std::find_if(rules.rbegin(), rules.rend(), [&](const Rule& rule) { return fnmatch_plain(rule.pattern, path); });
  return last != rules.rend() && !last->include;
}

bool DpkgPathFilter::excluded_directory(std::string_view path) const {
  if (!excluded(path)) return false;
  return std::none_of(rules.begin(), rules.end(), [&](const Rule& rule) {
    if (!rule.include) return false;
    auto fixed = std::string_view(rule.pattern).substr(0, rule.pattern.find_first_of("*?[\\"));
    // "/usr/share/doc/*/copyright" brings back /usr/share/doc and all below it.
    while (fixed.ends_with('/')) fixed.remove_suffix(1);
    return path.starts_with(fixed) || fixed.starts_with(std::string(path) + '/');
  });
}

}  // namespace ocilint
