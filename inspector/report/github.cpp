// GitHub's workflow commands: "::error file=…,line=…,title=…::message". GitHub shows ten annotations a step, so the
// ten worst of all images are written, then a line with the number of the others and one a verdict.
#include <fmt/format.h>

#include <algorithm>

#include "report/escape.h"
#include "report/problems.h"

namespace ocilint {
namespace {

constexpr std::size_t annotations_most = 10;
constexpr std::size_t title_most = 120;
constexpr std::size_t line_most = 500;  // an annotation is a box beside a diff
constexpr std::size_t lines_most = 12;

/// Data of a command, from a text of for_terminal() and line breaks of ours.
std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out;
}

std::string_view command(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "notice";
}

std::string annotation(const Problem& problem, const ImageResult& result) {
  std::string message = for_terminal(problem.text, line_most);
  for (std::size_t i = 0; i < problem.more.size(); ++i) {
    if (i == lines_most) {
      message += fmt::format("\nand {} more lines", problem.more.size() - i);
      break;
    }
    message += "\n" + for_terminal(problem.more[i], line_most);
  }
  message += "\nimage: " + for_terminal(pinned_reference(result), line_most);
  if (!result.platform.empty()) message += " " + for_terminal(result.platform);
  for (const std::string& other : compared_with(result)) message += "\ncompared with " + for_terminal(other, line_most);
  return fmt::format("::{} file={},line={},title={}::{}\n", command(problem.severity),
                     escaped(for_terminal(problem.file), true), problem.line,
                     escaped(for_terminal(problem.id, title_most), true), escaped(message, false));
}

}  // namespace

std::string write_github(std::span<const ImageResult> results, const ReportStyle& style) {
  struct Entry {
    Problem problem;
    const ImageResult* result;
  };
  std::vector<Entry> all;
  for (const ImageResult& result : results)
    for (Problem& problem : problems_of(result, style)) all.push_back({std::move(problem), &result});
  std::ranges::stable_sort(all, {}, [](const Entry& entry) {
    return std::pair(std::min(entry.problem.kind, Problem::Kind::finding), -static_cast<int>(entry.problem.severity));
  });

  std::string out;
  const std::size_t shown = std::min(all.size(), annotations_most);
  for (std::size_t i = 0; i < shown; ++i) out += annotation(all[i].problem, *all[i].result);
  if (all.size() > shown) out += fmt::format("ocilint: and {} more\n", all.size() - shown);
  for (const ImageResult& result : results) {
    const ExitStatus status = verdict(result, style.fail_on);
    out += fmt::format("ocilint: {}{}{}: {} (exit status {})\n", for_terminal(pinned_reference(result)),
                       result.platform.empty() ? "" : " ", for_terminal(result.platform), to_string(status),
                       static_cast<int>(status));
    std::size_t known = 0;
    for (const CheckResult& check : result.checks) known += check.known_findings();
    if (known > 0) out += fmt::format("ocilint: {} of its findings are known, of the baseline\n", known);
  }
  if (results.size() > 1) out += fmt::format("ocilint: {}\n", count_images(results, style.fail_on));
  if (const std::string fixed = fixed_line(style); !fixed.empty()) out += "ocilint: " + for_terminal(fixed) + "\n";
  return out;
}

}  // namespace ocilint
