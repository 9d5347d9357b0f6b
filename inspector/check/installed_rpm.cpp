#include <algorithm>

#include "base/error.h"
#include "base/path.h"
#include "check/canonical_paths.h"
#include "check/installed_readers.h"
#include "facts/rpm_database.h"

namespace ocilint {
namespace {

/// Newer ones first: a system that changed over may have left the old file behind.
constexpr std::string_view databases[] = {
    "/usr/lib/sysimage/rpm/rpmdb.sqlite", "/var/lib/rpm/rpmdb.sqlite", "/usr/share/rpm/rpmdb.sqlite",
    "/usr/lib/sysimage/rpm/Packages.db",  "/var/lib/rpm/Packages.db",  "/usr/share/rpm/Packages.db",
    "/usr/lib/sysimage/rpm/Packages",     "/var/lib/rpm/Packages",     "/usr/share/rpm/Packages"};

InstalledFile::Type type_of(const RpmFile& file) {
  if ((file.flags & RpmFile::ghost) != 0) return InstalledFile::Type::other;
  if (file.type() == RpmFile::symlink)
    return (file.verify & RpmFile::verify_link) != 0 ? InstalledFile::Type::link : InstalledFile::Type::presence;
  if (file.type() == RpmFile::regular)
    return (file.verify & RpmFile::verify_digest) != 0 ? InstalledFile::Type::file : InstalledFile::Type::presence;
  return InstalledFile::Type::other;
}

Installed package_of(RpmPackage& read, CanonicalPaths& canonical) {
  Installed out{.manager = Manager::rpm, .name = read.name, .version = read.evr(), .architecture = read.architecture,
                .source = read.source, .license = read.license, .vendor = read.vendor, .manual = {}, .files = {},
                .path = {}, .owner = {}, .unusable = {}};
  out.files.reserve(read.files.size());
  for (RpmFile& file : read.files) {
    InstalledFile& to = out.files.emplace_back();
    to.path = canonical.of(normalise(file.path).path);
    to.type = type_of(file);
    to.digest = std::move(file.digest);
    to.link = std::move(file.link);
    to.configuration = (file.flags & RpmFile::config) != 0;
    to.optional = file.state != RpmFile::State::normal || (file.flags & RpmFile::missing_ok) != 0;
    // Another package's file stands there, or one for another processor: rpm does not compare it either.
    if (file.state != RpmFile::State::normal && file.state != RpmFile::State::not_installed)
      to.type = InstalledFile::Type::other;
    to.recorded = std::move(file.path);
  }
  return out;
}

Bytes text_beside(const ImageView& image, const std::string& path, std::string_view ending) {
  const Resolution at = image.resolve(path + std::string(ending));
  if (!at.found() || image.tree()[at.node].type != EntryType::file) return {};
  return as_bytes(image.content(image.tree()[at.node].inode));
}

}  // namespace

void plan_rpm(Plan& plan) {
  plan.tree();
  for (const std::string_view path : databases) {
    plan.content(path);
    if (!path.ends_with(".sqlite")) continue;
    for (const char* const ending : {"-wal", "-journal"}) plan.content(std::string(path) + ending);
  }
}

std::optional<InstalledPackages> read_rpm(const ImageView& image) {
  InstalledPackages out{.manager = Manager::rpm, .path = {}, .problems = {}, .packages = {}};
  std::vector<FoundDatabase> found = find_databases(image, databases, out.problems);
  if (found.empty() && out.problems.empty()) return std::nullopt;
  if (found.size() > 1) out.problems.push_back("two databases of rpm, " + found[0].path + " and " + found[1].path);
  CanonicalPaths canonical(image.tree());
  for (const FoundDatabase& database : found) {
    if (out.path.empty()) out.path = database.path;
    try {
      if (!text_beside(image, database.path, "-journal").empty())
        corrupt("a transaction that was never finished: its journal is there");
      RpmDatabase read =
          RpmDatabase::parse(as_bytes(image.content(database.inode)), text_beside(image, database.path, "-wal"));
      for (const std::string& problem : read.problems) out.problems.push_back(database.path + ": " + problem);
      for (RpmPackage& package : read.packages) out.packages.push_back(package_of(package, canonical));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      out.problems.push_back(database.path + ": " + error.what());
    }
  }
  return out;
}

}  // namespace ocilint
