#include "check/loader_roots.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/path.h"
#include "check/python_dists.h"

namespace ocilint {
namespace {

void select_files(const PathSet& set, const ImageView& image, LoaderRoots& out) {
  std::set<std::pair<std::string, InodeId>> known;
  for (const Selected& one : select(set, image)) {
    const bool named = std::ranges::any_of(
        set.include, [&](const Glob& glob) { return glob.is_literal() && glob.text() == one.match.path; });
    const EntryType type = one.end.found() ? image.tree()[one.end.node].type : EntryType::file;
    if (one.end.found() && type == EntryType::file) {
      const InodeId inode = image.tree()[one.end.node].inode;
      if (known.emplace(std::string(parent_path(one.match.canonical)), inode).second || named)
        out.files.push_back({one.match.canonical, named});
    } else if (named) {
      out.missing.push_back(no_regular_file(one, image));
    } else if (!one.end.found()) {
      out.dangling.push_back(one);
    } else if (type != EntryType::directory) {
      ++out.left_out["neither files nor directories"];
    }
  }
}

void select_natives(const PythonDist& dist, const ImageView& image, LoaderRoots& out) {
  const std::vector<std::string> files = native_files(image, dist);
  const auto missing = [&](const std::string& subject, std::string message) {
    out.missing.push_back({.kind = "missing",
                           .subject = subject,
                           .message = std::move(message),
                           .details = {"recorded in " + dist.record_path},
                           .layer = last_touched(image, subject),
                           .remedy = "install " + dist.name + " anew",
                           .severity = {}});
  };
  if (files.empty()) missing(dist.path, "RECORD of " + dist.title() + " lists no shared object");
  for (const std::string& file : files) {
    const Resolution at = image.resolve(file);
    if (at.found() && image.tree()[at.node].type == EntryType::file)
      out.files.push_back({at.path, true});
    else
      missing(file, "a shared object of " + dist.title() + " is not there");
  }
}

void select_distributions(const std::vector<std::string>& names, const ImageView& image, LoaderRoots& out) {
  std::set<std::string> met, seen;
  for (PythonPath& path : find_python_paths(image, {})) {
    const PythonDists dists = PythonDists::read(image, std::move(path));
    for (const PythonDist* const dist : dists.visible())
      for (const std::string& name : names)
        if (is_python_name(name, dist->normal)) {
          met.insert(name);
          if (seen.insert(dist->path).second) select_natives(*dist, image, out);
        }
  }
  for (const std::string& name : names)
    if (!met.contains(name))
      out.missing.push_back({.kind = "missing",
                             .subject = name,
                             .message = "no such Python distribution is installed",
                             .details = {},
                             .layer = {},
                             .remedy = {},
                             .severity = {}});
}

}  // namespace

LoaderRoots loader_roots(const PathSet& set, const std::vector<std::string>& distributions, const ImageView& image) {
  LoaderRoots out;
  if (!set.empty() || distributions.empty()) select_files(set, image, out);
  if (!distributions.empty()) select_distributions(distributions, image, out);
  return out;
}

}  // namespace ocilint
