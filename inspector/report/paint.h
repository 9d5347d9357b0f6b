// Colour for parts of a text report: only the program's own words and safe texts go through here. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ocilint {

enum class Hue : std::uint8_t { plain, red, yellow, green, grey, bold };

std::string paint(std::string_view text, Hue hue, bool color);

}  // namespace ocilint
