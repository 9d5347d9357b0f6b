#include "check/status_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/path.h"
#include "check/canonical_paths.h"

namespace ocilint {
namespace {

constexpr std::string_view info = "/var/lib/dpkg/info";

using Key = std::tuple<std::string_view, std::string_view>;  // name, architecture
using Index = std::map<Key, const DpkgPackage*>;

Index index_of(const DpkgStatus& status) {
  Index out;
  for (const DpkgPackage& package : status.packages) out[{package.name, package.architecture}] = &package;
  return out;
}

constexpr std::pair<std::string_view, std::string DpkgPackage::*> relations[] = {
    {"Depends", &DpkgPackage::depends},       {"Pre-Depends", &DpkgPackage::pre_depends},
    {"Recommends", &DpkgPackage::recommends}, {"Suggests", &DpkgPackage::suggests},
    {"Provides", &DpkgPackage::provides},     {"Conflicts", &DpkgPackage::conflicts},
    {"Breaks", &DpkgPackage::breaks},
};

class Comparison {
 public:
  Comparison(const ImageView& image, std::uint32_t layer, StatusEdits& out)
      : image_(image), paths_(image.tree()), layer_(layer), out_(out) {}

  void compare(const DpkgStatus& before, const DpkgStatus& after) {
    const Index old = index_of(before), now = index_of(after);
    for (const auto& [key, package] : now) {
      const auto at = old.find(key);
      const DpkgPackage* const was = at == old.end() ? nullptr : at->second;
      if (was == nullptr || was->unpacked() != package->unpacked()) {
        if (package->unpacked())
          appeared(*package);
        else if (was != nullptr)
          vanished(*was);
      } else if (package->unpacked() && was->version != package->version) {
        if (!list_touched(*package))
          add(*package, "Version without a new list of its files", was->version, package->version);
      } else if (package->unpacked()) {
        same_version(*was, *package);
      }
    }
    for (const auto& [key, package] : old)
      if (package->unpacked() && !now.contains(key)) vanished(*package);
  }

 private:
  void appeared(const DpkgPackage& package) {
    if (!list_touched(package)) add(package, "installed without a list of its files", "", package.version);
  }
  void vanished(const DpkgPackage& package) {
    if (!list_touched(package)) add(package, "removed, and the list of its files stays as it was", package.version, "");
  }

  void same_version(const DpkgPackage& was, const DpkgPackage& package) {
    for (const auto& [name, field] : relations) {
      if (was.*field == package.*field) continue;
      // The same version may be installed anew, from another build.
      if (list_touched(package)) return;
      add(package, std::string(name) + " without a new version", was.*field, package.*field);
    }
  }

  /// Did the layer write or remove the list under one of the names that dpkg gives it?
  bool list_touched(const DpkgPackage& package) {
    for (const std::string& name : {package.name, package.name + ":" + package.architecture})
      for (const std::string_view extension : {".list", ".md5sums"})
        for (const Event& event : image_.tree().story(paths_.of(join(info, name + std::string(extension)))))
          if (event.layer == layer_) return true;
    return false;
  }

  void add(const DpkgPackage& package, std::string what, const std::string& before, const std::string& after) {
    const std::string& native = image_.packages().native_architecture();
    const bool plain = package.architecture == native || package.architecture == "all";
    out_.edits.push_back(
        {layer_, plain ? package.name : package.name + ":" + package.architecture, std::move(what), before, after});
  }

  const ImageView& image_;
  CanonicalPaths paths_;
  std::uint32_t layer_;
  StatusEdits& out_;
};

}  // namespace

StatusEdits find_status_edits(const ImageView& image, PackageHistory& history) {
  StatusEdits out;
  const std::string& path = image.packages().status_path();
  if (path.empty()) return out;
  std::optional<std::uint32_t> before;
  for (const Event& event : image.tree().story(path)) {
    const DpkgStatus* const now = history.status_at(event.layer);
    if (now == nullptr) {
      const std::string problem = history.status_problem(event.layer);
      if (!problem.empty()) out.problems.push_back(fmt::format("{} of layer {}: {}", path, event.layer, problem));
      continue;
    }
    if (before && *before != event.layer)
      if (const DpkgStatus* const was = history.status_at(*before); was != nullptr && was != now) {
        ++out.compared;
        Comparison(image, event.layer, out).compare(*was, *now);
      }
    before = event.layer;
  }
  return out;
}

}  // namespace ocilint
