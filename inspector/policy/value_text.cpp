#include "policy/value_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace ocilint {

bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t shown = 80;
  std::string out = "'";
  for (const char c : text.substr(0, shown)) out += has_control({&c, 1}) ? '?' : c;
  return out + (text.size() > shown ? "…'" : "'");
}

std::string_view without_end(std::string_view text) {
  while (!text.empty() && std::string_view(" \t\r\n").find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  return text;
}

std::string glob_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("*?[]{}\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string path_part(std::string_view variable, std::string_view value, bool leading, bool slashes) {
  const auto refuse = [&](std::string_view why) {
    corrupt(fmt::format("variable '{}': {} {}", variable, in_quotes(value), why));
  };
  if (leading) {
    if (!value.starts_with('/')) refuse("is no absolute path");
    while (value.size() > 1 && value.ends_with('/')) value.remove_suffix(1);
    if (value == "/") refuse("is the root, which is no part of a path");
  } else if (!slashes && value.find('/') != std::string_view::npos) {
    refuse("has a slash, which nothing in the policy allows");
  }
  std::string_view rest = leading ? value.substr(1) : value;
  const bool several = rest.find('/') != std::string_view::npos;
  while (true) {
    const std::size_t slash = rest.find('/');
    const std::string_view name = rest.substr(0, slash);
    if (name == "." || name == ".." || (name.empty() && several)) refuse("leads elsewhere in the path");
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  return std::string(value);
}

}  // namespace ocilint
