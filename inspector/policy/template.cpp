#include <fmt/format.h>

#include "policy/load_parts.h"
#include "policy/policy.h"

namespace ocilint {

bool is_name(std::string_view text) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  if (text.empty() || text.size() > longest_name || letters.find(text.front()) == std::string_view::npos) return false;
  for (const char c : text)
    if (letters.find(c) == std::string_view::npos && c != '_' && c != '-' && c != '.') return false;
  return true;
}

Template Template::parse(const YamlNode& node) {
  Template out{node.text(), {}, node.place()};
  std::string literal;
  const auto flush = [&] {
    if (!literal.empty()) out.pieces.push_back({false, std::move(literal)});
    literal.clear();
  };
  const std::string& text = out.text;
  for (std::size_t i = 0; i < text.size();) {
    if (text.compare(i, 3, "$$(") == 0) {
      literal += "$(";
      i += 3;
    } else if (text.compare(i, 2, "$(") == 0) {
      const std::size_t end = text.find(')', i);
      if (end == std::string::npos) node.fail("'$(' without ')'; a plain '$(' is written '$$('");
      std::string name = text.substr(i + 2, end - i - 2);
      if (!is_name(name))
        node.fail(fmt::format("'{}' is not the name of a variable; a plain '$(' is written '$$('", name));
      flush();
      out.pieces.push_back({true, std::move(name)});
      i = end + 1;
    } else {
      literal += text[i++];
    }
  }
  flush();
  return out;
}

std::string with_placeholders(const Template& from, bool path) {
  std::string out;
  for (const Template::Piece& piece : from.pieces) {
    if (!piece.variable) {
      out += piece.text;
    } else {
      if (path && out.empty()) out += '/';
      out += 'x';
    }
  }
  return out;
}

}  // namespace ocilint
