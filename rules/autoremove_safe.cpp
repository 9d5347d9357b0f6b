#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "check/apt_autoremove.h"
#include "check/package_db.h"
#include "check/package_history.h"
#include "check/package_relation.h"
#include "check/rule.h"
#include "check/selection.h"
#include "check/unowned_needs.h"

namespace ocilint::rules {
namespace {

constexpr Param params[] = {
    {.name = "packages",
     .type = ParamType::texts,
     .doc = "Packages that must be there and survive: 'name', 'name:arch', 'name (>= 1.2)', 'a | b'."},
    {.name = "files",
     .type = ParamType::paths,
     .doc = "ELF files; those that no package owns need libraries, whose packages must survive."},
    {.name = "if_removed",
     .type = ParamType::texts,
     .doc = "Also after a purge of these packages, and of what depends on them, nothing may be lost."},
    {.name = "allow", .type = ParamType::texts, .doc = "Packages ('name', 'name:arch') that may go."},
    {.name = "allow_empty", .type = ParamType::flag, .doc = "It is fine that no file is one of `files`."},
    {.name = "strict",
     .type = ParamType::flag,
     .doc = "apt's strictest options count: what only a Recommends or Suggests keeps is an error, and so is a "
            "missing record of what is automatic."},
};

constexpr FindingKind kinds[] = {
    {"removable", "The next apt autoremove takes the package (a note when `packages` does not ask for it)."},
    {"exposed", "A file that no package owns needs a library of a package that autoremove takes."},
    {"unresolved", "A file that no package owns needs a library that the image does not have, any more."},
    {"missing", "No file is one of `files`, none of them is an ELF file, or a name leads to no file."},
    {"undecided", "autoremove may take it: it depends on apt's order of packages, or on the kernel of the build."},
    {"kept-by-suggests", "Only a Suggests keeps it: lost when SuggestsImportant is false."},
    {"kept-by-recommends", "Only a Recommends keeps it: lost when RecommendsImportant is false."},
    {"kept-by-chain", "Automatic, and kept only by dependencies of packages that can be removed (a warning)."},
    {"purged", "A purge of `if_removed` takes the package itself along."},
    {"absent", "A package that is asked for is not installed."},
    {"broken", "A package that is asked for is there, but dpkg did not finish with it."},
    {"blocked", "apt refuses to remove anything before something else is repaired (a warning)."},
};

constexpr Example examples[] = {
    {.title = "libdw1 is automatic, and what needed it was purged",
     .with = "{packages: ['libdw1 | libdw1t64']}",
     .image = R"(layers:
- files:
    /var/lib/dpkg/status: "Package: libdw1\nStatus: install ok installed\nArchitecture: amd64\nVersion: 0.188-2.1\n\n"
    /var/lib/apt/extended_states: "Package: libdw1\nArchitecture: amd64\nAuto-Installed: 1\n\n"
)",
     .expect = "removable libdw1"},
    {.title = "kept by a package that a later step may purge",
     .with = "{packages: [libdw1], if_removed: [repo-setup]}",
     .image = R"(layers:
- files:
    /var/lib/dpkg/status: "Package: libdw1\nStatus: install ok installed\nArchitecture: amd64\nVersion: 0.188-2.1\n\nPackage: repo-setup\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1\nDepends: libdw1\n\n"
    /var/lib/apt/extended_states: "Package: libdw1\nArchitecture: amd64\nAuto-Installed: 1\n\n"
)",
     .expect = "removable libdw1"},
    {.title = "marked manual",
     .with = "{packages: [libdw1]}",
     .image = R"(layers:
- files:
    /var/lib/dpkg/status: "Package: libdw1\nStatus: install ok installed\nArchitecture: amd64\nVersion: 0.188-2.1\n\n"
    /var/lib/apt/extended_states: "Package: other\nArchitecture: amd64\nAuto-Installed: 1\n\n"
)",
     .expect = "pass"},
};

constexpr std::string_view states_path = "/var/lib/apt/extended_states";
constexpr std::size_t shown = 8;  // names in a line of details

using Alternative = PackageRelation::Alternative;

bool is_weak(AptLevel level) { return level == AptLevel::kept_by_suggests || level == AptLevel::kept_by_recommends; }

class Check {
 public:
  Check(const Params& with, const ImageView& image, Answer& answer)
      : with_(with),
        image_(image),
        answer_(answer),
        db_(image.packages()),
        history_(image),
        options_(AptOptions::read(image)),
        strict_(with.flag("strict")) {}

  void run() {
    for (const std::string& text : with_.has("packages") ? with_.texts("packages") : std::vector<std::string>())
      packages_.push_back(PackageRelation::parse(text));
    if (with_.has("packages") && packages_.empty()) return answer_.could_not("packages is an empty list");
    if (!present()) return;
    for (const std::string& problem : options_.problems) answer_.could_not(problem);
    check_record();
    if (with_.has("files")) find_needs();

    const AptUniverse universe = seen_by_apt(AptUniverse::of(db_, options_.architectures));
    const AptAutoremove now(universe, options_);
    report_blocked(universe);
    judge(universe, now, "");
    report_evidence(universe, now);
    if (with_.has("if_removed")) judge_after_purge(universe);
  }

 private:
  bool present() {
    if (db_.found() && asks_nothing() && !db_.packages().empty() &&
        std::ranges::all_of(db_.packages(), &Package::distroless)) {
      answer_.not_applicable("the packages are those of status.d, which apt does not read: there is no autoremove");
      return false;
    }
    if (db_.found()) return true;
    if (db_.presence() == PackageDb::Presence::none && packages_.empty() && !with_.has("files"))
      answer_.not_applicable(db_.presence_text());
    else
      answer_.could_not(db_.presence_text());
    return false;
  }

  bool asks_nothing() const { return packages_.empty() && !with_.has("files") && !with_.has("if_removed"); }

  /// Neither apt nor dpkg reads status.d: no autoremove takes packages of distroless images, and nothing blocks it for
  /// the sake of what they depend on.
  AptUniverse seen_by_apt(AptUniverse all) {
    for (const Package& package : db_.packages())
      if (package.distroless) distroless_.insert(&package.control);
    if (distroless_.empty()) return all;
    answer_.evidence(
        fmt::format("{} of {} packages are those of status.d, which apt does not read: no autoremove takes them",
                    distroless_.size(), db_.packages().size()));
    std::vector<std::uint32_t> unseen;
    for (std::uint32_t i = 0; i < all.members().size(); ++i)
      if (distroless_.contains(all.members()[i].control)) unseen.push_back(i);
    return all.without(unseen);
  }

  /// Without extended_states apt takes every package for a manual one: its own answer, which proves little.
  void check_record() {
    if (db_.states_problem().empty()) return;
    if (strict_ || image_.tree().find(states_path) || image_.resolve(states_path).found())
      return answer_.could_not(db_.states_problem());
    answer_.evidence(db_.states_problem() +
                     ": apt takes all for manual and removes none; whether somebody wanted them is unknown");
  }

  struct Users {
    std::vector<std::string> lines;  // "/opt/x/liba.so needs libdw.so.1"
    std::string first;               // the file of the first
  };

  /// Libraries that files without owner need, by the package that has them.
  void find_needs() {
    const PathSet& files = with_.paths("files");
    const std::vector<Selected> selected = select(files, image_);
    if (!require_some(selected, files, with_.flag("allow_empty"), image_, answer_)) return;
    for (const std::string& problem : db_.problems()) answer_.could_not(problem);
    for (const Package& package : db_.packages())
      if (package.control.unpacked() && !package.unusable.empty())
        answer_.could_not(fmt::format("{}: what it owns cannot be told: {}", package.title(), package.unusable));
    report_no_files(files, selected);
    const UnownedNeeds found = find_unowned_needs(image_, selected);
    for (const std::string& problem : found.problems) answer_.could_not(problem);
    if (found.roots == 0 && found.owned == 0 && found.problems.empty() && !with_.flag("allow_empty"))
      answer_.finding(
          {.kind = "missing",
           .subject = files.text,
           .message = fmt::format("none of {} names leads to an ELF file for a loader: nothing was looked at",
                                  selected.size()),
           .details = {},
           .layer = {},
           .remedy = {},
           .severity = {}});
    std::size_t own = 0;
    for (const UnownedNeed& need : found.needs) {
      if (need.provider.empty()) report_unresolved(need);
      own += !need.provider.empty() && need.owners.empty();
      std::string line = fmt::format("{} needs {}", need.file, need.needed);
      if (!need.chain.empty()) line += fmt::format(" ({})", need.chain);
      for (const std::uint32_t owner : need.owners) {
        Users& users = users_[&db_.packages()[owner].control];
        if (users.lines.empty()) users.first = need.file;
        users.lines.push_back(line);
      }
    }
    answer_.evidence(
        fmt::format("{} of {} files need something and belong to no package ({} belong to one, whose "
                    "dependencies speak for it, {} are no ELF files that a loader maps); they need libraries "
                    "of {} packages, and {} libraries without a package",
                    found.roots, selected.size(), found.owned, found.not_elf, users_.size(), own),
        files.text);
  }

  /// Names without wildcards are what the policy counts on.
  void report_no_files(const PathSet& files, const std::vector<Selected>& selected) {
    for (const Selected& one : selected) {
      if (one.end.found() && image_.tree()[one.end.node].type == EntryType::file) continue;
      const bool named = std::ranges::any_of(
          files.include, [&](const Glob& glob) { return glob.is_literal() && glob.text() == one.match.path; });
      if (named) answer_.finding(no_regular_file(one, image_));
    }
  }

  void report_unresolved(const UnownedNeed& need) {
    Finding out;
    out.kind = "unresolved";
    out.subject = need.file;
    out.message = fmt::format("it needs {}, which nothing in the image provides", need.needed);
    if (!need.chain.empty()) out.details.push_back(need.chain);
    out.details.insert(out.details.end(), need.search.begin(), need.search.end());
    out.layer = last_touched(image_, need.file);
    out.remedy = fmt::format("install the package that has {}, and mark it manual", need.needed);
    answer_.finding(std::move(out));
  }

  void judge_after_purge(const AptUniverse& universe) {
    std::vector<std::uint32_t> named;
    for (const std::string& text : with_.texts("if_removed")) {
      const PackageRelation relation = PackageRelation::parse(text);
      bool found = false;
      for (std::uint32_t i = 0; i < universe.members().size(); ++i)
        for (const Alternative& asked : relation.alternatives)
          if (fits(asked, universe.members()[i])) {
            named.push_back(i);
            found = true;
          }
      if (!found) answer_.evidence(fmt::format("if_removed: {} is not installed", relation.text()), db_.status_path());
    }
    if (named.empty()) return;
    const std::vector<std::uint32_t> gone = universe.purged_with(named);
    const AptUniverse after = universe.without(gone);
    const AptAutoremove then(after, options_);
    const std::string purge = "after a purge of " + some_names(universe, gone);
    for (const std::uint32_t member : gone) purged_.insert(universe.members()[member].control);
    judge(after, then, purge);
    answer_.evidence(fmt::format("{}, autoremove takes {}", purge, some_names(after, then.removed(true))),
                     db_.status_path());
  }

  /// `after` empty: the image as it is.
  void judge(const AptUniverse& universe, const AptAutoremove& plan, const std::string& after) {
    std::map<const DpkgPackage*, std::uint32_t> members;
    for (std::uint32_t i = 0; i < universe.members().size(); ++i) members[universe.members()[i].control] = i;
    for (const PackageRelation& relation : packages_) require(relation, universe, plan, members, after);
    for (const auto& [control, users] : users_) {
      if (const auto member = members.find(control); member != members.end())
        report(universe, plan, member->second, after, true, &users);
      else if (purged_.contains(control))
        report_purged(*control, after, &users);
      else if (after.empty() && distroless_.contains(control))
        prove_unseen(*control);
    }
    if (!packages_.empty() || with_.has("files")) return;
    for (const std::uint32_t member : plan.removed(true)) report(universe, plan, member, after, false);
  }

  bool fits(const Alternative& asked, const AptUniverse::Member& member) const {
    const DpkgPackage& control = *member.control;
    if (control.name != asked.name) return false;
    if (!asked.architecture.empty() && asked.architecture != member.architecture) return false;
    return !asked.version || asked.version->matches(control.version);
  }

  /// The best kept of all that fit decides.
  void require(const PackageRelation& relation, const AptUniverse& universe, const AptAutoremove& plan,
               const std::map<const DpkgPackage*, std::uint32_t>& members, const std::string& after) {
    std::optional<std::uint32_t> best;
    const DpkgPackage* broken = nullptr;
    const DpkgPackage* purged = nullptr;
    const DpkgPackage* unseen = nullptr;
    for (const Alternative& asked : relation.alternatives)
      for (const Package* const package : db_.named(asked.name)) {
        const DpkgPackage& control = package->control;
        if (package->distroless) {
          const bool same = asked.architecture.empty() || asked.architecture == control.architecture;
          if (same && (!asked.version || asked.version->matches(control.version))) unseen = &control;
          continue;
        }
        const auto member = members.find(&control);
        if (member == members.end()) {
          if (purged_.contains(&control)) purged = &control;
        } else if (fits(asked, universe.members()[member->second])) {
          if (!control.installed())
            broken = &control;
          else if (!best || plan.level(member->second) > plan.level(*best))
            best = member->second;
        }
      }
    if (best) return report(universe, plan, *best, after, true);
    if (unseen != nullptr) return after.empty() ? prove_unseen(*unseen) : void();
    if (!after.empty()) {
      if (purged != nullptr) report_purged(*purged, after);
      return;
    }
    if (broken != nullptr) return report_broken(*broken);
    report_absent(relation);
  }

  bool is_allowed(std::string_view name, const DpkgPackage& control) const {
    if (!with_.has("allow")) return false;
    for (const std::string& allowed : with_.texts("allow"))
      if (allowed == name || allowed == control.name || allowed == control.name + ":" + control.architecture)
        return true;
    return false;
  }

  void report(const AptUniverse& universe, const AptAutoremove& plan, std::uint32_t member, const std::string& after,
              bool required, const Users* users = nullptr) {
    const AptUniverse::Member& of = universe.members()[member];
    const std::string name = universe.name(member), title = name + " " + of.control->version;
    const AptLevel level = plan.level(member);
    if (is_allowed(name, *of.control)) {
      if (after.empty()) answer_.evidence(fmt::format("{} is allowed to go", title), db_.status_path());
      return;
    }
    if (!after.empty() && level > AptLevel::kept_by_recommends) return;
    if (reported_.contains({of.control, users != nullptr && level == AptLevel::removable})) return;
    Finding out;
    out.subject = name;
    out.layer = status_layer();
    const std::string when = after.empty() ? std::string() : after + ", ";
    switch (level) {
      case AptLevel::removable:
        out.kind = "removable";
        out.message =
            fmt::format("{}{} is automatic and nothing that stays needs it: apt-get autoremove takes it", when, title);
        break;
      case AptLevel::perhaps:
        out.kind = "undecided";
        out.message =
            fmt::format("{}{} is automatic, and whether apt-get autoremove takes it depends on {}", when, title,
                        is_kernel_package(of.control->name) ? "the kernel of the build"
                                                            : "the order in which apt looks at packages");
        if (!strict_) out.severity = Severity::warning;
        break;
      case AptLevel::kept_by_suggests:
      case AptLevel::kept_by_recommends:
        out.kind = level == AptLevel::kept_by_suggests ? "kept-by-suggests" : "kept-by-recommends";
        out.message = fmt::format(
            "{}{} is automatic and only a {} keeps it: an autoremove with {}Important=false takes "
            "it",
            when, title, level == AptLevel::kept_by_suggests ? "Suggests" : "Recommends",
            level == AptLevel::kept_by_suggests ? "Suggests" : "Recommends");
        if (!strict_) out.severity = Severity::warning;
        break;
      case AptLevel::kept_by_chain:
        if (with_.has("if_removed")) return prove(plan, member, title);
        out.kind = "kept-by-chain";
        out.message = fmt::format("{} is automatic: it is lost when the packages that need it are removed", title);
        out.severity = Severity::warning;
        break;
      default: return prove(plan, member, title);
    }
    if (users != nullptr && level == AptLevel::removable) {
      out.kind = "exposed";
      out.message =
          fmt::format("{}, which no package owns, needs a library of {}: {}", users->first, title, out.message);
    }
    if (users != nullptr) add_users(*users, out);
    if (const std::string chain = plan.chain_text(member); !chain.empty()) out.details.push_back("kept by " + chain);
    if (level == AptLevel::removable && is_stale(*of.control))
      out.details.emplace_back(
          "its mark is stale: it was automatic before a removal by dpkg, and is again since it was "
          "installed anew");
    if (required)
      out.remedy = fmt::format("run apt-mark manual {0} (or apt-get install {0}) in the step that needs it", name);
    else {
      out.severity = Severity::note;
      out.remedy =
          fmt::format("run apt-get autoremove in the step that left it, or apt-mark manual {} to keep it", name);
    }
    reported_.emplace(of.control, out.kind == "exposed");
    answer_.finding(std::move(out));
  }

  void prove(const AptAutoremove& plan, std::uint32_t member, const std::string& title) {
    answer_.evidence(fmt::format("{} stays: {}", title, plan.chain_text(member)), db_.status_path());
  }

  void prove_unseen(const DpkgPackage& control) {
    answer_.evidence(
        fmt::format("{} {} stays: it is of status.d, which apt does not read", control.name, control.version));
  }

  static void add_users(const Users& users, Finding& out) {
    for (std::size_t i = 0; i < users.lines.size() && i < shown; ++i) out.details.push_back(users.lines[i]);
    if (users.lines.size() > shown) out.details.push_back(fmt::format("and {} more", users.lines.size() - shown));
  }

  void report_purged(const DpkgPackage& control, const std::string& after, const Users* users = nullptr) {
    if (is_allowed(control.name, control) || !reported_.emplace(&control, users != nullptr).second) return;
    Finding out;
    out.kind = users == nullptr ? "purged" : "exposed";
    out.subject = control.name;
    out.message = fmt::format("{} {} is gone {}", control.name, control.version, after);
    if (users != nullptr) {
      out.message = fmt::format("{}, which no package owns, needs a library of it: {}", users->first, out.message);
      add_users(*users, out);
    }
    out.remedy = "do not remove these packages, or take it from `packages`";
    answer_.finding(std::move(out));
  }

  void report_broken(const DpkgPackage& control) {
    Finding out;
    out.kind = "broken";
    out.subject = control.name;
    out.message = fmt::format("{} {} is {}, not installed: dpkg did not finish with it", control.name, control.version,
                              to_string(control.state));
    out.details.push_back("status: " + control.status_text());
    out.layer = status_layer();
    out.remedy = "run dpkg --configure -a, or apt-get install --fix-broken, in the step that unpacked it";
    answer_.finding(std::move(out));
  }

  void report_absent(const PackageRelation& relation) {
    Finding out;
    out.kind = "absent";
    out.subject = relation.alternatives.front().name;
    out.message = relation.text() + " is not installed";
    out.remedy = fmt::format("apt-get install {} in the Dockerfile", out.subject);
    for (const Alternative& asked : relation.alternatives)
      if (const auto removal = history_.removal(asked.name, asked.architecture)) {
        if (out.layer && removal->layer < *out.layer) continue;
        out.layer = removal->layer;
        out.subject = asked.name;
        out.message = relation.text() + " is not installed: it was removed";
        out.details.push_back(fmt::format("{} {} was installed until {}", asked.name, removal->version,
                                          layer_text(image_, removal->layer)));
        out.remedy = fmt::format("run apt-mark manual {0} before the step that removed it, or install it afterwards",
                                 asked.name);
      }
    answer_.finding(std::move(out));
  }

  void report_blocked(const AptUniverse& universe) {
    Finding out;
    for (const AptUniverse::Unmet& unmet : universe.unmet()) {
      if (out.details.empty()) out.subject = universe.name(unmet.member);
      if (out.details.size() < shown)
        out.details.push_back(fmt::format("{}: {}: {}", universe.name(unmet.member), to_string(unmet.field),
                                          universe.relation(unmet.member, unmet.field, unmet.group)));
    }
    for (const AptUniverse::Clash& clash : universe.clashes()) {
      if (out.details.empty()) out.subject = universe.name(clash.member);
      if (out.details.size() < shown)
        out.details.push_back(fmt::format("{}: {}: {}", universe.name(clash.member),
                                          clash.breaks ? "Breaks" : "Conflicts", clash.relation));
    }
    for (std::uint32_t i = 0; i < universe.members().size(); ++i) {
      const DpkgPackage& control = *universe.members()[i].control;
      if (control.flag != DpkgFlag::reinstreq && control.flag != DpkgFlag::hold_reinstreq) continue;
      if (out.details.empty()) out.subject = universe.name(i);
      if (out.details.size() < shown)
        out.details.push_back(fmt::format("{}: status {}", universe.name(i), control.status_text()));
    }
    if (out.details.empty()) return;
    out.kind = "blocked";
    out.message = "apt refuses an autoremove before this is repaired; what would go is said for the time after";
    out.layer = status_layer();
    out.severity = Severity::warning;
    out.remedy = "run apt-get install --fix-broken in the step that caused it, and look at what that replaces";
    answer_.finding(std::move(out));
  }

  /// Some layer had it marked automatic while it was not installed: dpkg removed it, and apt was not told.
  bool is_stale(const DpkgPackage& control) {
    const std::vector<Event> marks = image_.tree().story(states_path);
    for (std::uint32_t layer = 0; layer < image_.layers().size(); ++layer) {
      const DpkgStatus* const status = history_.status_at(layer);
      const std::optional<InodeId> inode = inode_at(marks, layer);
      if (status == nullptr || !inode) continue;
      const bool there = std::ranges::any_of(status->packages, [&](const DpkgPackage& package) {
        return package.name == control.name && package.architecture == control.architecture && package.unpacked();
      });
      if (there) continue;
      try {
        if (AptExtendedStates::parse(image_.content(*inode))
                .automatic(control.name,
                           control.architecture == "all" ? db_.native_architecture() : control.architecture))
          return true;
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::internal) throw;
      }
    }
    return false;
  }

  void report_evidence(const AptUniverse& universe, const AptAutoremove& plan) {
    std::map<AptLevel, std::size_t> counts;
    for (std::uint32_t i = 0; i < universe.members().size(); ++i) ++counts[plan.level(i)];
    std::size_t weak = 0;
    for (const auto& [level, count] : counts) weak += is_weak(level) ? count : 0;
    answer_.evidence(
        fmt::format(
            "{} packages: {} manual, {} protected, {} kept by dependencies, {} by Recommends or Suggests alone, "
            "{} that autoremove takes",
            universe.members().size(), counts[AptLevel::manual], counts[AptLevel::is_protected],
            counts[AptLevel::kept_by_chain] + counts[AptLevel::kept_by_system], weak,
            counts[AptLevel::removable] + counts[AptLevel::perhaps]),
        db_.status_path());
    answer_.evidence(
        fmt::format("RecommendsImportant is {}, SuggestsImportant {}, as {} files of apt's configuration say",
                    options_.recommends, options_.suggests, options_.files.size()));
  }

  std::string some_names(const AptUniverse& universe, const std::vector<std::uint32_t>& members) const {
    if (members.empty()) return "nothing";
    std::string out;
    for (std::size_t i = 0; i < members.size() && i < shown; ++i)
      out += (i == 0 ? "" : ", ") + universe.name(members[i]);
    if (members.size() > shown) out += fmt::format(" and {} more", members.size() - shown);
    return out;
  }

  std::optional<std::uint32_t> status_layer() const { return last_touched(image_, db_.status_path()); }

  const Params& with_;
  const ImageView& image_;
  Answer& answer_;
  const PackageDb& db_;
  PackageHistory history_;
  AptOptions options_;
  bool strict_;
  std::vector<PackageRelation> packages_;
  std::map<const DpkgPackage*, Users> users_;
  std::set<std::pair<const DpkgPackage*, bool>> reported_;  // and whether it was for a file's sake
  std::set<const DpkgPackage*> purged_, distroless_;
};

void plan(const Params& with, Plan& plan) {
  plan.packages();
  if (!with.has("files")) return;
  plan.elf(with.paths("files"));
  Loader::plan(plan);
}

void check(const Params& with, const ImageView& image, Answer& answer) { Check(with, image, answer).run(); }

}  // namespace

extern const Rule autoremove_safe;
const Rule autoremove_safe{
    .doc =
        {.id = "autoremove-safe",
         .summary = "What the image needs survives the next apt autoremove.",
         .details =
             R"(Computes what `apt-get autoremove` would take, by apt's own algorithm over dpkg's status, apt's marks and the
image's apt.conf (`RecommendsImportant`, `SuggestsImportant`, `NeverAutoRemove`, `Ignore-Hold`), holds, essential and
required packages, and every architecture. Package lists play no part, for apt neither.

`packages` names what must survive; each is told with what keeps it. What nothing keeps is *removable*; what only
a dependency of some manual package keeps is *kept-by-chain*, a warning, since a purge of that package and an
autoremove take it; with `if_removed` only those purges count that it names. What only a Recommends or Suggests keeps is a warning too, since
build scripts switch these off on the command line; with `strict` it is an error.

`files` are ELF files: of those that no package owns (wheels, copied builds) the libraries are looked up as the dynamic
loader would, and packages that they need directly must survive as if `packages` named them: no package says so on
their behalf. What packages need of each other is left to their own dependencies. A library that is already gone is
*unresolved*. With neither `packages` nor `files` every package that autoremove would take is a note.

apt refuses any autoremove while a dependency is unmet (*blocked*); the answer is for the time after the repair. A
package that dpkg installed is manual. Without extended_states all packages are manual for apt: nothing is removable,
and the evidence says that nobody recorded why; with `strict` that is an error, as `package-installed` with `manual`
has it. Packages of status.d (distroless images) no apt reads: they stay, and an image that has no others and of which
nothing is asked is not concerned. Where apt's own order of packages or the kernel of the build decides, the finding is *undecided*.)",
         .severity = Severity::error,
         .security = "none",
         .since = "0.1",
         .params = params,
         .kinds = kinds,
         .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
