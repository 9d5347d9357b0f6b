#include "facts/python_specifier.h"

#include <algorithm>

#include "base/error.h"
#include "facts/deb822.h"
#include "facts/limits.h"
#include "facts/lines.h"

namespace ocilint {
namespace {

using Operator = PythonSpecifier::Operator;

struct Spelling {
  std::string_view text;
  Operator op;
};
// Longer ones first: "===" begins with "==".
constexpr Spelling spellings[] = {{"===", Operator::exact},     {"==", Operator::equal},
                                  {"!=", Operator::not_equal},  {"~=", Operator::compatible},
                                  {"<=", Operator::less_equal}, {">=", Operator::greater_equal},
                                  {"<", Operator::less},        {">", Operator::greater}};

}  // namespace

std::optional<PythonSpecifier> PythonSpecifier::parse(std::string_view text) {
  text = trim_blanks(text);
  const auto spelling =
      std::ranges::find_if(spellings, [&](const Spelling& each) { return text.starts_with(each.text); });
  if (spelling == std::ranges::end(spellings)) return std::nullopt;
  std::string_view operand = trim_blanks(text.substr(spelling->text.size()));
  PythonSpecifier out;
  out.op = spelling->op;
  out.operand = operand;
  out.text = std::string(spelling->text) + std::string(operand);
  if (out.op == Operator::exact) {
    const bool usable = !operand.empty() && operand.size() <= python_version_bytes &&
                        operand.find_first_of(" \t\n\r;)") == operand.npos;
    return usable ? std::optional(out) : std::nullopt;
  }
  const bool equality = out.op == Operator::equal || out.op == Operator::not_equal;
  out.wildcard = operand.ends_with(".*");
  if (out.wildcard) operand.remove_suffix(2);
  const auto version = PythonVersion::parse(operand);
  if (!version || version->text.size() != operand.size()) return std::nullopt;
  out.version = *version;
  if (out.wildcard) {
    const bool bare = version->pre == PythonVersion::Pre::none && !version->post && !version->dev;
    if (!equality || !bare || !version->local.empty()) return std::nullopt;
  }
  if (!equality && !version->local.empty()) return std::nullopt;
  if (out.op == Operator::compatible && version->release.size() < 2) return std::nullopt;
  return out;
}

bool PythonSpecifier::matches(const PythonVersion& installed) const {
  // A local part never counts against a specifier that has none, but for `>` and `<`, where it is a member of
  // the family of its version.
  const auto order = [&](const PythonVersion& left) { return compare(left, version); };
  switch (op) {
    case Operator::exact:
      return equal_without_case(installed.text, operand) || equal_without_case(installed.normal(), operand);
    case Operator::equal:
    case Operator::not_equal: {
      const bool same = wildcard ? installed.begins_with(version.epoch, version.release)
                                 : order(version.local.empty() ? installed.publicly() : installed) == 0;
      return same == (op == Operator::equal);
    }
    case Operator::compatible: {
      std::vector<std::string> prefix = version.release;
      prefix.pop_back();
      return order(installed) >= 0 && installed.begins_with(version.epoch, prefix);
    }
    case Operator::less_equal: return order(installed.publicly()) <= 0;
    case Operator::greater_equal: return order(installed) >= 0;
    case Operator::less: {
      PythonVersion bound = version;  // its own pre-releases are not below a release
      if (!version.is_prerelease()) bound.dev = "0";
      return compare(installed, bound) < 0;
    }
    case Operator::greater: {
      if (order(installed.publicly()) <= 0) return false;
      // Post-releases of a version that is none itself belong to it.
      const bool of_family = !version.post && !version.dev && same_release(installed, version) &&
                             installed.pre == version.pre && installed.pre_number == version.pre_number;
      return !of_family;
    }
  }
  return false;
}

bool PythonSpecifier::matches(std::string_view installed) const {
  if (const auto parsed = PythonVersion::parse(installed)) return matches(*parsed);
  return op == Operator::exact && equal_without_case(installed, operand);
}

PythonSpecifiers PythonSpecifiers::parse(std::string_view text) {
  PythonSpecifiers out;
  text = trim_blanks(text);
  if (text.size() > python_requirement_bytes)
    throw Error(ErrorKind::limit, "a version condition of more bytes than is allowed");
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view item = text.substr(0, comma);
    const auto specifier = PythonSpecifier::parse(item);
    if (!specifier) corrupt("'" + std::string(trim_blanks(item)) + "' is no condition on a Python version (PEP 440)");
    out.all.push_back(*specifier);
    text = trim_blanks(text.substr(std::min(comma + 1, text.size())));
  }
  return out;
}

bool PythonSpecifiers::matches(std::string_view version) const {
  return std::ranges::all_of(all, [&](const PythonSpecifier& each) { return each.matches(version); });
}

std::string PythonSpecifiers::text() const {
  std::string out;
  for (const PythonSpecifier& each : all) out += (out.empty() ? "" : ",") + each.text;
  return out;
}

}  // namespace ocilint
