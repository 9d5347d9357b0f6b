#include "check/ldconfig_setup.h"

#include <algorithm>

#include "base/error.h"
#include "base/path.h"
#include "base/version.h"
#include "tree/match.h"
#include "tree/resolve.h"

namespace ocilint {
namespace {

struct Triplet {
  std::string_view architecture, name;
};
constexpr Triplet debian_triplets[] = {
    {"amd64", "x86_64-linux-gnu"},       {"386", "i386-linux-gnu"},        {"arm64", "aarch64-linux-gnu"},
    {"arm", "arm-linux-gnueabihf"},      {"arm", "arm-linux-gnueabi"},     {"ppc64le", "powerpc64le-linux-gnu"},
    {"s390x", "s390x-linux-gnu"},        {"riscv64", "riscv64-linux-gnu"}, {"mips64le", "mips64el-linux-gnuabi64"},
    {"loong64", "loongarch64-linux-gnu"}};

bool is_directory(const MergedTree& tree, const std::string& path) {
  const Resolution at = resolve(tree, path);
  return at.found() && tree[at.node].type == EntryType::directory;
}

/// ldconfig opens what is there and reads it; a directory has no lines.
std::optional<std::string> conf_text(const ImageView& image, const std::string& path) {
  const Resolution at = image.resolve(path);
  if (!at.found() || image.tree()[at.node].type != EntryType::file) return std::nullopt;
  return image.content(image.tree()[at.node].inode);
}

/// A dot file is matched by a dot only.
bool hides(std::string_view pattern, std::string_view path) {
  while (!path.empty()) {
    path.remove_prefix(1);
    pattern.remove_prefix(std::min<std::size_t>(1, pattern.size()));
    if (path.starts_with('.') && !pattern.starts_with('.')) return true;
    path.remove_prefix(std::min(path.find('/'), path.size()));
    pattern.remove_prefix(std::min(pattern.find('/'), pattern.size()));
  }
  return false;
}

/// A pattern of glob(3) as ours: no `**`, braces are bytes.
Glob glob_of(const std::string& pattern) {
  std::string text;
  for (const char c : normalise(pattern).path) {
    if (c == '*' && text.ends_with('*')) continue;
    if (c == '{' || c == '}') text += '\\';
    text += c;
  }
  try {
    return Glob::parse(text);
  } catch (const Error& error) {
    corrupt("include " + pattern + ": " + error.what());
  }
}

std::vector<std::string> conf_files(const ImageView& image, const std::string& pattern) {
  const Glob glob = glob_of(pattern);
  std::vector<std::string> out;
  for (const Match& match : match(image.tree(), glob))
    if (!hides(glob.text(), match.path)) out.push_back(match.path);
  return out;
}

/// "ldconfig (…) stable release version 2.36": processor folders went away with 2.37.
bool visits_processor_folders(std::string_view generator) {
  const std::size_t at = generator.rfind("version ");
  return at == generator.npos || compare_dotted(generator.substr(at + 8), "2.37") < 0;
}

}  // namespace

std::vector<std::string> default_library_directories(const MergedTree& tree, std::string_view architecture) {
  std::vector<std::string> out;
  for (const Triplet& triplet : debian_triplets) {
    if (triplet.architecture != architecture) continue;
    const std::string folder = "/lib/" + std::string(triplet.name);
    if (!is_directory(tree, folder) && !is_directory(tree, "/usr" + folder)) continue;
    out.push_back(folder);
    out.push_back("/usr" + folder);
  }
  const bool debian = !out.empty();
  for (const char* const root : {"/lib", "/usr/lib"}) {
    out.emplace_back(root);
    if (!debian) out.push_back(root + std::string("64"));
    if (!debian && architecture == "amd64") out.push_back(root + std::string("x32"));
  }
  return out;
}

void LdconfigSetup::declare(Plan& plan) {
  plan.tree();
  plan.content("/etc/ld.so.conf");
  plan.content("/etc/ld.so.conf.d/*");
  plan.content("/etc/ld.so.cache");
  plan.on_demand(FactKind::content);  // what else is included, and where links lead
}

LdconfigSetup LdconfigSetup::read(const ImageView& image) {
  const MergedTree& tree = image.tree();
  LdconfigSetup setup;
  const LdSoConfSource source{[&](const std::string& path) { return conf_text(image, path); },
                              [&](const std::string& pattern) { return conf_files(image, pattern); }};
  LdSoConfDirectories configured = read_ld_so_conf(std::string(ld_so_conf_path), source);
  setup.directories = std::move(configured.directories);
  setup.configured = setup.directories.size();
  setup.files = std::move(configured.files);
  setup.options.architecture = image.config().platform.normalised().architecture;
  for (std::string& path : default_library_directories(tree, setup.options.architecture))
    setup.directories.push_back({std::move(path), "default", 0});
  setup.ever = !tree.story(ld_so_conf_path).empty() || !tree.story(ld_so_cache_path).empty();
  try {
    if (const auto bytes = image.text_of(ld_so_cache_path)) setup.cache = LdSoCache::parse(as_bytes(*bytes));
  } catch (const Error& error) {
    setup.cache_problem = error.what();
  }
  if (setup.cache) setup.options.processor_folders = visits_processor_folders(setup.cache->generator);
  return setup;
}

}  // namespace ocilint
