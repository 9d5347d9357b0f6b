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
  Installed out{.manager = Manager::rpm,
                .name = read.name,
                .version = read.evr(),
                .architecture = read.architecture,
                .source = read.source,
                .license = read.license,
                .vendor = read.vendor,
                .manual = {},
                .files = {},
                .path = {},
                .owner = {},
                .unusable = {}};
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

/// Who is asked for in "(a or (b if c))": a and b. Conditions are none.
std::vector<std::string> operands_of(std::string_view text) {
  std::vector<std::string> out;
  std::size_t depth = 0, passed_over = 0;  // the depth at which a condition began, 0: none
  bool version = false;
  while (true) {
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) return out;
    text.remove_prefix(begin);
    if (text[0] == '(') {
      ++depth;
      text.remove_prefix(1);
      continue;
    }
    if (text[0] == ')') {
      if (passed_over == depth) passed_over = 0;
      depth -= depth > 0;
      text.remove_prefix(1);
      continue;
    }
    // Names have brackets of their own: libssl.so.3()(64bit).
    std::size_t end = 0, inner = 0;
    for (; end < text.size() && text[end] != ' '; ++end) {
      if (text[end] == '(') ++inner;
      if (text[end] == ')' && inner-- == 0) break;
    }
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    if (word == "if" || word == "unless" || word == "without") {
      if (passed_over == 0) passed_over = depth;
    } else if (word == "else") {
      if (passed_over == depth) passed_over = 0;
    } else if (word.find_first_not_of("<>=") == std::string_view::npos) {
      version = true;
    } else if (version) {
      version = false;
    } else if (word != "and" && word != "or" && word != "with" && passed_over == 0) {
      out.emplace_back(word);
    }
  }
}

void add_relations(const RpmPackage& read, Installed& to) {
  constexpr std::string_view of_rpm_itself = "rpmlib(";
  for (const RpmRelation& relation : read.relations) {
    if (relation.field == RpmRelation::Field::provide) {
      to.gives.push_back({"", relation.name, relation.text(), relation.version});
      continue;
    }
    if (relation.name.starts_with(of_rpm_itself)) continue;
    const std::string field = relation.field == RpmRelation::Field::require     ? "Requires"
                              : relation.field == RpmRelation::Field::recommend ? "Recommends"
                                                                                : "Suggests";
    constexpr std::uint32_t sense = RpmRelation::less | RpmRelation::greater | RpmRelation::equal;
    const bool exact = (relation.flags & sense) == RpmRelation::equal;
    if (relation.name.starts_with('('))
      for (std::string& name : operands_of(relation.name))
        to.asks.push_back({field, std::move(name), relation.name, ""});
    else
      to.asks.push_back({field, relation.name, relation.text(), exact ? relation.version : std::string()});
  }
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

std::optional<InstalledPackages> read_rpm(const ImageView& image, Relations relations) {
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
      for (RpmPackage& package : read.packages) {
        out.packages.push_back(package_of(package, canonical));
        if (relations == Relations::read) add_relations(package, out.packages.back());
      }
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      out.problems.push_back(database.path + ": " + error.what());
    }
  }
  return out;
}

}  // namespace ocilint
