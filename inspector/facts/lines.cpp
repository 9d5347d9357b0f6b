#include "facts/lines.h"

#include <algorithm>

#include "facts/notes.h"

namespace ocilint {

void require_text(std::string_view text, std::size_t most) {
  if (text.size() > most) limit_line(1, "more than " + std::to_string(most) + " bytes");
  if (const auto nul = text.find('\0'); nul != text.npos) {
    const auto before = text.substr(0, nul);
    corrupt_line(1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')), "a NUL byte");
  }
}

bool Lines::next() {
  if (left_.empty()) return false;
  const auto end = left_.find('\n');
  terminated_ = end != left_.npos;
  line_ = left_.substr(0, end);
  left_.remove_prefix(terminated_ ? end + 1 : left_.size());
  ++number_;
  return true;
}

std::string_view trim_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

bool has_dot_dot(std::string_view path) {
  for (std::size_t at = path.find(".."); at != path.npos; at = path.find("..", at + 1)) {
    const bool starts = at == 0 || path[at - 1] == '/';
    const bool ends = at + 2 == path.size() || path[at + 2] == '/';
    if (starts && ends) return true;
  }
  return false;
}

}  // namespace ocilint
