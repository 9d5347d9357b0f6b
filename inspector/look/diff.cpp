#include "look/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/path.h"
#include "check/rule.h"
#include "look/diff_documents.h"
#include "look/diff_files.h"
#include "look/diff_packages.h"
#include "run/evaluate.h"

namespace ocilint {
namespace {

/// Exported symbols of libraries that are other ones now.
class LibraryDiff {
 public:
  LibraryDiff(const ImageView& before, const ImageView& after, ImageDiff& out)
      : before_(before), after_(after), out_(out) {}

  void run() {
    // An upgrade gives most libraries a new file name: the SONAME says which takes the place of which.
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> gone, come;
    for (const DiffFile& file : out_.files) {
      if (!is_library_name(file.path)) continue;
      const bool content = std::ranges::find(file.what, "content") != file.what.end();
      if (content) compare(file.path, file.path);
      if (file.change == Change::removed) enter(before_, file.path, gone);
      if (file.change == Change::added) enter(after_, file.path, come);
    }
    for (const auto& [key, paths] : gone)
      if (const auto other = come.find(key); other != come.end() && paths.size() == 1 && other->second.size() == 1)
        compare(paths.front(), other->second.front());
  }

 private:
  static const ElfFacts* facts_of(const ImageView& view, const std::string& path) {
    const auto node = view.tree().find(path);
    if (!node || view.tree()[*node].type != EntryType::file) return nullptr;
    const ElfFacts& facts = view.elf(view.tree()[*node].inode);
    return facts.kind == ElfKind::elf ? &facts : nullptr;
  }

  static void enter(const ImageView& view, const std::string& path,
                    std::map<std::pair<std::string, std::string>, std::vector<std::string>>& into) {
    const ElfFacts* const facts = facts_of(view, path);
    if (facts != nullptr && facts->soname) into[{std::string(parent_path(path)), *facts->soname}].push_back(path);
  }

  static std::set<std::string> exported(const ElfFacts& facts) {
    std::set<std::string> out;
    for (const ElfSymbol& symbol : facts.matches)
      if (symbol.exported()) out.insert(symbol.text());
    return out;
  }

  template <typename Set>
  static std::vector<std::string> without(const Set& these, const Set& those) {
    std::vector<std::string> out;
    std::ranges::set_difference(these, those, std::back_inserter(out));
    return out;
  }

  void compare(const std::string& path_before, const std::string& path_after) {
    const ElfFacts* const one = facts_of(before_, path_before);
    const ElfFacts* const two = facts_of(after_, path_after);
    if (one == nullptr || two == nullptr) return;  // a text or a link: the list of files says so
    for (const auto& [facts, path] : {std::pair(one, &path_before), std::pair(two, &path_after)}) {
      if (facts->was_read(ElfPart::dynamic) && facts->was_read(ElfPart::symbols)) continue;
      out_.unread.push_back(fmt::format("symbols of {}: {}", *path,
                                        facts->malformed.empty() ? "some could not be read" : facts->malformed));
      return;
    }
    DiffLibrary library{path_before, path_after, one->soname.value_or(""), two->soname.value_or(""), {}, {}, {}, {}};
    const std::set<std::string> needed_one(one->needed.begin(), one->needed.end());
    const std::set<std::string> needed_two(two->needed.begin(), two->needed.end());
    library.needed_added = without(needed_two, needed_one);
    library.needed_removed = without(needed_one, needed_two);
    const std::set<std::string> symbols_one = exported(*one), symbols_two = exported(*two);
    library.symbols_added = without(symbols_two, symbols_one);
    library.symbols_removed = without(symbols_one, symbols_two);
    const bool same = library.soname_before == library.soname_after && library.needed_added.empty() &&
                      library.needed_removed.empty() && library.symbols_added.empty() &&
                      library.symbols_removed.empty();
    if (!same) out_.libraries.push_back(std::move(library));
  }

  const ImageView& before_;
  const ImageView& after_;
  ImageDiff& out_;
};

void compare(const ImageView& before, const ImageView& after, const DiffQuestion& question, ImageDiff& out) {
  out.fields = diff_configs(before.config(), after.config(), question.ignore_timestamps);
  out.history = diff_histories(before.config().history, after.config().history, question.ignore_timestamps);
  for (const LayerInfo& layer : after.layers()) out.layer_lines.push_back(layer.created_by);
  const auto& layers_before = before.scanned().facts.layers();
  const auto& layers_after = after.scanned().facts.layers();
  while (out.equal_layers < std::min(layers_before.size(), layers_after.size()) &&
         layers_before[out.equal_layers].diff_id == layers_after[out.equal_layers].diff_id)
    ++out.equal_layers;
  const ImagePackages packages_before(before, "first image", out.unread);
  const ImagePackages packages_after(after, "second image", out.unread);
  out.packages = diff_packages(packages_before, packages_after);
  FileDiff files(before, after, question.ignore_timestamps);
  out.files = files.run();
  out.names_compared = files.names();
  for (DiffFile& file : out.files) {
    file.package = packages_after.owner_of(file.path);
    if (file.package.empty()) file.package = packages_before.owner_of(file.path);
  }
  LibraryDiff(before, after, out).run();
}

void redact_all(const RedactText& redact, ImageDiff& diff) {
  const auto all = [&](std::vector<std::string>& texts) {
    for (std::string& text : texts) redact(text);
  };
  all(diff.layer_lines);
  for (auto* const layers : {&diff.layers_before, &diff.layers_after})
    if (*layers) redact_layers(redact, **layers);
  all(diff.unread);
  for (DiffField& field : diff.fields) {
    // A short value is known as a secret only behind its name.
    for (std::string* const value : {&field.before, &field.after}) {
      const std::string name = field.name.starts_with("env ") ? field.name.substr(4) + "=" : "";
      std::string text = name + *value;
      redact(text);
      *value = text.starts_with(name) ? text.substr(name.size()) : text;
    }
    redact(field.name);
  }
  for (DiffHistory& entry : diff.history) {
    redact(entry.created_by);
    redact(entry.comment);
  }
  for (DiffPackage& package : diff.packages)
    for (std::string* const text : {&package.name, &package.before, &package.after}) redact(*text);
  for (DiffFile& file : diff.files) {
    redact(file.path);
    redact(file.package);
    all(file.what);
  }
  for (DiffLibrary& library : diff.libraries) {
    for (std::string* const text : {&library.before, &library.after, &library.soname_before, &library.soname_after})
      redact(*text);
    for (auto* const texts :
         {&library.needed_added, &library.needed_removed, &library.symbols_added, &library.symbols_removed})
      all(*texts);
  }
}

/// Asked again until everything that both are asked for is there.
void ask_both(ReadImage& first, ReadImage& second, const RunOptions& options, const DiffQuestion& question,
              ImageDiff& out) {
  Demand demand;
  Plan plan(demand);
  ImagePackages::plan(plan);
  plan.on_demand(FactKind::sha256);
  plan.on_demand(FactKind::elf);
  plan.symbol_patterns({".*"}, {});
  demand.freeze();
  first.read(demand, options);
  second.read(demand, options, second.known_from(first), "second image");
  first.merge(options);
  second.merge(options);
  for (std::size_t round = 0;; ++round) {
    const ImageView before(first.scanned(), plan.declared()), after(second.scanned(), plan.declared());
    out = {};
    try {
      compare(before, after, question, out);
    } catch (const Error&) {
      if (!before.pending() && !after.pending()) throw;
    }
    const Refill of_first = first.scanned().facts.take_missing();
    const Refill of_second = second.scanned().facts.take_missing();
    if (!before.pending() && !after.pending()) break;
    if ((of_first.empty() && of_second.empty()) || round + 1 == evaluation_rounds)
      throw Error(ErrorKind::limit,
                  fmt::format("the files led to ever more files, {} rounds of reading did not settle it", round + 1));
    if (!of_first.empty()) first.read_again(demand, of_first, options);
    if (!of_second.empty()) second.read_again(demand, of_second, options);
  }
  if (!question.layers) return;
  out.layers_before = measure_layers(first.scanned());
  out.layers_after = measure_layers(second.scanned());
}

}  // namespace

std::string_view to_string(Change change) {
  return change == Change::added ? "added" : change == Change::removed ? "removed" : "changed";
}

ImageDiff diff_images(const RunOptions& options, const DiffQuestion& question) {
  ImageDiff out;
  with_image(options, [&](ReadImage& first, const RedactText& redact_first) {
    RunOptions others = options;
    others.reference = question.other;
    const Platform& platform = first.image().platform;
    if (!others.platform && !platform.empty()) others.platform = platform;
    with_image(others, [&](ReadImage& second, const RedactText& redact_second) {
      ask_both(first, second, options, question, out);
      redact_all(redact_first, out);
      redact_all(redact_second, out);
      out.ignore_timestamps = question.ignore_timestamps;
      out.before = describe_image(options, first.image(), redact_first);
      out.after = describe_image(others, second.image(), redact_second);
    });
  });
  return out;
}

}  // namespace ocilint
