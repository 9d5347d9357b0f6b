#include "facts/doc_blocks.h"

#include <algorithm>

namespace ocilint {
namespace {

constexpr std::size_t none = std::string_view::npos;
// Nobody writes documentation in longer ones, and each place reads its own line.
constexpr std::size_t longest_line = 1 << 10;

std::string_view without_indent(std::string_view line) {
  return line.substr(std::min(line.size(), line.find_first_not_of(" \t")));
}

/// The first three quotes of one kind from `from` on; `quote` 0: of either.
std::size_t triple(std::string_view line, std::size_t from, char quote) {
  for (std::size_t at = from; at + 3 <= line.size(); ++at) {
    const char c = line[at];
    if ((quote == 0 ? c == '"' || c == '\'' : c == quote) && line[at + 1] == c && line[at + 2] == c) return at;
  }
  return none;
}

/// Nothing stands before the string but its prefix.
bool documents(std::string_view before) {
  return std::ranges::all_of(without_indent(before), [](char c) { return std::string_view("rRuUbB").find(c) != none; });
}

}  // namespace

void DocBlocks::State::read(std::string_view line) {
  if (line.size() >= 2 && line[0] == '=' && line[1] >= 'a' && line[1] <= 'z')
    pod = !line.starts_with("=cut") && !line.starts_with("=end");
  const std::string_view opening = without_indent(line);
  std::size_t inside = comment ? 0 : none;
  if (!comment && opening.starts_with("/*")) inside = line.size() - opening.size() + 2;
  if (inside != none) comment = line.find("*/", inside) == none;
  read_quotes(line);
}

void DocBlocks::State::read_quotes(std::string_view line) {
  for (std::size_t at, from = 0; (at = triple(line, from, quote)) != none; from = at + 3) {
    if (quote == 0) {
      quote = line[at];
      documents = ocilint::documents(line.substr(0, at));
    } else {
      quote = 0;
    }
  }
}

std::uint8_t DocBlocks::State::kinds() const {
  return static_cast<std::uint8_t>((comment ? DocBlock::comment : 0) | (pod ? DocBlock::pod : 0) |
                                   (quote != 0 && documents ? DocBlock::string : 0));
}

std::uint8_t DocBlocks::open_at(std::size_t at) {
  for (; end_ < at; line_ = end_ + 1, end_ = text_.find('\n', line_)) state_.read(text_.substr(line_, end_ - line_));
  if (at - line_ > longest_line) return 0;
  State here = state_;
  here.read(text_.substr(line_, at - line_));
  return here.kinds();
}

}  // namespace ocilint
