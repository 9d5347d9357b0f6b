#include "run/survey_owners.h"

#include "base/error.h"

namespace ocilint {

PathOwners::PathOwners(const Scanned& scanned) {
  if (scanned.packages != nullptr && scanned.packages->found() && !scanned.packages->provisional()) {
    dpkg_ = scanned.packages;
    for (const Package& package : dpkg_->packages()) names_.push_back(package.name());
  }
  for (const Manager manager : {Manager::apk, Manager::rpm, Manager::python}) add(scanned, manager);
}

void PathOwners::add(const Scanned& scanned, Manager manager) {
  Wants contents;
  contents.add(FactKind::content);
  const ImageView view(scanned, contents);
  std::vector<InstalledPackages> read;
  try {
    read = read_installed(view, std::span(&manager, 1));
  } catch (const Error&) {
    return;  // whoever asked for it has said so
  }
  if (view.pending()) return;
  for (InstalledPackages& found : read) {
    const InstalledPackages& kept = others_.emplace_back(std::move(found));
    for (const Installed& package : kept.packages) {
      if (!package.owner.empty()) continue;  // its files are that package's
      const auto owner = static_cast<std::uint32_t>(names_.size());
      names_.push_back(manager == Manager::python ? package.name + " (python)" : package.name);
      for (const InstalledFile& file : package.files) by_path_.try_emplace(file.path, owner);
    }
  }
}

std::uint32_t PathOwners::of(std::string_view path) const {
  if (dpkg_)
    if (const OwnedPath* const owned = dpkg_->find(path); owned != nullptr && owned->count > 0)
      return dpkg_->files(*owned).front().package;
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nobody : found->second;
}

}  // namespace ocilint
