#include "report/cases.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/escape.h"
#include "report/paint.h"

namespace ocilint {

std::string write_cases(const std::string& of, const Policy& policy, std::span<const CaseResult> results, bool color) {
  constexpr std::size_t label_width = 9;
  std::size_t width = 0;
  for (const CaseResult& one : results) width = std::max(width, columns(for_terminal(one.name)));
  std::string out;
  for (const CaseResult& one : results) {
    const std::string word = !one.evaluated ? "error" : one.differences.empty() ? "ok" : "differs";
    const std::string name = for_terminal(one.name);
    out += paint(word, one.as_expected() ? Hue::green : Hue::red, color) + std::string(label_width - word.size(), ' ') +
           name + std::string(width - columns(name), ' ') + "  " + paint(for_terminal(one.place), Hue::grey, color) +
           "\n";
    for (const std::string& difference : one.differences)
      out += std::string(label_width, ' ') + for_terminal(difference) + "\n";
  }
  const auto good = static_cast<std::size_t>(std::ranges::count_if(results, &CaseResult::as_expected));
  out += fmt::format("{}: {} case{}, {} as expected", for_terminal(of), results.size(), results.size() == 1 ? "" : "s",
                     good);
  if (good < results.size()) out += fmt::format(", {} not", results.size() - good);
  out += "\n";
  const std::vector<std::string> unseen = never_failed(policy, results);
  if (!unseen.empty())
    out += fmt::format("no case has a finding of {} of its {} checks: {}\n", unseen.size(), policy.checks.size(),
                       for_terminal(fmt::format("{}", fmt::join(unseen, ", "))));
  return out;
}

}  // namespace ocilint
