// Is a text valid UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF)? Pure, one pass.
#pragma once

#include <string_view>

namespace ocilint {

/// Offset of the first byte that begins no valid sequence; npos when there is none.
std::size_t first_invalid_utf8(std::string_view text);

}  // namespace ocilint
