#include "check/python_path.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/path.h"
#include "facts/key_value.h"
#include "facts/lines.h"

namespace ocilint {
namespace {

// Images have fewer than ten folders of distributions; each is compared with each interpreter, and read for each.
constexpr std::size_t sites_most = 500;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "3.12" of "python3.12t" behind its name, "3" of "python3", "" of anything else.
std::string version_in(std::string_view name) {
  std::size_t to = 0;
  while (to < name.size() && (is_digit(name[to]) || (name[to] == '.' && to > 0))) ++to;
  return std::string(name.substr(0, to));
}

bool has_minor(const std::string& version) {
  const std::size_t dot = version.find('.');
  return dot != version.npos && dot + 1 < version.size();
}

/// What the name of a folder of distributions tells: PREFIX/lib/python3.12/site-packages.
struct Site {
  std::string path, prefix, version;
  bool pypy = false, wide = false;  // wide: lib64

  explicit Site(std::string_view canonical) : path(canonical) {
    const std::string_view folder = parent_path(path), library = parent_path(folder);
    std::string_view name = base_name(folder);
    pypy = name.starts_with("pypy");
    const bool python = pypy || name.starts_with("python");
    if (python && base_name(library).starts_with("lib")) {
      name.remove_prefix(pypy ? 4 : 6);
      version = version_in(name);
      prefix = parent_path(library);
      wide = base_name(library) == "lib64";
    } else {
      prefix = folder;
    }
  }
};

class Finder {
 public:
  explicit Finder(const ImageView& image) : image_(image) {}

  std::vector<PythonPath> all() {
    collect();
    owners();
    for (const Site& site : sites_)
      if (has_minor(site.version)) place(site);
    for (const Site& site : sites_)
      if (!has_minor(site.version)) place_without_minor(site);
    for (auto& [key, path] : paths_) include_system(path);
    std::vector<PythonPath> out;
    std::size_t total = 0;
    for (auto& [key, path] : paths_) {
      total += path.sites.size();
      if (total > sites_most) too_many();
      if (!path.sites.empty()) out.push_back(std::move(path));
    }
    return out;
  }

  PythonPath path_of(const std::string& prefix, const std::string& version, bool pypy) const {
    PythonPath out;
    out.prefix = prefix;
    out.version = version;
    out.pypy = pypy;
    out.virtual_environment = image_.resolve(join(prefix, "pyvenv.cfg")).found();
    out.interpreter = out.virtual_environment || has_interpreter(prefix, version, pypy);
    out.full_version = full_version(out);
    return out;
  }

  /// Versions by the names of the interpreters in PREFIX/bin.
  std::vector<std::string> versions_in(const std::string& prefix) const {
    std::vector<std::string> out;
    const Resolution bin = image_.resolve(join(prefix, "bin"));
    if (!bin.found() || image_.tree()[bin.node].type != EntryType::directory) return out;
    for (const NodeId child : image_.tree().children(bin.node)) {
      const std::string_view name = image_.tree().name(child);
      if (!name.starts_with("python")) continue;
      const std::string version = version_in(name.substr(6));
      if (has_minor(version) && version.size() + 6 == name.size() && has_interpreter(prefix, version, false))
        out.push_back(version);
    }
    return out;
  }

 private:
  [[noreturn]] static void too_many() {
    throw Error(ErrorKind::limit, "more than " + std::to_string(sites_most) + " folders of Python distributions");
  }

  using Key = std::pair<std::string, std::string>;  // prefix, version

  /// ROOT/pkgs/NAME-1.2-0: what conda unpacked there it links into environments.
  bool is_package_cache(const std::string& prefix) const {
    return base_name(parent_path(prefix)) == "pkgs" && image_.resolve(join(prefix, "info/index.json")).found();
  }

  void collect() {
    PathSet set;
    set.include = {Glob::parse("**/site-packages"), Glob::parse("**/dist-packages")};
    std::set<std::string> seen;
    for (const Match& match : image_.match(set)) {
      if (image_.tree()[match.node].type != EntryType::directory || !seen.insert(match.canonical).second) continue;
      Site site(match.canonical);
      if (!is_package_cache(site.prefix)) sites_.push_back(std::move(site));
      if (sites_.size() > sites_most) too_many();
    }
    // lib64 is searched before lib.
    std::ranges::stable_sort(sites_, [](const Site& one, const Site& other) { return one.wide && !other.wide; });
  }

  void owners() {
    std::set<std::string> prefixes;
    for (const Site& site : sites_) {
      prefixes.insert(site.prefix);
      if (site.prefix == "/usr/local") prefixes.insert("/usr");
      if (has_minor(site.version) && has_interpreter(site.prefix, site.version, site.pypy))
        path(site.prefix, site.version, site.pypy);
    }
    for (const std::string& prefix : prefixes)
      for (const std::string& version : versions_in(prefix)) path(prefix, version, false);
  }

  PythonPath& path(const std::string& prefix, const std::string& version, bool pypy) {
    const auto [found, fresh] = paths_.try_emplace({prefix, version});
    if (fresh) found->second = path_of(prefix, version, pypy);
    return found->second;
  }

  /// A link to another prefix's interpreter is none of this prefix.
  bool has_interpreter(const std::string& prefix, const std::string& version, bool pypy) const {
    const std::string name = pypy ? "pypy" : "python";
    for (const std::string& file : {name + version, name + "3", name}) {
      const Resolution at = image_.resolve(join(prefix, "bin/" + file));
      if (at.found() && is_within(at.path, prefix) && image_.tree()[at.node].type == EntryType::file) return true;
    }
    return image_.resolve(join(prefix, "pyvenv.cfg")).found();
  }

  void place(const Site& site) {
    if (paths_.contains({site.prefix, site.version}) || !placed_with_others(site))
      path(site.prefix, site.version, site.pypy).sites.push_back(site.path);
  }

  /// /usr/local and ~/.local without an interpreter of their own are searched first by those that there are.
  bool placed_with_others(const Site& site) {
    const bool local = site.prefix == "/usr/local", user = base_name(site.prefix) == ".local";
    bool placed = false;
    for (auto& [key, path] : paths_) {
      if (path.version != site.version || path.virtual_environment || !path.interpreter) continue;
      if (!(user || (local && path.prefix == "/usr"))) continue;
      path.sites.insert(path.sites.begin(), site.path);
      placed = true;
    }
    return placed;
  }

  /// Debian's /usr/lib/python3/dist-packages stands before /usr/lib/python3.12/dist-packages.
  void place_without_minor(const Site& site) {
    bool placed = false;
    for (auto& [key, path] : paths_) {
      if (path.prefix != site.prefix || !path.interpreter || !path.version.starts_with(site.version)) continue;
      const auto own =
          std::ranges::find_if(path.sites, [&](const std::string& each) { return Site(each).prefix == site.prefix; });
      path.sites.insert(own, site.path);
      placed = true;
    }
    if (!placed)
      path(site.prefix, site.version.find('.') == std::string::npos ? "" : site.version, site.pypy)
          .sites.push_back(site.path);
  }

  std::optional<KeyValue> configuration(const PythonPath& path) const {
    if (!path.virtual_environment) return std::nullopt;
    const auto text = image_.text_of(join(path.prefix, "pyvenv.cfg"));
    if (!text) return std::nullopt;
    return KeyValue::parse(*text);
  }

  void include_system(PythonPath& path) {
    const auto file = configuration(path);
    if (!file) return;
    const auto include = file->find("include-system-site-packages");
    if (!include || (*include != "true" && *include != "True")) return;
    const std::string home(file->find("home").value_or(""));
    const Resolution python = image_.resolve(join(home, "python" + path.version));
    const std::string bin = python.found() ? std::string(parent_path(python.path)) : home;
    const auto system = paths_.find({std::string(parent_path(bin.empty() ? "/" : bin)), path.version});
    if (system == paths_.end() || system->second.virtual_environment) return;
    path.sites.insert(path.sites.end(), system->second.sites.begin(), system->second.sites.end());
  }

  /// What the installation says of itself, if it is of the series that the folder's name tells.
  std::string full_version(const PythonPath& path) const {
    std::string found;
    if (const auto file = configuration(path)) {
      for (const std::string_view key : {"version_info", "version"})
        if (const auto value = file->find(key)) found = *value;
      const auto home = file->find("home");
      if (found.empty() && home) found = header_version(std::string(parent_path(*home)), path.version);
    } else {
      found = header_version(path.prefix, path.version);
    }
    // virtualenv writes 3.12.3.final.0
    if (const std::size_t final = found.find(".final"); final != found.npos) found.resize(final);
    const auto version = PythonVersion::parse(found);
    const auto series = PythonVersion::parse(path.version);
    const bool fits = version && series && version->release.size() == 3 && has_minor(path.version) &&
                      version->begins_with("0", series->release);
    return fits ? found : "";
  }

  std::string header_version(const std::string& prefix, const std::string& version) const {
    if (!prefix.starts_with('/') || version.empty()) return {};
    const Resolution at = image_.resolve(join(prefix, "include/python" + version + "/patchlevel.h"));
    if (!at.found() || image_.tree()[at.node].type != EntryType::file) return {};
    constexpr std::string_view define = "#define PY_VERSION";
    for (Lines lines(image_.content(image_.tree()[at.node].inode)); lines.next();) {
      if (!lines.text().starts_with(define)) continue;
      const std::string_view rest = trim_blanks(lines.text().substr(define.size()));
      if (rest.size() > 2 && rest.front() == '"') return std::string(rest.substr(1, rest.find('"', 1) - 1));
    }
    return {};
  }

  const ImageView& image_;
  std::vector<Site> sites_;
  std::map<Key, PythonPath> paths_;
};

}  // namespace

std::string PythonPath::title() const {
  return std::string(pypy ? "PyPy" : "Python") + (version.empty() ? "" : " " + version) + " of " + prefix;
}

void plan_python_paths(Plan& plan) {
  plan.tree();
  plan.content("**/pyvenv.cfg");
  plan.content("**/patchlevel.h");
}

std::vector<PythonPath> find_python_paths(const ImageView& image, const PathSet& site) {
  Finder finder(image);
  if (site.empty()) return finder.all();
  std::vector<Site> sites;
  std::set<std::string> seen, versions;
  for (const Glob& glob : site.include) {
    PathSet one;
    one.include = {glob};
    one.exclude = site.exclude;
    for (const Match& match : image.match(one)) {
      const Resolution at = image.resolve(match.canonical);
      if (!at.found() || image.tree()[at.node].type != EntryType::directory || !seen.insert(at.path).second) continue;
      sites.emplace_back(at.path);
      if (has_minor(sites.back().version)) versions.insert(sites.back().version);
    }
  }
  if (sites.empty()) return {};
  if (versions.empty()) {
    const std::vector<std::string> named = finder.versions_in(sites.front().prefix);
    versions.insert(named.size() == 1 ? named.front() : "");
  }
  std::vector<PythonPath> out;
  for (const std::string& version : versions) {
    std::vector<std::string> own;
    const Site* first = nullptr;
    for (const Site& each : sites) {
      if (has_minor(each.version) && each.version != version) continue;
      own.push_back(each.path);
      if (first == nullptr || (!has_minor(first->version) && has_minor(each.version))) first = &each;
    }
    out.push_back(finder.path_of(first->prefix, version, first->pypy));
    out.back().sites = std::move(own);
  }
  return out;
}

PythonEnvironment python_environment(const PythonPath& path, const ImageView& image) {
  PythonEnvironment out = {{"os_name", "posix"},
                           {"sys_platform", "linux"},
                           {"platform_system", "Linux"},
                           {"implementation_name", path.pypy ? "pypy" : "cpython"},
                           {"platform_python_implementation", path.pypy ? "PyPy" : "CPython"},
                           {"extra", ""}};
  // A program of 32 bits is told the kernel's machine, which an image does not know.
  static const std::map<std::string, std::string, std::less<>> machines = {
      {"amd64", "x86_64"}, {"arm64", "aarch64"},   {"ppc64le", "ppc64le"},
      {"s390x", "s390x"},  {"riscv64", "riscv64"}, {"loong64", "loongarch64"}};
  const auto machine = machines.find(image.config().platform.normalised().architecture);
  if (machine != machines.end()) out["platform_machine"] = machine->second;
  if (!path.version.empty()) {
    const std::string& full = path.full_version.empty() ? path.version : path.full_version;
    out["python_version"] = path.version;
    out["python_full_version"] = full;
    // PyPy's own version is another.
    if (!path.pypy) out["implementation_version"] = full;
  }
  return out;
}

}  // namespace ocilint
