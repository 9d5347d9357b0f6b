#include "policy/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/error.h"

namespace ocilint {

PolicyPattern compile_pattern(const std::string& text, const Place& place) {
  if (text.size() > policy_pattern_bytes)
    place.fail(fmt::format("a pattern of more than {} bytes", policy_pattern_bytes));
  try {
    return {text, Pattern::compile(text)};
  } catch (const Error& e) {
    place.fail(e.what());
  }
}

std::optional<std::string> first_match(const PolicyPattern& pattern, std::string_view text) {
  return pattern.compiled.first_in(text);
}

std::string literal_prefix(const PolicyPattern& pattern) {
  constexpr int prefix_bytes = 64;  // longer prefixes select nothing better
  // Without (?m): a line anchor in front hides the prefix from RE2, and what matches begins alike.
  const re2::RE2 re(pattern.text, re2::RE2::Quiet);
  std::string least, most;
  if (!re.ok() || re.NumberOfCapturingGroups() > 0) return {};
  if (!re.PossibleMatchRange(&least, &most, prefix_bytes)) return {};
  // A prefix is sure when both ends of the range have it. RE2 writes the upper end as the successor of the
  // prefix ("lib" becomes "lic"), so that is tried too.
  for (std::size_t length = least.size(); length > 0; --length) {
    const std::string prefix = least.substr(0, length);
    std::string next = prefix;
    if (static_cast<unsigned char>(next.back()) == 0xff) continue;
    next.back() = static_cast<char>(static_cast<unsigned char>(next.back()) + 1);
    if (most.starts_with(prefix) || most == next) return prefix;
  }
  return {};
}

}  // namespace ocilint
