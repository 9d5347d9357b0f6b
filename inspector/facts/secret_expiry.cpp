#include "facts/secret_expiry.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/base64.h"
#include "base/error.h"
#include "base/json.h"

namespace ocilint {
namespace {

using std::chrono::sys_seconds;

constexpr std::int64_t latest = 253'402'300'799;  // 9999-12-31: what a calendar of four digits can say
constexpr std::size_t longest_payload = 64 << 10;

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || out < 0 || out > latest) return std::nullopt;
  return out;
}

std::optional<sys_seconds> time_at(std::optional<std::int64_t> seconds) {
  if (!seconds || *seconds > latest) return std::nullopt;
  return sys_seconds(std::chrono::seconds(*seconds));
}

/// 20240131T120000Z, 2024-01-31, 2024-01-31T12:00Z, 2024-01-31T12%3A00%3A00Z: digits in their order.
std::optional<sys_seconds> date_of(std::string_view text) {
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      i += 2;
    } else if (text[i] >= '0' && text[i] <= '9') {
      digits += text[i];
    } else if (std::string_view("-:TtZz.").find(text[i]) == std::string_view::npos) {
      return std::nullopt;
    }
  }
  if (digits.size() < 8) return std::nullopt;
  digits.resize(14, '0');
  const auto part = [&](std::size_t at, std::size_t size) {
    return static_cast<int>(number_of(std::string_view(digits).substr(at, size)).value_or(0));
  };
  const std::chrono::year_month_day day{std::chrono::year(part(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(part(4, 2))),
                                        std::chrono::day(static_cast<unsigned>(part(6, 2)))};
  if (!day.ok() || part(8, 2) > 24 || part(10, 2) > 59 || part(12, 2) > 60) return std::nullopt;
  return sys_seconds(std::chrono::sys_days(day)) + std::chrono::hours(part(8, 2)) + std::chrono::minutes(part(10, 2)) +
         std::chrono::seconds(part(12, 2));
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The value of a parameter of a query, whatever the case of its name.
std::string_view parameter(std::string_view text, std::string_view name) {
  for (auto from = text.begin();;) {
    const auto found = std::search(from, text.end(), name.begin(), name.end(),
                                   [](char left, char right) { return lower(left) == lower(right); });
    if (found == text.end()) return {};
    const auto at = static_cast<std::size_t>(found - text.begin());
    const std::size_t after = at + name.size();
    const bool begins = at > 0 && std::string_view("?&;").find(text[at - 1]) != std::string_view::npos;
    if (begins && after < text.size() && text[after] == '=') {
      const std::string_view value = text.substr(after + 1);
      return value.substr(0, value.find_first_of("&;\"' \t\r\n<>\\"));
    }
    from = found + 1;
  }
}

std::optional<sys_seconds> expiry_of_address(std::string_view text) {
  for (const auto& [date, length] :
       {std::pair("x-amz-date", "x-amz-expires"), std::pair("x-goog-date", "x-goog-expires")}) {
    const auto from = date_of(parameter(text, date));
    const auto seconds = number_of(parameter(text, length));
    if (from && seconds) return time_at(from->time_since_epoch().count() + *seconds);
  }
  if (const std::string_view azure = parameter(text, "se"); !azure.empty()) return date_of(azure);
  if (const std::string_view old = parameter(text, "expires"); !old.empty()) return time_at(number_of(old));
  return std::nullopt;
}

std::optional<sys_seconds> expiry_of_jwt(std::string_view token) {
  const std::size_t first = token.find('.');
  if (first == std::string_view::npos) return std::nullopt;
  const std::string_view payload = token.substr(first + 1, token.find('.', first + 1) - first - 1);
  if (payload.size() > longest_payload) return std::nullopt;
  std::string digits(payload);
  std::ranges::replace(digits, '-', '+');
  std::ranges::replace(digits, '_', '/');
  const auto text = decode_base64(digits);
  if (!text) return std::nullopt;
  try {
    const Json json = parse_json(*text);
    const auto expires = json.find("exp");
    if (expires == json.end() || !expires->is_number()) return std::nullopt;
    const double seconds = expires->get<double>();
    if (!(seconds >= 0) || seconds > static_cast<double>(latest)) return std::nullopt;
    return time_at(static_cast<std::int64_t>(seconds));
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

bool is_signature(std::string_view detector) {
  return detector == "presigned-aws" || detector == "presigned-gcs" || detector == "azure-sas-url";
}

std::optional<sys_seconds> expiry_of(std::string_view detector, std::string_view value, std::string_view around) {
  if (detector == "jwt") return expiry_of_jwt(value);
  return is_signature(detector) ? expiry_of_address(around) : std::nullopt;
}

std::string_view address_around(std::string_view text, std::size_t begin, std::size_t end) {
  constexpr std::string_view ends = " \t\r\n\"'<>`";
  const std::size_t before = begin == 0 ? std::string_view::npos : text.find_last_of(ends, begin - 1);
  const std::size_t from = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(from, std::min(text.find_first_of(ends, end), text.size()) - from);
}

std::string time_text(sys_seconds time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

}  // namespace ocilint
