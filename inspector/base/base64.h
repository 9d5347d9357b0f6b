// Base64 (RFC 4648 section 4 and 5), strict: nullopt for anything that is none. Line breaks are skipped. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ocilint {

std::optional<std::string> decode_base64(std::string_view text);

/// With the alphabet of section 4 and padding.
std::string encode_base64(std::string_view bytes);

}  // namespace ocilint
