// The packages of one image for a comparison with another's: versions by name, and who owns a path; dpkg's and those of
// apk, rpm, pacman, Python and Node.
//
// Points into the view, and throws what the view throws while facts are pending. What cannot be read goes into
// `unread`.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "check/installed_comparison.h"
#include "check/installed_packages.h"
#include "check/package_db.h"
#include "look/diff.h"

namespace ocilint {

class ImagePackages {
 public:
  using Name = std::pair<std::string, std::string>;  // the package's, its manager's

  /// `which`: the image in words, for `unread`.
  ImagePackages(const ImageView& view, const std::string& which, std::vector<std::string>& unread);
  ImagePackages(const ImagePackages&) = delete;  // indices_ point into others_
  ImagePackages& operator=(const ImagePackages&) = delete;

  /// With the state where dpkg did not finish; several installed versions of one name in a row.
  std::map<Name, std::string> versions() const;
  /// "" when no package has the path. Canonical paths.
  std::string owner_of(const std::string& path) const;

  static void plan(Plan& plan);

 private:
  const PackageDb* dpkg_ = nullptr;  // null where there is none that can be read
  std::vector<InstalledPackages> others_;
  std::vector<InstalledIndex> indices_;  // of others_
};

std::vector<DiffPackage> diff_packages(const ImagePackages& before, const ImagePackages& after);

}  // namespace ocilint
