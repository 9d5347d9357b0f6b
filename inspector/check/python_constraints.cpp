#include "check/python_constraints.h"

#include "base/error.h"
#include "base/path.h"
#include "facts/limits.h"
#include "facts/lines.h"
#include "facts/notes.h"

namespace ocilint {
namespace {

/// A # counts at the start of a line or behind a blank; in a URL it does not.
std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != line.npos; at = line.find('#', at + 1))
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  return line;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

PythonConstraints PythonConstraints::parse(std::string_view text) {
  require_text(text, small_text_bytes);
  PythonConstraints out;
  std::string joined;
  std::size_t number = 0;
  for (Lines lines(text); lines.next();) {
    std::string_view line = lines.text();
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (joined.empty()) number = lines.number();
    line = without_comment(line);
    const bool goes_on = line.ends_with('\\');
    if (goes_on) line.remove_suffix(1);
    joined += line;
    if (goes_on) continue;
    std::string_view whole = trim_blanks(joined);
    // pip-compile puts the digests of a requirement behind it.
    if (const std::size_t hash = whole.find(" --hash"); hash != whole.npos) whole = trim_blanks(whole.substr(0, hash));
    if (whole.starts_with('-'))
      out.options.push_back("line " + std::to_string(number) + ": " + std::string(whole));
    else if (!whole.empty()) {
      try {
        out.lines.push_back({PythonRequirement::parse(whole), number});
      } catch (Error& error) {
        error.within("line " + std::to_string(number));
        throw;
      }
    }
    joined.clear();
  }
  if (!joined.empty()) corrupt_line(number, "a line goes on behind the end");
  return out;
}

std::string version_of_wheel(std::string_view url) {
  url = url.substr(0, url.find_first_of("#?"));
  if (!url.ends_with(".whl")) return {};
  std::string name;
  const std::string_view raw = url.substr(url.rfind('/') + 1);
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '%' && i + 2 < raw.size() && hex_digit(raw[i + 1]) >= 0 && hex_digit(raw[i + 2]) >= 0) {
      name += static_cast<char>(hex_digit(raw[i + 1]) * 16 + hex_digit(raw[i + 2]));
      i += 2;
    } else {
      name += raw[i];
    }
  }
  const std::size_t first = name.find('-');
  if (first == name.npos) return {};
  const std::size_t second = name.find('-', first + 1);
  return second == name.npos ? std::string() : name.substr(first + 1, second - first - 1);
}

}  // namespace ocilint
