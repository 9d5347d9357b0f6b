// Is a path of the package database in a policy's set of paths? Also for paths that do not exist any more.
//
// A policy writes /opt/rocm/lib/*, the database knows /opt/rocm-7.2.4/lib/x, and /opt/rocm is a link. What
// exists is found by a walk that follows links (ImageView::match); what is gone can only be compared as text, so
// each glob also counts with the real folder in place of its literal beginning. Read-only once made.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "check/image_view.h"
#include "check/params.h"

namespace ocilint {

class PathSelection {
 public:
  /// aim: what a selected symbolic link finally names is selected too.
  enum class Links { keep, aim };

  PathSelection(const ImageView& image, const PathSet& set, Links links);

  bool empty() const { return empty_; }
  bool has(std::string_view canonical) const;
  /// Canonical paths of the regular files that exist in the set, sorted, each once. Only with Links::aim.
  const std::vector<std::string>& files() const { return files_; }

 private:
  void add(const ImageView& image, const std::vector<Glob>& globs, GlobSet& to);

  bool empty_;
  GlobSet include_, exclude_;
  std::unordered_set<std::string> found_;
  std::vector<std::string> files_;
};

}  // namespace ocilint
