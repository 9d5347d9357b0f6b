#include "check/config_term.h"

#include <fmt/format.h>

#include "base/error.h"

namespace ocilint {
namespace {

/// `*` is any bytes; linear in the text for each star.
bool name_matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0;
  std::size_t star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

Pattern value_pattern(std::string_view regex) { return Pattern::compile("(?-m:" + std::string(regex) + ")"); }

ConfigTerm ConfigTerm::parse(std::string_view text) {
  ConfigTerm out;
  out.text_ = text;
  const std::size_t sign = text.find_first_of("=~");
  out.name_ = text.substr(0, sign);
  if (out.name_.empty())
    throw Error(ErrorKind::policy, fmt::format("'{}': a name is wanted, as in NAME, NAME=VALUE or NAME~REGEX", text));
  if (sign == std::string_view::npos) return out;
  out.value_ = text.substr(sign + 1);
  out.kind_ = text[sign] == '=' ? Kind::equal : Kind::matching;
  if (out.kind_ == Kind::matching) out.pattern_ = value_pattern(out.value_);
  return out;
}

bool ConfigTerm::names(std::string_view name) const { return name_matches(name_, name); }

bool ConfigTerm::fits(std::string_view value) const {
  switch (kind_) {
    case Kind::named: return !value.empty();
    case Kind::equal: return value == value_;
    case Kind::matching: return pattern_->found_in(value);
  }
  return false;
}

}  // namespace ocilint
