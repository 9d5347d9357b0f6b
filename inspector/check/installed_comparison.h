// One path of another manager's database (check/installed_packages.h) against the merged tree.
//
// The states are those of dpkg's comparison (check/package_comparison.h), so that a finding means the same whoever
// installed the file. A link is compared with its recorded target. A path that several packages of one manager have is
// as recorded when it is as one of them recorded it. Owner and mode are not compared. Pure; throws what the view
// throws.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/installed_packages.h"
#include "check/package_comparison.h"

namespace ocilint {

/// What one package says of one path.
struct InstalledClaim {
  const Installed* package = nullptr;
  const InstalledFile* file = nullptr;
};

struct InstalledVerdict {
  FileState state = FileState::same;
  InstalledClaim claim;          // that decided
  bool compared = false;         // with a digest or a target
  std::string expected, actual;  // "sha256 4d…", "a link to x"; "" when nothing was compared
  std::string text;              // what stands there: "a symbolic link to x, which does not exist"
  std::string target;            // canonical path that a link there finally names; "" when that does not exist
};

/// Every path of a database, sorted, with all who have it. Views into `packages`.
class InstalledIndex {
 public:
  explicit InstalledIndex(const InstalledPackages& packages);

  struct Path {
    std::string_view path;  // canonical
    std::size_t first = 0, count = 0;
  };
  const std::vector<Path>& paths() const { return paths_; }
  std::span<const InstalledClaim> claims(const Path& path) const {
    return std::span(claims_).subspan(path.first, path.count);
  }
  const Path* find(std::string_view canonical) const;

 private:
  std::vector<InstalledClaim> claims_;
  std::vector<Path> paths_;
};

InstalledVerdict compare_installed(const ImageView& image, std::string_view path,
                                   std::span<const InstalledClaim> claims);

/// Does the package say which bytes it has?
bool has_own_bytes(const InstalledFile& file);

/// Is a regular file the one that was recorded? False, too, for a claim without a digest to compare.
bool has_recorded_bytes(const ImageView& image, InodeId inode, const InstalledFile& file);

}  // namespace ocilint
