#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/pattern.h"
#include "check/loader.h"
#include "check/rule.h"
#include "check/selection.h"

namespace ocilint::rules {
namespace {

constexpr std::string_view library_paths[] = {"config", "none"};

constexpr Param params[] = {
    {"file", ParamType::paths, "the consumer: what needs the symbols"},
    {"files", ParamType::paths, "several consumers"},
    {"symbols", ParamType::pattern, "which undefined symbols, by their whole name: 'abc_.*'", true},
    {"provider", ParamType::text,
     "what must define them: a SONAME, as the loader finds it for the consumer, or a path; "
     "without it any library that the consumer loads"},
    {"library_path", ParamType::text,
     "config (default): with LD_LIBRARY_PATH of the image configuration; none: without", false, library_paths},
    {"preloads", ParamType::texts, "libraries that a program loads before: names or paths"},
    {"allow_empty", ParamType::flag, "no such file, or no such symbol, is fine"},
};

constexpr FindingKind kinds[] = {
    {"undefined", "symbols that nothing defines, in the version that is needed"},
    {"provider-missing", "the provider is not among what the loader finds"},
    {"no-symbols", "the consumer needs no symbol that matches: the check proves nothing"},
    {"not-elf", "the file is no ELF file for a loader"},
    {"missing", "there is no such file"},
};

constexpr Example examples[] = {{"a text needs nothing", "{file: /l/a.so, symbols: 'f.*'}",
                                 "layers: [{files: {/l/a.so: 'INPUT(x)'}}]", "not-elf /l/a.so"},
                                {"no file, and that is fine", "{files: ['/l/*.so'], symbols: 'f.*', allow_empty: true}",
                                 "layers: [{files: {/l/a: x}}]", "pass"}};

/// A library that may define what is needed.
struct Source {
  std::string path;
  const ElfFacts* facts = nullptr;
};

bool defines(const ElfFacts& facts, const ElfSymbol& wanted) {
  return std::ranges::any_of(facts.matches, [&](const ElfSymbol& symbol) {
    if (!symbol.defined || symbol.version_node || symbol.name != wanted.name) return false;
    if (symbol.binding == SymbolBinding::local || symbol.visibility == SymbolVisibility::hidden ||
        symbol.visibility == SymbolVisibility::internal) {
      return false;
    }
    // A definition without a version serves every reference (glibc, check_match).
    return wanted.version.empty() || symbol.version == wanted.version || symbol.version.empty() || facts.verdef.empty();
  });
}

class Pairing {
 public:
  Pairing(const Params& with, const ImageView& image, Answer& answer)
      : with_(with),
        image_(image),
        answer_(answer),
        loader_(image, options_of(with)),
        pattern_(Pattern::compile(whole(with.text("symbols")))) {}

  static std::string whole(const std::string& pattern) { return "\\A(?:" + pattern + ")\\z"; }

  void judge(const Selected& consumer) {
    const Closure closure = loader_.closure_of(consumer.match.canonical);
    const std::string& path = consumer.match.path;
    if (closure.state == RootState::unknown) {
      answer_.could_not(path + ": " + closure.problem);
      return;
    }
    if (closure.state != RootState::loadable) {
      const bool gone = closure.state == RootState::no_file;
      find(gone ? "missing" : "not-elf", path, closure.problem, last_touched(image_, consumer.end.path));
      return;
    }
    const ElfFacts& facts = *closure.objects[0].facts;
    if (!symbols_read(path, facts)) return;
    std::vector<const ElfSymbol*> needed;
    for (const ElfSymbol& symbol : facts.matches)
      if (!symbol.defined && symbol.binding != SymbolBinding::weak && pattern_.found_in(symbol.name))
        needed.push_back(&symbol);
    if (needed.empty()) {
      if (with_.flag("allow_empty"))
        answer_.evidence(path + " needs no symbol that matches " + with_.text("symbols") + ", which the policy allows",
                         path);
      else
        find("no-symbols", path, "needs no symbol that matches " + with_.text("symbols"),
             closure.objects[0].inode.layer);
      return;
    }
    if (const auto sources = sources_of(path, closure)) compare(path, closure, needed, *sources);
  }

 private:
  static LoaderOptions options_of(const Params& with) {
    LoaderOptions options;
    options.library_path = with.text("library_path") != "none";
    options.preloads = with.texts("preloads");
    return options;
  }

  Finding& find(const char* kind, const std::string& subject, std::string message, std::optional<std::uint32_t> layer) {
    findings_.push_back({.kind = kind,
                         .subject = subject,
                         .message = std::move(message),
                         .details = {},
                         .layer = layer,
                         .remedy = {},
                         .severity = {}});
    return findings_.back();
  }

  bool symbols_read(const std::string& path, const ElfFacts& facts) {
    if (facts.was_read(ElfPart::symbols) && facts.was_read(ElfPart::versions)) return true;
    answer_.could_not(fmt::format("{}: its symbols could not be read{}{}", path, facts.malformed.empty() ? "" : ": ",
                                  facts.malformed));
    return false;
  }

  /// What may define the symbols; nullopt when that was answered already.
  std::optional<std::vector<Source>> sources_of(const std::string& consumer, const Closure& closure) {
    std::vector<Source> sources;
    const std::string& provider = with_.text("provider");
    if (provider.empty()) {
      for (const LoadedObject& object : closure.objects) sources.push_back({object.canonical, object.facts});
    } else if (provider.starts_with('/')) {
      const Resolution at = image_.resolve(provider);
      if (at.found() && image_.tree()[at.node].type == EntryType::file)
        sources.push_back({at.path, loader_.facts_of(image_.tree()[at.node].inode)});
    } else if (const auto object = closure.provider_of(provider)) {
      sources.push_back({closure.objects[*object].canonical, closure.objects[*object].facts});
    }
    if (sources.empty()) return provider_missing(consumer, closure);
    for (const Source& source : sources) {
      if (source.facts == nullptr) return std::nullopt;  // still to be read
      if (!symbols_read(source.path, *source.facts)) return std::nullopt;
    }
    return sources;
  }

  std::nullopt_t provider_missing(const std::string& consumer, const Closure& closure) {
    const std::string& provider = with_.text("provider");
    for (const LoadEdge& edge : closure.edges) {
      if (edge.name != provider || edge.state != EdgeState::unknown) continue;
      answer_.could_not(fmt::format("{} needs {}: {}", consumer, provider, edge.reason));
      return std::nullopt;
    }
    Finding& finding = find("provider-missing", consumer, "does not get " + provider + " from the loader",
                            last_touched(image_, provider));
    for (const LoadEdge& edge : closure.edges)
      if (edge.name == provider)
        for (const std::string& line : describe_search(closure, edge)) finding.details.push_back("searched " + line);
    return std::nullopt;
  }

  void compare(const std::string& path, const Closure& closure, const std::vector<const ElfSymbol*>& needed,
               const std::vector<Source>& sources) {
    std::vector<const ElfSymbol*> lacking;
    std::set<std::string> used;
    for (const ElfSymbol* const symbol : needed) {
      const auto source =
          std::ranges::find_if(sources, [&](const Source& one) { return defines(*one.facts, *symbol); });
      if (source == sources.end())
        lacking.push_back(symbol);
      else
        used.insert(source->path);
    }
    if (lacking.empty()) {
      std::string from;
      for (const std::string& one : used) from += (from.empty() ? "" : ", ") + one;
      answer_.evidence(fmt::format("all {} symbols {} that {} needs are defined by {}", needed.size(),
                                   with_.text("symbols"), path, from),
                       path, closure.objects[0].inode.layer);
      return;
    }
    const std::string where =
        sources.size() == 1 ? sources.front().path : fmt::format("any of {} libraries", sources.size());
    Finding& finding = find("undefined", path, {}, closure.objects[0].inode.layer);
    finding.message = fmt::format("{} of {} symbols {} that it needs are not defined by {}", lacking.size(),
                                  needed.size(), with_.text("symbols"), where);
    if (sources.size() == 1)  // a newer provider broke the pair
      if (const auto layer = last_touched(image_, where); layer > finding.layer) finding.layer = layer;
    for (const ElfSymbol* const symbol : lacking) {
      if (finding.details.size() == shown) {
        finding.details.push_back(fmt::format("… and {} more", lacking.size() - shown));
        break;
      }
      finding.details.push_back(symbol->text() + others_of(*symbol, sources));
    }
    for (const LoadEdge& edge : closure.edges)
      if (edge.requester == 0 && edge.provider && edge.name == with_.text("provider"))
        for (const std::string& line : describe_search(closure, edge)) finding.details.push_back("searched " + line);
    finding.remedy = "build the consumer and its provider from one version, and see that the loader finds that one";
  }

  /// ", defined as f@@V1" when the name is there in another version.
  static std::string others_of(const ElfSymbol& wanted, const std::vector<Source>& sources) {
    std::string out;
    for (const Source& source : sources)
      for (const ElfSymbol& symbol : source.facts->matches)
        if (symbol.defined && !symbol.version_node && symbol.name == wanted.name)
          out += fmt::format("{} {} in {}", out.empty() ? ": defined is" : ",", symbol.text(), source.path);
    return out;
  }

 public:
  void finish() {
    for (Finding& finding : findings_) answer_.finding(std::move(finding));
  }

 private:
  static constexpr std::size_t shown = 20;

  const Params& with_;
  const ImageView& image_;
  Answer& answer_;
  Loader loader_;
  Pattern pattern_;
  std::vector<Finding> findings_;
};

void plan(const Params& with, Plan& plan) {
  Loader::plan(plan);
  plan.elf(files_of(with));
  if (const std::string& provider = with.text("provider"); provider.starts_with('/'))
    for (const Glob& glob : widen(provider)) plan.elf(std::string_view(glob.text()));
  const std::vector<std::string> patterns = {with.text("symbols")};
  plan.symbol_patterns(patterns, patterns);
}

void check(const Params& with, const ImageView& image, Answer& answer) {
  const PathSet files = files_of(with);
  const std::vector<Selected> selected = select(files, image);
  if (!require_some(selected, files, with.flag("allow_empty"), image, answer)) return;
  Pairing pairing(with, image, answer);
  for (const Selected& one : selected) {
    const bool directory = one.end.found() && image.tree()[one.end.node].type == EntryType::directory;
    if (!directory) pairing.judge(one);
  }
  pairing.finish();
}

}  // namespace

extern const Rule elf_pair;
const Rule elf_pair{
    .doc =
        {.id = "elf-pair",
         .summary = "The symbols that one library needs are defined by the library that it gets.",
         .details =
             R"(Takes the undefined symbols of the consumer that match `symbols`, with the version that is needed of each, and
looks for a definition in the provider: the file that the dynamic loader finds for the SONAME `provider` on behalf of
this consumer (as in elf-needed), or a given path, or any library that the consumer loads. Weak references may stay open.

A SONAME and a version node do not change when a library gains a function: a consumer that was built against a newer
provider resolves, starts, and fails at the first call, or at once with an undefined symbol.

The pattern is asked of every ELF file that the run reads, so keep it to one family of names.)",
         .severity = Severity::error,
         .security = "none",
         .since = "0.1",
         .params = params,
         .kinds = kinds,
         .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
