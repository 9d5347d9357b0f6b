#include "check/path_selection.h"

#include <algorithm>

#include "check/canonical_paths.h"

namespace ocilint {
namespace {

std::string escaped(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (c == '*' || c == '?' || c == '[' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

/// Every file that it finds by following links it also finds as text: `**` follows none.
bool is_plain_text(const Glob& glob) { return glob.is_subtree() || glob.text().starts_with("**/"); }

}  // namespace

PathSelection::PathSelection(const ImageView& image, const PathSet& set, Links links) : empty_(set.empty()) {
  add(image, set.include, include_);
  add(image, set.exclude, exclude_);
  if (empty_) return;
  PathSet walked = set;
  if (links == Links::keep) std::erase_if(walked.include, is_plain_text);
  if (walked.include.empty()) return;
  for (const Match& match : image.match(walked)) {
    found_.insert(match.canonical);
    if (links == Links::keep) continue;
    const Resolution target = image.resolve(match.canonical);
    if (!target.found() || image.tree()[target.node].type != EntryType::file) continue;
    found_.insert(target.path);
    files_.push_back(target.path);
  }
  std::sort(files_.begin(), files_.end());
  files_.erase(std::unique(files_.begin(), files_.end()), files_.end());
}

void PathSelection::add(const ImageView& image, const std::vector<Glob>& globs, GlobSet& to) {
  CanonicalPaths canonical(image.tree());
  for (const Glob& glob : globs) {
    to.add(glob, 0);
    const std::string_view prefix = glob.literal_prefix();
    const std::size_t slash = prefix.rfind('/');
    if (slash == 0 || slash == std::string_view::npos) continue;
    const std::string_view folder = prefix.substr(0, slash);
    if (!glob.text().starts_with(folder)) continue;  // escapes within it
    const std::string real = canonical.directory(folder);
    if (real != folder)
      to.add(Glob::parse((real == "/" ? std::string() : escaped(real)) + glob.text().substr(slash)), 0);
  }
  to.freeze();
}

bool PathSelection::has(std::string_view canonical) const {
  if (empty_) return false;
  if (include_.any(canonical) && !exclude_.any(canonical)) return true;
  return !found_.empty() && found_.contains(std::string(canonical));
}

}  // namespace ocilint
