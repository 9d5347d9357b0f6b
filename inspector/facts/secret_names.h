// What a variable is called and what its value looks like: the guards of the secret detectors.
//
// names_secret() splits a name on `_ - . :` and on camelCase and knows the words; words such as file, url or
// count make a name harmless, since the value is then a place or a figure. The value guards recognise what
// stands where a secret would: references, placeholders, paths, checksums. Pure; thread safe; linear.
#pragma once

#include <string_view>

namespace ocilint {

/// Would the value of a variable of this name be a secret? `*_URL` and the like: no, the value decides.
bool names_secret(std::string_view name);

/// Equal but for the case of ASCII letters.
bool same_name(std::string_view left, std::string_view right);

/// The whole value is one reference: `$NAME`, `${NAME}`.
bool is_reference(std::string_view value);
/// What a program reads it from: `settings.API_SECRET`, `DB_PASSWORD`, `password()`, `environ["PASSWORD"]`.
bool is_expression(std::string_view value);
/// A reference or a template is in it, and the value stands elsewhere: `${A}-x`, `$(cat f)`, `<token>`.
bool holds_reference(std::string_view value);
/// One or two distinct characters, or a row of equal ones.
bool is_mask(std::string_view value);
/// Made to be no secret: a mask, EXAMPLE, redacted, 0123456789.
bool is_placeholder(std::string_view value);
/// Also words of documentation (changeme, dummy), switches (true, none), paths, checksums, versions, public keys,
/// and URLs, whose parts the URL detectors judge. For values that are judged by their name alone.
bool is_harmless(std::string_view value);

/// Shannon entropy in bits a byte.
double entropy_of(std::string_view value);

}  // namespace ocilint
