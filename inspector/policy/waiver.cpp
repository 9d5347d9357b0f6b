#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "facts/secret_id.h"
#include "policy/load_parts.h"

namespace ocilint {
namespace {

/// `*` any bytes, `?` one byte. For references and subjects that are no paths: a slash is a byte like others.
bool wildcard_match(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool is_path_pattern(std::string_view text) { return text.starts_with('/') || text.starts_with("**/"); }

std::string date_text(std::chrono::sys_days day) {
  const std::chrono::year_month_day date{day};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

const YamlNode& required(const YamlNode& node, std::string_view key) {
  const YamlNode* found = node.find(key);
  if (!found) node.fail(fmt::format("a waiver needs '{}'", key));
  return *found;
}

}  // namespace

std::chrono::sys_days load_date(const YamlNode& node) {
  const std::string& text = node.text();
  const auto digits = [&](std::size_t from, std::size_t count) {
    int value = 0;
    for (std::size_t i = from; i < from + count; ++i) {
      if (text[i] < '0' || text[i] > '9') node.fail(fmt::format("must be a date YYYY-MM-DD, is '{}'", text));
      value = value * 10 + (text[i] - '0');
    }
    return value;
  };
  if (text.size() != 10 || text[4] != '-' || text[7] != '-')
    node.fail(fmt::format("must be a date YYYY-MM-DD, is '{}'", text));
  const std::chrono::year_month_day date{std::chrono::year(digits(0, 4)),
                                         std::chrono::month(static_cast<unsigned>(digits(5, 2))),
                                         std::chrono::day(static_cast<unsigned>(digits(8, 2)))};
  if (!date.ok()) node.fail(fmt::format("there is no such day: '{}'", text));
  return date;
}

Waiver load_waiver(const YamlNode& node, std::chrono::sys_days today) {
  verify_keys(node, {"check", "kind", "paths", "values", "images", "reason", "owner", "expires", "ticket"});
  Waiver out;
  out.place = node.place();
  out.check = load_name(required(node, "check"));
  if (const YamlNode* kind = node.find("kind")) out.kind = load_plain(*kind);
  if (const YamlNode* paths = node.find("paths")) {
    for (const YamlNode* item : paths->texts()) {
      out.paths.push_back(load_plain(*item));
      if (!is_path_pattern(out.paths.back())) continue;
      try {
        (void)Glob::parse(out.paths.back());
      } catch (const Error& e) {
        item->fail(e.what());
      }
    }
  }
  if (const YamlNode* values = node.find("values")) {
    for (const YamlNode* item : values->texts()) {
      out.values.push_back(load_plain(*item));
      if (!is_secret_id(out.values.back())) item->fail("is no id of a value, as a finding of a secret shows it");
    }
  }
  if (const YamlNode* images = node.find("images"))
    for (const YamlNode* item : images->texts()) out.images.push_back(load_plain(*item));
  out.reason = load_plain(required(node, "reason"));
  out.owner = load_plain(required(node, "owner"));
  if (const YamlNode* ticket = node.find("ticket")) out.ticket = load_plain(*ticket);
  const YamlNode& expires = required(node, "expires");
  out.expires = load_date(expires);
  const auto furthest = today + std::chrono::days(waiver_days);
  if (out.expires > furthest)
    expires.fail(fmt::format("a waiver lasts at most {} days, until {}", waiver_days, date_text(furthest)));
  return out;
}

bool Waiver::covers(std::string_view check_id, const Finding& finding, std::string_view image) const {
  if (check_id != check || (!kind.empty() && kind != finding.kind)) return false;
  const auto subject = [&](const std::string& pattern) {
    return is_path_pattern(pattern) ? finding.subject.starts_with('/') && Glob::parse(pattern).matches(finding.subject)
                                    : wildcard_match(pattern, finding.subject);
  };
  const auto reference = [&](const std::string& pattern) { return wildcard_match(pattern, image); };
  const auto value = [&](const std::string& id) { return finding.content && finding.content->has_id(id); };
  return (paths.empty() || std::any_of(paths.begin(), paths.end(), subject)) &&
         (images.empty() || std::any_of(images.begin(), images.end(), reference)) &&
         (values.empty() || std::any_of(values.begin(), values.end(), value));
}

std::string Waiver::expires_text() const { return date_text(expires); }

}  // namespace ocilint
