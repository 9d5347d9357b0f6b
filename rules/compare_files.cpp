#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/mode.h"
#include "base/path.h"
#include "check/path_groups.h"
#include "check/rule.h"
#include "check/selection.h"

namespace ocilint::rules {
namespace {

constexpr Param params[] = {
    {"other", ParamType::text, "the other image: the name that --with NAME=REF gives it", true},
    {"equal", ParamType::paths,
     "names that are there in both images or in none, and are the same; a folder named "
     "itself: all below it too"},
    {"present", ParamType::paths, "names of the other image that this one must have too, whatever they are"},
    {"absent", ParamType::paths, "names of the other image that this one must not have"},
    {"different", ParamType::paths, "files of both images whose contents must not be the same"},
    {"allow_added", ParamType::flag, "of equal: names that only this image has are fine"},
    {"mode", ParamType::flag, "of equal: permissions and owner count too"},
    {"allow_empty", ParamType::flag, "a set that matches nothing is fine"},
};

constexpr FindingKind kinds[] = {
    {"missing", "the other image has it and this one does not, or the set matches nothing"},
    {"added", "this image has it and the other one does not"},
    {"content", "other content"},
    {"type", "another type of file"},
    {"target", "the link leads elsewhere"},
    {"mode", "other permissions or another owner"},
    {"present", "it is there and must be gone"},
    {"same", "the content is the other image's and must not be"},
};

constexpr Example examples[] = {
    {"a file that is still the base's", "{other: base, equal: [/opt/lib/**]}",
     "{layers: [{files: {/opt/lib/a.so: patched}}, {files: {/app: x}}], "
     "others: {base: {layers: [{files: {/opt/lib/a.so: patched}}]}}}",
     "pass"},
    {"a package brought its own file back", "{other: base, equal: [/opt/lib/**]}",
     "{layers: [{files: {/opt/lib/a.so: patched}}, {run: RUN apt-get install, files: {/opt/lib/a.so: stock}}], "
     "others: {base: {layers: [{files: {/opt/lib/a.so: patched}}]}}}",
     "content /opt/lib/a.so"},
    {"an old name that was not linked again",
     "{other: stock, present: ['/opt/lib/a.so.*'], different: [/opt/lib/a.so.1]}",
     "{layers: [{files: {/opt/lib/a.so.1: patched}}], "
     "others: {stock: {layers: [{files: {/opt/lib/a.so.1: stock, /opt/lib/a.so.1.0: stock}}]}}}",
     "missing /opt/lib/a.so.1.0"}};

constexpr std::size_t folded = 20;  // more of one kind below one folder are one finding
constexpr std::size_t shown = 5;    // of them that the details name

std::string all_below(const std::string& folder) { return folder == "/" ? "/**" : folder + "/**"; }

void plan(const Params& with, Plan& plan) {
  Plan& other = plan.other(with.text("other"));
  plan.tree();
  other.tree();
  for (const char* const name : {"equal", "different"}) {
    plan.sha256(with.paths(name));
    other.sha256(with.paths(name));
  }
  // A name of `equal` without wildcards may turn out to be a folder.
  PathSet contents;
  for (const Glob& glob : with.paths("equal").include)
    if (glob.is_literal()) contents.include.push_back(Glob::parse(all_below(glob.text())));
  plan.sha256(contents);
  other.sha256(contents);
}

/// A name of one of the images, and what it leads to.
struct Side {
  const ImageView& image;
  const Selected& name;

  const Node& own() const { return image.tree()[name.match.node]; }
  const Node& end() const { return image.tree()[name.end.node]; }
  bool is_file() const { return name.end.found() && end().type == EntryType::file; }
};

/// Both images may have the layer in common: then an entry of it is one file.
bool same_entry(const Side& here, const Side& there) {
  const InodeId one = here.end().inode, other = there.end().inode;
  return one.created() && other.created() && one.ordinal == other.ordinal &&
         &here.image.scanned().facts.layers().at(one.layer) == &there.image.scanned().facts.layers().at(other.layer);
}

bool same_content(const Side& here, const Side& there) {
  if (same_entry(here, there)) return true;
  if (here.end().size != there.end().size) return false;
  return here.image.sha256(here.end().inode) == there.image.sha256(there.end().inode);
}

using Names = std::map<std::string, Selected>;

Names names_in(const ImageView& image, const PathSet& set) {
  Names out;
  for (Selected& one : select(set, image)) {
    std::string path = one.match.path;
    out.emplace(std::move(path), std::move(one));
  }
  return out;
}

class Comparison {
 public:
  Comparison(const Params& with, const ImageView& image, Answer& answer)
      : with_(with),
        other_name_(with.text("other")),
        image_(image),
        other_(image.other(other_name_)),
        answer_(answer) {}

  void run() {
    if (with_.has("equal")) equal(with_.paths("equal"));
    if (with_.has("present")) present(with_.paths("present"));
    if (with_.has("absent")) absent(with_.paths("absent"));
    if (with_.has("different")) different(with_.paths("different"));
    report();
  }

 private:
  /// A folder that is named itself stands for all that is in it: a name alone would be equal whatever that is.
  PathSet with_contents(PathSet set) const {
    std::vector<Glob> more;
    for (const Glob& glob : set.include)
      if (glob.is_literal() && (is_folder(image_, glob.text()) || is_folder(other_, glob.text())))
        more.push_back(Glob::parse(all_below(glob.text())));
    set.include.insert(set.include.end(), more.begin(), more.end());
    return set;
  }

  static bool is_folder(const ImageView& image, std::string_view path) {
    const Resolution at = image.resolve(path);
    return at.found() && image.tree()[at.node].type == EntryType::directory;
  }

  void equal(const PathSet& asked) {
    const PathSet set = with_contents(asked);
    const Names here = names_in(image_, set), there = names_in(other_, set);
    if (here.empty() && there.empty()) {
      nothing(set, "neither image has a file that matches");
      return;
    }
    std::size_t compared = 0, same = 0;
    for (const auto& [path, name] : there) {
      const auto found = here.find(path);
      if (found == here.end()) {
        missing(path);
        continue;
      }
      ++compared;
      same += compare({image_, found->second}, {other_, name});
    }
    std::size_t added = 0;
    for (const auto& [path, name] : here) {
      if (there.contains(path)) continue;
      ++added;
      if (!with_.flag("allow_added")) find("added", name, "is not in " + other_name_);
    }
    answer_.evidence(fmt::format("{}: {} of {} names that {} has are there, {} of them the same{}", set.text, compared,
                                 there.size(), other_name_, same,
                                 added == 0 ? "" : fmt::format("; {} more are only here", added)));
  }

  /// True when nothing differs.
  bool compare(const Side& here, const Side& there) {
    const std::size_t before = found_;
    const Node& own = here.own();
    const Node& others = there.own();
    if (own.type != others.type) {
      find("type", here, fmt::format("a {}, and a {} in {}", to_string(own.type), to_string(others.type), other_name_));
      return false;
    }
    if (own.type == EntryType::symlink && own.link != others.link)
      find("target", here, fmt::format("leads to {}, and to {} in {}", own.link, others.link, other_name_));
    if (own.type == EntryType::character || own.type == EntryType::block) {
      if (own.device_major != others.device_major || own.device_minor != others.device_minor)
        find("content", here, "another device than in " + other_name_);
    }
    if (here.is_file() != there.is_file())
      find("type", here, fmt::format("leads to {}, and in {} to {}", what_is(here), other_name_, what_is(there)));
    else if (here.is_file() && !same_content(here, there))
      find("content", here, "other content than in " + other_name_, contents(here, there),
           "leave the file of the base as it is, or change it there");
    if (with_.flag("mode") && own.type != EntryType::symlink &&
        (own.mode != others.mode || own.uid != others.uid || own.gid != others.gid))
      find("mode", here,
           fmt::format("{} {}:{}, and {} {}:{} in {}", mode_text(own.mode), own.uid, own.gid, mode_text(others.mode),
                       others.uid, others.gid, other_name_));
    return found_ == before;
  }

  void present(const PathSet& set) {
    const Names there = names_in(other_, set);
    if (there.empty()) {
      nothing(set, "no file of " + other_name_ + " matches");
      return;
    }
    std::size_t found = 0;
    for (const auto& [path, name] : there) {
      const Resolution at = image_.resolve(path);
      // A link that leads nowhere is there only as far as it was in the other image.
      const bool here = at.found() || (!name.end.found() && image_.resolve(path, Last::keep).found());
      if (here)
        ++found;
      else
        missing(path);
    }
    answer_.evidence(fmt::format("{}: {} of {} names of {} are there", set.text, found, there.size(), other_name_));
  }

  void absent(const PathSet& set) {
    const Names there = names_in(other_, set);
    if (there.empty()) {
      nothing(set, "no file of " + other_name_ + " matches");
      return;
    }
    std::size_t gone = 0;
    for (const auto& [path, name] : there) {
      const Resolution at = image_.resolve(path, Last::keep);
      if (at.found())
        find("present", path, at.path, "it is in " + other_name_ + " and must be gone here", {},
             "remove it; where its content is the trouble, build without it: a lower layer keeps it");
      else
        ++gone;
    }
    answer_.evidence(fmt::format("{}: {} of {} names of {} are gone", set.text, gone, there.size(), other_name_));
  }

  void different(const PathSet& set) {
    const Names here = names_in(image_, set), there = names_in(other_, set);
    std::size_t compared = 0;
    const std::size_t before = found_;
    for (const auto& [path, name] : there) {
      const auto found = here.find(path);
      if (found == here.end()) {
        missing(path);
        continue;
      }
      const Side own{image_, found->second}, others{other_, name};
      if (!own.is_file() || !others.is_file()) {
        // Folders and what leads nowhere have no content that could differ.
        if (own.is_file() != others.is_file())
          find("type", own, fmt::format("leads to {}, and in {} to {}", what_is(own), other_name_, what_is(others)));
        continue;
      }
      ++compared;
      if (same_content(own, others))
        find("same", own, "the content is that of " + other_name_, contents(own, others),
             "the replacement was lost, or never made: install it after whatever brings this file");
    }
    if (compared == 0 && found_ == before) nothing(set, "the images have no file of it in common");
    if (compared > 0)
      answer_.evidence(
          fmt::format("{}: {} files were compared by content with those of {}", set.text, compared, other_name_));
  }

  std::string what_is(const Side& side) const {
    if (!side.name.end.found()) return side.name.end.path + ", which does not exist";
    return fmt::format("a {}", to_string(side.end().type));
  }

  std::vector<std::string> contents(const Side& here, const Side& there) const {
    std::vector<std::string> out;
    if (here.name.is_link()) out.push_back(describe(here.name));
    for (const Side* side : {&here, &there}) {
      const std::string label = side == &here ? "here: " : other_name_ + ": ";
      out.push_back(fmt::format("{}{} bytes", label, side->end().size));
      // Digests only where they decided.
      if (here.end().size == there.end().size && !same_entry(here, there))
        out.back() += ", " + side->image.sha256(side->end().inode).text();
    }
    return out;
  }

  void missing(const std::string& path) {
    find("missing", path, image_.resolve(path, Last::keep).path, "is in " + other_name_ + " and not here");
  }

  void find(const char* kind, const Side& here, std::string message, std::vector<std::string> details = {},
            std::string remedy = {}) {
    find(kind, here.name, std::move(message), std::move(details), std::move(remedy));
  }

  void find(const char* kind, const Selected& name, std::string message, std::vector<std::string> details = {},
            std::string remedy = {}) {
    find(kind, name.match.path, name.end.found() ? name.end.path : name.match.canonical, std::move(message),
         std::move(details), std::move(remedy));
  }

  /// A folder that is there in one image alone says it of all that is in it: how many that is.
  std::size_t* below(const std::string& kind, const std::string& path) {
    if (kind != "missing" && kind != "added" && kind != "present") return nullptr;
    const auto known = findings_.find(kind);
    if (known == findings_.end()) return nullptr;
    for (std::string_view folder = parent_path(path); folder != "/"; folder = parent_path(folder))
      if (known->second.contains(std::string(folder))) return &below_[kind][std::string(folder)];
    return nullptr;
  }

  /// `touched`: where the name really stands.
  void find(const char* kind, const std::string& path, std::string_view touched, std::string message,
            std::vector<std::string> details = {}, std::string remedy = {}) {
    ++found_;
    if (std::size_t* const above = below(kind, path)) {
      ++*above;
      return;
    }
    Finding finding;
    finding.kind = kind;
    finding.subject = path;
    finding.message = std::move(message);
    finding.details = std::move(details);
    finding.layer = last_touched(image_, touched);
    finding.remedy = std::move(remedy);
    findings_[kind].emplace(path, std::move(finding));
  }

  void nothing(const PathSet& set, std::string message) {
    if (with_.flag("allow_empty")) {
      answer_.evidence(fmt::format("{}: {}, which the policy allows", set.text, message));
      return;
    }
    Finding finding;
    finding.kind = "missing";
    finding.subject = set.text;
    finding.message = std::move(message);
    answer_.finding(std::move(finding));
  }

  /// Many of one kind below one folder are one thing that happened.
  void report() {
    for (const auto& [kind, by_path] : below_)
      for (const auto& [path, count] : by_path)
        findings_.at(kind).at(path).details.push_back(fmt::format("with {} names below it", count));
    for (auto& [kind, by_path] : findings_) {
      std::vector<std::string> paths;
      for (const auto& [path, finding] : by_path) paths.push_back(path);
      for (const PathGroup& group : group_by_folder(std::move(paths), folded)) {
        Finding& first = by_path.at(group.paths.front());
        if (!group.folder.empty()) {
          first.details.clear();
          for (std::size_t i = 0; i < std::min(shown, group.paths.size()); ++i)
            first.details.push_back(by_path.at(group.paths[i]).subject + ": " + by_path.at(group.paths[i]).message);
          if (group.paths.size() > shown)
            first.details.push_back(fmt::format("and {} more", group.paths.size() - shown));
          first.subject = group.folder;
          first.message = fmt::format("{} names below it: {}", group.paths.size(), doc_of(kind));
        }
        answer_.finding(std::move(first));
      }
    }
  }

  static std::string_view doc_of(std::string_view kind) {
    return std::ranges::find(kinds, kind, &FindingKind::name)->doc;
  }

  const Params& with_;
  const std::string& other_name_;
  const ImageView& image_;
  const ImageView& other_;
  Answer& answer_;
  std::size_t found_ = 0;
  std::map<std::string, std::map<std::string, Finding>> findings_;   // by kind and path
  std::map<std::string, std::map<std::string, std::size_t>> below_;  // names that those of a folder stand for
};

void check(const Params& with, const ImageView& image, Answer& answer) { Comparison(with, image, answer).run(); }

}  // namespace

extern const Rule compare_files;
const Rule compare_files{
    .doc = {.id = "compare-files",
            .summary = "Files are the same as in another image, or are not.",
            .details = R"(Compares this image with one that the command line names: `ocilint check REF --with
base=REF2`. A policy that names an image which is not given cannot be evaluated (exit status 2). The other image is
read and verified as this one is; when it is damaged or absent, nothing is judged (exit status 3).

It is for what a downstream image does to its base: a package that brings its own copy of a patched library back, an
old name of a library that still leads to the stock build, a file that had been removed on purpose.

| list | asserts |
|---|---|
| `equal` | each name is in both or in none, with the same type, content (SHA-256), link target; see `mode` |
| `present` | each matching name of the other image leads to something here |
| `absent` | no matching name of the other image is here |
| `different` | each matching file of the other image is here, with other content |

A folder that `equal` names without wildcards stands for all that is below it, in either image; one that a pattern meets
is compared as a name alone.

Links are followed for contents: `equal` compares both where a link leads by its text and what is behind it. Names are
those that the patterns spell, so use a link such as /opt/product rather than a folder with a version in its name when
the versions differ. Times do not count, nor do hard links (rule same-file).

Layers that both images have in common are read once.)",
            .severity = Severity::error,
            .security = "none",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
