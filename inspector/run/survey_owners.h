// Which package owns a path, of every manager whose database the run has read: dpkg, apk, rpm, and Python (RECORD).
//
// Nothing is read for it: a manager whose files no check (and nobody beside the checks) asked for is not known. The
// operating system's packages come before Python's. Copies what it needs; one thread. Cost: a lookup a path.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "check/image_view.h"
#include "check/installed_packages.h"
#include "check/package_db.h"

namespace ocilint {

class PathOwners {
 public:
  static constexpr std::uint32_t nobody = ~0u;

  explicit PathOwners(const Scanned& scanned);
  PathOwners(const PathOwners&) = delete;
  PathOwners& operator=(const PathOwners&) = delete;

  bool known() const { return !names_.empty(); }
  /// Of a canonical path, or nobody.
  std::uint32_t of(std::string_view path) const;
  /// "libc6", "numpy (python)"
  const std::string& name(std::uint32_t owner) const { return names_[owner]; }

 private:
  void add(const Scanned& scanned, Manager manager);

  std::shared_ptr<const PackageDb> dpkg_;  // its packages are the first owners
  std::vector<InstalledPackages> others_;
  std::unordered_map<std::string_view, std::uint32_t> by_path_;  // of others_
  std::vector<std::string> names_;
};

}  // namespace ocilint
