#include "facts/dpkg_diversions.h"

#include <algorithm>
#include <numeric>

#include "base/path.h"
#include "facts/limits.h"
#include "facts/lines.h"

namespace ocilint {
namespace {

std::string read_path(const Lines& lines) {
  const auto line = lines.text();
  if (!line.starts_with('/') || has_dot_dot(line)) corrupt_line(lines.number(), "no absolute path");
  return normalise(line).path;
}

// dpkg refuses a path that two records name, on either side.
void refuse_conflicts(const std::vector<DpkgDiversion>& records) {
  std::vector<std::pair<std::string_view, std::size_t>> paths;
  paths.reserve(records.size() * 2);
  for (const DpkgDiversion& record : records) {
    paths.emplace_back(record.original, record.line);
    paths.emplace_back(record.target, record.line);
  }
  std::sort(paths.begin(), paths.end());
  const auto same =
      std::adjacent_find(paths.begin(), paths.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
  if (same != paths.end()) corrupt_line(same[1].second, "conflicting diversions of " + std::string(same->first));
}

}  // namespace

DpkgDiversions DpkgDiversions::parse(std::string_view text) {
  require_text(text, list_bytes);
  DpkgDiversions diversions;
  Lines lines(text);
  const auto advance = [&] {
    if (!lines.next()) return false;
    if (lines.text().size() > list_line_bytes) limit_line(lines.number(), "a line of more bytes than is allowed");
    if (!lines.terminated()) add_note(diversions.notes, lines.number(), "no newline at the end");
    return true;
  };
  while (advance()) {
    DpkgDiversion record;
    record.line = lines.number();
    record.original = read_path(lines);
    if (!advance()) corrupt_line(record.line, "a record of one line instead of three");
    record.target = read_path(lines);
    if (!advance()) corrupt_line(record.line, "a record of two lines instead of three");
    if (lines.text().empty()) corrupt_line(lines.number(), "no package");
    if (lines.text() != ":") record.package = lines.text();
    diversions.records.push_back(std::move(record));
  }
  auto& records = diversions.records;
  refuse_conflicts(records);
  std::sort(records.begin(), records.end(),
            [](const DpkgDiversion& a, const DpkgDiversion& b) { return a.original < b.original; });
  diversions.by_target.resize(records.size());
  std::iota(diversions.by_target.begin(), diversions.by_target.end(), std::size_t{0});
  std::sort(diversions.by_target.begin(), diversions.by_target.end(),
            [&](std::size_t a, std::size_t b) { return records[a].target < records[b].target; });
  return diversions;
}

const DpkgDiversion* DpkgDiversions::find(std::string_view original) const {
  const auto at =
      std::lower_bound(records.begin(), records.end(), original,
                       [](const DpkgDiversion& record, std::string_view path) { return record.original < path; });
  return at != records.end() && at->original == original ? &*at : nullptr;
}

const DpkgDiversion* DpkgDiversions::find_target(std::string_view target) const {
  const auto at =
      std::lower_bound(by_target.begin(), by_target.end(), target,
                       [&](std::size_t index, std::string_view path) { return records[index].target < path; });
  return at != by_target.end() && records[*at].target == target ? &records[*at] : nullptr;
}

std::string_view DpkgDiversions::place_of(std::string_view path, std::string_view package) const {
  const DpkgDiversion* record = find(path);
  if (!record || (!record->local() && record->package == package)) return path;
  return record->target;
}

}  // namespace ocilint
