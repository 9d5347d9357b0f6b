#include "check/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/path.h"

namespace ocilint {

std::vector<Selected> select(const PathSet& set, const ImageView& image) {
  if (set.empty()) throw Error(ErrorKind::policy, "the check names no file to look at");
  std::vector<Selected> out;
  for (Match& match : image.match(set)) {
    Resolution end = image.resolve(match.canonical);
    out.push_back({std::move(match), std::move(end)});
  }
  return out;
}

PathSet files_of(const Params& with) {
  PathSet all = with.paths("file");
  const PathSet& more = with.paths("files");
  all.include.insert(all.include.end(), more.include.begin(), more.include.end());
  all.exclude.insert(all.exclude.end(), more.exclude.begin(), more.exclude.end());
  if (!more.text.empty()) all.text += (all.text.empty() ? "" : ", ") + more.text;
  return all;
}

std::optional<std::uint32_t> last_touched(const ImageView& image, std::string_view path) {
  const std::vector<Event> story = image.tree().story(path);
  if (story.empty()) return std::nullopt;
  return story.back().layer;
}

namespace {

/// The layer that last gave a folder on the way to `path` another type: it hid whatever was below.
std::optional<std::uint32_t> folder_changed(const ImageView& image, std::string_view path) {
  const auto type_of = [&](const InodeId& inode) {
    return inode.created() ? image.scanned().facts.layers().at(inode.layer).entries.at(inode.ordinal).type
                           : EntryType::directory;
  };
  for (std::string_view folder = parent_path(path); folder != "/"; folder = parent_path(folder)) {
    std::optional<EntryType> before;
    std::optional<std::uint32_t> changed;
    for (const Event& event : image.tree().story(folder)) {
      if (event.deed != Deed::wrote) continue;
      const EntryType now = type_of(event.inode);
      if (before && *before != now) changed = event.layer;
      before = now;
    }
    if (changed) return changed;
  }
  return std::nullopt;
}

/// Of a pattern that matches nothing: what it would have matched, and the last layer that took such a name away.
void say_removed(const ImageView& image, const Glob& glob, Finding& finding) {
  constexpr std::size_t shown = 5;
  const std::string_view prefix = glob.literal_prefix();
  const std::string_view folder = prefix.substr(0, prefix.rfind('/'));
  const Resolution at = image.resolve(folder.empty() ? "/" : folder);
  if (!at.found()) return;
  const std::size_t skipped = at.path == "/" ? 0 : at.path.size();
  std::size_t count = 0;
  for (const std::string& path : image.tree().removed_below(at.path)) {
    if (!glob.matches(std::string(folder) + path.substr(skipped))) continue;
    const auto layer = last_touched(image, path);
    if (layer > finding.layer) finding.layer = layer;
    if (count++ < shown) finding.details.push_back(fmt::format("{} was there until layer {}", path, layer.value_or(0)));
  }
  if (count > shown) finding.details.push_back(fmt::format("and {} more that are gone", count - shown));
}

}  // namespace

bool require_some(const std::vector<Selected>& selected, const PathSet& set, bool allowed, const ImageView& image,
                  Answer& answer) {
  if (!selected.empty()) return true;
  if (allowed) {
    answer.evidence("no file matches " + set.text + ", which the policy allows");
    return false;
  }
  Finding finding{.kind = "missing",
                  .subject = set.text,
                  .message = "no file of the image matches",
                  .details = {},
                  .layer = {},
                  .remedy = {},
                  .severity = {}};
  for (const Glob& glob : set.include) {
    if (glob.text() != set.text) finding.details.push_back("looked for " + glob.text());
    if (set.include.size() == 1 && glob.is_literal()) {
      // A literal path can say more: what exists of it, and who removed the rest.
      const Resolution at = image.resolve(glob.text());
      finding.subject = glob.text();
      if (at.path != glob.text()) finding.details.push_back("the first part that does not exist: " + at.path);
      finding.layer = last_touched(image, at.path);
      if (!finding.layer) finding.layer = folder_changed(image, glob.text());
    } else if (!glob.is_literal()) {
      say_removed(image, glob, finding);
    }
  }
  answer.finding(std::move(finding));
  return false;
}

std::string layer_text(const ImageView& image, std::uint32_t layer) {
  std::string text = "layer " + std::to_string(layer);
  if (layer < image.layers().size() && !image.layers()[layer].created_by.empty())
    text += ": " + image.layers()[layer].created_by;
  return text;
}

Finding no_regular_file(const Selected& selected, const ImageView& image) {
  Finding finding;
  finding.kind = "missing";
  finding.subject = selected.match.path;
  finding.message =
      selected.end.found() ? "is no regular file" : "leads to " + selected.end.path + ", which does not exist";
  finding.layer = last_touched(image, selected.end.path);
  return finding;
}

std::string describe(const Selected& selected) {
  std::string text = selected.match.path;
  for (const Hop& hop : selected.end.hops) text += " -> " + hop.target;
  const bool elsewhere = selected.end.path != selected.match.path;
  if (selected.end.found() && elsewhere) text += " (" + selected.end.path + ")";
  return text;
}

}  // namespace ocilint
