#include "report/escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <clocale>
#include <cwchar>

#include "base/utf8.h"

namespace ocilint {
namespace {

struct Character {
  char32_t code;
  std::size_t size;  // bytes; 0: no valid sequence begins here
};

Character next_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (size == 0 || text.size() < size || first_invalid_utf8(text.substr(0, size)) != std::string_view::npos)
    return {first, 0};
  char32_t code = first & (0xffu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) code = code << 6 | (byte(i) & 0x3fu);
  return {code, size};
}

/// What a reader of logs may trim from the begin of a line (Unicode's blanks).
bool blank(char32_t code) {
  return code == ' ' || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x202f ||
         code == 0x205f || code == 0x3000;
}

bool unsafe(char32_t code) {
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  if (code >= 0x200b && code <= 0x200f) return true;  // zero-width and direction marks
  if (code >= 0x2028 && code <= 0x202e) return true;  // line and paragraph separators, bidi embedding
  if (code >= 0x2060 && code <= 0x2069) return true;  // word joiner, bidi isolates
  return code == 0xfeff || (code >= 0xe0000 && code <= 0xe007f) || (code >= 0xfff9 && code <= 0xfffb);
}

/// Columns of a character: 2 of wide ones, 0 of those that are put on the one before. The C library has Unicode's
/// tables; its own locale of that name is built in. Where there is none every character counts as one.
class Widths {
 public:
  Widths() : before_(unicode() == locale_t() ? locale_t() : ::uselocale(unicode())) {}
  ~Widths() {
    if (before_ != locale_t()) ::uselocale(before_);
  }
  Widths(const Widths&) = delete;
  Widths& operator=(const Widths&) = delete;

  std::size_t of(const Character& character) const {
    if (character.size < 2 || before_ == locale_t()) return 1;
    const int width = ::wcwidth(static_cast<wchar_t>(character.code));
    return width < 0 ? 1 : static_cast<std::size_t>(width);
  }

 private:
  static locale_t unicode() {
    static const locale_t made = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t());
    return made;
  }

  locale_t before_;  // of this thread
};

}  // namespace

bool begins_log_command(std::string_view text) {
  if (!text.starts_with("##")) return false;
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  std::size_t at = 2;
  while (at < text.size() && letter(text[at])) ++at;
  return at < text.size() && text[at] == '[';
}

std::string for_terminal(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool begun = false;
  while (!text.empty()) {
    const Character character = next_character(text);
    if (character.size == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      begun = true;
      continue;
    }
    const bool first_colon = !begun && character.code == ':';
    begun = begun || !blank(character.code);
    if (first_colon)
      out += "\\x3a";
    else if (character.code == '\n')
      out += "\\n";
    else if (character.code == '\t')
      out += "\\t";
    else if (character.code == '\r')
      out += "\\r";
    else if (begins_log_command(text))
      out += "\\x23";
    else if (!unsafe(character.code))
      out += text.substr(0, character.size);
    else if (character.code < 0x80)
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(character.code));
    else
      out += fmt::format("\\u{{{:x}}}", static_cast<unsigned>(character.code));
    text.remove_prefix(character.size);
  }
  return out;
}

std::string for_terminal(std::string_view text, std::size_t most) {
  constexpr std::size_t ellipsis = 2;
  std::string safe = for_terminal(text);
  if (columns(safe) <= most) return safe;
  const Widths widths;
  std::size_t at = 0, used = 0;
  while (at < safe.size()) {
    const Character character = next_character(std::string_view(safe).substr(at));
    const std::size_t width = widths.of(character);
    if (used + width + ellipsis > most) break;
    used += width;
    at += std::max<std::size_t>(1, character.size);
  }
  safe.resize(at);
  return safe + " …";
}

namespace {

std::string without_markup(std::string_view safe) {
  std::string out;
  out.reserve(safe.size());
  for (const char c : safe) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace

std::string for_html(std::string_view text) { return without_markup(for_terminal(text)); }
std::string for_html(std::string_view text, std::size_t most) { return without_markup(for_terminal(text, most)); }

std::string for_json(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t bad = first_invalid_utf8(text);
    out += text.substr(0, bad);
    if (bad == std::string_view::npos) break;
    out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[bad]));
    text.remove_prefix(bad + 1);
  }
  return out;
}

std::size_t columns(std::string_view text) {
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return text.size();
  const Widths widths;
  std::size_t count = 0;
  while (!text.empty()) {
    const Character character = next_character(text);
    count += widths.of(character);
    text.remove_prefix(std::max<std::size_t>(1, character.size));
  }
  return count;
}

}  // namespace ocilint
