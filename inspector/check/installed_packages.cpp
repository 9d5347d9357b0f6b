#include "check/installed_packages.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "check/canonical_paths.h"
#include "check/installed_readers.h"
#include "check/package_db.h"
#include "check/python_dists.h"

namespace ocilint {
namespace {

constexpr std::pair<Manager, std::string_view> names[] = {{Manager::dpkg, "dpkg"},     {Manager::apk, "apk"},
                                                          {Manager::rpm, "rpm"},       {Manager::pacman, "pacman"},
                                                          {Manager::python, "python"}, {Manager::node, "node"}};

constexpr std::string_view pacman_folder = "/var/lib/pacman/local";

bool has(std::span<const Manager> managers, Manager one) { return std::ranges::find(managers, one) != managers.end(); }

/// Who of the operating system's packages owns a path. Made when the first distribution asks.
class Owners {
 public:
  explicit Owners(const ImageView& image) : image_(image) {}

  std::string of(std::string_view canonical) {
    if (!made_) make();
    const PackageDb& dpkg = image_.packages();
    if (const OwnedPath* const path = dpkg.find(canonical))
      return dpkg.packages()[dpkg.files(*path).front().package].title();
    const auto found = owners_.find(std::string(canonical));
    return found == owners_.end() ? std::string() : found->second;
  }

 private:
  void make() {
    made_ = true;
    for (const auto& read : {read_apk(image_), read_rpm(image_)})
      if (read)
        for (const Installed& package : read->packages)
          for (const InstalledFile& file : package.files) owners_.emplace(file.path, package.title());
  }

  const ImageView& image_;
  bool made_ = false;
  std::unordered_map<std::string, std::string> owners_;
};

}  // namespace

std::string_view to_string(Manager manager) {
  return std::ranges::find(names, manager, &std::pair<Manager, std::string_view>::first)->second;
}

std::optional<Manager> manager_of(std::string_view name) {
  const auto found = std::ranges::find(names, name, &std::pair<Manager, std::string_view>::second);
  return found == std::ranges::end(names) ? std::nullopt : std::optional(found->first);
}

void plan_installed(Plan& plan, std::span<const Manager> managers) {
  plan.packages();
  plan_apk(plan);
  plan_rpm(plan);
  if (has(managers, Manager::python)) {
    plan_python_dists(plan);
    plan_python_records(plan);
  }
  if (has(managers, Manager::node)) plan_node(plan);
}

std::vector<FoundDatabase> find_databases(const ImageView& image, std::span<const std::string_view> paths,
                                          std::vector<std::string>& problems) {
  std::vector<FoundDatabase> out;
  std::vector<std::string> gone;
  CanonicalPaths canonical(image.tree());
  for (const std::string_view path : paths) {
    const Resolution at = image.resolve(path);
    if (at.found()) {
      const Node& node = image.tree()[at.node];
      if (node.type != EntryType::file)
        problems.push_back(fmt::format("{}: a {}, not a regular file", path, to_string(node.type)));
      else if (std::ranges::none_of(out, [&](const FoundDatabase& one) { return one.path == at.path; }))
        out.push_back({at.path, node.inode});
    } else if (at.dangling() && image.tree().find(canonical.of(path))) {
      problems.push_back(fmt::format("{}: a link to {}, which is not there", path, at.path));
    } else if (const auto story = image.tree().story(canonical.of(path)); !story.empty()) {
      gone.push_back(fmt::format("layer {} removed {}", story.back().layer, path));
    }
  }
  if (out.empty() && problems.empty() && !gone.empty()) problems.push_back(gone.front());
  return out;
}

std::optional<InstalledPackages> read_pacman(const ImageView& image) {
  const Resolution at = image.resolve(pacman_folder);
  if (!at.found()) return std::nullopt;
  InstalledPackages out{.manager = Manager::pacman, .path = at.path, .problems = {}, .packages = {}};
  out.problems.push_back(fmt::format("{}: the packages are pacman's, which this version does not read", at.path));
  return out;
}

std::vector<InstalledPackages> read_installed(const ImageView& image, std::span<const Manager> managers) {
  std::vector<InstalledPackages> out;
  const auto add = [&](std::optional<InstalledPackages> read) {
    if (read) out.push_back(std::move(*read));
  };
  Owners owners(image);
  for (const Manager manager : managers) switch (manager) {
      case Manager::dpkg: break;
      case Manager::apk: add(read_apk(image)); break;
      case Manager::rpm: add(read_rpm(image)); break;
      case Manager::pacman: add(read_pacman(image)); break;
      case Manager::python: add(read_python(image, [&](std::string_view path) { return owners.of(path); })); break;
      case Manager::node: add(read_node(image)); break;
    }
  return out;
}

}  // namespace ocilint
