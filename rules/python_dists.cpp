#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/error.h"
#include "base/path.h"
#include "base/pattern.h"
#include "check/python_abi.h"
#include "check/python_constraints.h"
#include "check/python_dists.h"
#include "check/python_requires.h"
#include "check/rule.h"
#include "check/selection.h"

namespace ocilint::rules {
namespace {

constexpr Param params[] = {
    {"site", ParamType::paths, "folders of distributions, in the order of the search; all of the image when absent"},
    {"required", ParamType::texts, "distributions that must be there: 'PyYAML', 'numpy == 2.2.6' (PEP 440)"},
    {"forbidden", ParamType::texts, "distributions that must not be there: 'nvidia-*', 'numpy < 2'"},
    {"implied", ParamType::texts, "'A -> B': wherever A is, B must be, although A does not declare it"},
    {"requires_satisfied", ParamType::flag,
     "what the distributions declare as required is there, in a version that fits, as pip check asks it"},
    {"ignore", ParamType::texts, "of requires_satisfied: 'B' (whoever asks for it), 'A: B' (where A does), 'A: *'"},
    {"one_version", ParamType::flag, "no distribution is there twice on one path in different versions"},
    {"constraints", ParamType::paths, "a file of requirements in the image: each is installed just so"},
    {"constraints_count", ParamType::number, "how many requirements that file has, exactly"},
    {"version_pattern", ParamType::texts,
     "'NAME ~ PATTERN': the version matches the regular expression; 'NAME !~ PATTERN': it does not"},
    {"metadata_lines", ParamType::texts,
     "'NAME ~ PATTERN': a line of the metadata matches ('torch ~ ^License: '); 'NAME !~ PATTERN': none does"},
    {"abi", ParamType::flag, "extension modules carry the tag of the interpreter that will look for them"},
    {"allow_empty", ParamType::flag, "no folder of distributions at all is fine"},
};

constexpr FindingKind kinds[] = {
    {"missing", "There is no folder of distributions, or no file of constraints."},
    {"absent", "A distribution that is asked for is not there."},
    {"version", "It is there, but not in a version that is asked for."},
    {"present", "A distribution that must not be there is."},
    {"implied", "One distribution is there without the other that it needs."},
    {"requires-missing", "A distribution requires another that is not there."},
    {"requires-version", "A distribution requires another version of one that is there."},
    {"duplicate", "One distribution is there in two versions; the search order decides which is used."},
    {"constraint", "What is installed is not what the file of constraints says."},
    {"count", "The file of constraints has another number of requirements."},
    {"pattern", "A version does not match, or matches what it must not."},
    {"metadata", "The metadata lacks a line, or has one that it must not have."},
    {"abi", "Extension modules are made for another interpreter than the one of their folder."},
};

constexpr Example examples[] = {
    {"an undeclared import", "{required: [amd-aiter], implied: ['amd-aiter -> PyYAML']}",
     R"(layers:
- files:
    /opt/venv/lib/python3.12/site-packages/amd_aiter-0.1.21.post1.dist-info/METADATA: "Name: amd-aiter\nVersion: 0.1.21.post1\n\n"
)",
     "implied PyYAML"},
    {"requirements with markers", "{requires_satisfied: true}",
     R"(layers:
- files:
    /usr/lib/python3.12/site-packages/a-1.dist-info/METADATA: "Name: a\nVersion: 1\nRequires-Dist: b (>=2)\nRequires-Dist: c; sys_platform == 'win32'\nRequires-Dist: d; extra == 'x'\n\n"
    /usr/lib/python3.12/site-packages/b-1.5.dist-info/METADATA: "Name: b\nVersion: 1.5\n\n"
)",
     "requires-version b"},
    {"the right build", "{version_pattern: ['torch ~ \\+cpu', 'torch !~ \\+cu'], forbidden: ['nvidia-*']}",
     R"(layers:
- files:
    /usr/lib/python3.12/site-packages/torch-2.9.0+cpu.dist-info/METADATA: "Name: torch\nVersion: 2.9.0+cpu\n\n"
)",
     "pass"},
    {"metadata that cannot be read", "{required: [a]}",
     R"(layers: [{files: {/usr/lib/python3.12/site-packages/a-1.dist-info/METADATA: ''}}])",
     "error /usr/lib/python3.12/site-packages/a-1.dist-info"}};

constexpr std::size_t shown = 5;  // of many files or distributions that a line names

[[noreturn]] void wrong(const std::string& text, std::string_view why) {
  throw Error(ErrorKind::policy, fmt::format("'{}': {}", text, why));
}

/// A requirement in a policy: a name and conditions on the version.
PythonRequirement asked(const std::string& text) {
  PythonRequirement out;
  try {
    out = PythonRequirement::parse(text);
  } catch (const Error& error) {
    throw Error(ErrorKind::policy, error.what());
  }
  if (!out.extras.empty() || !out.url.empty() || !out.marker.empty())
    wrong(text, "only a name and conditions on its version have a meaning here");
  return out;
}

/// 'nvidia-*', 'numpy < 2'.
struct NamePattern {
  std::string name;
  PythonSpecifiers specifiers;

  explicit NamePattern(const std::string& text) {
    const std::size_t end = std::min(text.find_first_of(" <>=!~"), text.size());
    name = text.substr(0, end);
    if (name.empty()) wrong(text, "no name");
    try {
      specifiers = PythonSpecifiers::parse(std::string_view(text).substr(end));
    } catch (const Error& error) {
      throw Error(ErrorKind::policy, error.what());
    }
  }
  bool matches(const PythonDist& dist) const {
    return is_python_name(name, dist.normal) && (specifiers.empty() || specifiers.matches(dist.version));
  }
};

/// 'NAME ~ PATTERN', 'NAME !~ PATTERN'.
struct PatternOf {
  std::string name;
  bool wanted = true;
  Pattern pattern;

  static PatternOf parse(const std::string& text) {
    const std::size_t mark = text.find('~');
    if (mark == std::string::npos || mark == 0) wrong(text, "neither 'NAME ~ PATTERN' nor 'NAME !~ PATTERN'");
    const bool negated = text[mark - 1] == '!';
    const auto trimmed = [](std::string_view part) {
      const auto first = part.find_first_not_of(' ');
      if (first == part.npos) return std::string();
      return std::string(part.substr(first, part.find_last_not_of(' ') + 1 - first));
    };
    std::string name = trimmed(std::string_view(text).substr(0, mark - (negated ? 1 : 0)));
    std::string pattern = trimmed(std::string_view(text).substr(mark + 1));
    if (name.empty() || pattern.empty()) wrong(text, "neither 'NAME ~ PATTERN' nor 'NAME !~ PATTERN'");
    return {std::move(name), !negated, Pattern::compile(pattern)};
  }
};

class Check {
 public:
  Check(const Params& with, const ImageView& image, Answer& answer) : with_(with), image_(image), answer_(answer) {}

  void run() {
    static constexpr std::string_view lists[] = {"required", "forbidden", "implied", "version_pattern",
                                                 "metadata_lines"};
    bool asks =
        with_.flag("requires_satisfied") || with_.flag("one_version") || with_.flag("abi") || with_.has("constraints");
    for (const std::string_view name : lists) {
      asks |= !with_.texts(name).empty();
      if (with_.has(name) && with_.texts(name).empty())
        answer_.could_not(fmt::format("{} is an empty list, which asks for nothing", name));
    }
    if (!asks) return answer_.could_not("no parameter says what must hold of the distributions");
    for (PythonPath& path : find_python_paths(image_, with_.paths("site")))
      all_.push_back(PythonDists::read(image_, std::move(path)));
    if (all_.empty()) return nothing();
    for (const PythonDists& dists : all_) describe(dists);
    for (const std::string& text : with_.texts("required")) require(asked(text));
    for (const std::string& text : with_.texts("forbidden")) forbid(NamePattern(text), text);
    for (const std::string& text : with_.texts("implied")) imply(text);
    for (const std::string& text : with_.texts("version_pattern")) version_pattern(PatternOf::parse(text));
    for (const std::string& text : with_.texts("metadata_lines")) metadata_lines(PatternOf::parse(text));
    if (with_.flag("requires_satisfied")) requirements();
    if (with_.flag("one_version")) one_version();
    if (with_.has("constraints")) constraints();
    if (with_.flag("abi")) abi();
  }

 private:
  void find(std::string kind, std::string subject, std::string message, std::vector<std::string> details,
            std::optional<std::uint32_t> layer, std::string remedy) {
    answer_.finding({.kind = std::move(kind),
                     .subject = std::move(subject),
                     .message = std::move(message),
                     .details = std::move(details),
                     .layer = layer,
                     .remedy = std::move(remedy),
                     .severity = {}});
  }

  void nothing() {
    const std::string where = with_.has("site") ? with_.paths("site").text : "site-packages, dist-packages";
    if (with_.flag("allow_empty"))
      return answer_.evidence("no folder of Python distributions: " + where + ", which the policy allows");
    find("missing", where, "no such folder of Python distributions", {}, {}, "name the folder that the image has");
  }

  void describe(const PythonDists& dists) {
    std::string text = fmt::format("{}: {} distributions in {}", dists.path.title(), dists.all.size(),
                                   fmt::join(dists.path.sites, ", "));
    if (!dists.leftovers.empty())
      text +=
          fmt::format("; {} leftovers of pip are not counted ({})", dists.leftovers.size(), dists.leftovers.front());
    answer_.evidence(std::move(text), dists.path.sites.front());
    for (const PythonDist& dist : dists.all)
      if (!dist.problem.empty() && unreadable_.insert(dist.path).second)
        answer_.could_not(fmt::format("{}: {}", dist.path, dist.problem));
  }

  static std::string place(const PythonDist& dist) { return fmt::format("{} in {}", dist.title(), dist.site); }
  void prove(const PythonDist& dist, std::string text) {
    answer_.evidence(std::move(text), dist.metadata_path, dist.layer);
  }

  void require(const PythonRequirement& wanted) {
    std::vector<const PythonDist*> others;
    for (const PythonDists& dists : all_) {
      const PythonDist* const found = dists.find(wanted.normal);
      if (found == nullptr) continue;
      if (wanted.specifiers.matches(found->version))
        return prove(*found, fmt::format("{} is installed{}", place(*found),
                                         wanted.specifiers.empty() ? "" : ", as " + wanted.text + " asks for"));
      others.push_back(found);
    }
    if (others.empty()) return absent(wanted);
    std::vector<std::string> details;
    for (const PythonDist* const other : others) details.push_back("is there: " + place(*other));
    find("version", wanted.name, fmt::format("{} is installed, {} is asked for", others.front()->title(), wanted.text),
         std::move(details), others.front()->layer, fmt::format("pip install '{}' in the Dockerfile", wanted.text));
  }

  /// The last layer that took a distribution of this name away; says so in the details.
  std::optional<std::uint32_t> removed(const std::string& normal, std::vector<std::string>& details) const {
    std::optional<std::uint32_t> layer;
    for (const PythonDists& dists : all_)
      for (const std::string& site : dists.path.sites)
        for (const std::string& path : image_.tree().removed_below(site)) {
          if (!path.ends_with(".dist-info/METADATA") && !path.ends_with(".egg-info/PKG-INFO")) continue;
          const std::string_view folder = parent_path(path), name = base_name(folder);
          if (parent_path(folder) != site || normal_python_name(name.substr(0, name.find('-'))) != normal) continue;
          layer = last_touched(image_, path);
          details.push_back(fmt::format("{} was there until layer {}", folder, layer.value_or(0)));
        }
    return layer;
  }

  void absent(const PythonRequirement& wanted) {
    std::vector<std::string> details;
    const std::optional<std::uint32_t> layer = removed(wanted.normal, details);
    for (const PythonDists& dists : all_) details.push_back("looked in " + dists.path.title());
    find("absent", wanted.name, fmt::format("{} is not installed{}", wanted.text, layer ? ": it was removed" : ""),
         std::move(details), layer, fmt::format("pip install '{}' in the Dockerfile", wanted.text));
  }

  /// A version that is none of PEP 440 satisfies no condition, which is no proof that it is another one.
  void must_compare(const PythonDist& dist, const PythonSpecifiers& specifiers, const std::string& text) {
    if (specifiers.empty() || !dist.problem.empty() || PythonVersion::parse(dist.version)) return;
    answer_.could_not(fmt::format("{}: whether '{}' is true of the version '{}' nobody can tell: it is none of PEP 440",
                                  dist.path, text, dist.version));
  }

  void forbid(const NamePattern& pattern, const std::string& text) {
    std::size_t looked_at = 0;
    bool found = false;
    std::set<std::string> seen;  // a folder may be on two paths
    for (const PythonDists& dists : all_)
      for (const PythonDist& dist : dists.all) {
        if (!seen.insert(dist.path).second) continue;
        ++looked_at;
        if (is_python_name(pattern.name, dist.normal)) must_compare(dist, pattern.specifiers, text);
        if (!pattern.matches(dist)) continue;
        found = true;
        find("present", dist.name, fmt::format("{} is installed, and must not be ({})", place(dist), text), {dist.path},
             dist.layer, fmt::format("pip uninstall -y {} in the step that installs it", dist.name));
      }
    if (!found) answer_.evidence(fmt::format("{} is none of {} distributions", text, looked_at));
  }

  void imply(const std::string& text) {
    const std::size_t arrow = text.find("->");
    if (arrow == std::string::npos) wrong(text, "not of the form 'A -> B'");
    const PythonRequirement cause = asked(text.substr(0, arrow)), effect = asked(text.substr(arrow + 2));
    bool any = false;
    for (const PythonDists& dists : all_) {
      const PythonDist* const first = dists.find(cause.normal);
      if (first != nullptr) must_compare(*first, cause.specifiers, text);
      if (first == nullptr || !cause.specifiers.matches(first->version)) continue;
      any = true;
      const PythonDist* const second = dists.find(effect.normal);
      if (second != nullptr && effect.specifiers.matches(second->version)) {
        prove(*second, fmt::format("{} has {} beside it", place(*first), second->title()));
        continue;
      }
      std::vector<std::string> details = {"searched: " + fmt::format("{}", fmt::join(dists.path.sites, ", "))};
      if (second != nullptr) details.push_back("is there: " + place(*second));
      const auto gone = second == nullptr ? removed(effect.normal, details) : std::nullopt;
      find("implied", effect.name,
           fmt::format("{} is installed without {}, which it needs", place(*first), effect.text), std::move(details),
           gone ? gone : first->layer, fmt::format("pip install '{}' beside {}", effect.text, first->name));
    }
    if (!any) answer_.evidence(fmt::format("{} is not installed, so it needs nothing", cause.text));
  }

  /// Calls `judge` for every visible distribution of the name; a name that none has is a finding.
  void for_named(const PatternOf& of, const std::function<void(const PythonDist&)>& judge) {
    bool any = false;
    std::set<std::string> seen;
    for (const PythonDists& dists : all_)
      for (const PythonDist* const dist : dists.visible()) {
        if (!is_python_name(of.name, dist->normal)) continue;
        any = true;
        if (dist->problem.empty() && seen.insert(dist->path).second) judge(*dist);
      }
    if (!any)
      find("absent", of.name, fmt::format("{} is not installed, so nothing of it can be shown", of.name), {}, {},
           "install it, or take the condition out of the policy");
  }

  void version_pattern(const PatternOf& of) {
    for_named(of, [&](const PythonDist& dist) {
      if (of.pattern.found_in(dist.version) == of.wanted)
        return prove(dist, fmt::format("the version of {} {} {}", place(dist), of.wanted ? "matches" : "does not match",
                                       of.pattern.text()));
      find("pattern", dist.name,
           fmt::format("the version of {} {} {}", place(dist), of.wanted ? "does not match" : "matches",
                       of.pattern.text()),
           {dist.metadata_path}, dist.layer, fmt::format("install the build of {} that is meant", dist.name));
    });
  }

  void metadata_lines(const PatternOf& of) {
    for_named(of, [&](const PythonDist& dist) {
      std::vector<std::string> hits;
      for (const PythonMetadata::Field& field : dist.metadata.fields)
        if (of.pattern.found_in(field.line())) hits.push_back(field.line());
      if (hits.empty() != of.wanted)
        return prove(
            dist, of.wanted ? fmt::format("{} says {}", place(dist), hits.front())
                            : fmt::format("no line of the metadata of {} matches {}", place(dist), of.pattern.text()));
      find("metadata", dist.name,
           fmt::format("{} of {} matches {}", of.wanted ? "no line of the metadata" : "the metadata", place(dist),
                       of.pattern.text()),
           std::move(hits), last_touched(image_, dist.metadata_path),
           fmt::format("look at the step that installs {} or edits {}", dist.name, dist.metadata_path));
    });
  }

  bool ignored(std::string_view by, std::string_view name) const {
    for (const std::string& text : with_.texts("ignore")) {
      const std::size_t colon = text.find(':');
      const bool of_one = colon != std::string::npos;
      if (of_one && !is_python_name(text.substr(0, colon), by)) continue;
      std::string_view what = of_one ? std::string_view(text).substr(colon + 1) : std::string_view(text);
      what.remove_prefix(std::min(what.find_first_not_of(' '), what.size()));
      // A requirement that cannot be read has no name; only "A: *" covers it.
      if (name.empty() ? of_one && what == "*" : is_python_name(what, name)) return true;
    }
    return false;
  }

  void requirements() {
    for (const PythonDists& dists : all_) {
      const RequirementsFacts facts =
          check_requirements(dists, python_environment(dists.path, image_),
                             [&](std::string_view by, std::string_view name) { return ignored(by, name); });
      for (const std::string& text : facts.undecided)
        answer_.could_not(fmt::format("{}: {}", dists.path.title(), text));
      for (const PythonAsk& unmet : facts.unmet) {
        std::vector<std::string> details = {"required by: " + unmet.by->path};
        if (!unmet.extra.empty())
          details.push_back(fmt::format("by its extra {}, which another asks for", unmet.extra));
        const PythonRequirement& wanted = unmet.requirement;
        if (unmet.found != nullptr) details.push_back("is there: " + place(*unmet.found));
        const auto gone = unmet.found == nullptr ? removed(wanted.normal, details) : std::nullopt;
        find(unmet.found == nullptr ? "requires-missing" : "requires-version", wanted.name,
             fmt::format("{} of {} requires {}, {}", unmet.by->title(), dists.path.prefix, wanted.text,
                         unmet.found == nullptr ? "which is not installed" : unmet.found->version + " is installed"),
             std::move(details),
             gone                     ? gone
             : unmet.found == nullptr ? unmet.by->layer
                                      : unmet.found->layer,
             fmt::format("pip install '{}{}'", wanted.name, wanted.specifiers.text()));
      }
      answer_.evidence(fmt::format("{}: {} requirements of {} distributions are met{}", dists.path.title(),
                                   facts.satisfied, dists.visible().size(),
                                   facts.ignored == 0 ? "" : fmt::format(", {} are not looked at", facts.ignored)));
    }
  }

  void one_version() {
    for (const PythonDists& dists : all_) {
      std::map<std::string_view, std::vector<const PythonDist*>> by_name;
      for (const PythonDist& dist : dists.all) by_name[dist.normal].push_back(&dist);
      for (const auto& [name, same] : by_name) {
        const bool differ = std::ranges::any_of(same, [&](const PythonDist* each) {
          return each->version != same.front()->version || (each != same.front() && each->site == same.front()->site);
        });
        if (!differ) continue;
        std::vector<std::string> details;
        std::optional<std::uint32_t> layer;
        for (const PythonDist* const each : same) {
          details.push_back(fmt::format("{}: {}", each->version, each->path));
          if (each->layer && (!layer || *each->layer > *layer)) layer = each->layer;
        }
        find("duplicate", same.front()->name,
             fmt::format("{} is there {} times for {}; {} is found first", same.front()->name, same.size(),
                         dists.path.title(), same.front()->version),
             std::move(details), layer, fmt::format("uninstall the other versions of {}", same.front()->name));
      }
      answer_.evidence(
          fmt::format("{}: {} names in {} distributions", dists.path.title(), by_name.size(), dists.all.size()));
    }
  }

  void constraints() {
    const PathSet& set = with_.paths("constraints");
    const std::vector<Selected> selected = select(set, image_);
    if (!require_some(selected, set, false, image_, answer_)) return;
    for (const Selected& file : selected) {
      const std::string path = file.match.path;
      const auto text = image_.text_of(file.match.canonical);
      if (!text) corrupt(path + ": there is no such file");
      PythonConstraints read;
      try {
        read = PythonConstraints::parse(*text);
      } catch (Error& error) {
        error.within(path);
        throw;
      }
      for (const std::string& option : read.options)
        answer_.could_not(fmt::format("{}: {}: an option, which is not obeyed", path, option));
      if (const auto count = with_.number("constraints_count"); count && *count != read.lines.size())
        find("count", path, fmt::format("{} requirements, {} are asked for", read.lines.size(), *count), {},
             last_touched(image_, file.end.path), "look at the step that writes the file");
      else if (!count && read.lines.empty())
        find("count", path, "no requirement stands in it, so nothing was compared", {},
             last_touched(image_, file.end.path), "look at the step that writes the file");
      for (const auto& line : read.lines) constraint(line, path);
      answer_.evidence(fmt::format("{} has {} requirements", path, read.lines.size()), file.end.path,
                       last_touched(image_, file.end.path));
    }
  }

  static bool is_as(const PythonDist& dist, const PythonRequirement& wanted) {
    if (wanted.url.empty()) return wanted.specifiers.matches(dist.version);
    const auto bare = [](const std::string& url) { return url.substr(0, url.find('#')); };
    if (!dist.url.empty()) return bare(dist.url) == bare(wanted.url);
    const auto of_wheel = PythonVersion::parse(version_of_wheel(wanted.url));
    const auto is = PythonVersion::parse(dist.version);
    return of_wheel && is && compare(*of_wheel, *is) == 0;
  }

  void constraint(const PythonConstraints::Line& line, const std::string& file) {
    const PythonRequirement& wanted = line.requirement;
    const PythonDist* good = nullptr;
    bool any = false, applies = false;
    for (const PythonDists& dists : all_) {
      const auto here = wanted.marker.evaluate(python_environment(dists.path, image_));
      if (!here) {
        answer_.could_not(
            fmt::format("{}: line {}: whether the marker holds the image does not tell", file, line.number));
        return;
      }
      if (!*here) continue;
      applies = true;
      const PythonDist* const found = dists.find(wanted.normal);
      if (found == nullptr) continue;
      any = true;
      if (is_as(*found, wanted)) {
        good = found;
        continue;
      }
      find("constraint", wanted.name, fmt::format("{} is installed, {} says {}", place(*found), file, wanted.text),
           {fmt::format("{}: line {}", file, line.number)}, found->layer,
           "install with the constraints in every step, or write the file anew");
    }
    if (good != nullptr)
      prove(*good, fmt::format("{} is as line {} of {} says", place(*good), line.number, file));
    else if (!applies)
      answer_.evidence(fmt::format("line {} of {} is for another environment: {}", line.number, file, wanted.text));
    else if (!any)
      find("absent", wanted.name, fmt::format("{} is not installed, {} says {}", wanted.name, file, wanted.text),
           {fmt::format("{}: line {}", file, line.number)}, last_touched(image_, file),
           "install it, or take it out of the file");
  }

  void abi() {
    std::map<std::string, std::vector<std::string>> versions;  // by site
    for (const PythonDists& dists : all_)
      for (const std::string& site : dists.path.sites) {
        auto& own = versions[site];
        if (!dists.path.version.empty()) own.push_back(dists.path.version);
      }
    for (const auto& [site, own] : versions) {
      const PythonModules modules = find_modules(image_, site, own);
      if (own.empty() && modules.tagged != 0) {
        answer_.could_not(
            fmt::format("{}: {} modules have the tag of an interpreter, and nothing tells which one "
                        "searches there",
                        site, modules.tagged));
        continue;
      }
      for (const ForeignModules& foreign : modules.foreign) {
        std::vector<std::string> details(
            foreign.files.begin(),
            foreign.files.begin() + static_cast<std::ptrdiff_t>(std::min(shown, foreign.files.size())));
        if (foreign.files.size() > shown) details.push_back(fmt::format("and {} more", foreign.files.size() - shown));
        find("abi", join(site, foreign.package),
             fmt::format("{} extension modules are for another interpreter than Python {}", foreign.files.size(),
                         fmt::join(own, ", ")),
             std::move(details), last_touched(image_, foreign.files.front()),
             fmt::format("install the wheel that is built for Python {}", own.front()));
      }
      answer_.evidence(fmt::format("{}: {} extension modules with the tag of an interpreter, {} without", site,
                                   modules.tagged, modules.untagged),
                       site);
    }
  }

  const Params& with_;
  const ImageView& image_;
  Answer& answer_;
  std::vector<PythonDists> all_;
  std::set<std::string> unreadable_;
};

void plan(const Params& with, Plan& plan) {
  plan_python_dists(plan);
  if (with.has("constraints")) plan.content(with.paths("constraints"));
}

void check(const Params& with, const ImageView& image, Answer& answer) { Check(with, image, answer).run(); }

}  // namespace

extern const Rule python_dists;
const Rule python_dists{
    .doc = {.id = "python-dists",
            .summary = "Python distributions are installed, in versions that fit together, and no others.",
            .details =
                R"(Reads `*.dist-info` and `*.egg-info` below the folders site-packages and dist-packages; nothing is
imported or run. Names are compared as indexes do (`Foo.Bar` is `foo-bar`), versions by PEP 440: a local part (`+cu128`)
counts only where the condition has one. What one interpreter searches is one path; `required` asks for one path that
has it, everything else holds for each path. With `site` only the folders that it names are looked at.

`requires_satisfied` is `pip check` without pip: each Requires-Dist whose marker holds is installed in a version that
fits, with the extras that other distributions ask for. Markers are evaluated for Linux, the image's architecture and
the Python of the folder's name. What depends on the kernel or on an unknown third number of the version, and is not
met, is an error. It cannot see imports that nobody declares: state these with `implied`.

A distribution whose metadata cannot be read (no METADATA, an .egg archive, an .egg-link) is an error of the check.
PYTHONPATH and .pth files are not followed; give such folders as `site`.)",
            .severity = Severity::error,
            .security = "none",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
