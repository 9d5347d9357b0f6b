#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/path.h"
#include "check/canonical_paths.h"
#include "check/installed_readers.h"
#include "facts/apk_installed.h"

namespace ocilint {
namespace {

// In an image with a merged /usr both are one.
constexpr std::string_view databases[] = {"/lib/apk/db/installed", "/usr/lib/apk/db/installed"};

/// apk's own default for protected paths: what it does not overwrite.
bool is_configuration(std::string_view path) {
  return is_within(path, "/etc") && !is_within(path, "/etc/init.d") && !is_within(path, "/etc/apk");
}

Installed package_of(ApkPackage& read, CanonicalPaths& canonical) {
  Installed out{.manager = Manager::apk,
                .name = read.name,
                .version = read.version,
                .architecture = read.architecture,
                .source = read.origin,
                .license = read.license,
                .vendor = read.maintainer,
                .manual = {},
                .files = {},
                .path = {},
                .owner = {},
                .unusable = {},
                .interrupted = read.broken};
  out.files.reserve(read.files.size());
  for (ApkFile& file : read.files) {
    InstalledFile& to = out.files.emplace_back();
    to.path = canonical.of(file.path);
    to.type = InstalledFile::Type::file_or_link;
    to.digest = std::move(file.digest);
    to.links_mode = file.mode == 0777;
    to.configuration = is_configuration(file.path);
    to.recorded = std::move(file.path);
  }
  return out;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) return out;
    text.remove_prefix(begin);
    out.push_back(text.substr(0, text.find(' ')));
    text.remove_prefix(out.back().size());
  }
}

void add_relations(const ApkPackage& read, Installed& to) {
  for (const auto& [field, text] : {std::pair("depends", &read.dependencies), {"install_if", &read.install_if}})
    for (const std::string_view word : words_of(*text))
      if (const std::string_view name = apk_name_of(word); !name.empty())
        to.asks.push_back({field, std::string(name), std::string(word), ""});
  for (const std::string_view word : words_of(read.provides))
    to.gives.push_back({"", std::string(apk_name_of(word)), std::string(word), ""});
}

}  // namespace

void plan_apk(Plan& plan) {
  plan.tree();
  for (const std::string_view path : databases) plan.content(path);
  plan.content(apk_world);
}

std::optional<InstalledPackages> read_apk(const ImageView& image, Relations relations) {
  InstalledPackages out{.manager = Manager::apk, .path = {}, .problems = {}, .packages = {}};
  const std::vector<FoundDatabase> found = find_databases(image, databases, out.problems);
  if (found.empty() && out.problems.empty()) return std::nullopt;
  if (found.size() > 1) out.problems.push_back("two databases of apk, " + found[0].path + " and " + found[1].path);
  CanonicalPaths canonical(image.tree());
  for (const FoundDatabase& database : found) {
    if (out.path.empty()) out.path = database.path;
    try {
      ApkInstalled read = ApkInstalled::parse(image.content(database.inode));
      for (ApkPackage& package : read.packages) {
        out.packages.push_back(package_of(package, canonical));
        if (relations == Relations::read) add_relations(package, out.packages.back());
      }
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      out.problems.push_back(database.path + ": " + error.what());
    }
  }
  try {
    const auto text = image.text_of(apk_world);
    if (!text) return out;
    const std::vector<std::string> names = parse_apk_world(*text);
    const std::set<std::string_view> asked(names.begin(), names.end());
    for (Installed& package : out.packages) package.manual = asked.contains(package.name);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;  // what was asked for is unknown then, the rest stands
  }
  return out;
}

}  // namespace ocilint
