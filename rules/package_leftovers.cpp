#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/path.h"
#include "check/canonical_paths.h"
#include "check/package_db.h"
#include "check/package_history.h"
#include "check/rule.h"
#include "check/selection.h"
#include "facts/dpkg_names.h"

namespace ocilint::rules {
namespace {

constexpr Param params[] = {
    {.name = "packages",
     .type = ParamType::texts,
     .doc = "Only these count as packages that must leave nothing; names, every package when absent."},
    {.name = "dirs",
     .type = ParamType::paths,
     .doc = "Folders that belong to packages alone: every file below must be owned."},
    {.name = "allow",
     .type = ParamType::texts,
     .doc = "What may be left: names of packages, and globs of files ('/opt/x/**')."},
    {.name = "allow_empty", .type = ParamType::flag, .doc = "It is fine that there is no such folder as in `dirs`."},
};

constexpr FindingKind kinds[] = {
    {"residual", "A package was removed, but not purged: dpkg keeps its configuration (state rc)."},
    {"orphan-list", "Files of dpkg's info folder belong to a package that the status file does not know."},
    {"unowned", "A file below one of `dirs` belongs to no package."},
    {"missing", "No folder of the image is one of `dirs`."},
};

constexpr Example examples[] = {
    {.title = "removed, not purged",
     .with = "{}",
     .image = R"(layers:
- files:
    /etc/acme/repo.conf: "deb x"
    /var/lib/dpkg/status: "Package: acme-setup\nStatus: deinstall ok config-files\nArchitecture: all\nVersion: 1\nConffiles:\n /etc/acme/repo.conf 0123456789abcdef0123456789abcdef\n\n"
    /var/lib/dpkg/info/acme-setup.list: "/etc/acme\n/etc/acme/repo.conf\n"
)",
     .expect = "residual acme-setup"},
    {.title = "a stray file in a folder of packages",
     .with = "{dirs: [/usr/lib/acme]}",
     .image = R"(layers:
- files:
    /usr/lib/acme/liba.so.1: x
    /usr/lib/acme/libb.so.1.bak: y
    /var/lib/dpkg/status: "Package: acme\nStatus: install ok installed\nArchitecture: all\nVersion: 1\n\n"
    /var/lib/dpkg/info/acme.list: "/.\n/usr\n/usr/lib\n/usr/lib/acme\n/usr/lib/acme/liba.so.1\n"
)",
     .expect = "unowned /usr/lib/acme/libb.so.1.bak"},
    {.title = "clean",
     .with = "{}",
     .image = R"(layers:
- files:
    /var/lib/dpkg/status: "Package: acme\nStatus: install ok installed\nArchitecture: all\nVersion: 1\n\n"
    /var/lib/dpkg/info/acme.list: "/.\n"
)",
     .expect = "pass"},
};

constexpr std::string_view info = "/var/lib/dpkg/info";
constexpr std::size_t folded = 20;  // more unowned files of one folder and layer become one finding
constexpr std::size_t shown = 5;

class Check {
 public:
  Check(const Params& with, const ImageView& image, Answer& answer)
      : with_(with), image_(image), answer_(answer), db_(image.packages()), history_(image) {
    if (with.has("packages")) packages_ = {with.texts("packages").begin(), with.texts("packages").end()};
    if (!with.has("allow")) return;
    for (const std::string& text : with.texts("allow")) {
      if (text.find('/') != std::string::npos)
        globs_.push_back(Glob::parse(text));
      else
        names_.insert(text);
    }
  }

  void run() {
    if (with_.has("packages") && packages_.empty()) return answer_.could_not("packages is an empty list");
    if (!db_.found()) {
      if (db_.presence() == PackageDb::Presence::none && !with_.has("packages") && !with_.has("dirs"))
        answer_.not_applicable(db_.presence_text());
      else
        answer_.could_not(db_.presence_text());
      return;
    }
    check_residual();
    check_lists();
    if (with_.has("dirs")) check_dirs();
  }

 private:
  /// Both as findings show it ("libx:amd64") and without the architecture.
  bool concerns(std::string_view name, std::string_view architecture) const {
    const std::string plain(name), whole = fmt::format("{}:{}", name, architecture);
    const auto among = [&](const std::set<std::string>& names) {
      return names.contains(plain) || names.contains(whole);
    };
    return (packages_.empty() || among(packages_)) && !among(names_);
  }
  bool is_allowed(std::string_view path) const {
    return std::any_of(globs_.begin(), globs_.end(), [path](const Glob& glob) { return glob.matches(path); });
  }

  void check_residual() {
    std::size_t seen = 0;
    for (const Package& package : db_.packages()) {
      const DpkgPackage& control = package.control;
      if (control.state != DpkgState::config_files || !concerns(control.name, control.architecture)) continue;
      ++seen;
      Finding out;
      out.kind = "residual";
      out.subject = package.name();
      out.message = fmt::format("{} was removed, but not purged: its configuration is still there", package.title());
      out.details.push_back("status: " + control.status_text());
      std::size_t there = 0;
      for (const Conffile& conffile : control.conffiles) {
        if (!image_.resolve(conffile.path).found()) continue;
        if (++there <= shown) out.details.push_back("left: " + conffile.path);
      }
      if (there > shown) out.details.push_back(fmt::format("and {} files more", there - shown));
      if (const auto removal = history_.removal(control.name, control.architecture)) out.layer = removal->layer;
      if (!out.layer) out.layer = last_touched(image_, db_.status_path());
      out.remedy = fmt::format("run apt-get purge {} in the step that removes it", package.name());
      answer_.finding(std::move(out));
    }
    answer_.evidence(fmt::format("{} packages in dpkg's status, {} of them removed but for their configuration",
                                 db_.packages().size(), seen),
                     db_.status_path());
  }

  /// Lists and scripts of packages that status does not have: dpkg reads them no more, scanners do.
  void check_lists() {
    const Resolution folder = image_.resolve(info);
    if (!folder.found()) return;
    std::map<std::string, std::vector<std::string>> orphans;  // name -> files
    std::size_t seen = 0;
    for (const NodeId child : image_.tree().children(folder.node)) {
      const std::string_view file = image_.tree().name(child);
      const auto parts = split_info_file_name(file);
      if (!parts) continue;
      ++seen;
      const bool known = std::ranges::any_of(db_.named(parts->name), [&](const Package* package) {
        return package->control.state != DpkgState::not_installed &&
               (parts->architecture.empty() || package->control.architecture == parts->architecture);
      });
      if (!known && concerns(parts->name, parts->architecture))
        orphans[std::string(file.substr(0, file.rfind('.')))].push_back(join(info, file));
    }
    for (const auto& [name, files] : orphans) {
      Finding out;
      out.kind = "orphan-list";
      out.subject = name;
      out.message = fmt::format("dpkg's status does not know {}, whose files in {} are still there", name, info);
      for (std::size_t i = 0; i < files.size() && i < shown; ++i) out.details.push_back(files[i]);
      if (files.size() > shown) out.details.push_back(fmt::format("and {} files more", files.size() - shown));
      out.layer = last_touched(image_, files.front());
      out.remedy =
          fmt::format("purge {} with dpkg, rather than edit its status file or copy parts of its database", name);
      answer_.finding(std::move(out));
    }
    answer_.evidence(fmt::format("{} files of {} were looked at", seen, info), std::string(info));
  }

  void check_dirs() {
    for (const Package& package : db_.packages())
      if (!package.unusable.empty() && package.control.unpacked())
        answer_.could_not(fmt::format("{}: what it owns cannot be told: {}", package.title(), package.unusable));
    for (const std::string& problem : db_.problems()) answer_.could_not(problem);
    const PathSet& dirs = with_.paths("dirs");
    std::set<std::string> done;
    std::size_t folders = 0;
    for (const Match& match : image_.match(dirs)) {
      const Resolution end = image_.resolve(match.canonical);
      if (!end.found() || image_.tree()[end.node].type != EntryType::directory) continue;
      ++folders;
      if (done.insert(end.path).second) check_dir(end);
    }
    if (folders != 0) return;
    if (with_.flag("allow_empty"))
      return answer_.evidence("there is no folder " + dirs.text + ", which the policy allows");
    answer_.finding({.kind = "missing",
                     .subject = dirs.text,
                     .message = "no folder of the image is one of dirs",
                     .details = {},
                     .layer = {},
                     .remedy = "correct the name, or state allow_empty",
                     .severity = {}});
  }

  void check_dir(const Resolution& dir) {
    using Layer = std::optional<std::uint32_t>;
    std::map<Layer, std::vector<std::string>> unowned;
    std::size_t files = 0;
    std::vector<NodeId> work{dir.node};
    while (!work.empty()) {
      const NodeId folder = work.back();
      work.pop_back();
      for (const NodeId child : image_.tree().children(folder)) {
        if (image_.tree()[child].type == EntryType::directory) {
          work.push_back(child);
          continue;
        }
        ++files;
        std::string path = image_.tree().path(child);
        if (db_.find(path) != nullptr || is_allowed(path)) continue;
        const Layer layer = last_touched(image_, path);
        unowned[layer].push_back(std::move(path));
      }
    }
    std::size_t count = 0;
    for (auto& [layer, paths] : unowned) {
      std::sort(paths.begin(), paths.end());
      count += paths.size();
      const bool fold = paths.size() > folded;
      for (std::size_t i = 0; i < (fold ? 1 : paths.size()); ++i) {
        Finding out;
        out.kind = "unowned";
        out.subject = fold ? dir.path : paths[i];
        out.message =
            fold ? fmt::format("{} files below belong to no package", paths.size()) : "it belongs to no package";
        for (std::size_t k = 0; fold && k < shown; ++k) out.details.push_back(paths[k]);
        out.layer = layer;
        out.remedy = "remove it in the step that left it, install it from a package, or state it in `allow`";
        answer_.finding(std::move(out));
      }
    }
    answer_.evidence(fmt::format("{} files, {} of them without a package", files, count), dir.path);
  }

  const Params& with_;
  const ImageView& image_;
  Answer& answer_;
  const PackageDb& db_;
  PackageHistory history_;
  std::set<std::string> packages_, names_;
  std::vector<Glob> globs_;
};

void plan(const Params&, Plan& plan) { plan.packages(); }

void check(const Params& with, const ImageView& image, Answer& answer) { Check(with, image, answer).run(); }

}  // namespace

extern const Rule package_leftovers;
const Rule package_leftovers{
    .doc =
        {.id = "package-leftovers",
         .summary = "Removed packages leave nothing behind.",
         .details =
             R"(A package that was removed but not purged leaves its configuration, and dpkg a record of it in state rc
(*residual*). Files in dpkg's info folder whose package the status file does not know (*orphan-list*) come from
copying parts of a database, or from editing it; scanners take them for installed packages.

`dirs` names folders that belong to packages alone: a file below that no package owns (*unowned*) is a rest of a
purge, a backup, or a copy. Links in recorded paths are followed before ownership is decided. What maintainer scripts
make (byte code, caches) is owned by nobody: state it in `allow`. More than twenty such files of one folder and layer
are one finding.)",
         .severity = Severity::warning,
         .security = "none",
         .since = "0.1",
         .params = params,
         .kinds = kinds,
         .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
