#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "check/package_db.h"
#include "check/package_history.h"
#include "check/package_relation.h"
#include "check/rule.h"
#include "check/selection.h"

namespace ocilint::rules {
namespace {

constexpr Param params[] = {
    {.name = "any_of",
     .type = ParamType::texts,
     .doc = "One of these must be installed: 'name', 'name:arch', 'name (>= 1.2)', 'a | b'."},
    {.name = "all_of", .type = ParamType::texts, .doc = "Each of these must be installed."},
    {.name = "none_of", .type = ParamType::texts, .doc = "None of these may be unpacked."},
    {.name = "manual",
     .type = ParamType::flag,
     .doc = "What any_of and all_of ask for must be marked as manually installed, so that autoremove keeps it."},
};

constexpr FindingKind kinds[] = {
    {"absent", "A package that is asked for is not installed."},
    {"automatic", "It is installed, but marked automatic: a later autoremove may take it."},
    {"version", "It is installed, but its version is not one that is asked for."},
    {"broken", "It is there, but not in the state \"installed\": dpkg did not finish with it."},
    {"present", "A package in none_of is there."},
};

constexpr Example examples[] = {
    {.title = "an autoremove took libdw1",
     .with = "{any_of: [libdw1, libdw1t64]}",
     .image = R"(layers:
- files:
    /var/lib/dpkg/status: "Package: libdw1\nStatus: install ok installed\nArchitecture: amd64\nVersion: 0.188-2.1\n\n"
- run: RUN apt-get autoremove -y
  files:
    /var/lib/dpkg/status: "Package: libelf1\nStatus: install ok installed\nArchitecture: amd64\nVersion: 0.188-2.1\n\n"
)",
     .expect = "absent libdw1"},
    {.title = "installed, but the next autoremove takes it",
     .with = "{all_of: [libdw1], manual: true}",
     .image = R"(layers:
- files:
    /var/lib/dpkg/status: "Package: libdw1\nStatus: install ok installed\nArchitecture: amd64\nVersion: 0.188-2.1\n\n"
    /var/lib/apt/extended_states: "Package: libdw1\nArchitecture: amd64\nAuto-Installed: 1\n\n"
)",
     .expect = "automatic libdw1"},
    {.title = "recent enough",
     .with = "{all_of: ['libdw1 (>= 0.170) | libdw1t64']}",
     .image = R"(layers:
- files:
    /var/lib/dpkg/status: "Package: libdw1\nStatus: install ok installed\nArchitecture: amd64\nVersion: 0.188-2.1\n\n"
)",
     .expect = "pass"},
    {.title = "nothing records what is manual",
     .with = "{all_of: [libdw1], manual: true}",
     .image = R"(layers:
- files:
    /var/lib/dpkg/status: "Package: libdw1\nStatus: install ok installed\nArchitecture: amd64\nVersion: 0.188-2.1\n\n"
)",
     .expect = "error manual: there is no /var/lib/apt/extended_states"},
};

using Alternative = PackageRelation::Alternative;

/// How near a package is to what is asked for, the nearest last.
enum class Fit { absent, broken, version, automatic, good };

struct Candidate {
  Fit fit = Fit::absent;
  const Package* package = nullptr;  // null: absent
  const Alternative* asked = nullptr;
};

bool names_architecture(const Alternative& asked, const Package& package, const PackageDb& db) {
  const std::string& is = package.control.architecture;
  return asked.architecture.empty() || is == asked.architecture ||
         (is == "all" && asked.architecture == db.native_architecture());
}

class Check {
 public:
  Check(const Params& with, const ImageView& image, Answer& answer)
      : with_(with),
        image_(image),
        answer_(answer),
        db_(image.packages()),
        history_(image),
        manual_(with.flag("manual")) {}

  void run() {
    const std::vector<PackageRelation> any = read("any_of"), all = read("all_of"), none = read("none_of");
    if (any.empty() && all.empty() && none.empty())
      return answer_.could_not("none of any_of, all_of and none_of names a package");
    for (const std::string_view name : {"any_of", "all_of", "none_of"})
      if (with_.has(name) && with_.texts(name).empty())
        answer_.could_not(fmt::format("{} is an empty list, which asks for nothing", name));
    if (!db_.found()) return answer_.could_not(db_.presence_text());
    for (const PackageRelation& relation : all) require({&relation, 1});
    if (!any.empty()) require(any);
    for (const PackageRelation& relation : none) refuse(relation);
  }

 private:
  std::vector<PackageRelation> read(std::string_view name) const {
    std::vector<PackageRelation> out;
    if (with_.has(name))
      for (const std::string& text : with_.texts(name)) out.push_back(PackageRelation::parse(text));
    return out;
  }

  Candidate best_of(const Alternative& asked) const {
    Candidate best{.asked = &asked};
    for (const Package* const package : db_.named(asked.name)) {
      if (!package->control.unpacked() || !names_architecture(asked, *package, db_)) continue;
      Fit fit = Fit::good;
      if (!package->control.installed())
        fit = Fit::broken;
      else if (asked.version && !asked.version->matches(package->control.version))
        fit = Fit::version;
      else if (manual_ && db_.automatic(*package).value_or(true))
        fit = Fit::automatic;
      if (fit > best.fit) best = {fit, package, &asked};
    }
    return best;
  }

  /// At least one alternative of one of the relations.
  void require(std::span<const PackageRelation> relations) {
    std::vector<Candidate> candidates;
    for (const PackageRelation& relation : relations)
      for (const Alternative& asked : relation.alternatives) candidates.push_back(best_of(asked));
    const Candidate best = *std::ranges::max_element(candidates, {}, &Candidate::fit);
    if (best.fit == Fit::absent) return report_absent(candidates);
    // Without apt's states nobody can say what is automatic; that it is absent can be said all the same.
    const bool marked = best.fit == Fit::good || best.fit == Fit::automatic;
    if (manual_ && marked && !db_.states_problem().empty()) return answer_.could_not("manual: " + db_.states_problem());
    if (best.fit == Fit::good) return prove(best);
    for (const Candidate& candidate : candidates)
      if (candidate.fit == best.fit) report(candidate);
  }

  /// The layer that last unpacked it.
  std::optional<std::uint32_t> unpacked_in(const Package& package) const {
    const std::string& path = package.list_path.empty() ? package.digests_path : package.list_path;
    return path.empty() ? std::nullopt : last_touched(image_, path);
  }

  void prove(const Candidate& candidate) {
    const Package& package = *candidate.package;
    std::string text = fmt::format("{} is installed", package.title());
    if (candidate.asked->version) text += fmt::format(", as {} asks for", candidate.asked->text());
    if (manual_) text += ", and is marked manual";
    answer_.evidence(std::move(text), db_.status_path(), unpacked_in(package));
  }

  void report(const Candidate& candidate) {
    const Package& package = *candidate.package;
    Finding out;
    out.subject = candidate.asked->name;
    if (!candidate.asked->architecture.empty()) out.subject += ":" + candidate.asked->architecture;
    out.layer = unpacked_in(package);
    switch (candidate.fit) {
      case Fit::automatic:
        out.kind = "automatic";
        out.message = fmt::format(
            "{} is installed, but marked automatic: an autoremove takes it when nothing that is "
            "installed needs it any more",
            package.title());
        out.remedy = fmt::format("run apt-mark manual {0} (or apt-get install {0}) in the Dockerfile", package.name());
        break;
      case Fit::version:
        out.kind = "version";
        out.message = fmt::format("{} is installed, {} is asked for", package.title(), candidate.asked->text());
        out.remedy =
            fmt::format("install a version of {} that is {}", package.control.name, candidate.asked->version->text());
        break;
      default:
        out.kind = "broken";
        out.message = fmt::format("{} is {}, not installed: dpkg did not finish with it", package.title(),
                                  to_string(package.control.state));
        out.details.push_back("status: " + package.control.status_text());
        out.remedy = "run dpkg --configure -a, or apt-get install --fix-broken, in the step that unpacked it";
        break;
    }
    answer_.finding(std::move(out));
  }

  void report_absent(const std::vector<Candidate>& candidates) {
    Finding out;
    out.kind = "absent";
    out.subject = candidates.front().asked->name;
    std::vector<std::string> names;
    std::optional<PackageHistory::Removal> last;
    for (const Candidate& candidate : candidates) {
      const Alternative& asked = *candidate.asked;
      names.push_back(asked.text());
      // rc: removed, its configuration files are still there. No scanner's trap, but worth a word.
      for (const Package* const package : db_.named(asked.name))
        if (!package->control.unpacked())
          out.details.push_back(fmt::format("{}: {}", package->name(), package->control.status_text()));
      if (const auto removal = history_.removal(asked.name, asked.architecture)) {
        out.details.push_back(fmt::format("{} {} was installed until {}", asked.name, removal->version,
                                          layer_text(image_, removal->layer)));
        if (!last || removal->layer > last->layer) {
          last = removal;
          out.subject = asked.name;
        }
      }
      for (const Package& package : db_.packages())
        if (package.control.installed() && provides(package, asked.name))
          out.details.push_back(
              fmt::format("{} provides {}, which is not the package itself", package.title(), asked.name));
    }
    if (names.size() == 1)
      out.message = fmt::format("{} is not installed", names.front());
    else
      out.message = fmt::format("none of {} is installed", fmt::join(names, ", "));
    if (last) {
      out.layer = last->layer;
      out.message += ": it was removed";
      out.remedy = fmt::format(
          "keep it with apt-mark manual {0} before the step that removed it, or install it "
          "afterwards",
          out.subject);
    } else {
      out.remedy = fmt::format("apt-get install {} in the Dockerfile", names.front());
    }
    answer_.finding(std::move(out));
  }

  static bool provides(const Package& package, std::string_view name) {
    const std::string_view text = package.control.provides;
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t comma = std::min(text.find(',', from), text.size());
      std::string_view part = text.substr(from, comma - from);
      part.remove_prefix(std::min(part.find_first_not_of(" \t\n"), part.size()));
      if (part.substr(0, part.find_first_of(" \t\n(:")) == name) return true;
      from = comma + 1;
    }
    return false;
  }

  void refuse(const PackageRelation& relation) {
    for (const Alternative& asked : relation.alternatives) {
      bool found = false;
      for (const Package* const package : db_.named(asked.name)) {
        if (!package->control.unpacked() || !names_architecture(asked, *package, db_)) continue;
        if (asked.version && !asked.version->matches(package->control.version)) continue;
        found = true;
        Finding out;
        out.kind = "present";
        out.subject = asked.name;
        out.message = fmt::format("{} is {}, and must not be", package->title(), to_string(package->control.state));
        out.layer = unpacked_in(*package);
        out.remedy = fmt::format("apt-get purge {} in the step that installs it", package->name());
        answer_.finding(std::move(out));
      }
      if (!found)
        answer_.evidence(fmt::format("{} is none of the {} packages of the image", asked.text(), db_.packages().size()),
                         db_.status_path());
    }
  }

  const Params& with_;
  const ImageView& image_;
  Answer& answer_;
  const PackageDb& db_;
  PackageHistory history_;
  bool manual_;
};

void plan(const Params&, Plan& plan) { plan.packages(); }

void check(const Params& with, const ImageView& image, Answer& answer) { Check(with, image, answer).run(); }

}  // namespace

extern const Rule package_installed;
const Rule package_installed{
    .doc =
        {.id = "package-installed",
         .summary = "Debian packages are installed, in a version, and kept.",
         .details =
             R"(Reads dpkg's status file (and its journal, and status.d of distroless images) and apt's marks. Installed is
what the third word of Status says: `deinstall ok installed` is installed, `install ok half-installed` is *broken*.
Versions are compared as dpkg does it. A name without architecture means any; the packages themselves count, not
what they provide.

`manual: true` asks that apt's extended_states do not mark the package as automatic, which is what decides whether a
later `apt autoremove` takes it. Without that file nothing records it, which is an error. When a package is absent,
the finding names the layer that removed it, if some layer had it installed.)",
         .severity = Severity::error,
         .security = "none",
         .since = "0.1",
         .params = params,
         .kinds = kinds,
         .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
