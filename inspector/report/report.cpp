#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>

namespace ocilint {

std::span<const Format> formats() {
  static constexpr Format table[] = {
      {"text", "for people: findings worst first, then what passed and on what evidence", write_text},
      {"json", "for programs: everything, with a schema version", write_json},
      {"sarif", "SARIF 2.1.0, for code scanning", write_sarif},
      {"junit", "JUnit XML: a test case a check", write_junit},
      {"github", "workflow commands for annotations, at most 10", write_github},
      {"gitlab", "Code Quality", write_gitlab},
      {"markdown", "a table for step summaries, annotations and comments", write_markdown},
      {"html", "a page to look at and to show around: one file, no network", write_html, true},
  };
  return table;
}

const Format* find_format(std::string_view name) {
  const auto all = formats();
  const auto found = std::ranges::find(all, name, &Format::name);
  return found == all.end() ? nullptr : &*found;
}

std::string_view to_string(ExitStatus status) {
  switch (status) {
    case ExitStatus::good: return "pass";
    case ExitStatus::findings: return "fail";
    case ExitStatus::untrusted: return "not to be trusted";
    case ExitStatus::unreadable: return "unreadable";
  }
  return "not to be trusted";
}

std::string human_bytes(std::uint64_t bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace ocilint
