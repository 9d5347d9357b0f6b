#include "check/package_db_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/path.h"
#include "facts/dpkg_list.h"
#include "facts/dpkg_names.h"
#include "facts/lines.h"

namespace ocilint {
namespace {

constexpr std::string_view dpkg = "/var/lib/dpkg";
constexpr std::string_view status = "/var/lib/dpkg/status";
constexpr std::string_view status_d = "/var/lib/dpkg/status.d";
constexpr std::string_view info = "/var/lib/dpkg/info";
constexpr std::size_t architectures_most = 64;  // dpkg knows of some hundred; a real image has two

/// Other managers' databases (check/installed_packages.h): an image that has one has packages, so no check may say
/// that it does not concern it.
constexpr std::pair<std::string_view, std::string_view> foreign[] = {
    {"/var/lib/rpm", "rpm"},          {"/usr/lib/sysimage/rpm", "rpm"},     {"/usr/share/rpm", "rpm"},
    {"/lib/apk/db/installed", "apk"}, {"/usr/lib/apk/db/installed", "apk"}, {"/var/lib/pacman/local", "pacman"},
};

std::string key_of(const DpkgPackage& control) { return control.name + " " + control.architecture; }

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::shared_ptr<const PackageDb> PackageDb::read(const ImageView& image) {
  return std::make_shared<const PackageDb>(PackageDbReader(image).read());
}

PackageDb PackageDbReader::read() {
  if (find_presence()) {
    read_status();
    read_journal();
    read_distroless();
    read_native_architecture();
    read_architectures();
    read_diversions();
    read_filter();
    read_states();
    read_lists();
    for (std::uint32_t i = 0; i < db_.packages_.size(); ++i) db_.by_name_.emplace(db_.packages_[i].control.name, i);
    index_files();
  }
  db_.provisional_ = image_.pending();
  return std::move(db_);
}

const std::string* PackageDbReader::text(std::string_view path) {
  const Resolution at = image_.resolve(path);
  if (!at.found()) {
    if (at.dangling() && image_.tree().find(path)) corrupt(fmt::format("a link to {}, which is not there", at.path));
    return nullptr;
  }
  const Node& node = image_.tree()[at.node];
  if (node.type != EntryType::file) corrupt(fmt::format("a {}, not a regular file", to_string(node.type)));
  return &image_.content(node.inode);
}

std::vector<std::string> PackageDbReader::names_in(std::string_view directory) {
  std::vector<std::string> out;
  const Resolution at = image_.resolve(directory);
  if (!at.found()) return out;
  for (const NodeId child : image_.tree().children(at.node)) out.emplace_back(image_.tree().name(child));
  return out;
}

bool PackageDbReader::find_presence() {
  const bool has_status = image_.resolve(status).found() || image_.tree().find(status).has_value();
  const bool has_lists =
      std::ranges::any_of(names_in(info), [](const std::string& name) { return name.ends_with(".list"); });
  if (has_status || !names_in(status_d).empty()) {
    db_.presence_ = PackageDb::Presence::found;
    return true;
  }
  db_.status_path_ = canonical_.of(status);
  const std::vector<Event> story = image_.tree().story(db_.status_path_);
  if (!story.empty()) {
    db_.presence_ = PackageDb::Presence::removed;
    db_.presence_text_ = fmt::format("layer {} removed dpkg's status file", story.back().layer);
  } else if (has_lists) {
    corrupt(fmt::format("{} has lists of packages, but there is no status file", info));
  } else {
    db_.presence_text_ = "the image has no package database that is known here (dpkg, rpm, apk, pacman)";
    for (const auto& [path, kind] : foreign) {
      if (!image_.resolve(path).found()) continue;
      db_.presence_ = PackageDb::Presence::foreign;
      db_.presence_text_ = fmt::format("the packages are {}'s ({}), not dpkg's", kind, path);
      break;
    }
  }
  return false;
}

void PackageDbReader::add(DpkgPackage control, bool distroless) {
  const auto [at, fresh] = known_.try_emplace(key_of(control), static_cast<std::uint32_t>(db_.packages_.size()));
  // dpkg, too, takes the later of two stanzas. A stanza of status.d tells nothing that status does not.
  if (!fresh && distroless && !db_.packages_[at->second].distroless) return;
  if (fresh) db_.packages_.emplace_back();
  Package& package = db_.packages_[at->second];
  package.control = std::move(control);
  package.distroless = distroless;
}

void PackageDbReader::read_status() {
  db_.status_path_ = canonical_.of(status);
  try {
    const std::string* const found = text(status);
    if (found == nullptr) return;
    for (DpkgPackage& control : DpkgStatus::parse(*found).packages) add(std::move(control), false);
  } catch (Error& error) {
    error.within(status);
    throw;
  }
}

void PackageDbReader::read_journal() {
  const std::string folder = join(dpkg, "updates");
  for (const std::string& name : names_in(folder)) {
    if (!all_digits(name)) continue;  // dpkg itself leaves "tmp.i" alone
    const std::string path = join(folder, name);
    try {
      const std::string* const found = text(path);
      if (found == nullptr) continue;
      for (DpkgPackage& control : DpkgStatus::parse(*found).packages) add(std::move(control), false);
      db_.journal_.push_back(path);
    } catch (Error& error) {
      error.within(path);
      throw;
    }
  }
}

void PackageDbReader::read_distroless() {
  for (const std::string& name : names_in(status_d)) {
    if (name.ends_with(".md5sums")) continue;
    const std::string path = join(status_d, name);
    try {
      const std::string* const found = text(path);
      if (found == nullptr) continue;
      for (DpkgPackage& control : DpkgStatus::parse(*found, DpkgStatus::Variant::status_d).packages) {
        distroless_names_.emplace(control.name, name);
        add(std::move(control), true);
      }
    } catch (const Error& error) {
      DpkgPackage control;
      control.name = name;
      control.state = DpkgState::installed;
      add(std::move(control), true);
      db_.packages_.back().unusable = fmt::format("{}: {}", path, error.what());
    }
  }
}

void PackageDbReader::read_native_architecture() {
  const std::string* const recorded = text("/var/lib/dpkg/arch");
  if (recorded != nullptr && recorded->find('\n') != std::string::npos) {
    db_.native_architecture_ = recorded->substr(0, recorded->find('\n'));
    return;
  }
  for (const std::string_view name : {"dpkg", "libc6", "libc6.1", "base-files"})
    for (const Package& package : db_.packages_)
      if (package.control.name == name && package.control.architecture != "all" && package.control.unpacked()) {
        db_.native_architecture_ = package.control.architecture;
        return;
      }
  const Platform platform = image_.config().platform.normalised();
  db_.native_architecture_ = platform.architecture == "arm"       ? "armhf"
                             : platform.architecture == "386"     ? "i386"
                             : platform.architecture == "ppc64le" ? "ppc64el"
                                                                  : platform.architecture;
  if (!db_.native_architecture_.empty()) return;
  // A configuration without platform: what most packages are built for.
  std::map<std::string_view, std::size_t> counts;
  for (const Package& package : db_.packages_)
    if (package.control.architecture != "all") ++counts[package.control.architecture];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
  if (most != counts.end()) db_.native_architecture_ = most->first;
}

// dpkg writes this file only where a foreign architecture was added.
void PackageDbReader::read_architectures() {
  db_.architectures_.push_back(db_.native_architecture_);
  const std::string* const recorded = text("/var/lib/dpkg/arch");
  if (recorded == nullptr) return;
  for (Lines lines(*recorded); lines.next();) {
    const std::string architecture(trim_blanks(lines.text()));
    auto& known = db_.architectures_;
    if (architecture.empty() || std::ranges::find(known, architecture) != known.end()) continue;
    if (known.size() == architectures_most) throw Error(ErrorKind::limit, "var/lib/dpkg/arch: too many architectures");
    known.push_back(architecture);
  }
}

void PackageDbReader::problem(std::string_view path, const std::exception& error) {
  db_.problems_.push_back(fmt::format("{}: {}", path, error.what()));
}

void PackageDbReader::read_diversions() {
  const std::string path = join(dpkg, "diversions");
  try {
    if (const std::string* const found = text(path)) db_.diversions_ = DpkgDiversions::parse(*found);
    for (const DpkgDiversion& record : db_.diversions_.records)
      diverted_.emplace(canonical_.of(record.original), &record);
  } catch (const Error& error) {
    problem(path, error);
  }
  const std::string overrides = join(dpkg, "statoverride");
  try {
    if (const std::string* const found = text(overrides)) db_.stat_overrides_ = DpkgStatOverride::parse(*found);
  } catch (const Error& error) {
    problem(overrides, error);
  }
}

void PackageDbReader::read_filter() {
  std::vector<std::string> paths;
  for (const std::string& name : names_in("/etc/dpkg/dpkg.cfg.d"))
    if (DpkgPathFilter::counts(name)) paths.push_back(join("/etc/dpkg/dpkg.cfg.d", name));
  paths.emplace_back("/etc/dpkg/dpkg.cfg");
  for (const std::string& path : paths) {
    try {
      if (const std::string* const found = text(path)) db_.filter_.append(DpkgPathFilter::parse(*found));
    } catch (const Error& error) {
      problem(path, error);
    }
  }
}

void PackageDbReader::read_states() {
  constexpr std::string_view path = "/var/lib/apt/extended_states";
  try {
    if (const std::string* const found = text(path))
      db_.states_ = AptExtendedStates::parse(*found);
    else
      db_.states_problem_ = fmt::format("there is no {}: nothing records which packages are automatic", path);
  } catch (const Error& error) {
    db_.states_problem_ = fmt::format("{}: {}", path, error.what());
  }
}

void PackageDbReader::read_lists() {
  int info_format = 0;
  const std::string path = join(info, "format");
  try {
    const std::string* const found = text(path);
    if (found != nullptr && !(found->empty() && image_.pending())) info_format = parse_info_format(*found);
  } catch (const Error& error) {
    problem(path, error);
    return;
  }
  for (Package& package : db_.packages_) {
    if (!package.control.unpacked() || !package.unusable.empty()) continue;
    try {
      read_list(package, info_format);
      package.digests_path = info_path(package, info_format, ".md5sums");
      read_digests(package);
      if (!package.has_list && !package.has_digest_file && !package.distroless)
        package.unusable = fmt::format("there is neither {} nor {}", package.list_path, package.digests_path);
    } catch (const Error& error) {
      package.unusable = error.what();
    }
  }
}

std::string PackageDbReader::info_path(const Package& package, int info_format, std::string_view extension) {
  const DpkgPackage& control = package.control;
  std::vector<std::string> paths;
  if (package.distroless) {
    // Builders disagree about the folder (status.d, info) and about the name (the file's, the package's).
    const std::string& file_name = distroless_names_[control.name];
    for (const std::string_view folder : {status_d, info})
      for (const std::string& name : {file_name, control.name, control.name + ":" + control.architecture})
        paths.push_back(join(folder, name + std::string(extension)));
  } else {
    paths.push_back(join(info, info_base_name(control, info_format) + std::string(extension)));
    // Without info/format dpkg looks for the old name; files of the new one are there all the same.
    if (control.multi_arch == MultiArch::same)
      for (const std::string& name : {control.name + ":" + control.architecture, control.name})
        paths.push_back(join(info, name + std::string(extension)));
  }
  for (const std::string& path : paths)
    if (Resolution at = image_.resolve(path); at.found()) return std::move(at.path);
  return canonical_.of(paths.front());
}

void PackageDbReader::read_list(Package& package, int info_format) {
  package.list_path = info_path(package, info_format, ".list");
  try {
    const std::string* const found = text(package.list_path);
    if (found == nullptr) return;
    DpkgList list = DpkgList::parse(*found);
    package.listed = std::move(list.paths);
    package.refused_lines += list.refused;
    package.notes = std::move(list.notes);
    package.has_list = true;
  } catch (Error& error) {
    error.within(package.list_path);
    throw;
  }
}

void PackageDbReader::read_digests(Package& package) {
  try {
    const std::string* const found = text(package.digests_path);
    if (found == nullptr) return;
    package.has_digest_file = true;
    DpkgMd5sums::Listed listed;
    std::unordered_map<std::string_view, bool> names;
    if (package.has_list) {
      names.reserve(package.listed.size());
      for (const std::string& path : package.listed) names.emplace(path, true);
      listed = [&names](std::string_view path) { return names.contains(path); };
    }
    DpkgMd5sums sums = DpkgMd5sums::parse(*found, listed);
    if (!sums.malformed.empty()) package.unusable = fmt::format("{}: {}", package.digests_path, sums.malformed);
    package.digests = std::move(sums.entries);
    package.refused_lines += sums.refused;
    package.notes.insert(package.notes.end(), sums.notes.begin(), sums.notes.end());
  } catch (Error& error) {
    error.within(package.digests_path);
    throw;
  }
}

}  // namespace ocilint
