#include "look/installed_rows.h"

#include <unordered_map>

#include "check/installed_comparison.h"
#include "check/selection.h"

namespace ocilint {

std::string state_text(FileState state) {
  switch (state) {
    case FileState::same: return "same";
    case FileState::modified: return "modified";
    case FileState::missing: return "missing";
    case FileState::type_changed: return "another type";
    case FileState::redirected: return "redirected";
    case FileState::without_digest: return "without digest";
    case FileState::conffile_modified: return "configuration, modified";
    case FileState::conffile_missing: return "configuration, missing";
    case FileState::excluded: return "excluded";
    case FileState::link: return "link";
    case FileState::other: return "folder or device";
    case FileState::never_stood: return "never there";
    case FileState::not_configured: return "not configured";
    case FileState::unverifiable: return "cannot be compared";
    case FileState::unusable: return "its list cannot be read";
  }
  return {};
}

bool is_different(FileState state) {
  return state == FileState::modified || state == FileState::type_changed || state == FileState::redirected ||
         state == FileState::without_digest || state == FileState::conffile_modified;
}

bool is_missing(FileState state) { return state == FileState::missing || state == FileState::conffile_missing; }

namespace {

PackageRow row_of(const Installed& package) {
  PackageRow row;
  row.name = package.name;
  row.version = package.version;
  row.architecture = package.architecture;
  row.source = package.source;
  row.license = package.license;
  row.vendor = package.vendor;
  row.path = package.path;
  row.owner = package.owner;
  row.status = package.interrupted ? "interrupted" : "installed";
  if (package.manual) row.mark = *package.manual ? "manual" : "automatic";
  row.unusable = package.unusable;
  return row;
}

/// Is it one of what the question asks all files of?
bool is_asked(const Installed& package, const std::string& name) {
  return !name.empty() && (package.name == name || package.name + ":" + package.architecture == name);
}

void compare(const ImageView& view, const InstalledPackages& read, const PackagesQuestion& question, ManagerLook& out) {
  out.compared = true;
  std::unordered_map<const Installed*, PackageRow*> rows;
  for (std::size_t i = 0; i < read.packages.size(); ++i) rows.emplace(&read.packages[i], &out.packages[i]);
  const InstalledIndex index(read);
  for (const InstalledIndex::Path& path : index.paths()) {
    const InstalledVerdict verdict = compare_installed(view, path.path, index.claims(path));
    PackageRow& row = *rows.at(verdict.claim.package);
    if (verdict.state != FileState::other && verdict.state != FileState::excluded) ++row.files;
    if (verdict.compared) ++row.compared;
    const bool differs = is_different(verdict.state), missing = is_missing(verdict.state);
    const auto described = [&] {
      return PackageFileRow{std::string(path.path),
                            state_text(verdict.state),
                            differs,
                            missing,
                            last_touched(view, path.path),
                            missing ? std::string() : verdict.text};
    };
    if (differs || missing) row.differing.push_back(described());
    for (const InstalledClaim& claim : index.claims(path))
      if (is_asked(*claim.package, question.files)) rows.at(claim.package)->all.push_back(described());
  }
}

}  // namespace

std::vector<ManagerLook> installed_rows(const ImageView& view, const PackagesQuestion& question,
                                        std::vector<std::string>& unread) {
  std::vector<ManagerLook> out;
  for (const InstalledPackages& read : read_installed(view, listed_managers)) {
    for (const std::string& problem : read.problems) unread.push_back(problem);
    ManagerLook& look = out.emplace_back();
    look.manager = to_string(read.manager);
    look.database = read.path;
    for (const Installed& package : read.packages) {
      look.packages.push_back(row_of(package));
      if (!package.unusable.empty() && package.owner.empty())
        unread.push_back((package.path.empty() ? package.title() : package.path) + ": " + package.unusable);
    }
    if (!question.inventory && read.manager != Manager::node && read.manager != Manager::pacman)
      compare(view, read, question, look);
  }
  return out;
}

}  // namespace ocilint
