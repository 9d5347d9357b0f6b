#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/path.h"
#include "check/library_places.h"
#include "check/loader.h"
#include "check/loader_roots.h"
#include "check/python_dists.h"
#include "check/rule.h"
#include "check/selection.h"

namespace ocilint::rules {
namespace {

constexpr std::string_view library_paths[] = {"config", "none"};

constexpr Param params[] = {
    {"file", ParamType::paths, "the program or library to begin with"},
    {"files", ParamType::paths, "several; of `/opt/**` those that are ELF files for a loader, the others are counted"},
    {"distribution", ParamType::texts, "Python distributions: the shared objects that their RECORD lists, all of them"},
    {"require_elf", ParamType::flag, "every file that is selected must be an ELF file that a loader can take"},
    {"library_path", ParamType::text,
     "config (default): with LD_LIBRARY_PATH of the image configuration; none: without", false, library_paths},
    {"preloads", ParamType::texts, "libraries that a program loads before these files: names, or globs of paths"},
    {"allow_preload", ParamType::flag, "what resolves only because of `preloads` is fine"},
    {"ignore", ParamType::texts, "names that may be missing, with wildcards: libcuda.so*"},
    {"host", ParamType::texts, "names that the host provides when the image runs, with wildcards; listed as evidence"},
    {"expect", ParamType::texts, "'SONAME -> GLOB': the file that every consumer of that name must get"},
    {"one_provider", ParamType::texts, "SONAMEs that one file of the image alone may offer (or `providers` files)"},
    {"providers", ParamType::number, "how many files must offer each of `one_provider`; 1 unless stated"},
    {"versions", ParamType::flag, "symbol versions that are needed must be defined (default true)"},
    {"allow_empty", ParamType::flag, "no such file is fine"},
};

constexpr FindingKind kinds[] = {
    {"missing",
     "no file of that name where the loader looks; or no file to begin with; or (warning) a pattern meets a "
     "library's name that is a link to nothing"},
    {"fatal-candidate", "the loader finds an unusable file of that name first, and gives up"},
    {"preload-only", "the name resolves only because a library of `preloads` was loaded before (warning)"},
    {"preload-missing", "a library of LD_PRELOAD, /etc/ld.so.preload or `preloads` does not resolve"},
    {"wrong-file", "a consumer gets another file than `expect` says"},
    {"not-needed", "nothing asks for a name of `expect`"},
    {"several-providers", "another number of files offers the SONAME"},
    {"version-missing", "the file that is found does not define a symbol version that is needed"},
    {"interpreter-missing", "the program's interpreter is not there, or cannot run it"},
    {"not-elf", "a file that must be an ELF file is none, or not one for a loader"},
};

constexpr Example examples[] = {
    {"a text where a library should be", "{file: /l/a.so}", "layers: [{files: {/l/a.so: 'INPUT(x)'}}]",
     "not-elf /l/a.so"},
    {"nothing to look at is no pass", "{files: ['/opt/**']}", "layers: [{files: {/opt/README: x}}]", "missing /opt/**"},
    {"unless the policy says so", "{files: ['/opt/**'], allow_empty: true}", "layers: [{files: {/opt/README: x}}]",
     "pass"},
};

/// "libX.so.1 -> /opt/x/**".
struct Expectation {
  std::string name;
  Glob glob;
};

Expectation parse_expectation(const std::string& text) {
  const std::size_t arrow = text.find(" -> ");
  if (arrow == std::string::npos || arrow == 0)
    throw Error(ErrorKind::policy, fmt::format("expect: '{}' is not 'SONAME -> GLOB'", text));
  return {text.substr(0, arrow), Glob::parse(text.substr(arrow + 4))};
}

/// Patterns of library names: `*` and `?` as in a glob.
class NamePatterns {
 public:
  explicit NamePatterns(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) globs_.push_back(Glob::parse("**/" + text));
  }
  bool match(std::string_view name) const {
    const std::string path = normalise(name).path;
    return std::ranges::any_of(globs_, [&](const Glob& glob) { return glob.matches(path); });
  }

 private:
  std::vector<Glob> globs_;
};

/// One thing that is wrong with one name of one requester, from however many roots it is met.
struct Problem {
  Finding finding;
  std::string chain;  // of the first root
  std::size_t roots = 0;
};

class Survey {
 public:
  Survey(const Params& with, const ImageView& image, Answer& answer)
      : with_(with),
        image_(image),
        answer_(answer),
        places_(image),
        ignore_(with.texts("ignore")),
        host_(with.texts("host")),
        roots_(loader_roots(files_of(with), with.texts("distribution"), image)) {
    for (const std::string& text : with.texts("expect")) expectations_.push_back(parse_expectation(text));
  }

  void run() {
    std::vector<unsigned> levels = Loader::levels_of(image_);
    levels.insert(levels.begin(), 1);
    for (const unsigned level : levels) walk(level);
    judge_roots();
    judge_expectations();
    for (const std::string& soname : with_.texts("one_provider")) judge_providers(soname);
    for (auto& [key, problem] : problems_) finish(problem);
    for (const std::string& why : unknown_) answer_.could_not(why);
    give_evidence();
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // kind, requester, name

  void dangling(const Selected& link);
  LoaderOptions options_for(unsigned level);
  void walk(unsigned level);
  bool usable(const LoaderRoot& root, const Closure& closure);
  void take(const Closure& closure, unsigned level);
  void take_edge(const Closure& closure, const LoadEdge& edge);
  void take_versions(const Closure& closure);
  void expect(const Closure& closure, const LoadEdge& edge);
  void judge_roots();
  void judge_expectations();
  void judge_providers(const std::string& soname);
  void say_where(const Closure& closure, const LoadEdge& edge, Finding& finding);
  void finish(Problem& problem);
  void give_evidence();

  /// The problem of this key when it is new; the roots of a known one are counted.
  /// What the loader meets broke the consumer, if it is newer.
  void blame(Finding& finding, std::string_view path) const {
    if (const auto layer = last_touched(image_, path); layer > finding.layer) finding.layer = layer;
  }
  Finding* problem(std::string_view kind, const Closure& closure, std::size_t requester, const std::string& name);

  const Params& with_;
  const ImageView& image_;
  Answer& answer_;
  LibraryPlaces places_;
  NamePatterns ignore_, host_;
  std::vector<Expectation> expectations_;
  LoaderRoots roots_;
  std::map<Key, Problem> problems_;
  std::set<Key> seen_in_root_;
  std::set<std::string> unknown_, ignored_, hosted_, through_preload_;
  std::set<InodeId> files_;
  std::map<std::string, std::set<std::string>> expected_;  // name -> files that consumers got
  std::size_t loadable_ = 0, programs_ = 0, edges_ = 0, versions_ = 0;
  std::string example_;
  std::vector<std::string> basis_;
  unsigned level_ = 1;
};

/// A library's name that leads to nothing is one that the loader will not find; other names are for other rules.
void Survey::dangling(const Selected& link) {
  const std::string_view name = base_name(link.match.path);
  if (name.find(".so.") == name.npos && !name.ends_with(".so")) {
    ++roots_.left_out["links to nothing that have no library's name"];
    return;
  }
  if (ignore_.match(name)) {
    ignored_.insert(std::string(name));
  } else if (host_.match(name)) {
    hosted_.insert(std::string(name));
  } else {
    Finding finding = no_regular_file(link, image_);
    if (!finding.layer) finding.layer = last_touched(image_, link.match.canonical);
    finding.severity = Severity::warning;
    finding.remedy = "remove the link, or install what it is for; if the host provides it, say so with `host`";
    answer_.finding(std::move(finding));
  }
}

LoaderOptions Survey::options_for(unsigned level) {
  LoaderOptions options;
  options.library_path = with_.text("library_path") != "none";
  options.cpu_level = level;
  for (const std::string& text : with_.texts("preloads")) {
    if (!text.starts_with('/') && !text.starts_with("**/")) {
      options.preloads.push_back(text);
      continue;
    }
    const auto found = match(image_.tree(), Glob::parse(text));
    for (const Match& one : found) options.preloads.push_back(one.canonical);
    if (!found.empty()) continue;
    const Key key("preload-missing", text, "");
    if (!problems_.contains(key))
      problems_[key].finding = {.kind = "preload-missing",
                                .subject = text,
                                .message = "no file of the image matches",
                                .details = {},
                                .layer = {},
                                .remedy = {},
                                .severity = {}};
  }
  return options;
}

void Survey::walk(unsigned level) {
  level_ = level;
  Loader loader(image_, options_for(level));
  for (const LoaderRoot& root : roots_.files) {
    const Closure closure = loader.closure_of(root.path);
    if (!usable(root, closure)) continue;
    seen_in_root_.clear();
    take(closure, level);
  }
  if (level == 1) basis_ = loader.basis();
}

bool Survey::usable(const LoaderRoot& root, const Closure& closure) {
  if (closure.state == RootState::loadable) return true;
  if (level_ != 1) return false;
  if (closure.state == RootState::unknown) {
    // Debug information that was split off keeps the headers of what it was split from, without their content.
    if (!root.named && root.path.ends_with(".debug")) {
      ++roots_.left_out["files of split debug information"];
      return false;
    }
    unknown_.insert(root.path + ": " + closure.problem);
  } else if (root.named || with_.flag("require_elf")) {
    Finding finding{.kind = "not-elf",
                    .subject = root.path,
                    .message = {},
                    .details = {},
                    .layer = {},
                    .remedy = {},
                    .severity = {}};
    finding.message = closure.state == RootState::not_elf ? "no ELF file: " + closure.problem
                                                          : "no file for a loader: " + closure.problem;
    finding.layer = last_touched(image_, root.path);
    roots_.missing.push_back(std::move(finding));
  } else {
    ++roots_.left_out[closure.state == RootState::not_elf ? "no ELF files" : "ELF files that no loader takes"];
  }
  return false;
}

void Survey::take(const Closure& closure, unsigned level) {
  if (level == 1) {
    ++loadable_;
    if (!closure.interpreter.empty()) ++programs_;
    edges_ += closure.edges.size();
    versions_ += closure.versions_checked;
  }
  for (const LoadedObject& object : closure.objects) files_.insert(object.inode);
  for (const LoadEdge& edge : closure.edges) {
    take_edge(closure, edge);
    expect(closure, edge);
  }
  if (with_.flag("versions", true)) take_versions(closure);
  if (!closure.interpreter_problem.empty())
    if (Finding* const finding = problem("interpreter-missing", closure, 0, closure.interpreter)) {
      finding->message = fmt::format("its interpreter {}: {}", closure.interpreter, closure.interpreter_problem);
      for (const RemovedLibrary& gone : places_.removed(base_name(closure.interpreter))) finding->layer = gone.layer;
    }
  if (example_.empty() && closure.objects.size() > 1 && closure.complete()) {
    const std::size_t last = closure.objects.size() - 1;
    example_ = fmt::format("{} ({})", closure.chain(last), closure.objects[last].canonical);
  }
}

Finding* Survey::problem(std::string_view kind, const Closure& closure, std::size_t requester,
                         const std::string& name) {
  const LoadedObject& object = closure.objects[requester];
  const Key key(kind, object.canonical, name);
  if (!seen_in_root_.insert(key).second) return nullptr;
  const auto [place, fresh] = problems_.try_emplace(key);
  ++place->second.roots;
  if (!fresh) return nullptr;
  place->second.chain = closure.chain(requester);
  Finding& finding = place->second.finding;
  finding.kind = kind;
  finding.subject = object.canonical;
  if (object.inode.created()) finding.layer = object.inode.layer;
  if (level_ > 1) finding.details.push_back(fmt::format("on processors of level {} and better", level_));
  return &finding;
}

void Survey::say_where(const Closure& closure, const LoadEdge& edge, Finding& finding) {
  for (const RemovedLibrary& gone : places_.removed(base_name(edge.name))) {
    finding.details.push_back(
        fmt::format("layer {} {} {}", gone.layer, gone.deed == Deed::hidden ? "hid" : "removed", gone.path));
    finding.layer = gone.layer;
  }
  for (const Try& one : edge.trail) {
    if (one.result != Tried::dangling) continue;
    const Resolution end = image_.resolve(one.path);
    finding.details.push_back(fmt::format("{} leads to {}, which does not exist", one.path, end.path));
    if (const auto layer = last_touched(image_, end.path)) finding.layer = layer;
  }
  std::string others;
  for (const std::string& path : places_.named(base_name(edge.name))) {
    const bool tried =
        std::ranges::any_of(edge.trail, [&](const Try& one) { return normalise(one.path).path == path; });
    if (!tried) others += (others.empty() ? "" : ", ") + path;
  }
  if (!others.empty()) finding.details.push_back("in the image, but not where the loader looks: " + others);
  for (const std::string& line : describe_search(closure, edge)) finding.details.push_back("searched " + line);
}

void Survey::take_edge(const Closure& closure, const LoadEdge& edge) {
  const std::string& requester = closure.objects[edge.requester].canonical;
  if (edge.state == EdgeState::resolved) return;
  if (edge.state == EdgeState::unknown) {
    unknown_.insert(edge.name.empty() ? fmt::format("{}: {}", requester, edge.reason)
                                      : fmt::format("{} needs {}: {}", requester, edge.name, edge.reason));
    return;
  }
  if (edge.kind == EdgeKind::auxiliary) return;
  if (edge.state == EdgeState::through_preload) {
    if (with_.flag("allow_preload")) {
      through_preload_.insert(edge.name);
    } else if (Finding* const finding = problem("preload-only", closure, edge.requester, edge.name)) {
      finding->severity = Severity::warning;
      finding->message = fmt::format("needs {}, which resolves only when {} is loaded before", edge.name,
                                     closure.objects[*edge.provider].canonical);
      finding->remedy = "give it a RPATH or a link of that name, or set allow_preload when the order is certain";
    }
    return;
  }
  if (edge.state == EdgeState::missing && ignore_.match(edge.name)) {
    ignored_.insert(edge.name);
    return;
  }
  if (edge.state == EdgeState::missing && host_.match(edge.name)) {
    hosted_.insert(edge.name);
    return;
  }
  const bool preload = edge.kind == EdgeKind::preload;
  const char* const kind = preload ? "preload-missing" : edge.state == EdgeState::fatal ? "fatal-candidate" : "missing";
  Finding* const finding = problem(kind, closure, edge.requester, edge.name);
  if (finding == nullptr) return;
  if (preload) {
    const std::optional<std::string> variable = image_.config().env_value("LD_PRELOAD");
    if (!variable || variable->find(edge.name) == std::string::npos) blame(*finding, "/etc/ld.so.preload");
    finding->message = fmt::format("{} is to be preloaded, and {}", edge.name,
                                   edge.state == EdgeState::fatal ? "cannot be: " + edge.reason : "is not found");
  } else if (edge.state == EdgeState::fatal) {
    if (!edge.trail.empty()) blame(*finding, image_.resolve(edge.trail.back().path).path);
    finding->message = fmt::format("needs {}, and the loader gives up at {}", edge.name, edge.reason);
    finding->remedy = "remove that file, or put the right one before it in the search path";
  } else {
    finding->message = fmt::format("needs {}{}, which the loader does not find{}", edge.name,
                                   edge.kind == EdgeKind::filter ? " (DT_FILTER)" : "",
                                   edge.reason == "only of another class" ? ": only of another class" : "");
    finding->remedy = fmt::format("install what has {}, or name its directory in the search path", edge.name);
  }
  say_where(closure, edge, *finding);
}

void Survey::take_versions(const Closure& closure) {
  for (const VersionFault& fault : closure.version_faults) {
    const std::string& requester = closure.objects[fault.requester].canonical;
    if (!fault.known) {
      unknown_.insert(
          fmt::format("{}: {}", fault.provider ? closure.objects[*fault.provider].canonical : requester, fault.reason));
      continue;
    }
    if (!fault.provider && (ignore_.match(fault.file) || host_.match(fault.file))) continue;
    Finding* const finding = problem("version-missing", closure, fault.requester, fault.file + " " + fault.version);
    if (finding == nullptr) continue;
    if (!fault.provider) {
      finding->message = fmt::format("needs version {} of {}, and {}", fault.version, fault.file, fault.reason);
      continue;
    }
    const LoadedObject& provider = closure.objects[*fault.provider];
    blame(*finding, provider.canonical);
    finding->message =
        fmt::format("needs version {} of {}, which {} does not define", fault.version, fault.file, provider.canonical);
    std::string defined;
    for (const std::string& version : provider.facts->verdef) defined += (defined.empty() ? "" : ", ") + version;
    finding->details.push_back(fmt::format("{} defines {}", provider.canonical, defined));
    finding->details.push_back("it was found as " + closure.chain(*fault.provider));
    finding->remedy = "bring a library that is new enough, or a build for the one that is there";
  }
}

void Survey::expect(const Closure& closure, const LoadEdge& edge) {
  for (const Expectation& expected : expectations_) {
    if (edge.name != expected.name || !edge.provider) continue;
    const LoadedObject& got = closure.objects[*edge.provider];
    expected_[expected.name].insert(got.canonical);
    if (expected.glob.matches(got.canonical) || expected.glob.matches(normalise(got.path).path)) continue;
    Finding* const finding = problem("wrong-file", closure, edge.requester, edge.name);
    if (finding == nullptr) continue;
    blame(*finding, got.canonical);
    finding->message = fmt::format("gets {} from {}, expected {}", edge.name, got.canonical, expected.glob.text());
    finding->remedy = "the first file in the search path counts: remove it, or name the right directory before";
    for (const std::string& path : places_.named(edge.name)) finding->details.push_back("in the image: " + path);
    for (const std::string& line : describe_search(closure, edge)) finding->details.push_back("searched " + line);
  }
}

void Survey::judge_roots() {
  const bool some_missing = !roots_.missing.empty();
  for (const Selected& link : roots_.dangling) dangling(link);
  for (Finding& finding : roots_.missing) answer_.finding(std::move(finding));
  if (with_.has("distribution") && with_.texts("distribution").empty())
    answer_.could_not("distribution is an empty list, which asks for nothing");
  if (loadable_ > 0 || some_missing || !unknown_.empty()) return;
  const PathSet set = files_of(with_);
  if (roots_.files.empty()) {
    (void)require_some({}, set, with_.flag("allow_empty"), image_, answer_);
  } else if (with_.flag("allow_empty")) {
    answer_.evidence("no file of " + set.text + " is one for a loader, which the policy allows");
  } else {
    answer_.finding({.kind = "missing",
                     .subject = set.text,
                     .message = fmt::format("none of {} files is an ELF file for a loader", roots_.files.size()),
                     .details = {},
                     .layer = {},
                     .remedy = {},
                     .severity = {}});
  }
}

void Survey::judge_expectations() {
  for (const Expectation& expected : expectations_) {
    const auto found = expected_.find(expected.name);
    if (found == expected_.end()) {
      // What is asked for and not found is told already.
      const auto of_name = [&](const auto& problem) { return std::get<2>(problem.first) == expected.name; };
      if (loadable_ == 0 || std::ranges::any_of(problems_, of_name)) continue;
      answer_.finding({.kind = "not-needed",
                       .subject = expected.name,
                       .message = "nothing of the selected files resolves that name: the expectation proves nothing",
                       .details = {},
                       .layer = {},
                       .remedy = "correct the name, or the files",
                       .severity = {}});
      continue;
    }
    for (const std::string& path : found->second)
      if (expected.glob.matches(path)) answer_.evidence(fmt::format("{} is {}", expected.name, path), path);
  }
}

void Survey::judge_providers(const std::string& soname) {
  std::vector<std::string> unread;
  const std::vector<SonameProvider> all = places_.providers(soname, unread);
  for (const std::string& why : unread) unknown_.insert(why);
  // A 32-bit library is no rival of a 64-bit one.
  std::map<std::pair<ElfClass, std::uint16_t>, std::vector<const SonameProvider*>> groups;
  for (const SonameProvider& one : all) groups[{one.elf_class, one.machine}].push_back(&one);
  const std::uint64_t wanted = with_.number("providers").value_or(1);
  if (groups.empty()) groups[{}] = {};
  for (const auto& [key, group] : groups) {
    if (group.size() == wanted) {
      for (const SonameProvider* const one : group)
        answer_.evidence(fmt::format("{} is offered by {}", soname, one->paths.front()), one->paths.front(),
                         one->inode.layer);
      continue;
    }
    Finding finding{.kind = "several-providers",
                    .subject = soname,
                    .message = {},
                    .details = {},
                    .layer = {},
                    .remedy = {},
                    .severity = {}};
    finding.message = fmt::format("{} files of the image offer it, expected {}", group.size(), wanted);
    for (const SonameProvider* const one : group) {
      std::string names = one->paths.front();
      for (std::size_t i = 1; i < one->paths.size(); ++i) names += " = " + one->paths[i];
      finding.details.push_back(fmt::format("{} (layer {})", names, one->inode.layer));
      finding.layer = std::max(finding.layer.value_or(0), one->inode.layer);
    }
    finding.remedy = "keep one, and link the other names to it";
    answer_.finding(std::move(finding));
  }
}

void Survey::finish(Problem& problem) {
  Finding& finding = problem.finding;
  std::vector<std::string> first;
  if (!problem.chain.empty() && problem.chain != finding.subject) first.push_back("loaded as " + problem.chain);
  if (problem.roots > 1) first.push_back(fmt::format("met from {} of the selected files", problem.roots));
  finding.details.insert(finding.details.begin(), first.begin(), first.end());
  answer_.finding(std::move(finding));
}

void Survey::give_evidence() {
  const auto list = [&](const char* what, const std::set<std::string>& names) {
    for (const std::string& name : names) answer_.evidence(fmt::format("{}: {}", name, what));
  };
  if (loadable_ > 0) {
    answer_.evidence(
        fmt::format("{} ELF files ({} programs), {} files with what they load, {} names asked for, {} symbol "
                    "versions{}",
                    loadable_, programs_, files_.size(), edges_, versions_,
                    problems_.empty() && unknown_.empty() ? ": all are found" : ""));
    if (!example_.empty()) answer_.evidence("for example " + example_);
    for (const std::string& line : basis_) answer_.evidence(line);
  }
  for (const auto& [what, count] : roots_.left_out) answer_.evidence(fmt::format("left out: {} {}", count, what));
  list("provided by the host, as the policy says", hosted_);
  list("missing, which the policy allows", ignored_);
  list("only through a preload, which the policy allows", through_preload_);
}

void plan(const Params& with, Plan& plan) {
  Loader::plan(plan);
  plan.elf(files_of(with));
  if (with.has("distribution")) {
    plan_python_dists(plan);
    plan_python_records(plan);
    plan.on_demand(FactKind::elf);
  }
  for (const std::string& text : with.texts("expect")) (void)parse_expectation(text);
  (void)NamePatterns(with.texts("ignore"));
  (void)NamePatterns(with.texts("host"));
}

void check(const Params& with, const ImageView& image, Answer& answer) { Survey(with, image, answer).run(); }

}  // namespace

extern const Rule elf_needed;
const Rule elf_needed{
    .doc =
        {.id = "elf-needed",
         .summary = "Every library that programs and libraries need is found by the dynamic loader, inside the image.",
         .details =
             R"(Walks the NEEDED entries of the files breadth-first, as glibc or musl would load them, without running
anything: RPATH of the whole chain, RUNPATH of the requester alone, LD_LIBRARY_PATH of the image configuration with its
empty elements, /etc/ld.so.cache (a directory that is only in ld.so.conf does not count), processor folders, the default
directories that the image's own ld.so names, `$ORIGIN`, and names that an already loaded library answers to. A file that
the loader cannot take is fatal or passed over exactly as there. Each finding shows the whole search.

There are three answers: found, found only because a library of `preloads` was loaded before, and missing. It also wants
the symbol versions that are needed, the interpreter of programs, and the preloads of the image. Where the image has
folders for better processors, the walk is repeated for each level.

`distribution` takes the shared objects of a Python distribution, by the name that pip knows; one that is not there, or a
distribution without any, is *missing*.

`expect` pins the file that a consumer gets, so a second copy earlier in the search path is a finding. `one_provider`
counts the files that offer a SONAME; names of one inode are one file.

Limits: a name that a program computes and opens by itself, LD_LIBRARY_PATH set by a shell script, and libraries that the
host mounts (list them as `host`) cannot be seen. A library is judged as if nothing but `preloads` were loaded before.)",
         .severity = Severity::error,
         .security = "none",
         .since = "0.1",
         .params = params,
         .kinds = kinds,
         .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
