#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/path.h"
#include "check/ld_so_cache_comparison.h"
#include "check/ldconfig_setup.h"
#include "check/rule.h"
#include "check/selection.h"

namespace ocilint::rules {
namespace {

constexpr std::string_view cache_modes[] = {"fresh", "ignore"};

constexpr Param params[] = {
    {"dirs", ParamType::paths, "library directories; unless stated, all that ldconfig visits"},
    {"sonames", ParamType::texts, "globs of the SONAMEs that it is about; all unless stated"},
    {"allow", ParamType::texts, "globs of names that may share a SONAME with another file, or be no library"},
    {"cache", ParamType::text, "fresh (default): the cache is what ldconfig would write; or ignore it", false,
     cache_modes},
};

constexpr FindingKind kinds[] = {
    {"repointed", "ldconfig would give a SONAME to a file with other content than the name leads to now"},
    {"stray-copy", "another file of the same SONAME and with other content, which does not win now"},
    {"not-a-library", "an empty file, a text or an archive under a name that the loader looks up"},
    {"stale-cache", "an entry of the cache that ldconfig would not write"},
    {"not-in-cache", "a library of a configured directory that the cache has not"},
    {"no-cache", "directories are configured and there is no cache, or none that can be read"},
    {"missing", "no directory matches, a link to one leads nowhere, or no library has a SONAME of `sonames`"},
};

constexpr Example examples[] = {
    {"a directory without libraries", "{dirs: [/l]}", "layers: [{files: {/l/readme: x}}]", "pass"},
    {"an empty file under the name of a library", "{dirs: [/l]}", "layers: [{files: {/l/liba.so.1: ''}}]",
     "not-a-library /l/liba.so.1"},
    {"a configured directory and no cache", "{}", "layers: [{directories: [/l], files: {/etc/ld.so.conf: /l}}]",
     "no-cache /etc/ld.so.cache"}};

void plan(const Params& with, Plan& plan) {
  (void)with;
  LdconfigSetup::declare(plan);
  // Which directories there are the image says; names of libraries are known before.
  for (const char* const glob : {"**/lib*.so*", "**/ld-*.so*", "**/ld.so.*", "**/ld64.so.*"}) {
    PathSet names;
    names.include.push_back(Glob::parse(glob));
    plan.elf(names);
  }
  plan.on_demand(FactKind::elf);
  plan.on_demand(FactKind::sha256);
}

/// Globs over a file name.
class Names {
 public:
  explicit Names(const std::vector<std::string>& patterns) {
    for (const std::string& pattern : patterns) globs_.push_back(Glob::parse("**/" + pattern));
  }
  bool empty() const { return globs_.empty(); }
  bool has(std::string_view name) const {
    const std::string path = join("/", name);
    return std::ranges::any_of(globs_, [&](const Glob& glob) { return glob.matches(path); });
  }

 private:
  std::vector<Glob> globs_;
};

/// A name that a program can need: lib….so, lib….so.1.2. Unlike a checksum or a script beside a library.
bool is_loadable_name(std::string_view name) {
  const std::size_t at = name.find(".so");
  if (!name.starts_with("lib") || at == name.npos) return false;
  return name.substr(at + 3).find_first_not_of(".0123456789") == name.npos;
}

/// Where two names part, as ldconfig reads them: "70204 > 53211".
std::string reason(std::string_view higher, std::string_view lower) {
  const auto digit = [](std::string_view text, std::size_t at) {
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
  };
  const auto part = [&](std::string_view text, std::size_t at) -> std::string {
    if (at >= text.size()) return "the end of the name";
    std::size_t end = at;
    while (digit(text, end)) ++end;
    return std::string(text.substr(at, std::max(end, at + 1) - at));
  };
  std::size_t i = 0, j = 0;
  while (i < higher.size() && j < lower.size()) {
    if (digit(higher, i) && digit(lower, j)) {
      const std::string one = part(higher, i), other = part(lower, j);
      if (compare_library_names(one, other) != 0) break;
      i += one.size();
      j += other.size();
    } else if (higher[i] == lower[j]) {
      ++i;
      ++j;
    } else {
      break;
    }
  }
  return fmt::format("{} > {}", part(higher, i), part(lower, j));
}

class Inspection {
 public:
  Inspection(const Params& with, const ImageView& image, Answer& answer)
      : image_(image), answer_(answer), sonames_(with.texts("sonames")), allowed_(with.texts("allow")) {}

  /// What was made out of one directory; links were or would be set in it.
  void directory(const LdconfigDirectory& directory) {
    std::size_t names = 0, several = 0;
    const std::size_t before = answer_.findings().size();
    for (const LdconfigChoice& choice : directory.choices) {
      all_.insert(choice.soname);
      if (!wanted(choice.soname)) continue;
      seen_.insert(choice.soname);
      ++names;
      several += choice.files.size() > 1 ? 1 : 0;
      look_at(directory, choice);
    }
    for (const LdconfigSkipped& skipped : directory.skipped) passed_over(directory, skipped);
    if (answer_.findings().size() != before) return;
    std::string text = fmt::format("{}: {} SONAMEs", directory.canonical, names);
    if (several > 0) text += fmt::format(", {} with several names, each of the same content", several);
    answer_.evidence(text + "; ldconfig would leave what they lead to", directory.canonical);
  }

  bool wanted(std::string_view soname) const { return sonames_.empty() || sonames_.has(soname); }

  /// A name that nothing has was asked for in vain.
  void conclude(const std::vector<std::string>& patterns) {
    for (const std::string& pattern : patterns) {
      const Names one({pattern});
      if (std::ranges::any_of(seen_, [&](const std::string& soname) { return one.has(soname); })) continue;
      Finding finding;
      finding.kind = "missing";
      finding.subject = pattern;
      finding.message = fmt::format("no library of the directories has this SONAME, of {} SONAMEs", all_.size());
      finding.remedy = "correct the name, or the directories";
      answer_.finding(std::move(finding));
    }
  }

 private:
  void look_at(const LdconfigDirectory& directory, const LdconfigChoice& choice) {
    const LdconfigFile& chosen = choice.files.front();
    const bool stays = choice.deed == LdconfigDeed::blocked || choice.deed == LdconfigDeed::linker;
    const InodeId now = choice.before.value_or(chosen.inode);
    std::set<InodeId> told{now};
    if (!stays && choice.before) {
      // Of names that compare equal the first that the directory lists wins, and no image says which that is.
      for (std::size_t i = 0; i <= choice.tied; ++i) {
        if (same(choice.files[i].inode, now)) continue;
        repointed(directory, choice, choice.files[i], i > 0 || choice.tied > 0);
        told.insert(choice.files[i].inode);
        break;
      }
    }
    for (const LdconfigFile& file : choice.files) {
      if (file.as_link || told.contains(file.inode) || allowed_.has(file.name) || same(file.inode, now)) continue;
      told.insert(file.inode);
      stray(directory, choice, file, now);
    }
  }

  void repointed(const LdconfigDirectory& directory, const LdconfigChoice& choice, const LdconfigFile& chosen,
                 bool tie) {
    const std::string link = join(directory.canonical, choice.soname);
    Finding finding;
    finding.kind = "repointed";
    finding.subject = link;
    finding.message = fmt::format("ldconfig {} point it to {}: other content than {}, where it leads now",
                                  tie ? "may" : "would", chosen.name, base_name(choice.before_path));
    finding.details.push_back("now " + describe(choice.before_path, *choice.before));
    finding.details.push_back("then " + describe(chosen.path, chosen.inode));
    finding.details.push_back(why(choice, chosen, tie));
    finding.layer = std::max(last_touched(image_, link), last_touched(image_, chosen.path));
    finding.remedy = fmt::format(
        "move {} out of the directory, or make it the same file (ln -f {} {}), then run ldconfig in the same RUN and "
        "look where the link leads",
        chosen.name, choice.before_path, chosen.path);
    answer_.finding(std::move(finding));
  }

  static std::string why(const LdconfigChoice& choice, const LdconfigFile& chosen, bool tie) {
    const LdconfigFile* current = nullptr;
    for (const LdconfigFile& file : choice.files)
      if (file.inode == *choice.before && (current == nullptr || current->as_link)) current = &file;
    if (current == nullptr) return "no file of the directory with this SONAME is what the name leads to";
    const std::string &one = chosen.name, &other = current->name;
    if (tie) return fmt::format("{} and {} compare equal: the order of the directory decides", one, other);
    if (current->as_link) return fmt::format("{} is a link, and {} goes before links", other, one);
    return fmt::format("{} compares higher than {}: {}", one, other, reason(one, other));
  }

  void stray(const LdconfigDirectory& directory, const LdconfigChoice& choice, const LdconfigFile& file, InodeId now) {
    Finding finding;
    finding.kind = "stray-copy";
    finding.subject = join(directory.canonical, file.name);
    const std::string& current = choice.before ? choice.before_path : choice.files.front().path;
    finding.message = fmt::format("has the SONAME {} and other content than {}", choice.soname, current);
    finding.details.push_back("the name leads to " + describe(current, now));
    finding.details.push_back("this is " + describe(file.path, file.inode));
    finding.layer = last_touched(image_, finding.subject);
    finding.remedy = "move it out of the directories that ldconfig visits: another name may win one day";
    answer_.finding(std::move(finding));
  }

  void passed_over(const LdconfigDirectory& directory, const LdconfigSkipped& skipped) {
    const std::string path = join(directory.canonical, skipped.name);
    if (allowed_.has(skipped.name)) return;
    if (skipped.unread) {
      // Its SONAME may be any, also one that is asked about.
      answer_.could_not(fmt::format("{}: {}", path, skipped.why));
      return;
    }
    if (!is_loadable_name(skipped.name) || !wanted(skipped.name)) return;
    const Resolution at = image_.resolve(path);
    if (!at.found()) return;
    const Node& node = image_.tree()[at.node];
    const bool empty = node.size == 0;
    if (!empty) {
      const ElfKind kind = image_.elf(node.inode).kind;
      if (kind == ElfKind::elf) return;
      // A linker script, for ld only: no program asks the loader for a name without version.
      if (kind != ElfKind::ar_archive && kind != ElfKind::mach_o && skipped.name.ends_with(".so")) return;
    }
    seen_.insert(skipped.name);
    Finding finding;
    finding.kind = "not-a-library";
    finding.subject = path;
    finding.message = skipped.why + ": a program that needs this name does not start";
    finding.layer = last_touched(image_, at.path);
    finding.remedy = "put the library there, or remove the name";
    answer_.finding(std::move(finding));
  }

  bool same(InodeId one, InodeId other) const {
    if (one == other) return true;
    const auto size = [&](InodeId inode) {
      return image_.scanned().facts.layers().at(inode.layer).entries.at(inode.ordinal).size;
    };
    return size(one) == size(other) && image_.sha256(one) == image_.sha256(other);
  }

  std::string describe(const std::string& path, InodeId inode) const {
    const std::size_t names = image_.tree().names_of(inode).size();
    return fmt::format("{} (a file of layer {}, {} names)", path, inode.layer, names);
  }

  const ImageView& image_;
  Answer& answer_;
  Names sonames_, allowed_;
  std::set<std::string> all_, seen_;
};

/// Findings about the cache that is there. Few are told one by one, many by directory.
class CacheReport {
 public:
  CacheReport(const ImageView& image, Answer& answer, const LdSoCache& cache, const LdconfigSimulation& simulation)
      : image_(image), answer_(answer), cache_(cache), simulation_(simulation) {}

  void tell(const LdSoCacheComparison& compared) {
    for (const auto& [directory, paths] : compared.stale) stale(directory, paths);
    for (const auto& [directory, paths] : compared.absent) absent(directory, paths);
    for (const auto& [name, first, would] : compared.reordered)
      find("stale-cache", first, fmt::format("first for {} in the cache; ldconfig would put {} first", name, would), {},
           last_touched(image_, ld_so_cache_path));
    if (!compared.equal()) return;
    std::string text = fmt::format("{} entries of {} are what ldconfig would write", compared.same, ld_so_cache_path);
    if (!cache_.generator.empty()) text += " (by " + cache_.generator + ")";
    answer_.evidence(std::move(text), std::string(ld_so_cache_path), last_touched(image_, ld_so_cache_path));
  }

 private:
  static constexpr std::size_t listed_one_by_one = 5;
  static constexpr std::size_t listed = 20;

  static std::vector<std::string> first_of(const std::vector<std::string>& paths) {
    const std::size_t count = std::min(paths.size(), listed);
    std::vector<std::string> out(paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(count));
    if (paths.size() > listed) out.push_back(fmt::format("and {} more", paths.size() - listed));
    return out;
  }

  std::string why_stale(const std::string& path) const {
    if (!image_.resolve(path).found()) return "the file is gone";
    const std::string directory = image_.resolve(parent_path(path)).path;
    if (simulation_.find(directory) == nullptr)
      return "its directory is not configured: the next ldconfig drops the entry";
    return "ldconfig would not write it";
  }

  void stale(const std::string& directory, const std::vector<std::string>& paths) {
    if (paths.size() > listed_one_by_one) {
      find("stale-cache", directory,
           fmt::format("{} entries of the cache; of the first: {}", paths.size(), why_stale(paths.front())),
           first_of(paths), last_touched(image_, directory));
      return;
    }
    for (const std::string& path : paths)
      find("stale-cache", path, "in the cache, and " + why_stale(path), {},
           last_touched(image_, image_.resolve(path).path));
  }

  void absent(const std::string& directory, const std::vector<std::string>& paths) {
    if (paths.size() > listed_one_by_one) {
      find("not-in-cache", directory, fmt::format("{} libraries that the cache has not", paths.size()), first_of(paths),
           last_touched(image_, directory));
      return;
    }
    for (const std::string& path : paths)
      find("not-in-cache", path, "ldconfig would put it into the cache, and it is not there", {},
           last_touched(image_, image_.resolve(path).path));
  }

  void find(const char* kind, std::string subject, std::string message, std::vector<std::string> details,
            std::optional<std::uint32_t> layer) {
    Finding finding;
    finding.kind = kind;
    finding.subject = std::move(subject);
    finding.message = std::move(message);
    finding.details = std::move(details);
    finding.layer = layer;
    finding.remedy = "run ldconfig at the end of the RUN that last changes libraries or their directories";
    answer_.finding(std::move(finding));
  }

  const ImageView& image_;
  Answer& answer_;
  const LdSoCache& cache_;
  const LdconfigSimulation& simulation_;
};

void no_cache(const LdconfigSetup& setup, const ImageView& image, Answer& answer) {
  Finding finding;
  finding.kind = "no-cache";
  finding.subject = std::string(ld_so_cache_path);
  finding.message = setup.cache_problem.empty()
                        ? "there is no loader cache: libraries of configured directories are not found"
                        : "cannot be read: " + setup.cache_problem;
  for (std::size_t i = 0; i < setup.configured && i < 20; ++i)
    finding.details.push_back(
        fmt::format("{} ({}:{})", setup.directories[i].path, setup.directories[i].file, setup.directories[i].line));
  finding.layer = last_touched(image, ld_so_cache_path);
  finding.remedy = "run ldconfig at the end of the build";
  answer.finding(std::move(finding));
}

void check(const Params& with, const ImageView& image, Answer& answer) {
  const LdconfigSetup setup = LdconfigSetup::read(image);
  const bool all = !with.has("dirs");
  if (all && !setup.ever) {
    answer.not_applicable("no layer has /etc/ld.so.conf or /etc/ld.so.cache: no glibc that ldconfig sets up");
    return;
  }
  const auto elf = [&](InodeId inode) -> const ElfFacts& { return image.elf(inode); };
  const LdconfigSimulation simulation = simulate_ldconfig(image.tree(), setup.directories, setup.options, elf);

  std::set<std::string> bases;
  if (all) {
    for (const LdconfigDirectory& directory : simulation.directories) bases.insert(directory.base);
  } else {
    const std::vector<Selected> selected = select(with.paths("dirs"), image);
    if (!require_some(selected, with.paths("dirs"), false, image, answer)) return;
    for (const Selected& one : selected) {
      if (!one.end.found()) {
        Finding finding;
        finding.kind = "missing";
        finding.subject = one.match.path;
        finding.message = "leads to " + one.end.path + ", which does not exist";
        finding.layer = last_touched(image, one.end.path);
        answer.finding(std::move(finding));
      } else if (image.tree()[one.end.node].type == EntryType::directory) {
        bases.insert(one.end.path);
      }
    }
    if (bases.empty() && !answer.findings().empty()) return;
    if (bases.empty()) {
      require_some({}, with.paths("dirs"), false, image, answer);
      return;
    }
  }

  Inspection inspection(with, image, answer);
  for (const LdconfigDirectory& directory : simulation.directories)
    if (bases.contains(directory.base)) inspection.directory(directory);
  for (const std::string& base : bases) {
    if (simulation.find(base) != nullptr) continue;
    const LdSoConfDirectory alone{base, "ldconfig -n", 0};
    const LdconfigSimulation links = simulate_ldconfig(image.tree(), std::span(&alone, 1), setup.options, elf);
    for (const LdconfigDirectory& directory : links.directories) inspection.directory(directory);
  }
  inspection.conclude(with.texts("sonames"));
  if (answer.findings().empty() && answer.evidence().empty())
    answer.evidence("ldconfig finds no directory of libraries");

  if (with.text("cache") == "ignore") return;
  if (!setup.cache) {
    const bool was_there = !image.tree().story(ld_so_cache_path).empty();
    if (!setup.cache_problem.empty() || setup.configured > 0 || was_there)
      no_cache(setup, image, answer);
    else
      answer.evidence("no loader cache, and no directory is configured: the loader looks in its default directories");
    return;
  }
  const auto in_question = [&](const LdSoCache::Entry& entry, const std::string& directory) {
    if (!inspection.wanted(entry.name)) return false;
    const LdconfigDirectory* const known = simulation.find(directory);
    return all || bases.contains(known == nullptr ? directory : known->base);
  };
  CacheReport(image, answer, *setup.cache, simulation)
      .tell(compare_ld_so_cache(image.tree(), setup.cache->entries, simulation.cache, in_question));
}

}  // namespace

extern const Rule ldconfig_stable;
const Rule ldconfig_stable{
    .doc = {.id = "ldconfig-stable",
            .summary = "Running ldconfig again would change no library, and its cache is up to date.",
            .details = R"(ldconfig runs in every package trigger and in many build scripts. In each directory it
takes, of all files with one SONAME, the one whose *name* compares highest (digits as numbers), and re-points the
SONAME's link to it. A replaced library whose name compares lower than the stock one beside it is silently undone
that way, and a backup (`libx.so.1.2.bak`) beside the library wins as well.

The rule does what ldconfig of glibc would do, on the merged tree: configured directories with their includes,
the default ones, `glibc-hwcaps` folders, and of `dirs` also those that ldconfig does not visit (as
`ldconfig -n DIR` would). Names that are hard links to one file are stable whichever wins; so are files of equal
bytes.

`cache: fresh` compares `/etc/ld.so.cache`, which is all that the loader reads, with what ldconfig would write.
An entry of a directory that is not configured (`ldconfig DIR` on the command line) is stale too: the next run
drops it.

Limits: the simulation follows glibc 2.36 (processor folders are left out when the cache says 2.37 or later).
Where two names compare equal, the order in the directory decides, which no image records: both answers are
looked at. A text called `lib….so` is taken for a linker script, which only the linker reads. A library that
cannot be made out is an error, whatever `sonames` says; `allow` takes it out.)",
            .severity = Severity::error,
            .security = "none",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
