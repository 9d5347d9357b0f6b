#include <algorithm>

#include "base/error.h"
#include "base/path.h"
#include "check/installed_readers.h"
#include "facts/node_package.h"

namespace ocilint {
namespace {

constexpr std::string_view manifests[] = {"**/node_modules/*/package.json", "**/node_modules/@*/*/package.json"};

/// "@scope/name" or "name": its folder below node_modules.
std::string name_of_folder(std::string_view manifest) {
  const std::string_view folder = parent_path(manifest);
  const std::string_view above = base_name(parent_path(folder));
  const std::string name(base_name(folder));
  return above.starts_with('@') ? std::string(above) + "/" + name : name;
}

}  // namespace

void plan_node(Plan& plan) {
  plan.tree();
  for (const std::string_view glob : manifests) plan.content(glob);
}

std::optional<InstalledPackages> read_node(const ImageView& image) {
  InstalledPackages out{.manager = Manager::node, .path = {}, .problems = {}, .packages = {}};
  PathSet set;
  for (const std::string_view glob : manifests) set.include.push_back(Glob::parse(glob));
  std::vector<Match> found = image.match(set);
  // Package stores reach one folder by many links.
  std::ranges::sort(found, {}, &Match::canonical);
  const auto same = [](const Match& one, const Match& other) { return one.canonical == other.canonical; };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
  for (const Match& match : found) {
    Installed to{.manager = Manager::node,
                 .name = {},
                 .version = {},
                 .architecture = {},
                 .source = {},
                 .license = {},
                 .vendor = {},
                 .manual = {},
                 .files = {},
                 .path = match.canonical,
                 .owner = {},
                 .unusable = {}};
    try {
      const auto text = image.text_of(match.canonical);
      const auto read = NodePackage::parse(text && !image.pending() ? *text : "{}");
      if (!read) continue;
      to.name = read->name;
      to.version = read->version;
      to.license = read->license;
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      to.name = name_of_folder(match.canonical);
      to.unusable = error.what();
    }
    out.packages.push_back(std::move(to));
  }
  if (out.packages.empty()) return std::nullopt;
  out.path = out.packages.front().path;
  return out;
}

}  // namespace ocilint
