// The second half of PackageDbReader: from lists to one map of canonical paths.
#include <algorithm>

#include "base/path.h"
#include "check/package_db_reader.h"

namespace ocilint {

void PackageDbReader::index_files() {
  std::size_t expected = 0;
  for (const Package& package : db_.packages_) expected += std::max(package.listed.size(), package.digests.size());
  db_.files_.reserve(expected);
  path_of_file_.reserve(expected);
  db_.by_path_.reserve(expected);
  for (std::uint32_t i = 0; i < db_.packages_.size(); ++i)
    if (db_.packages_[i].control.unpacked()) add_files(i);
  group_files();
}

void PackageDbReader::add_files(std::uint32_t index) {
  const Package& package = db_.packages_[index];
  std::vector<PackageFile> files;
  std::unordered_map<std::string_view, std::uint32_t> by_name;
  files.reserve(package.listed.size());
  by_name.reserve(package.listed.size() + package.digests.size());
  const auto file_of = [&](std::string_view path, bool add) -> PackageFile* {
    const auto hit = by_name.find(path);
    if (hit != by_name.end()) return &files[hit->second];
    if (!add || path == "/") return nullptr;
    by_name.emplace(path, static_cast<std::uint32_t>(files.size()));
    return &files.emplace_back(PackageFile{.package = index, .recorded = path});
  };
  for (const std::string& path : package.listed) (void)file_of(path, true);
  std::string_view last;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string_view parent = parent_path(files[i].recorded);
    if (parent == last) continue;
    last = parent;
    if (PackageFile* const folder = file_of(parent, false)) folder->has_children = true;
  }
  // With a list, digests of paths that are not in it are what a Replaces left behind: the file is another's.
  for (const DpkgMd5sums::Entry& entry : package.digests)
    if (PackageFile* const file = file_of(entry.path, !package.has_list)) file->digest = &entry.digest;
  for (const Conffile& conffile : package.control.conffiles)
    if (PackageFile* const file = file_of(conffile.path, !package.has_list)) file->conffile = &conffile;
  for (const PackageFile& file : files) place(file);
}

void PackageDbReader::place(PackageFile file) {
  std::string path = canonical_.of(file.recorded);
  if (!diverted_.empty()) {
    const auto hit = diverted_.find(path);
    if (hit != diverted_.end() && hit->second->package != db_.packages_[file.package].control.name) {
      file.diversion = hit->second;
      db_.diverted_.emplace(std::move(path), static_cast<std::uint32_t>(db_.files_.size()));
      path = canonical_.of(file.diversion->target);
    }
  }
  auto hit = db_.by_path_.find(path);
  if (hit == db_.by_path_.end()) {
    std::string_view kept = file.recorded;
    if (path != kept) kept = db_.spellings_.emplace_back(std::move(path));
    hit = db_.by_path_.emplace(kept, static_cast<std::uint32_t>(db_.paths_.size())).first;
    db_.paths_.push_back({.path = kept});
  }
  ++db_.paths_[hit->second].count;
  db_.files_.push_back(file);
  path_of_file_.push_back(hit->second);
}

void PackageDbReader::group_files() {
  std::uint32_t next = 0;
  for (OwnedPath& path : db_.paths_) {
    path.first = next;
    next += path.count;
    path.count = 0;
  }
  std::vector<PackageFile> grouped(db_.files_.size());
  std::vector<std::uint32_t> moved(db_.files_.size());
  for (std::size_t i = 0; i < db_.files_.size(); ++i) {
    OwnedPath& path = db_.paths_[path_of_file_[i]];
    moved[i] = path.first + path.count++;
    grouped[moved[i]] = db_.files_[i];
  }
  db_.files_ = std::move(grouped);
  for (auto& [original, file] : db_.diverted_) file = moved[file];
}

}  // namespace ocilint
