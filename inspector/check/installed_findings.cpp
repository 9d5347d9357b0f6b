#include "check/installed_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/path.h"
#include "check/missing_files.h"
#include "check/path_groups.h"
#include "check/selection.h"

namespace ocilint {
namespace {

constexpr std::size_t shown_proofs = 40;  // files of must_differ that are named in the evidence

constexpr std::string_view documentation[] = {"/usr/share/doc",  "/usr/share/man",     "/usr/share/locale",
                                              "/usr/share/info", "/usr/share/gtk-doc", "/usr/share/licenses"};

bool is_documentation(std::string_view path) {
  return std::ranges::any_of(documentation,
                             [&](std::string_view area) { return path != area && is_within(path, area); });
}

std::string on_next_install(const Installed& package) {
  switch (package.manager) {
    case Manager::apk:
      return fmt::format("the next apk fix or upgrade of {} puts the package's file back", package.name);
    case Manager::rpm:
      return fmt::format("the next reinstall or upgrade of {} puts the package's file back", package.name);
    default: return fmt::format("the next install of {} puts its own file back", package.name);
  }
}

std::string how_to_install(const Installed& package) {
  switch (package.manager) {
    case Manager::apk: return "apk fix " + package.name;
    case Manager::python: return "pip install --force-reinstall --no-deps " + package.name;
    default: return "reinstall " + package.name;
  }
}

}  // namespace

bool InstalledFindings::concerns(const Installed& package) const {
  if (package.manager != Manager::python || scope_.under.empty()) return true;
  return scope_.under.has(package.path) || scope_.must_differ.has(package.path);
}

void InstalledFindings::report(const InstalledPackages& packages) {
  for (const std::string& problem : packages.problems) answer_.could_not(problem);
  report_packages(packages);
  const InstalledIndex index(packages);
  Counts counts;
  for (const InstalledIndex::Path& path : index.paths()) {
    const bool must = scope_.must_differ.has(path.path);
    if (must) take_must_differ(path, index);
    const bool selected = scope_.under.empty() || scope_.under.has(path.path);
    if (!selected && !must) continue;
    if (scope_.exclude.has(path.path)) {
      ++counts.left_out;
      continue;
    }
    const InstalledVerdict verdict = compare_installed(image_, path.path, index.claims(path));
    if (selected || verdict.state == FileState::missing) take(verdict, path.path, must, counts);
  }
  report_missing();
  report_evidence(packages, counts);
}

void InstalledFindings::report_packages(const InstalledPackages& packages) {
  for (const Installed& package : packages.packages) {
    if (!package.unusable.empty() && package.owner.empty() && concerns(package))
      answer_.could_not(fmt::format("{}: its files cannot be compared: {}", package.title(), package.unusable));
    if (!package.interrupted) continue;
    Finding out;
    out.kind = "not-configured";
    out.subject = package.name;
    out.message = fmt::format("{} did not finish with {}", to_string(package.manager), package.title());
    out.remedy = "run " + how_to_install(package) + " in the step that installed it";
    out.severity = Severity::warning;
    answer_.finding(std::move(out));
  }
}

void InstalledFindings::take(const InstalledVerdict& verdict, std::string_view path, bool must, Counts& counts) {
  const Installed& package = *verdict.claim.package;
  if (verdict.compared) {
    ++compared_;
    ++counts.compared;
    counts.packages.insert(&package);
  }
  switch (verdict.state) {
    case FileState::same: ++counts.same; return;
    case FileState::excluded: ++counts.excluded; return;
    case FileState::link: ++counts.links; return;
    case FileState::unverifiable: ++counts.unverifiable[&package]; return;
    case FileState::modified:
    case FileState::type_changed:
    case FileState::redirected:
    case FileState::without_digest:
    case FileState::conffile_modified:
      if (must || (!verdict.target.empty() && scope_.must_differ.has(verdict.target))) {
        ++counts.replaced;
        return;
      }
      break;
    case FileState::missing:
    case FileState::conffile_missing: break;
    default: return;
  }
  if (!must && (scope_.may_differ.has(path) || (!verdict.target.empty() && scope_.may_differ.has(verdict.target)))) {
    ++counts.allowed;
    return;
  }
  if (verdict.state == FileState::missing)
    missing_.push_back({&package, std::string(path), verdict.text, last_touched(image_, path), must});
  else
    report_changed(verdict, path);
}

Finding InstalledFindings::finding(std::string kind, std::string_view path, const Installed& package,
                                   std::string message) const {
  Finding out;
  out.kind = std::move(kind);
  out.subject = path;
  out.message = std::move(message);
  out.details.push_back(fmt::format("owned by {} ({})", package.title(), to_string(package.manager)));
  out.layer = last_touched(image_, path);
  return out;
}

void InstalledFindings::add(Finding finding, const Installed& package, std::string_view path) {
  if (package.manager == Manager::python && !is_library_name(path)) finding.severity = Severity::warning;
  answer_.finding(std::move(finding));
}

void InstalledFindings::note(Finding finding) {
  finding.severity = Severity::note;
  answer_.finding(std::move(finding));
}

void InstalledFindings::report_changed(const InstalledVerdict& verdict, std::string_view path) {
  const Installed& package = *verdict.claim.package;
  const auto details = [&](Finding& out) {
    if (verdict.claim.file->recorded != path) out.details.push_back("recorded as " + verdict.claim.file->recorded);
    if (!verdict.actual.empty()) {
      out.details.push_back("recorded " + verdict.expected);
      out.details.push_back("found " + verdict.actual);
    }
  };
  if (verdict.state == FileState::conffile_modified || verdict.state == FileState::conffile_missing) {
    const bool gone = verdict.state == FileState::conffile_missing;
    Finding out = finding(gone ? "conffile-missing" : "conffile-modified", path, package,
                          gone ? fmt::format("configuration file of {} was deleted", package.title())
                               : fmt::format("edited configuration file of {}", package.title()));
    details(out);
    return note(std::move(out));
  }
  std::string kind = "modified", message = fmt::format("not the file that {} brought", package.title());
  if (verdict.state == FileState::type_changed) {
    kind = "type-changed";
    message = fmt::format("{} has a file here, the image {}", package.title(), verdict.text);
  } else if (verdict.state == FileState::redirected) {
    kind = "symlink-redirected";
    message = fmt::format("link of {} leads elsewhere than recorded: {}", package.title(), verdict.text);
  } else if (verdict.state == FileState::without_digest) {
    kind = "owned-without-digest";
    message = fmt::format("a regular file where {} has a symbolic link", package.title());
  }
  Finding out = finding(std::move(kind), path, package, std::move(message));
  details(out);
  out.details.push_back(on_next_install(package));
  out.remedy = fmt::format("{}, or, if the change is meant, list the file in must_differ or may_differ",
                           how_to_install(package));
  add(std::move(out), package, path);
}

void InstalledFindings::take_must_differ(const InstalledIndex::Path& path, const InstalledIndex& index) {
  const auto node = image_.tree().find(path.path);
  if (!node || image_.tree()[*node].type != EntryType::file) return;
  const InodeId inode = image_.tree()[*node].inode;
  const InstalledClaim* with_digest = nullptr;
  for (const InstalledClaim& claim : index.claims(path)) {
    if (!has_own_bytes(*claim.file) || !claim.file->digest || !claim.file->digest->usable()) continue;
    with_digest = &claim;
    if (has_recorded_bytes(image_, inode, *claim.file)) {
      ++must_owned_;
      Finding out = finding("stock", path.path, *claim.package,
                            fmt::format("the package's own file of {}, not the replacement", claim.package->title()));
      out.details.push_back(claim.file->digest->text() + " recorded and found");
      out.remedy = "install the replacement after the last step that installs the package";
      answer_.finding(std::move(out));
      return;
    }
  }
  if (with_digest == nullptr) return;
  ++must_owned_;
  if (++must_differ_ <= shown_proofs)
    answer_.evidence(fmt::format("replaces the file of {}: {} recorded", with_digest->package->title(),
                                 with_digest->file->digest->text()),
                     std::string(path.path), last_touched(image_, path.path));
}

void InstalledFindings::report_missing() {
  using Key = std::tuple<const Installed*, std::optional<std::uint32_t>, bool>;
  std::map<Key, std::vector<const Missing*>> groups;
  const auto one = [&](const Missing& missing) {
    Finding out = finding("missing", missing.path, *missing.package,
                          fmt::format("a {} of {} that is not there", missing.what, missing.package->title()));
    out.layer = missing.layer;
    if (!out.layer) out.details.emplace_back("no layer ever had it");
    out.remedy = fmt::format("{}, or exclude the path", how_to_install(*missing.package));
    add(std::move(out), *missing.package, missing.path);
  };
  for (const Missing& missing : missing_) {
    if (missing.alone)
      one(missing);
    else
      groups[{missing.package, missing.layer, is_documentation(missing.path)}].push_back(&missing);
  }
  for (const auto& [key, files] : groups) {
    const auto& [package, layer, pruned] = key;
    if (pruned) {
      Finding out;
      out.kind = "pruned";
      out.subject = package->name;
      out.message = fmt::format("{} documentation files of {} were deleted", files.size(), package->title());
      out.layer = layer;
      note(std::move(out));
      continue;
    }
    std::vector<std::string> paths;
    std::map<std::string_view, const Missing*> by_path;
    for (const Missing* const missing : files) {
      paths.push_back(missing->path);
      by_path.emplace(missing->path, missing);
    }
    for (const PathGroup& group : group_by_folder(std::move(paths), MissingFiles::folded)) {
      if (group.folder.empty()) {
        one(*by_path.at(group.paths.front()));
        continue;
      }
      Finding out = finding(
          "missing", group.folder, *package,
          fmt::format("{} files of {} below {} are not there", group.paths.size(), package->title(), group.folder));
      out.layer = layer;
      for (std::size_t i = 0; i < MissingFiles::shown; ++i) out.details.push_back(group.paths[i]);
      out.details.push_back(fmt::format("and {} more", group.paths.size() - MissingFiles::shown));
      out.remedy = fmt::format("{}, or exclude the paths", how_to_install(*package));
      add(std::move(out), *package, group.folder);
    }
  }
  missing_.clear();
}

void InstalledFindings::report_evidence(const InstalledPackages& packages, const Counts& counts) {
  for (const auto& [package, files] : counts.unverifiable) {
    Finding out;
    out.kind = "unverifiable";
    out.subject = package->name;
    out.message = fmt::format("{} files of {} have no digest that can be compared", files, package->title());
    note(std::move(out));
  }
  const std::string_view manager = to_string(packages.manager);
  if (counts.compared > 0)
    answer_.evidence(fmt::format("compared {} files of {} packages of {} with what it recorded, {} are as recorded",
                                 counts.compared, counts.packages.size(), manager, counts.same),
                     packages.path, last_touched(image_, packages.path));
  const auto say = [&](std::size_t count, std::string_view text) {
    if (count > 0) answer_.evidence(fmt::format("{} {}", count, text));
  };
  say(counts.replaced, fmt::format("names of packages of {} are replaced, as must_differ demands", manager));
  say(counts.allowed, fmt::format("names of packages of {} differ, as may_differ allows", manager));
  say(counts.left_out, fmt::format("paths of {} were left out by exclude", manager));
  say(counts.excluded, fmt::format("files of {} are absent because they were not installed", manager));
  say(counts.links, fmt::format("symbolic links of {} have no digest to compare with", manager));
  if (packages.manager != Manager::python) return;
  const auto owned = std::ranges::count_if(packages.packages, [](const Installed& one) { return !one.owner.empty(); });
  say(static_cast<std::size_t>(owned),
      "distributions of Python are an operating system's packages, whose digests count");
  if (counts.compared > 0) say(packages.without_digests, "distributions of Python have no RECORD to compare with");
}

}  // namespace ocilint
