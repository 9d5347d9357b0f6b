#include "check/path_groups.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "base/path.h"

namespace ocilint {
namespace {

/// The deepest folder that has both.
std::string_view common_folder(std::string_view first, std::string_view last) {
  std::string_view folder = parent_path(first);
  while (!is_within(last, folder)) folder = parent_path(folder);
  return folder;
}

std::size_t depth(std::string_view folder) {
  return folder == "/" ? 0 : static_cast<std::size_t>(std::count(folder.begin(), folder.end(), '/'));
}

}  // namespace

std::vector<PathGroup> group_by_folder(std::vector<std::string> paths, std::size_t most) {
  // By components, so that what is below one folder stands together.
  std::ranges::sort(paths, [](const std::string& left, const std::string& right) {
    return std::ranges::lexicographical_compare(
        left, right, [](char a, char b) { return (a == '/' ? '\0' : a) < (b == '/' ? '\0' : b); });
  });
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  std::vector<PathGroup> groups;
  std::vector<std::span<std::string>> open{paths};
  while (!open.empty()) {
    const std::span<std::string> part = open.back();
    open.pop_back();
    if (part.size() <= most) {
      for (std::string& path : part) groups.push_back({{}, {std::move(path)}});
      continue;
    }
    const std::string folder(common_folder(part.front(), part.back()));
    if (depth(folder) >= 2) {
      groups.push_back({folder, {part.begin(), part.end()}});
      continue;
    }
    const std::size_t start = folder == "/" ? 1 : folder.size() + 1;
    const auto child = [start](std::string_view path) { return path.substr(0, path.find('/', start)); };
    std::vector<std::span<std::string>> parts;
    for (std::size_t from = 0; from < part.size();) {
      std::size_t to = from + 1;
      while (to < part.size() && child(part[to]) == child(part[from])) ++to;
      parts.push_back(part.subspan(from, to - from));
      from = to;
    }
    if (parts.size() == 1) {  // a path and what is below it
      groups.push_back({std::string(child(part.front())), {part.begin(), part.end()}});
      continue;
    }
    // Files right in a shallow folder stay alone, one part each.
    open.insert(open.end(), parts.rbegin(), parts.rend());
  }
  return groups;
}

}  // namespace ocilint
