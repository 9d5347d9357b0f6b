// What looks like a secret to a detector's pattern and is none: masks, documentation, references, published
// samples, keys that are not keys. Pure; thread safe; linear in the match.
#pragma once

#include <string_view>

#include "facts/secret_detectors.h"

namespace ocilint {

/// `match` is all that the pattern matched, `name` its first group where the detector is `named`.
bool is_no_secret(const Detector& detector, SecretScope scope, std::string_view match, std::string_view name,
                  std::string_view value);

/// Do digits of base64 go on before or behind it as in a font or a picture that is written so? Then it is a part of
/// that.
bool stands_in_data(std::string_view text, std::size_t begin, std::size_t end);

/// Does `://` at this place begin an address with something before an `@`? Spares the pattern.
bool userinfo_follows(std::string_view text, std::size_t at);

}  // namespace ocilint
