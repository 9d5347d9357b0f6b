#include "check/package_db.h"

#include <algorithm>

#include "check/image_view.h"
#include "check/rule.h"

namespace ocilint {

std::string Package::name() const {
  return control.multi_arch == MultiArch::same && !control.architecture.empty()
             ? control.name + ":" + control.architecture
             : control.name;
}

std::string Package::title() const { return control.version.empty() ? name() : name() + " " + control.version; }

std::vector<const Package*> PackageDb::named(std::string_view name) const {
  std::vector<const Package*> out;
  const auto [first, last] = by_name_.equal_range(name);
  for (auto at = first; at != last; ++at) out.push_back(&packages_[at->second]);
  // The native one first: it is the one that a bare name means.
  std::stable_sort(out.begin(), out.end(), [&](const Package* left, const Package* right) {
    const bool left_native = left->control.architecture == native_architecture_;
    const bool right_native = right->control.architecture == native_architecture_;
    return left_native != right_native ? left_native : left->control.architecture < right->control.architecture;
  });
  return out;
}

const OwnedPath* PackageDb::find(std::string_view canonical) const {
  const auto hit = by_path_.find(canonical);
  return hit == by_path_.end() ? nullptr : &paths_[hit->second];
}

std::vector<const PackageFile*> PackageDb::diverted_from(std::string_view canonical) const {
  std::vector<const PackageFile*> out;
  const auto [first, last] = diverted_.equal_range(canonical);
  for (auto at = first; at != last; ++at) out.push_back(&files_[at->second]);
  return out;
}

std::optional<bool> PackageDb::automatic(const Package& package) const {
  if (!states_) return std::nullopt;
  const std::string& architecture = package.control.architecture;
  return states_->automatic(package.control.name, architecture == "all" ? native_architecture_ : architecture);
}

// A database with placeholders in it serves the check that made it, whose answer does not count; a view that
// has missed nothing yet gets a new one.
const PackageDb& ImageView::packages() const {
  if (scanned_.packages == nullptr || (scanned_.packages->provisional() && !pending_))
    scanned_.packages = PackageDb::read(*this);
  return *scanned_.packages;
}

void Plan::packages() {
  tree();
  for (const std::string_view glob :
       {"/var/lib/dpkg/status", "/var/lib/dpkg/arch", "/var/lib/dpkg/diversions", "/var/lib/dpkg/statoverride",
        "/var/lib/dpkg/updates/*", "/var/lib/dpkg/info/*.list", "/var/lib/dpkg/info/*.md5sums",
        "/var/lib/dpkg/info/format", "/var/lib/dpkg/status.d/**", "/var/lib/apt/extended_states", "/etc/dpkg/dpkg.cfg",
        "/etc/dpkg/dpkg.cfg.d/*", "/etc/apt/apt.conf", "/etc/apt/apt.conf.d/*", "/etc/os-release",
        "/usr/lib/os-release"})
    content(glob);
}

}  // namespace ocilint
