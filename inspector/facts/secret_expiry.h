// Until when a credential is good, as it says itself: `exp` of a JSON Web Token, and what stands beside the signature
// in an address (S3, CloudFront, Google, Azure). Nobody is asked whether it is true. Pure; linear; nothing is thrown.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace ocilint {

/// Do hits of this detector stand in an address that may say when it expires?
bool is_signature(std::string_view detector);

/// `around`: the text that holds the value, or the address alone, where others could stand beside it.
std::optional<std::chrono::sys_seconds> expiry_of(std::string_view detector, std::string_view value,
                                                  std::string_view around);

/// The part of a text around [begin, end) that is one address: up to blanks and quotes.
std::string_view address_around(std::string_view text, std::size_t begin, std::size_t end);

/// "2031-01-01T00:00:00Z"
std::string time_text(std::chrono::sys_seconds time);

}  // namespace ocilint
