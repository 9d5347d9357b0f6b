#include "policy/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

namespace ocilint {
namespace {

constexpr std::int64_t pattern_memory = 8 << 20;  // what a hostile pattern may take before it is refused
constexpr int prefix_bytes = 64;                  // longer prefixes select nothing better

}  // namespace

PolicyPattern compile_pattern(const std::string& text, const Place& place) {
  if (text.size() > policy_pattern_bytes)
    place.fail(fmt::format("a pattern of more than {} bytes", policy_pattern_bytes));
  re2::RE2::Options options;
  options.set_encoding(re2::RE2::Options::EncodingLatin1);  // bytes: invalid UTF-8 must not slip through
  options.set_log_errors(false);
  options.set_max_mem(pattern_memory);
  auto compiled = std::make_shared<re2::RE2>(text, options);
  if (!compiled->ok())
    place.fail(fmt::format("'{}' is not a regular expression: {}", text, compiled->error()));
  return {text, std::move(compiled)};
}

std::optional<std::string> first_match(const PolicyPattern& pattern, std::string_view text) {
  const re2::RE2& re = *pattern.compiled;
  const int group = re.NumberOfCapturingGroups() > 0 ? 1 : 0;
  re2::StringPiece parts[2];
  if (!re.Match({text.data(), text.size()}, 0, text.size(), re2::RE2::UNANCHORED, parts, group + 1))
    return std::nullopt;
  return std::string(parts[group].data() ? parts[group].data() : "", parts[group].size());
}

std::string literal_prefix(const PolicyPattern& pattern) {
  std::string least, most;
  if (pattern.compiled->NumberOfCapturingGroups() > 0) return {};
  if (!pattern.compiled->PossibleMatchRange(&least, &most, prefix_bytes)) return {};
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
