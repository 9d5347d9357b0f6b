#include "base/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/error.h"

namespace ocilint {
namespace {
constexpr std::int64_t pattern_memory = 8 << 20;  // every hostile pattern tried was refused or linear within it
}

Pattern Pattern::compile(std::string_view text) {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);
  options.set_log_errors(false);
  options.set_max_mem(pattern_memory);
  // RE2 has one-line anchors only outside its Perl mode: said in the pattern itself.
  auto compiled = std::make_shared<const RE2>("(?m)" + std::string(text), options);
  if (!compiled->ok())
    throw Error(ErrorKind::policy, fmt::format("'{}' is no regular expression: {}", text, compiled->error()));
  return Pattern(std::move(compiled));
}

bool Pattern::found_in(std::string_view text) const { return first_in(text).has_value(); }

std::optional<std::string> Pattern::first_in(std::string_view text) const {
  re2::StringPiece groups[2];
  const int wanted = std::min(compiled_->NumberOfCapturingGroups(), 1) + 1;
  const re2::StringPiece input(text.data(), text.size());
  if (!compiled_->Match(input, 0, input.size(), RE2::UNANCHORED, groups, wanted)) return std::nullopt;
  return std::string(groups[wanted - 1].data(), groups[wanted - 1].size());
}

const std::string& Pattern::text() const { return compiled_->pattern(); }

}  // namespace ocilint
