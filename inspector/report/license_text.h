// Is what a package says of its licence an expression of SPDX (annex D of the specification), of licences that are
// known here? The list is of the frequent ones: a text that is none of these is kept as a text, never guessed at. Pure.
#pragma once

#include <string_view>

namespace ocilint {

/// One identifier: "MIT".
bool is_license_id(std::string_view text);
/// Identifiers with AND, OR, WITH, parentheses; one identifier is one, too.
bool is_license_expression(std::string_view text);

}  // namespace ocilint
