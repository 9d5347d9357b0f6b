#include "look/packages.h"

#include <algorithm>
#include <unordered_map>

#include "check/package_comparison.h"
#include "check/package_graph.h"
#include "check/selection.h"
#include "facts/os_release.h"
#include "look/installed_reasons.h"
#include "look/installed_rows.h"
#include "look/package_reasons.h"
#include "look/question.h"

namespace ocilint {
namespace {

bool is_named(const Package& package, const std::string& name) {
  return !name.empty() &&
         (package.control.name == name || package.control.name + ":" + package.control.architecture == name);
}

class Survey {
 public:
  Survey(const ImageView& view, const PackagesQuestion& question, PackagesLook& out)
      : view_(view), question_(question), out_(out) {}

  void run() {
    describe_system();
    open_database();
    const AptOptions options = db_ == nullptr ? AptOptions{} : AptOptions::read(view_);
    for (const std::string& problem : options.problems) out_.unread.push_back(problem);
    if (!question_.why.empty()) {
      explain(options);
      return;
    }
    list_others();
    const bool foreign = db_ != nullptr && db_->presence() == PackageDb::Presence::foreign && !out_.others.empty();
    if (out_.found) {
      list();
      judge(options);
      if (!question_.inventory) compare();
    } else if (db_ == nullptr || (db_->presence() != PackageDb::Presence::none && !foreign)) {
      out_.unread.push_back(out_.presence);
    }
    require_asked();
  }

 private:
  /// A database that is there and cannot be read is no image that cannot be read: the rest is told.
  void open_database() {
    try {
      db_ = &view_.packages();
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      out_.presence = error.what();
      return;
    }
    out_.found = db_->found();
    out_.presence = out_.found ? db_->status_path() : db_->presence_text();
    out_.states_problem = db_->states_problem();
    // Where there are no marks apt takes all for manual; where they are damaged nobody knows.
    if (!out_.states_problem.empty() && view_.resolve("/var/lib/apt/extended_states").found())
      out_.unread.push_back(out_.states_problem);
  }

  void list_others() {
    try {
      out_.others = installed_rows(view_, question_, out_.unread);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      // Of a distribution it is asked who of dpkg's packages owns it.
      if (out_.presence != error.what()) out_.unread.push_back(error.what());
    }
  }

  void explain(const AptOptions& options) {
    std::vector<std::string> unread;
    std::vector<PackageReason> others = installed_reasons(view_, question_.why, unread);
    if (out_.found) {
      try {
        out_.reasons = reasons_of(view_, options, question_.why);
      } catch (const Error& error) {
        // A name that dpkg never knew, or that it would not take, may be another manager's.
        if (others.empty() || error.kind() == ErrorKind::internal) throw;
      }
    } else if (others.empty()) {
      throw Error(ErrorKind::usage, unread.empty() ? no_package() : unread.front());
    }
    // Who asks for dpkg's packages stands in dpkg's database: what the others have that is damaged changes nothing.
    if (db_ == nullptr) out_.unread.push_back(out_.presence);
    if (!others.empty()) out_.unread.insert(out_.unread.end(), unread.begin(), unread.end());
    std::ranges::move(others, std::back_inserter(out_.reasons));
  }

  std::string no_package() const {
    const bool any = db_ != nullptr && !read_installed(view_, listed_managers).empty();
    return any ? "the image has no package " + question_.why : out_.presence;
  }

  void describe_system() {
    out_.created = view_.config().created;
    for (const std::string_view path : os_release_places) {
      try {
        const auto text = view_.text_of(path);
        if (!text) continue;
        const OsRelease release = OsRelease::parse(*text);
        out_.os_id = release.id();
        out_.os_version = release.version_id();
        out_.os_name = release.pretty_name();
        return;
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::internal) throw;
        out_.unread.push_back(std::string(path) + ": " + error.what());
        return;
      }
    }
  }

  void require_asked() const {
    const std::string& asked = question_.files;
    const auto is_asked = [&](const PackageRow& row) {
      return row.name == asked || row.name + ":" + row.architecture == asked;
    };
    if (asked.empty() || (db_ != nullptr && std::ranges::any_of(db_->packages(), [&](const Package& one) {
                            return is_named(one, asked);
                          })))
      return;
    for (const ManagerLook& other : out_.others)
      if (std::ranges::any_of(other.packages, is_asked)) return;
    throw Error(ErrorKind::usage, db_ == nullptr ? out_.presence : "the image has no package " + asked);
  }

  void list() {
    for (const Package& package : db_->packages()) {
      const DpkgPackage& control = package.control;
      PackageRow& row = out_.packages.emplace_back();
      row.name = package.name();
      row.architecture = control.architecture;
      row.version = control.version;
      row.source = control.source;
      row.source_version = control.source_version;
      row.status = to_string(control.state);
      if (const auto automatic = db_->automatic(package)) row.mark = *automatic ? "automatic" : "manual";
      if (!control.unpacked()) continue;
      row.unusable = package.unusable;
      if (!package.unusable.empty()) out_.unread.push_back(package.title() + ": " + package.unusable);
    }
  }

  /// What apt keeps each for. A relation that apt refuses leaves this unknown, the rest stands.
  void judge(const AptOptions& options) {
    try {
      const AptUniverse universe = AptUniverse::of(*db_, options.architectures);
      const AptAutoremove now(universe, options);
      std::unordered_map<const DpkgPackage*, std::size_t> rows;
      for (std::size_t i = 0; i < db_->packages().size(); ++i) rows.emplace(&db_->packages()[i].control, i);
      for (std::uint32_t i = 0; i < universe.members().size(); ++i) {
        PackageRow& row = out_.packages[rows.at(universe.members()[i].control)];
        row.keeps = keeps_text(now.level(i));
        row.removable = now.level(i) <= AptLevel::perhaps;
        if (now.root_reason(i).empty()) row.chain = now.chain_text(i);
      }
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      out_.unread.push_back(std::string("what apt autoremove would take: ") + error.what());
    }
  }

  void compare() {
    out_.unread.insert(out_.unread.end(), db_->problems().begin(), db_->problems().end());
    if (!db_->problems().empty()) return;
    out_.compared = true;
    const PackageComparison comparison(view_, *db_);
    for (const OwnedPath& path : db_->paths()) take(path, comparison.compare(path));
  }

  void take(const OwnedPath& path, const FileVerdict& verdict) {
    PackageRow& row = out_.packages[verdict.file->package];
    if (verdict.state != FileState::other && verdict.state != FileState::never_stood) ++row.files;
    if (!verdict.actual.empty()) ++row.compared;
    const bool differs = is_different(verdict.state), missing = is_missing(verdict.state);
    if (differs || missing) row.differing.push_back(describe(path, verdict));
    if (question_.files.empty()) return;
    for (const PackageFile& file : db_->files(path))
      if (is_named(db_->packages()[file.package], question_.files))
        out_.packages[file.package].all.push_back(describe(path, verdict));
  }

  PackageFileRow describe(const OwnedPath& path, const FileVerdict& verdict) const {
    return {std::string(path.path),         state_text(verdict.state),
            is_different(verdict.state),    is_missing(verdict.state),
            last_touched(view_, path.path), is_missing(verdict.state) ? std::string() : verdict.text};
  }

  const ImageView& view_;
  const PackageDb* db_ = nullptr;  // none that can be read
  const PackagesQuestion& question_;
  PackagesLook& out_;
};

}  // namespace

void redact_packages(const RedactText& redact, PackagesLook& look) {
  const auto all = [&](std::vector<std::string>& texts) {
    for (std::string& text : texts) redact(text);
  };
  redact(look.presence);
  redact(look.states_problem);
  all(look.unread);
  for (std::string* const text : {&look.os_id, &look.os_version, &look.os_name, &look.created}) redact(*text);
  const auto rows = [&](std::vector<PackageRow>& packages) {
    for (PackageRow& row : packages) {
      for (std::string* const text : {&row.name, &row.architecture, &row.version, &row.source, &row.source_version,
                                      &row.chain, &row.unusable, &row.license, &row.vendor, &row.path, &row.owner})
        redact(*text);
      for (auto* const files : {&row.differing, &row.all})
        for (PackageFileRow& file : *files) {
          redact(file.path);
          redact(file.text);
        }
    }
  };
  rows(look.packages);
  for (ManagerLook& other : look.others) {
    redact(other.database);
    rows(other.packages);
  }
  for (PackageReason& reason : look.reasons) {
    for (std::string* const text :
         {&reason.name, &reason.version, &reason.chain, &reason.removed_by, &reason.before_problem, &reason.let_go_by,
          &reason.chain_before, &reason.place, &reason.owner, &reason.remedy})
      redact(*text);
    all(reason.keepers);
    all(reason.gone_along);
    for (PackageUser& user : reason.users) {
      redact(user.name);
      redact(user.relation);
    }
  }
}

void plan_packages(const PackagesQuestion& question, Plan& plan) {
  plan_installed(plan, listed_managers);
  PathSet all, libraries;
  all.include.push_back(Glob::parse("/**"));
  for (const char* const glob : {"**/site-packages/**", "**/dist-packages/**"})
    libraries.include.push_back(Glob::parse(glob));
  if (question.why.empty() && !question.inventory) {
    plan.md5(all);
    plan.sha256(libraries);
  }
  if (!question.why.empty()) plan_package_graphs(plan);
  // rpm's and apk's digests come with a second read, where there are such packages.
  for (const FactKind kind : {FactKind::md5, FactKind::sha1, FactKind::sha256}) plan.on_demand(kind);
}

PackagesLook survey_packages(const ImageView& view, const PackagesQuestion& question) {
  PackagesLook out;
  Survey(view, question, out).run();
  return out;
}

std::size_t PackageRow::missing() const {
  return static_cast<std::size_t>(std::ranges::count_if(differing, &PackageFileRow::missing));
}

PackagesLook look_at_packages(const RunOptions& options, const PackagesQuestion& question) {
  PackagesLook out;
  with_image(options, [&](ReadImage& read, const RedactText& redact) {
    ask_image(
        read, options, [&](Plan& plan) { plan_packages(question, plan); },
        [&](const ImageView& view) { out = survey_packages(view, question); });
    redact_packages(redact, out);
    out.image = describe_image(options, read.image(), redact);
  });
  return out;
}

}  // namespace ocilint
