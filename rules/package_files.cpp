#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/error.h"
#include "base/path.h"
#include "check/canonical_paths.h"
#include "check/installed_findings.h"
#include "check/installed_packages.h"
#include "check/missing_files.h"
#include "check/package_comparison.h"
#include "check/package_db.h"
#include "check/package_history.h"
#include "check/package_states.h"
#include "check/path_selection.h"
#include "check/rule.h"
#include "check/selection.h"

namespace ocilint::rules {
namespace {

constexpr std::string_view managers[] = {"dpkg", "apk", "rpm", "python"};

constexpr Param params[] = {
    {.name = "under", .type = ParamType::paths, .doc = "Files to compare; all when absent."},
    {.name = "must_differ",
     .type = ParamType::paths,
     .doc = "Files that replace a package's: the package's own file here means that the replacement is lost."},
    {.name = "may_differ", .type = ParamType::paths, .doc = "Files that may differ from the package's."},
    {.name = "exclude", .type = ParamType::paths, .doc = "Files that are not compared."},
    {.name = "managers",
     .type = ParamType::texts,
     .doc = "Whose packages; each must be in the image. All that the image has when absent.",
     .choices = managers},
};

constexpr FindingKind kinds[] = {
    {"modified", "A regular file has other bytes than the package recorded."},
    {"missing", "A file or link of a package is not there."},
    {"type-changed", "Where a package has a regular file there is a link, a folder or a device."},
    {"symlink-redirected",
     "A package's link with the name of a shared library leads to a file that no package owns, or nowhere; a link of "
     "apk or rpm leads elsewhere than recorded."},
    {"owned-without-digest", "A package's link has become a regular file, which no digest covers."},
    {"stock", "A file in must_differ is the package's own."},
    {"reverted", "A file in must_differ is the package's own again; an earlier layer had replaced it."},
    {"diverted", "A local diversion keeps a package's file elsewhere; what is here is not the package's (note)."},
    {"conffile-modified", "A configuration file of a package was edited (note)."},
    {"conffile-missing", "A configuration file of a package was deleted (note)."},
    {"pruned", "Documentation of a package was deleted (note)."},
    {"unverifiable", "A package recorded no digests, or lines of its lists were refused (note)."},
    {"not-configured", "The package manager did not finish with a package (warning)."},
    {"interrupted", "dpkg was interrupted: its journal was never merged into the status file (warning)."},
};

constexpr Example examples[] = {
    {.title = "a library copied over the package's",
     .with = "{under: [/opt/**]}",
     .image = R"(layers:
- files:
    /var/lib/dpkg/status: "Package: acme\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1.0\n\n"
    /var/lib/dpkg/info/acme.list: "/.\n/opt\n/opt/lib\n/opt/lib/libr.so.1\n"
    /var/lib/dpkg/info/acme.md5sums: "0cc175b9c0f1b6a831c399e269772661  opt/lib/libr.so.1\n"
    /opt/lib/libr.so.1: a
- run: COPY libr.so.1 /opt/lib/
  files:
    /opt/lib/libr.so.1: b
)",
     .expect = "modified /opt/lib/libr.so.1"},
    {.title = "the replacement is there, through a link",
     .with = "{must_differ: [/opt/acme/lib/libr.so.*]}",
     .image = R"(layers:
- files:
    /var/lib/dpkg/status: "Package: acme\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1.0\n\n"
    /var/lib/dpkg/info/acme.list: "/.\n/opt\n/opt/acme-7\n/opt/acme-7/lib\n/opt/acme-7/lib/libr.so.1\n"
    /var/lib/dpkg/info/acme.md5sums: "0cc175b9c0f1b6a831c399e269772661  opt/acme-7/lib/libr.so.1\n"
    /opt/acme-7/lib/libr.so.1: a
  links: {/opt/acme: acme-7}
- run: COPY libr.so.1 /opt/acme-7/lib/
  files:
    /opt/acme-7/lib/libr.so.1: b
)",
     .expect = "pass"},
    {.title = "a reinstall took the replacement back",
     .with = "{must_differ: [/opt/lib/libr.so.*]}",
     .image = R"(layers:
- files:
    /var/lib/dpkg/status: "Package: acme\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1.0\n\n"
    /var/lib/dpkg/info/acme.list: "/.\n/opt\n/opt/lib\n/opt/lib/libr.so.1\n"
    /var/lib/dpkg/info/acme.md5sums: "0cc175b9c0f1b6a831c399e269772661  opt/lib/libr.so.1\n"
    /opt/lib/libr.so.1: a
- run: COPY libr.so.1 /opt/lib/
  files:
    /opt/lib/libr.so.1: b
- run: RUN apt-get install -y --fix-broken
  files:
    /opt/lib/libr.so.1: a
)",
     .expect = "reverted /opt/lib/libr.so.1"},
    {.title = "a file of apk's, and a link",
     .with = "{managers: [apk]}",
     .image = R"(layers:
- files:
    /lib/apk/db/installed: "P:x\nV:1-r0\nF:usr/lib\nR:libx.so.1\na:0:0:777\nZ:Q1w76y4+I9tby64YGhzbXYLvmLYKQ=\nR:libx.so.1.0\nZ:Q1hvfkN/qlp/zhXR3cuerq6jd2Z7g=\n\n"
    /usr/lib/libx.so.1.0: b
  links: {/usr/lib/libx.so.1: libx.so.1.0}
)",
     .expect = "modified /usr/lib/libx.so.1.0"},
    {.title = "no package owns what must differ",
     .with = "{must_differ: [/opt/lib/*]}",
     .image = R"(layers:
- files:
    /var/lib/dpkg/status: "Package: acme\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1.0\n\n"
    /var/lib/dpkg/info/acme.list: "/.\n/usr\n/usr/r\n"
    /var/lib/dpkg/info/acme.md5sums: "0cc175b9c0f1b6a831c399e269772661  usr/r\n"
    /usr/r: a
    /opt/lib/libr.so.1: b
)",
     .expect = "error must_differ"},
};

constexpr std::size_t shown_proofs = 40;  // files of must_differ that are named in the evidence

class Check {
 public:
  Check(const Params& with, const ImageView& image, Answer& answer)
      : image_(image),
        answer_(answer),
        db_(image.packages()),
        history_(image),
        missing_(image, db_),
        under_(image, with.paths("under"), PathSelection::Links::keep),
        must_(image, with.paths("must_differ"), PathSelection::Links::aim),
        may_(image, with.paths("may_differ"), PathSelection::Links::aim),
        exclude_(image, with.paths("exclude"), PathSelection::Links::keep),
        must_text_(with.paths("must_differ").text),
        under_text_(with.paths("under").text),
        asks_for_none_(with.has("managers") && with.texts("managers").empty()) {
    for (const std::string& name : with.texts("managers")) required_.push_back(*manager_of(name));
    chosen_ = required_;
    // pacman's database is not read: where it is, that is said.
    if (chosen_.empty()) chosen_ = {Manager::dpkg, Manager::apk, Manager::rpm, Manager::pacman, Manager::python};
  }

  void run() {
    if (asks_for_none_) return answer_.could_not("managers is an empty list, which asks for nothing");
    others_ = read_installed(image_, chosen_);
    const bool dpkg = is_chosen(Manager::dpkg) && has_dpkg();
    if (!require_chosen() || (!dpkg && others_.empty())) return;
    if (dpkg) run_dpkg();
    InstalledFindings others(image_, {under_, must_, may_, exclude_}, answer_);
    for (const InstalledPackages& packages : others_) others.report(packages);
    compared_ += others.compared();
    if (!must_.empty()) report_must_differ(others.must_owned(), others.must_differ());
    require_compared();
  }

 private:
  bool is_chosen(Manager manager) const { return std::ranges::find(chosen_, manager) != chosen_.end(); }
  bool only_python() const {
    return std::ranges::all_of(others_, [](const InstalledPackages& one) { return one.manager == Manager::python; });
  }
  bool has_other(Manager manager) const {
    return std::ranges::any_of(others_, [&](const InstalledPackages& one) { return one.manager == manager; });
  }

  /// A manager that the policy names and the image does not have: nothing was compared, so it is no pass.
  bool require_chosen() {
    bool all = true;
    for (const Manager manager : required_)
      if (manager == Manager::dpkg ? !db_.found() : !has_other(manager)) {
        all = false;
        if (manager != Manager::dpkg || db_.presence() == PackageDb::Presence::none)
          answer_.could_not(fmt::format("managers: the image has no packages of {}", to_string(manager)));
      }
    return all;
  }

  bool has_dpkg() {
    switch (db_.presence()) {
      case PackageDb::Presence::found: return true;
      case PackageDb::Presence::none:
        if (others_.empty() && !must_.empty()) answer_.could_not("must_differ: " + db_.presence_text());
        if (others_.empty() && must_.empty() && required_.empty()) answer_.not_applicable(db_.presence_text());
        return false;
      case PackageDb::Presence::foreign:
        if (!only_python()) return false;
        [[fallthrough]];
      default: answer_.could_not(db_.presence_text()); return false;
    }
  }

  void run_dpkg() {
    for (const std::string& problem : db_.problems()) answer_.could_not(problem);
    if (!db_.problems().empty()) return;
    if (!must_.empty()) check_must_differ();
    const PackageComparison comparison(image_, db_);
    for (const OwnedPath& path : db_.paths()) {
      const bool selected = under_.empty() || under_.has(path.path);
      const bool must = must_.has(path.path);
      if (!selected && !must) continue;
      if (exclude_.has(path.path)) {
        ++excluded_by_policy_;
        continue;
      }
      const FileVerdict verdict = comparison.compare(path);
      if (selected || verdict.state == FileState::missing) take(path, verdict, must);
    }
    missing_.report(answer_);
    report_diversions();
    report_package_states(image_, db_, unverifiable_, unusable_, answer_);
    report_evidence();
  }

  const Package& package(const PackageFile& file) const { return db_.packages()[file.package]; }

  std::string owners(std::string_view path) const {
    std::set<std::string> names;
    if (const OwnedPath* const owned = db_.find(path))
      for (const PackageFile& file : db_.files(*owned)) names.insert(package(file).title());
    return fmt::format("{}", fmt::join(names, ", "));
  }

  std::string on_next_unpack(const Package& owner) const {
    if (owner.control.want == DpkgWant::hold)
      return fmt::format("{} is on hold: an upgrade leaves the file, a reinstall still replaces it", owner.name());
    return fmt::format("the next unpack of {} (upgrade, reinstall, --fix-broken) puts the package's file back",
                       owner.name());
  }

  Finding finding(std::string kind, const OwnedPath& path, const FileVerdict& verdict, std::string message) const {
    Finding out;
    out.kind = std::move(kind);
    out.subject = path.path;
    out.message = std::move(message);
    out.details.push_back("owned by " + owners(path.path));
    if (verdict.file->diversion != nullptr)
      out.details.push_back(fmt::format("diverted from {}", verdict.file->diversion->original));
    else if (verdict.file->recorded != path.path)
      out.details.push_back(fmt::format("recorded as {}", verdict.file->recorded));
    if (!verdict.actual.empty()) {
      const std::string_view algorithm = to_string(verdict.expected.algorithm());
      out.details.push_back(fmt::format("recorded {} {}", algorithm, verdict.expected.hex()));
      out.details.push_back(fmt::format("found {} {}", algorithm, verdict.actual.hex()));
    }
    out.layer = last_touched(image_, path.path);
    return out;
  }

  void note(Finding out) {
    out.severity = Severity::note;
    answer_.finding(std::move(out));
  }

  void take(const OwnedPath& path, const FileVerdict& verdict, bool must) {
    const Package& owner = package(*verdict.file);
    const std::string title = owner.title();
    missing_.count(path, verdict);
    count(verdict);
    const bool changed = verdict.state == FileState::modified || verdict.state == FileState::type_changed ||
                         verdict.state == FileState::redirected || verdict.state == FileState::without_digest ||
                         verdict.state == FileState::conffile_modified;
    const bool gone = verdict.state == FileState::missing || verdict.state == FileState::conffile_missing;
    if (changed || gone) {
      const bool leads_to_file =
          verdict.state != FileState::type_changed && verdict.state != FileState::redirected
              ? true
              : !verdict.target.empty() && image_.tree()[*image_.tree().find(verdict.target)].type == EntryType::file;
      if (changed && leads_to_file && (must || must_.has(verdict.target))) {
        ++replaced_;
        return;
      }
      if (!must && (may_.has(path.path) || (!verdict.target.empty() && may_.has(verdict.target)))) {
        ++allowed_;
        return;
      }
    }
    switch (verdict.state) {
      case FileState::modified: {
        Finding out = finding("modified", path, verdict, fmt::format("not the file that {} brought", title));
        out.details.push_back(on_next_unpack(owner));
        out.remedy = fmt::format("reinstall {}, or, if the change is meant, list the file in must_differ or may_differ",
                                 owner.name());
        answer_.finding(std::move(out));
        break;
      }
      case FileState::type_changed: report_type_changed(path, verdict); break;
      case FileState::redirected: {
        Finding out = finding(
            "symlink-redirected", path, verdict,
            fmt::format("{} of {}: {}", verdict.target.empty() ? "dangling link" : "link", title, verdict.text));
        if (!verdict.target.empty()) out.details.push_back(fmt::format("{} belongs to no package", verdict.target));
        out.details.emplace_back("a reinstall does not undo it: ldconfig points the link to the highest version");
        out.remedy = "remove the file of no package, or list the link in may_differ";
        answer_.finding(std::move(out));
        break;
      }
      case FileState::without_digest: {
        Finding out = finding("owned-without-digest", path, verdict,
                              fmt::format("a regular file for which {} recorded no digest; it was a link or was "
                                          "replaced",
                                          title));
        out.details.push_back(on_next_unpack(owner));
        out.remedy = "if the file is meant, list it in must_differ or may_differ";
        answer_.finding(std::move(out));
        break;
      }
      case FileState::conffile_modified: {
        Finding out = finding("conffile-modified", path, verdict,
                              fmt::format("edited configuration file of {}{}{}", title,
                                          verdict.file->conffile->obsolete ? ", obsolete" : "",
                                          verdict.text.empty() ? "" : ": " + verdict.text));
        out.details.emplace_back("an upgrade keeps it or asks");
        note(std::move(out));
        break;
      }
      case FileState::conffile_missing:
        note(finding("conffile-missing", path, verdict,
                     fmt::format("configuration file of {} was deleted{}{}", title,
                                 verdict.file->conffile->obsolete ? ", obsolete" : "",
                                 verdict.text.empty() ? "" : ": " + verdict.text)));
        break;
      case FileState::missing: missing_.add(path, verdict, must); break;
      default: break;
    }
  }

  void count(const FileVerdict& verdict) {
    ++states_[static_cast<std::size_t>(verdict.state)];
    if (verdict.state == FileState::unverifiable) ++unverifiable_[verdict.file->package];
    if (verdict.state == FileState::unusable) unusable_.insert(verdict.file->package);
    if (!verdict.actual.empty()) {
      ++compared_;
      compared_packages_.insert(verdict.file->package);
    }
  }

  void report_type_changed(const OwnedPath& path, const FileVerdict& verdict) {
    const Package& owner = package(*verdict.file);
    Finding out = finding("type-changed", path, verdict,
                          fmt::format("{} has a {} here, the image {}", owner.title(),
                                      verdict.file->has_children ? "folder" : "regular file", verdict.text));
    const auto node = image_.tree().find(path.path);
    if (node && image_.tree()[*node].type == EntryType::directory)
      out.details.push_back(fmt::format("the next unpack of {} fails on it", owner.name()));
    else
      out.details.push_back(on_next_unpack(owner));
    out.remedy = fmt::format("reinstall {}, or, if the change is meant, list the file in may_differ", owner.name());
    if (verdict.other_bytes) {
      Finding also = out;
      also.kind = "modified";
      also.message = fmt::format("the bytes behind the link are not those that {} brought", owner.title());
      answer_.finding(std::move(also));
    }
    answer_.finding(std::move(out));
  }

  void check_must_differ() {
    for (const std::string& path : must_.files()) {
      std::vector<const PackageFile*> claims = db_.diverted_from(path);
      if (const OwnedPath* const found = db_.find(path))
        for (const PackageFile& file : db_.files(*found)) claims.push_back(&file);
      std::erase_if(claims, [](const PackageFile* file) {
        return file->conffile != nullptr ? file->conffile->digest.empty() : file->digest == nullptr;
      });
      if (claims.empty()) continue;
      ++must_owned_;
      compared_packages_.insert(claims.front()->package);
      const InodeId inode = image_.tree()[*image_.tree().find(path)].inode;
      const auto stock = std::ranges::find_if(claims, [&](const PackageFile* file) {
        const Digest& recorded = recorded_of(*file);
        return digest_of(image_, inode, recorded.algorithm()) == recorded;
      });
      if (stock != claims.end()) {
        report_stock(path, **stock);
        continue;
      }
      const Digest& recorded = recorded_of(*claims.front());
      if (++must_differ_ <= shown_proofs)
        answer_.evidence(fmt::format("replaces the file of {}: {} {} recorded, {} found",
                                     package(*claims.front()).title(), to_string(recorded.algorithm()), recorded.hex(),
                                     digest_of(image_, inode, recorded.algorithm()).hex()),
                         path, last_touched(image_, path));
    }
  }

  void report_must_differ(std::size_t owned_by_others, std::size_t differ_from_others) {
    must_owned_ += owned_by_others;
    must_differ_ += differ_from_others;
    if (must_owned_ == 0)
      answer_.could_not(fmt::format(
          "must_differ ({}): none of the {} regular files in it is one that a package owns and has a digest for, so "
          "nothing proves that they replace a package's files",
          must_text_, must_.files().size()));
    else
      answer_.evidence(fmt::format("{} of {} files that a package owns differ from it, as must_differ demands",
                                   must_differ_, must_owned_));
  }

  static const Digest& recorded_of(const PackageFile& file) {
    return file.conffile != nullptr ? file.conffile->digest : *file.digest;
  }

  void report_stock(const std::string& path, const PackageFile& file) {
    const Package& owner = package(file);
    const Digest& recorded = recorded_of(file);
    Finding out;
    out.kind = "stock";
    out.subject = path;
    out.message = fmt::format("the package's own file of {}, not the replacement", owner.title());
    out.details.push_back("owned by " + owner.title());
    out.details.push_back(fmt::format("{} {} recorded and found", to_string(recorded.algorithm()), recorded.hex()));
    out.layer = last_touched(image_, path);
    out.remedy = "install the replacement after the last step that unpacks the package";
    if (const auto lost = history_.lost_replacement(owner, file, path)) {
      const std::string what = lost->digest.empty()
                                   ? std::string("no regular file")
                                   : fmt::format("{} {}", to_string(lost->digest.algorithm()), lost->digest.hex());
      if (!lost->before_package) out.kind = "reverted";
      out.layer = lost->back;
      out.message = lost->before_package
                        ? fmt::format("{} was unpacked over another file that stood here before", owner.title())
                        : fmt::format("the replacement is lost: {} put the package's file back", owner.title());
      out.details.push_back(fmt::format("put back in {}", layer_text(image_, lost->back)));
      out.details.push_back(fmt::format("{} before, from {}", what, layer_text(image_, lost->layer)));
    }
    answer_.finding(std::move(out));
  }

  void report_diversions() {
    CanonicalPaths canonical(image_.tree());
    std::size_t by_packages = 0;
    for (const DpkgDiversion& diversion : db_.diversions().records) {
      const std::string original = canonical.of(diversion.original);
      const std::vector<const PackageFile*> claims = db_.diverted_from(original);
      if (claims.empty()) continue;
      if ((!under_.empty() && !under_.has(original)) || exclude_.has(original)) continue;
      if (!diversion.local()) {
        ++by_packages;
        continue;
      }
      const Package& owner = package(*claims.front());
      Finding out;
      out.kind = "diverted";
      out.subject = original;
      const bool stands = image_.tree().find(original).has_value();
      out.message = fmt::format("a local diversion keeps the file of {} at {}", owner.title(), diversion.target);
      out.details.push_back(stands ? "what stands here belongs to no package and survives upgrades of it"
                                   : "nothing stands here");
      if (stands) out.layer = last_touched(image_, original);
      note(std::move(out));
    }
    if (by_packages > 0)
      answer_.evidence(
          fmt::format("{} files are diverted by packages, and were compared where they now are", by_packages));
  }

  std::size_t counted(FileState state) const { return states_[static_cast<std::size_t>(state)]; }

  void require_compared() {
    std::size_t packages = db_.packages().size();
    for (const InstalledPackages& other : others_) packages += other.packages.size();
    // Distributions of Python alone, unasked for, make no image one of packages.
    if (compared_ == 0 && must_.empty() && required_.empty() && only_python() && answer_.evidence().empty() &&
        db_.presence() == PackageDb::Presence::none)
      answer_.not_applicable(db_.presence_text() + ", and no RECORD of Python here has a digest");
    else if (compared_ == 0 && must_owned_ == 0)
      answer_.could_not(
          fmt::format("no file could be compared: {}",
                      under_.empty() ? fmt::format("no digest of the {} packages is of a file that exists", packages)
                                     : fmt::format("no package has a digest for an existing file in {}", under_text_)));
  }

  void report_evidence() {
    if (compared_ > 0)
      answer_.evidence(fmt::format("compared {} files of {} packages with their recorded digests, {} are as recorded",
                                   compared_, compared_packages_.size(), counted(FileState::same)),
                       db_.status_path());
    const auto say = [this](std::size_t count, std::string_view text) {
      if (count > 0) answer_.evidence(fmt::format("{} {}", count, text));
    };
    say(replaced_, "names of packages are replaced, as must_differ demands");
    say(allowed_, "names of packages differ, as may_differ allows");
    say(excluded_by_policy_, "paths were left out by exclude");
    say(counted(FileState::excluded), "files are absent as the image's path-exclude rules say");
    say(counted(FileState::link), "symbolic links of packages have no digest to compare with");
    say(counted(FileState::never_stood), "listed paths never stood in any layer (folders or links)");
    say(counted(FileState::not_configured), "configuration files of packages that are not configured");
    std::size_t without_list = 0;
    for (const Package& of : db_.packages()) {
      without_list += of.control.unpacked() && !of.has_list && !of.distroless && of.unusable.empty();
      if (of.notes.empty() || of.digests.empty()) continue;
      answer_.evidence(fmt::format("lists of {}: {}{}", of.title(), of.notes.front(),
                                   of.notes.size() > 1 ? fmt::format(" (and {} more)", of.notes.size() - 1) : ""),
                       of.digests_path);
    }
    say(without_list, "packages have no list and were compared by their digests alone");
  }

  const ImageView& image_;
  Answer& answer_;
  const PackageDb& db_;
  PackageHistory history_;
  MissingFiles missing_;
  PathSelection under_, must_, may_, exclude_;
  std::string must_text_, under_text_;
  bool asks_for_none_;
  std::map<std::uint32_t, std::size_t> unverifiable_;
  std::set<std::uint32_t> unusable_, compared_packages_;
  std::array<std::size_t, static_cast<std::size_t>(FileState::unusable) + 1> states_{};
  std::size_t compared_ = 0, replaced_ = 0, allowed_ = 0, excluded_by_policy_ = 0, must_owned_ = 0, must_differ_ = 0;
  std::vector<Manager> required_, chosen_;
  std::vector<InstalledPackages> others_;
};

/// What other managers than dpkg recorded is read a second time, once it is known to be there: who has few images of
/// them shall not hash each file thrice. A policy that names them has them hashed on the way.
void plan(const Params& with, Plan& plan) {
  std::vector<Manager> named;
  for (const std::string& name : with.texts("managers")) named.push_back(*manager_of(name));
  const auto has = [&](Manager one) { return std::ranges::find(named, one) != named.end(); };
  plan_installed(plan, named.empty() ? std::vector<Manager>{Manager::python} : named);
  const auto hash = [&](const PathSet& where) {
    if (named.empty() || has(Manager::dpkg)) plan.md5(where);
    if (has(Manager::apk)) plan.sha1(where);
    if (has(Manager::rpm)) plan.sha256(where);
  };
  PathSet everything;
  everything.include.push_back(Glob::parse("/**"));
  hash(with.has("under") ? with.paths("under") : everything);
  for (const std::string_view name : {"must_differ", "may_differ"})
    if (with.has(name)) hash(with.paths(name));
  for (const FactKind kind : {FactKind::md5, FactKind::sha1, FactKind::sha256}) plan.on_demand(kind);
}

void check(const Params& with, const ImageView& image, Answer& answer) { Check(with, image, answer).run(); }

}  // namespace

extern const Rule package_files;
const Rule package_files{
    .doc = {.id = "package-files",
            .summary = "Files of packages are as their packages brought them.",
            .details =
                R"(Compares what package managers recorded with the merged file system, from the image alone: the lists
and digests of dpkg, the checksums of apk, the digests and link targets of rpm (every kind of database), RECORD of
Python's distributions. `managers` chooses among them; a manager that is named and is not in the image makes the
check an error, and so does a database that is there and cannot be read (a damaged one, pacman's). Paths are
resolved through the image's own links first (merged /usr, `/opt/acme`), so that a file has one name and its owners
are found. Each finding names the package, the layer that did it, and whether the next unpack of the package puts
its file back.

It sees what `dpkg --verify` and `debsums` do not: files behind diversions, links of libraries that lead to a file of
no package, links that became files, files that two packages own; and one malformed list does not stop the others
(that package is "could not check"). Files that are absent by the image's own `path-exclude` rules are counted, not
reported. Configuration files are compared with the digests of the status file and reported as notes.

`must_differ` is for files that shall replace a package's: the package's own file there is *stock*, or *reverted* when
an earlier layer had replaced it. At least one file of the set must belong to a package that has a digest for it;
otherwise the set proves nothing, which is an error. `may_differ` takes changes silently, but counts them.

Of apk, files in /etc count as configuration, but for /etc/init.d and /etc/apk; of rpm, what the package says. Ghost
files and files that were not installed by choice (`nodocs`) are not compared. Findings about files of Python are
warnings unless they are shared libraries: installers do not check RECORD again. Distributions that an operating
system's package owns are left to that package's digests. wheel-record asks more of Python's.

Recorded digests tell accidents, not attackers: whoever makes the image can change the lists too. Owner and mode are
not compared.)",
            .severity = Severity::error,
            .security = "none",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
