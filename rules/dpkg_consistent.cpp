#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/path.h"
#include "check/apt_options.h"
#include "check/apt_universe.h"
#include "check/package_db.h"
#include "check/package_history.h"
#include "check/rule.h"
#include "check/selection.h"
#include "check/status_edits.h"

namespace ocilint::rules {
namespace {

constexpr Param params[] = {
    {.name = "allow",
     .type = ParamType::texts,
     .doc = "Broken relations and states that are known: 'a -> b' (a needs or breaks b), 'a' for all of a package."},
};

constexpr FindingKind kinds[] = {
    {"unmet-dependency", "No installed package satisfies a Depends or Pre-Depends."},
    {"conflict", "Two installed packages of which one conflicts with or breaks the other."},
    {"half-installed", "dpkg was interrupted while it unpacked or removed the package."},
    {"reinstall-required", "The package is marked as broken: it must be installed anew."},
    {"not-configured", "The package is unpacked, but its configuration did not finish (or triggers wait, a note)."},
    {"unfinished-journal", "dpkg's journal was not merged into status: dpkg was killed (a warning)."},
    {"status-edited", "The status file says of a package what dpkg did not write (a warning)."},
};

constexpr Example examples[] = {
    {.title = "a library of one's own, forced in against what needs it",
     .with = "{}",
     .image = R"(layers:
- files:
    /var/lib/dpkg/status: "Package: libfast\nStatus: install ok installed\nArchitecture: amd64\nVersion: 4.9-custom1\n\nPackage: app\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1\nDepends: libfast (>= 5.2)\n\n"
)",
     .expect = "unmet-dependency app -> libfast"},
    {.title = "which the policy knows of",
     .with = "{allow: ['app -> libfast']}",
     .image = R"(layers:
- files:
    /var/lib/dpkg/status: "Package: libfast\nStatus: install ok installed\nArchitecture: amd64\nVersion: 4.9-custom1\n\nPackage: app\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1\nDepends: libfast (>= 5.2)\n\n"
)",
     .expect = "pass"},
    {.title = "a dependency edited out of the status file",
     .with = "{}",
     .image = R"(layers:
- files:
    /var/lib/dpkg/status: "Package: app\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1\nDepends: libfast\n\nPackage: libfast\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1\n\n"
- run: RUN sed -i '/^Depends/d' /var/lib/dpkg/status
  files:
    /var/lib/dpkg/status: "Package: app\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1\n\nPackage: libfast\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1\n\n"
)",
     .expect = "status-edited app"},
};

/// "a | b", without versions and qualifiers: what an edge is named by.
std::string bare_names(const DpkgRelations::Group& group) {
  std::string out;
  for (const DpkgRelation& relation : group) out += (out.empty() ? "" : " | ") + relation.name;
  return out;
}

class Check {
 public:
  Check(const Params& with, const ImageView& image, Answer& answer)
      : image_(image), answer_(answer), db_(image.packages()), history_(image) {
    if (with.has("allow"))
      for (const std::string& text : with.texts("allow")) allow(text);
  }

  void run() {
    if (!db_.found()) {
      if (db_.presence() == PackageDb::Presence::none && allowed_.empty())
        answer_.not_applicable(db_.presence_text());
      else
        answer_.could_not(db_.presence_text());
      return;
    }
    if (std::ranges::all_of(db_.packages(), &Package::distroless) && !db_.packages().empty()) {
      const std::string why =
          "the packages are those of status.d, which neither dpkg nor apt reads: builders of distroless images "
          "unpack packages without what they depend on";
      if (allowed_.empty())
        answer_.not_applicable(why);
      else
        answer_.could_not(why);
      return;
    }
    check_states();
    check_journal();
    const AptOptions options = AptOptions::read(image_);
    const AptUniverse universe = AptUniverse::of(db_, options.architectures);
    check_dependencies(universe);
    check_conflicts(universe);
    check_edits();
    for (const std::string& name : allowed_)
      if (!met_.contains(name)) answer_.evidence(fmt::format("allow: {} is not broken", name), db_.status_path());
    answer_.evidence(
        fmt::format("{} packages in dpkg's status, {} of them unpacked: dependencies and conflicts are those "
                    "that apt would see",
                    db_.packages().size(), universe.members().size()),
        db_.status_path());
  }

 private:
  /// 'a->b' and 'a -> b' are one; the rest is kept as it is.
  void allow(std::string_view text) {
    const auto trimmed = [](std::string_view part) {
      const std::size_t first = std::min(part.find_first_not_of(' '), part.size());
      return part.substr(first, part.find_last_not_of(' ') + 1 - first);
    };
    const std::size_t arrow = text.find("->");
    std::string name(trimmed(text.substr(0, arrow)));
    if (name.empty()) throw Error(ErrorKind::policy, fmt::format("allow: \"{}\" names no package", text));
    if (arrow != std::string_view::npos) {
      const std::string_view other = trimmed(text.substr(arrow + 2));
      if (other.empty()) throw Error(ErrorKind::policy, fmt::format("allow: \"{}\" names no second package", text));
      name += fmt::format(" -> {}", other);
    }
    allowed_.insert(std::move(name));
  }

  bool is_allowed(const std::string& package, const std::string& edge) {
    for (const std::string& name : {edge, package}) {
      if (!allowed_.contains(name)) continue;
      if (met_.insert(name).second)
        answer_.evidence(fmt::format("{} is broken, which the policy allows", name), db_.status_path());
      return true;
    }
    return false;
  }

  std::optional<std::uint32_t> unpacked_in(const Package& package) const {
    const std::string& path = package.list_path.empty() ? package.digests_path : package.list_path;
    return path.empty() ? std::nullopt : last_touched(image_, path);
  }
  /// The one that came later, of two that do not fit together.
  std::optional<std::uint32_t> later(std::optional<std::uint32_t> one, std::optional<std::uint32_t> other) const {
    return std::max(one, other);
  }

  void check_states() {
    for (const Package& package : db_.packages()) {
      const DpkgPackage& control = package.control;
      const bool reinstall = control.flag == DpkgFlag::reinstreq || control.flag == DpkgFlag::hold_reinstreq;
      Finding out;
      switch (control.state) {
        case DpkgState::half_installed:
          out.kind = "half-installed";
          out.message = fmt::format("{} is half installed: dpkg was interrupted while it unpacked or removed it",
                                    package.title());
          break;
        case DpkgState::unpacked:
        case DpkgState::half_configured:
          out.kind = "not-configured";
          out.message =
              fmt::format("{} is {}: its configuration did not finish", package.title(), to_string(control.state));
          out.remedy = "run dpkg --configure -a in the step that unpacked it, and let it fail the build";
          break;
        case DpkgState::triggers_awaited:
        case DpkgState::triggers_pending:
          out.kind = "not-configured";
          out.message = fmt::format("{} is {}: triggers were not processed", package.title(), to_string(control.state));
          out.remedy = "run dpkg --triggers-only -a in the step that unpacked it";
          out.severity = Severity::note;
          break;
        default:
          if (!reinstall) continue;
          break;
      }
      if (reinstall && control.state != DpkgState::half_installed) {
        out.kind = "reinstall-required";
        out.message = fmt::format("{} must be installed anew: dpkg marked it as broken ({})", package.title(),
                                  control.status_text());
        out.severity.reset();
      }
      if (reinstall || control.state == DpkgState::half_installed)
        out.remedy = fmt::format(
            "run apt-get install --reinstall {} in the step that broke it; this puts the archive's "
            "files back, own ones among them are lost",
            package.name());
      out.subject = package.name();
      if (is_allowed(control.name, out.subject)) continue;
      out.details.push_back("status: " + control.status_text());
      out.layer = unpacked_in(package);
      if (!out.layer) out.layer = last_touched(image_, db_.status_path());
      answer_.finding(std::move(out));
    }
  }

  void check_journal() {
    for (const std::string& path : db_.journal()) {
      Finding out;
      out.kind = "unfinished-journal";
      out.subject = path;
      out.message = "dpkg did not merge its journal into status: it was killed, and the next dpkg will do it";
      out.layer = last_touched(image_, path);
      out.remedy = "run dpkg --audit in the step that was interrupted";
      out.severity = Severity::warning;
      answer_.finding(std::move(out));
    }
  }

  const Package* package_of(const AptUniverse::Member& member) const {
    for (const Package* const package : db_.named(member.control->name))
      if (&package->control == member.control) return package;
    return nullptr;
  }

  void check_dependencies(const AptUniverse& universe) {
    for (const AptUniverse::Unmet& unmet : universe.unmet()) {
      const AptUniverse::Member& member = universe.members()[unmet.member];
      const std::string relation = universe.relation(unmet.member, unmet.field, unmet.group);
      const DpkgRelations::Group group = DpkgRelations::parse(relation).groups.front();
      const std::string name = universe.name(unmet.member);
      Finding out;
      out.kind = "unmet-dependency";
      out.subject = fmt::format("{} -> {}", name, bare_names(group));
      if (is_allowed(name, out.subject)) continue;
      out.message = fmt::format("{} {} needs {}", name, member.control->version, relation);
      out.details.push_back(fmt::format("{}: {}", to_string(unmet.field), relation));
      std::string replaced;
      if (const Package* const package = package_of(member)) out.layer = unpacked_in(*package);
      for (const DpkgRelation& wanted : group)
        for (const Package* const other : db_.named(wanted.name)) {
          if (!other->control.unpacked()) continue;
          out.details.push_back(fmt::format("{} is {}", other->title(), to_string(other->control.state)));
          if (replaced.empty()) replaced = other->title();
          out.layer = later(out.layer, unpacked_in(*other));
        }
      if (replaced.empty()) {
        out.message +=
            ", which is not installed: apt refuses every request but a repair, and that installs it or "
            "removes " +
            name;
      } else {
        out.message += fmt::format(
            ", and {} does not do: apt refuses every request but a repair, and apt-get "
            "--fix-broken install puts the archive's package in its place",
            replaced);
      }
      out.remedy =
          "give the package a version that satisfies the relation, or state the edge in `allow` and keep apt "
          "out of later steps";
      answer_.finding(std::move(out));
    }
  }

  void check_conflicts(const AptUniverse& universe) {
    for (const AptUniverse::Clash& clash : universe.clashes()) {
      const std::string name = universe.name(clash.member), other = universe.name(clash.with);
      Finding out;
      out.kind = "conflict";
      out.subject = fmt::format("{} -> {}", name, other);
      if (is_allowed(name, out.subject)) continue;
      out.message =
          fmt::format("{} {} {} {}, and {} {} is installed", name, universe.members()[clash.member].control->version,
                      clash.breaks ? "breaks" : "conflicts with", clash.relation, other,
                      universe.members()[clash.with].control->version);
      for (const std::uint32_t member : {clash.member, clash.with})
        if (const Package* const package = package_of(universe.members()[member]))
          out.layer = later(out.layer, unpacked_in(*package));
      out.remedy = fmt::format("remove one of the two, or state '{}' in `allow`", out.subject);
      answer_.finding(std::move(out));
    }
  }

  void check_edits() {
    const StatusEdits found = find_status_edits(image_, history_);
    for (const std::string& problem : found.problems)
      answer_.could_not("edits of the status file cannot be told: " + problem);
    for (const StatusEdit& edit : found.edits) {
      if (is_allowed(edit.package, edit.package)) continue;
      Finding out;
      out.kind = "status-edited";
      out.subject = edit.package;
      out.message =
          fmt::format("the status file says {} of {}: it was not dpkg that wrote it", edit.what, edit.package);
      if (!edit.before.empty()) out.details.push_back("before: " + edit.before);
      if (!edit.after.empty()) out.details.push_back("after: " + edit.after);
      if (edit.layer < image_.layers().size() && !image_.layers()[edit.layer].created_by.empty())
        out.details.push_back(fmt::format("layer {}: {}", edit.layer, image_.layers()[edit.layer].created_by));
      out.layer = edit.layer;
      out.remedy = "install a package that says what is meant (equivs makes one), so that apt's and dpkg's views agree";
      out.severity = Severity::warning;
      answer_.finding(std::move(out));
    }
    if (found.compared != 0)
      answer_.evidence(
          fmt::format("{} changes of status between layers were compared with the lists that came with them",
                      found.compared),
          db_.status_path());
  }

  const ImageView& image_;
  Answer& answer_;
  const PackageDb& db_;
  PackageHistory history_;
  std::set<std::string> allowed_, met_;
};

void plan(const Params&, Plan& plan) { plan.packages(); }

void check(const Params& with, const ImageView& image, Answer& answer) { Check(with, image, answer).run(); }

}  // namespace

extern const Rule dpkg_consistent;
const Rule dpkg_consistent{
    .doc =
        {.id = "dpkg-consistent",
         .summary = "dpkg's database is whole: dependencies met, nothing half done, nothing edited by hand.",
         .details =
             R"(Dependencies, with versions, virtual packages and architectures, are judged as apt does it. A package that was
forced in (`dpkg --force-all`) has correct digests and looks clean to `dpkg --verify`; but apt then refuses every
request until `apt-get --fix-broken install`, and that puts the archive's package in place of the custom one. The
finding says which. Known edges are stated: `allow: ['app -> library']`; alternatives are written `a -> b | c`.

Half-installed packages, packages marked for reinstallation, unpacked but unconfigured ones, and a journal that dpkg
did not merge mean that a step was interrupted. *status-edited*: between two layers a package changed its relations
without a new version, or came, went or changed its version without its list of files: no dpkg does that. What one
layer did is only seen as a whole, and the first layer has none before it.)",
         .severity = Severity::error,
         .security = "none",
         .since = "0.1",
         .params = params,
         .kinds = kinds,
         .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
