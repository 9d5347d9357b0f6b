#include "check/canonical_paths.h"

#include <vector>

#include "base/path.h"
#include "tree/resolve.h"

namespace ocilint {

std::string CanonicalPaths::of(std::string_view path) {
  if (path == "/") return "/";
  const std::string_view parent = parent_path(path);
  if (last_.empty() || parent != last_) {
    last_canonical_ = directory(parent);
    last_ = parent;
  }
  return join(last_canonical_, base_name(path));
}

std::string CanonicalPaths::directory(std::string_view path) {
  std::vector<std::string_view> open;
  std::string canonical = "/";
  for (std::string_view at = path; at != "/"; at = parent_path(at)) {
    if (const auto hit = known_.find(at); hit != known_.end()) {
      canonical = hit->second;
      break;
    }
    open.push_back(at);
  }
  bool stands = true;
  for (auto at = open.rbegin(); at != open.rend(); ++at) {
    canonical = join(canonical, base_name(*at));
    if (!stands) continue;
    const auto node = tree_.find(canonical);
    // What does not exist is not remembered: a hostile list could name any number of it.
    if (!node) {
      stands = false;
      continue;
    }
    if (tree_[*node].type == EntryType::symlink)
      if (Resolution target = resolve(tree_, canonical); target.found()) canonical = std::move(target.path);
    known_.emplace(*at, canonical);
  }
  return canonical;
}

}  // namespace ocilint
