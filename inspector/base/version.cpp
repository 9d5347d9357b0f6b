#include "base/version.h"

#include <algorithm>

#include "base/error.h"

namespace ocilint {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

int sign(int order) { return (order > 0) - (order < 0); }

int compare_numbers(std::string_view left, std::string_view right) {
  left.remove_prefix(std::min(left.find_first_not_of('0'), left.size()));
  right.remove_prefix(std::min(right.find_first_not_of('0'), right.size()));
  if (left.size() != right.size()) return left.size() < right.size() ? -1 : 1;
  return sign(left.compare(right));
}

// `~` sorts before the end of the text, letters before everything else.
int weight(std::string_view text) {
  if (text.empty() || is_digit(text.front())) return 0;
  if (text.front() == '~') return -1;
  const int value = static_cast<unsigned char>(text.front());
  return is_letter(text.front()) ? value : value + 256;
}

int compare_part(std::string_view left, std::string_view right) {
  while (!left.empty() || !right.empty()) {
    while ((!left.empty() && !is_digit(left.front())) || (!right.empty() && !is_digit(right.front()))) {
      const int a = weight(left), b = weight(right);
      if (a != b) return a < b ? -1 : 1;
      // Equal weights that are not 0 mean a byte on both sides; 0 on both is excluded by the loop.
      left.remove_prefix(1);
      right.remove_prefix(1);
    }
    if (const int order = compare_numbers(take_digits(left), take_digits(right))) return order;
  }
  return 0;
}

struct DebianVersion {
  std::string_view epoch, upstream, revision;
};

DebianVersion split(std::string_view text) {
  DebianVersion version;
  text = trimmed(text);
  auto rest = text;
  const auto epoch = take_digits(rest);
  if (!epoch.empty() && rest.starts_with(':')) {
    version.epoch = epoch;
    text = rest.substr(1);
  }
  const auto dash = text.rfind('-');
  version.upstream = text.substr(0, dash);
  if (dash != text.npos) version.revision = text.substr(dash + 1);
  return version;
}

std::string_view take_part(std::string_view& text) {
  const auto dot = text.find('.');
  const auto part = text.substr(0, dot);
  text.remove_prefix(dot == text.npos ? text.size() : dot + 1);
  return part;
}

constexpr std::string_view written[] = {"<<", "<=", "=", ">=", ">>"};

}  // namespace

int compare_debian(std::string_view left, std::string_view right) {
  const DebianVersion a = split(left), b = split(right);
  if (const int order = compare_numbers(a.epoch, b.epoch)) return order;
  if (const int order = compare_part(a.upstream, b.upstream)) return order;
  return compare_part(a.revision, b.revision);
}

int compare_dotted(std::string_view left, std::string_view right) {
  while (!left.empty() || !right.empty()) {
    auto a = take_part(left), b = take_part(right);
    if (const int order = compare_numbers(take_digits(a), take_digits(b))) return order;
    if (const int order = sign(a.compare(b))) return order;
  }
  return 0;
}

bool is_debian_version(std::string_view text) {
  const DebianVersion version = split(text);
  if (trimmed(text).size() != text.size() || version.upstream.empty()) return false;
  // The epoch is an int in dpkg.
  if (!version.epoch.empty() && compare_numbers(version.epoch, "2147483647") > 0) return false;
  if (text.ends_with('-')) return false;
  const auto plain = [](char c) { return is_digit(c) || is_letter(c) || c == '.' || c == '+' || c == '~'; };
  if (!std::all_of(version.revision.begin(), version.revision.end(), plain)) return false;
  // dpkg accepts `:` in the upstream part only behind an epoch.
  const bool has_epoch = !version.epoch.empty();
  return is_digit(version.upstream.front()) &&
         std::all_of(version.upstream.begin(), version.upstream.end(),
                     [&](char c) { return plain(c) || c == '-' || (c == ':' && has_epoch); });
}

VersionConstraint VersionConstraint::parse(std::string_view text) {
  auto rest = trimmed(text);
  Relation relation = Relation::equal;
  const auto mark_end = std::min(rest.find_first_not_of("<>=!~"), rest.size());
  const auto mark = rest.substr(0, mark_end);
  if (mark == "<" || mark == ">")
    throw Error(ErrorKind::policy, "\"" + std::string(mark) + "\" is ambiguous for versions; write \"" +
                                       std::string(2, mark[0]) + "\" or \"" + std::string(mark) + "=\"");
  if (!mark.empty()) {
    const auto known = mark == "==" ? std::string_view("=") : mark;
    const auto* at = std::find(std::begin(written), std::end(written), known);
    if (at == std::end(written))
      throw Error(ErrorKind::policy, "\"" + std::string(mark) + "\" is no relation of versions");
    relation = static_cast<Relation>(at - std::begin(written));
  }
  rest = trimmed(rest.substr(mark_end));
  if (rest.empty()) throw Error(ErrorKind::policy, "a version is missing in \"" + std::string(text) + "\"");
  const auto allowed = [](char c) {
    return is_digit(c) || is_letter(c) || std::string_view(".+-~:_").find(c) != std::string_view::npos;
  };
  if (!std::all_of(rest.begin(), rest.end(), allowed))
    throw Error(ErrorKind::policy, "\"" + std::string(rest) + "\" is no version");
  return {relation, std::string(rest)};
}

bool VersionConstraint::holds(int order) const {
  switch (relation_) {
    case Relation::earlier: return order < 0;
    case Relation::earlier_equal: return order <= 0;
    case Relation::equal: return order == 0;
    case Relation::later_equal: return order >= 0;
    case Relation::later: return order > 0;
  }
  return false;
}

bool VersionConstraint::matches(std::string_view version) const { return holds(compare_debian(version, version_)); }
bool VersionConstraint::matches_dotted(std::string_view version) const {
  return holds(compare_dotted(version, version_));
}

std::string VersionConstraint::text() const {
  return std::string(written[static_cast<std::size_t>(relation_)]) + ' ' + version_;
}

}  // namespace ocilint
