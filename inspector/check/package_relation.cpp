#include "check/package_relation.h"

#include <fmt/format.h>

#include "base/error.h"
#include "facts/dpkg_names.h"
#include "facts/lines.h"

namespace ocilint {
namespace {

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw Error(ErrorKind::policy, fmt::format("\"{}\" names no package: {}", text, why));
}

PackageRelation::Alternative parse_alternative(std::string_view text) {
  PackageRelation::Alternative out;
  std::string_view rest = trim_blanks(text);
  const std::size_t open = rest.find('(');
  if (open != std::string_view::npos) {
    if (!rest.ends_with(')')) refuse(text, "a version stands in parentheses, as in \"name (>= 1.2)\"");
    out.version = VersionConstraint::parse(trim_blanks(rest.substr(open + 1, rest.size() - open - 2)));
    rest = trim_blanks(rest.substr(0, open));
  }
  const std::size_t colon = rest.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view architecture = rest.substr(colon + 1);
    if (!is_package_name(architecture)) refuse(text, "what follows the colon is no architecture");
    if (architecture != "any") out.architecture = architecture;
    rest = rest.substr(0, colon);
  }
  if (!is_package_name(rest)) refuse(text, "letters, digits and -+._ only, beginning with a letter or digit");
  out.name = rest;
  return out;
}

}  // namespace

std::string PackageRelation::Alternative::text() const {
  std::string out = name;
  if (!architecture.empty()) out += ":" + architecture;
  if (version) out += " (" + version->text() + ")";
  return out;
}

PackageRelation PackageRelation::parse(std::string_view text) {
  PackageRelation out;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t bar = std::min(text.find('|', from), text.size());
    out.alternatives.push_back(parse_alternative(text.substr(from, bar - from)));
    from = bar + 1;
  }
  return out;
}

std::string PackageRelation::text() const {
  std::string out;
  for (const Alternative& alternative : alternatives) {
    if (!out.empty()) out += " | ";
    out += alternative.text();
  }
  return out;
}

}  // namespace ocilint
