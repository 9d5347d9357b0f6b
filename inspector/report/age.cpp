#include "report/age.h"

#include <fmt/format.h>

namespace ocilint {
namespace {

using namespace std::chrono;

/// `count` digits, taken off the front.
std::optional<int> digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool skip(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<sys_seconds> parse_time(std::string_view text) {
  const auto y = digits(text, 4);
  const auto m = y && skip(text, '-') ? digits(text, 2) : std::nullopt;
  const auto d = m && skip(text, '-') ? digits(text, 2) : std::nullopt;
  if (!d || !(skip(text, 'T') || skip(text, 't') || skip(text, ' '))) return std::nullopt;
  const auto hour = digits(text, 2);
  const auto minute = hour && skip(text, ':') ? digits(text, 2) : std::nullopt;
  const auto second = minute && skip(text, ':') ? digits(text, 2) : std::nullopt;
  if (!second) return std::nullopt;
  const year_month_day day(year(*y), month(static_cast<unsigned>(*m)), std::chrono::day(static_cast<unsigned>(*d)));
  if (!day.ok()) return std::nullopt;
  sys_seconds out = sys_days(day) + hours(*hour) + minutes(*minute) + seconds(*second);
  if (skip(text, '.'))
    while (digits(text, 1)) {
    }
  if (text.starts_with('+') || text.starts_with('-')) {
    const int sign = text[0] == '+' ? -1 : 1;
    text.remove_prefix(1);
    const auto off_hours = digits(text, 2);
    const auto off_minutes = off_hours && skip(text, ':') ? digits(text, 2) : std::nullopt;
    if (!off_minutes) return std::nullopt;
    out += sign * (hours(*off_hours) + minutes(*off_minutes));
  }
  return out;
}

std::string age_text(std::string_view created, sys_seconds now) {
  const auto time = parse_time(created);
  if (!time || *time < sys_days(year(1970) / 1 / 2)) return "";
  if (*time > now + hours(24)) return "in the future";
  struct Unit {
    long long seconds;
    const char* name;
  };
  // A unit is used from two of it on: "20 months" says more than "1 year".
  static constexpr Unit units[] = {{31'556'952, "year"}, {2'629'746, "month"}, {604'800, "week"},
                                   {86'400, "day"},      {3'600, "hour"},      {60, "minute"}};
  const long long age = (now - *time).count();
  for (const Unit& unit : units)
    if (age >= 2 * unit.seconds) return fmt::format("{} {}s", age / unit.seconds, unit.name);
  return "now";
}

}  // namespace ocilint
