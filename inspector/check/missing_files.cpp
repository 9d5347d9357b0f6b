#include "check/missing_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/path.h"
#include "check/path_groups.h"
#include "check/selection.h"

namespace ocilint {
namespace {

/// What images prune: documentation, not function.
constexpr std::string_view areas[] = {"/usr/share/doc",       "/usr/share/man",     "/usr/share/locale",
                                      "/usr/share/info",      "/usr/share/lintian", "/usr/share/doc-base",
                                      "/usr/share/gnome/help"};

/// Empty: none.
std::string_view area_of(std::string_view path) {
  for (const std::string_view area : areas)
    if (path != area && is_within(path, area)) return area;
  return {};
}

}  // namespace

void MissingFiles::count(const OwnedPath& path, const FileVerdict& verdict) {
  const bool is_file =
      !verdict.expected.empty() || verdict.state == FileState::link || verdict.state == FileState::missing;
  const std::string_view area = area_of(path.path);
  // Who prunes keeps the copyright files, which licences ask for.
  if (area.empty() || !is_file || base_name(path.path) == "copyright") return;
  Share& share = shares_[{verdict.file->package, area}];
  ++share.all;
  share.gone += verdict.state == FileState::missing;
}

void MissingFiles::add(const OwnedPath& path, const FileVerdict& verdict, bool alone) {
  missing_.push_back({path.path, verdict.file, last_touched(image_, path.path), verdict.text, alone});
}

bool MissingFiles::is_pruned(const Missing& missing) const {
  const std::string_view area = area_of(missing.path);
  if (missing.alone || area.empty()) return false;
  const auto hit = shares_.find({missing.file->package, area});
  return hit == shares_.end() || hit->second.pruned();
}

void MissingFiles::report(Answer& answer) const {
  std::map<Layer, Pruned> pruned;
  std::map<std::pair<std::uint32_t, Layer>, std::vector<const Missing*>> others;
  for (const Missing& missing : missing_) {
    if (is_pruned(missing)) {
      Pruned& group = pruned[missing.layer];
      group.areas.insert(area_of(missing.path));
      ++group.packages[missing.file->package];
    } else if (missing.alone) {
      report_one(missing, answer);
    } else {
      others[{missing.file->package, missing.layer}].push_back(&missing);
    }
  }
  for (const auto& [key, files] : others) report_many(files, answer);
  for (const auto& [layer, group] : pruned) report_pruned(layer, group, answer);
}

std::string MissingFiles::owners(std::string_view path) const {
  std::set<std::string> names;
  if (const OwnedPath* const owned = db_.find(path))
    for (const PackageFile& file : db_.files(*owned)) names.insert(db_.packages()[file.package].title());
  return fmt::format("{}", fmt::join(names, ", "));
}

void MissingFiles::finish(Finding finding, const PackageFile& file, Answer& answer) const {
  const std::string name = db_.packages()[file.package].name();
  finding.kind = "missing";
  if (!finding.layer) finding.details.emplace_back("no layer ever had it");
  finding.details.push_back(fmt::format("the next unpack of {} (upgrade, reinstall) brings it back", name));
  finding.remedy = fmt::format("reinstall {}, or exclude the path", name);
  answer.finding(std::move(finding));
}

void MissingFiles::report_one(const Missing& missing, Answer& answer) const {
  Finding out;
  out.subject = missing.path;
  out.layer = missing.layer;
  out.message =
      fmt::format("a {} of {} that is not there", missing.what, db_.packages()[missing.file->package].title());
  out.details.push_back("owned by " + owners(missing.path));
  if (missing.file->diversion != nullptr)
    out.details.push_back("diverted from " + missing.file->diversion->original);
  else if (missing.file->recorded != missing.path)
    out.details.push_back(fmt::format("recorded as {}", missing.file->recorded));
  finish(std::move(out), *missing.file, answer);
}

void MissingFiles::report_many(const std::vector<const Missing*>& files, Answer& answer) const {
  std::vector<std::string> paths;
  std::map<std::string_view, const Missing*> by_path;
  for (const Missing* const missing : files) {
    by_path.emplace(missing->path, missing);
    paths.emplace_back(missing->path);
  }
  for (const PathGroup& group : group_by_folder(std::move(paths), folded)) {
    const Missing& first = *by_path.at(group.paths.front());
    if (group.folder.empty()) {
      report_one(first, answer);
      continue;
    }
    Finding out;
    out.subject = group.folder;
    out.layer = first.layer;
    out.message = fmt::format("{} files of {} below {} are not there", group.paths.size(),
                              db_.packages()[first.file->package].title(), group.folder);
    for (std::size_t i = 0; i < shown; ++i) out.details.push_back(group.paths[i]);
    out.details.push_back(fmt::format("and {} more", group.paths.size() - shown));
    finish(std::move(out), *first.file, answer);
  }
}

void MissingFiles::report_pruned(Layer layer, const Pruned& pruned, Answer& answer) const {
  const auto say = [&](std::string subject, std::string message, std::vector<std::string> details) {
    Finding out;
    out.kind = "pruned";
    out.severity = Severity::note;
    out.subject = std::move(subject);
    out.message = std::move(message);
    out.details = std::move(details);
    out.layer = layer;
    answer.finding(std::move(out));
  };
  if (pruned.packages.size() <= folded) {
    for (const auto& [index, files] : pruned.packages)
      say(db_.packages()[index].name(),
          fmt::format("{} documentation files of {} were deleted", files, db_.packages()[index].title()), {});
    return;
  }
  std::size_t all = 0;
  std::vector<std::string> details;
  for (const auto& [index, files] : pruned.packages) {
    all += files;
    if (details.size() < shown) details.push_back(fmt::format("{}: {} files", db_.packages()[index].title(), files));
  }
  details.push_back(fmt::format("and {} more packages", pruned.packages.size() - shown));
  say(std::string(*pruned.areas.begin()),
      fmt::format("{} documentation files of {} packages were deleted, below {}", all, pruned.packages.size(),
                  fmt::join(pruned.areas, ", ")),
      std::move(details));
}

}  // namespace ocilint
