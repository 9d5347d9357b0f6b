#include "base/mode.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace ocilint {
namespace {

[[noreturn]] void refuse(std::string_view text) {
  throw Error(ErrorKind::policy, fmt::format("'{}' is no mode: '0644' or 'o+w' or 'u+s,g+s'", text));
}

std::uint32_t clause_bits(std::string_view clause, std::string_view text) {
  const std::size_t plus = clause.find('+');
  if (plus == std::string_view::npos || plus + 1 == clause.size()) refuse(text);
  std::string_view who = clause.substr(0, plus);
  if (who.empty()) who = "a";
  std::uint32_t bits = 0;
  for (const char w : who) {
    const int shift = w == 'u' ? 6 : w == 'g' ? 3 : 0;
    if (w != 'u' && w != 'g' && w != 'o' && w != 'a') refuse(text);
    for (const char what : clause.substr(plus + 1)) {
      const std::uint32_t bit = what == 'r' ? 4 : what == 'w' ? 2 : what == 'x' ? 1 : 0;
      if (bit != 0) {
        bits |= w == 'a' ? bit << 6 | bit << 3 | bit : bit << shift;
      } else if (what == 's') {
        bits |= w == 'a' ? 06000u : w == 'u' ? 04000u : w == 'g' ? 02000u : 0u;
      } else if (what == 't') {
        bits |= 01000;
      } else {
        refuse(text);
      }
    }
  }
  return bits;
}

}  // namespace

ModeSpec ModeSpec::parse(std::string_view text) {
  ModeSpec spec;
  const bool digits =
      !text.empty() && text.size() <= 5 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '7'; });
  if (digits) {
    spec.octal = true;
    for (const char c : text) spec.bits = spec.bits * 8 + static_cast<std::uint32_t>(c - '0');
    if (spec.bits > 07777) refuse(text);
    return spec;
  }
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    spec.bits |= clause_bits(text.substr(at, comma - at), text);
    at = comma + 1;
  }
  return spec;
}

std::string mode_text(std::uint32_t mode) { return fmt::format("{:04o}", mode); }

}  // namespace ocilint
