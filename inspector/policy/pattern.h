// The regular expressions of a policy itself (base/pattern.h), with their place in its file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/policy.h"

namespace ocilint {

/// Throws Error{policy} at `place`.
PolicyPattern compile_pattern(const std::string& text, const Place& place);

/// The first match: group 1 when the pattern has one, else the whole. nullopt: no match.
std::optional<std::string> first_match(const PolicyPattern& pattern, std::string_view text);

/// What every value that first_match() can give begins with; "" when nothing is sure.
std::string literal_prefix(const PolicyPattern& pattern);

}  // namespace ocilint
