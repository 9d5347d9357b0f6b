#include "base/utf8.h"

#include <cstdint>

namespace ocilint {

std::size_t first_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<std::uint8_t>(text[i]);
    std::size_t more = 0;
    std::uint8_t low = 0x80, high = 0xbf;  // bounds of the second byte
    if (lead < 0x80) {
      ++i;
      continue;
    }
    if (lead >= 0xc2 && lead <= 0xdf) {
      more = 1;
    } else if (lead >= 0xe0 && lead <= 0xef) {
      more = 2;
      if (lead == 0xe0) low = 0xa0;
      if (lead == 0xed) high = 0x9f;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
      more = 3;
      if (lead == 0xf0) low = 0x90;
      if (lead == 0xf4) high = 0x8f;
    } else {
      return i;
    }
    for (std::size_t k = 1; k <= more; ++k, low = 0x80, high = 0xbf) {
      if (i + k >= text.size()) return i;
      const auto next = static_cast<std::uint8_t>(text[i + k]);
      if (next < low || next > high) return i;
    }
    i += more + 1;
  }
  return std::string_view::npos;
}

}  // namespace ocilint
