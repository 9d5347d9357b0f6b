#include "look/diff_packages.h"

#include <algorithm>

#include "base/error.h"
#include "check/rule.h"
#include "look/installed_rows.h"

namespace ocilint {
namespace {

/// nullptr where the image has no database that can be read; why is said, unless it never had one or others' were read.
const PackageDb* dpkg_of(const ImageView& view, bool others, const std::string& which,
                         std::vector<std::string>& unread) {
  using Presence = PackageDb::Presence;
  try {
    const PackageDb& db = view.packages();
    if (db.found()) return &db;
    if (db.presence() == Presence::removed || (db.presence() == Presence::foreign && !others))
      unread.push_back(which + ": " + db.presence_text());
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
    unread.push_back(which + ": packages: " + error.what());
  }
  return nullptr;
}

}  // namespace

ImagePackages::ImagePackages(const ImageView& view, const std::string& which, std::vector<std::string>& unread) {
  try {
    others_ = read_installed(view, listed_managers);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal || view.pending()) throw;
    unread.push_back(which + ": packages: " + error.what());
  }
  const auto of_system = [](const InstalledPackages& one) {
    return one.manager != Manager::python && one.manager != Manager::node;
  };
  dpkg_ = dpkg_of(view, std::ranges::any_of(others_, of_system), which, unread);
  for (const InstalledPackages& one : others_) {
    for (const std::string& problem : one.problems) unread.push_back(which + ": " + problem);
    indices_.emplace_back(one);
  }
}

std::map<ImagePackages::Name, std::string> ImagePackages::versions() const {
  std::map<Name, std::string> out;
  if (dpkg_ != nullptr)
    for (const Package& package : dpkg_->packages()) {
      if (!package.control.unpacked()) continue;
      std::string text = package.control.version;
      if (!package.control.installed()) text += " (" + std::string(to_string(package.control.state)) + ")";
      out[{package.name(), "dpkg"}] = std::move(text);
    }
  std::map<Name, std::vector<std::string>> several;
  for (const InstalledPackages& one : others_)
    for (const Installed& package : one.packages) {
      if (!package.owner.empty()) continue;  // the operating system's package says it
      several[{package.name, std::string(to_string(one.manager))}].push_back(package.version);
    }
  for (auto& [name, versions] : several) {
    std::ranges::sort(versions);
    versions.erase(std::unique(versions.begin(), versions.end()), versions.end());
    std::string& text = out[name];
    for (const std::string& version : versions) text += (text.empty() ? "" : ", ") + version;
  }
  return out;
}

std::string ImagePackages::owner_of(const std::string& path) const {
  if (dpkg_ != nullptr)
    if (const OwnedPath* const owned = dpkg_->find(path))
      return dpkg_->packages()[dpkg_->files(*owned).front().package].name();
  for (const InstalledIndex& index : indices_)
    if (const InstalledIndex::Path* const claimed = index.find(path))
      return index.claims(*claimed).front().package->name;
  return "";
}

void ImagePackages::plan(Plan& plan) {
  plan.packages();
  plan_installed(plan, listed_managers);
}

std::vector<DiffPackage> diff_packages(const ImagePackages& before, const ImagePackages& after) {
  const auto one = before.versions(), two = after.versions();
  std::vector<DiffPackage> out;
  for (const auto& [name, version] : one) {
    const auto other = two.find(name);
    if (other == two.end())
      out.push_back({name.first, name.second, Change::removed, version, ""});
    else if (other->second != version)
      out.push_back({name.first, name.second, Change::changed, version, other->second});
  }
  for (const auto& [name, version] : two)
    if (!one.contains(name)) out.push_back({name.first, name.second, Change::added, "", version});
  std::ranges::stable_sort(out, {}, &DiffPackage::name);
  return out;
}

}  // namespace ocilint
