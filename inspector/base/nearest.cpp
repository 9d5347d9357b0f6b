#include "base/nearest.h"

#include <algorithm>
#include <vector>

namespace ocilint {
namespace {
constexpr std::size_t longest_word = 64;  // names of policies and options; beyond it nobody mistypes
}

std::size_t edit_distance(std::string_view left, std::string_view right) {
  // Rows of the classic table; the swap of neighbours looks back two of them.
  std::vector<std::size_t> before_last(right.size() + 1), last(right.size() + 1), row(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t change = left[i - 1] == right[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[right.size()];
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  if (word.empty() || word.size() > longest_word) return std::nullopt;
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  const std::string* found = nullptr;
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate.size() > longest_word) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best) {
      best = distance;
      found = &candidate;
    }
  }
  return found ? std::optional(*found) : std::nullopt;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const auto near = nearest(word, candidates);
  return near ? "; did you mean '" + *near + "'?" : std::string();
}

}  // namespace ocilint
