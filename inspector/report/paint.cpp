#include "report/paint.h"

#include <fmt/format.h>

namespace ocilint {

std::string paint(std::string_view text, Hue hue, bool color) {
  if (!color || hue == Hue::plain) return std::string(text);
  static constexpr const char* codes[] = {"", "31", "33", "32", "90", "1"};
  return fmt::format("\x1b[{}m{}\x1b[0m", codes[static_cast<int>(hue)], text);
}

}  // namespace ocilint
