#include "base/percent.h"

#include <fmt/format.h>

namespace ocilint {

std::string percent_encoded(std::string_view text, std::string_view also) {
  constexpr std::string_view unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string out;
  for (const char c : text) {
    if (unreserved.find(c) != std::string_view::npos || also.find(c) != std::string_view::npos)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace ocilint
