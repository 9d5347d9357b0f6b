// Percent-encoding (RFC 3986, 2.1): every byte that is not unreserved becomes %XX, in capitals. Pure.
#pragma once

#include <string>
#include <string_view>

namespace ocilint {

/// `also`: bytes that stay as they are beside letters, digits, '-', '.', '_' and '~'.
std::string percent_encoded(std::string_view text, std::string_view also = {});

}  // namespace ocilint
