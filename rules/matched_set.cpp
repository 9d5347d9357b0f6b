#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/path.h"
#include "base/pattern.h"
#include "check/package_comparison.h"
#include "check/rule.h"
#include "check/selection.h"

namespace ocilint::rules {
namespace {

constexpr Param params[] = {
    {"files", ParamType::paths, "the members: files that come of one build; each pattern must match", true},
    {"all_or_none", ParamType::flag, "true (default): the members are all as their packages brought them, or none is"},
    {"version", ParamType::pattern, "what this captures of the name that each member finally leads to is the same"},
    {"content_version", ParamType::pattern, "likewise of the content of each member"},
    {"package_version", ParamType::flag, "the packages that own the members have one version"},
    {"same_directory", ParamType::flag, "the members finally stand in one directory"},
    {"considered", ParamType::text,
     "why a mixed set is fine: what would be findings becomes evidence with this reason"},
    {"allow_empty", ParamType::flag, "patterns may match nothing"},
};

constexpr FindingKind kinds[] = {
    {"mixed", "some members are replaced, and this one is its package's own"},
    {"version", "another version than the first member, or none"},
    {"directory", "another directory than the first member"},
    {"missing", "a pattern matches nothing, or there is one member only"},
    {"dangling", "a member leads nowhere, or to what is no file"},
};

constexpr Example examples[] = {
    {"two files of one build", "{files: [/l/a.so.1, /l/b.so.1], all_or_none: false, version: '\\.so\\.(.+)$'}",
     "layers: [{files: {/l/a.so.1.2: x, /l/b.so.1.2: y}, links: {/l/a.so.1: a.so.1.2, /l/b.so.1: b.so.1.2}}]", "pass"},
    {"the second one stayed behind", "{files: [/l/a.so.1, /l/b.so.1], all_or_none: false, version: '\\.so\\.(.+)$'}",
     "layers: [{files: {/l/a.so.1.3: x, /l/b.so.1.2: y}, links: {/l/a.so.1: a.so.1.3, /l/b.so.1: b.so.1.2}}]",
     "version /l/b.so.1"},
    {"without a package database nobody knows what was replaced", "{files: [/l/a.so, /l/b.so]}",
     "layers: [{files: {/l/a.so: x, /l/b.so: y}}]", "error"}};

void plan(const Params& with, Plan& plan) {
  plan.tree();
  if (with.flag("all_or_none", true) || with.flag("package_version")) {
    plan.packages();
    plan.md5(with.paths("files"));
    plan.on_demand(FactKind::sha256);  // some lists have these
  }
  if (with.has("content_version")) plan.content(with.paths("files"));
}

struct Member {
  Selected selected;
  bool own = false;   // as its package brought it
  std::string state;  // "of libx 1.2, other bytes", for messages
  const Package* owner = nullptr;
};

class Set {
 public:
  Set(const Params& with, const ImageView& image, Answer& answer)
      : with_(with), image_(image), answer_(answer), considered_(with.text("considered")) {}

  void run() {
    collect();
    if (members_.size() < 2) return;
    const bool all_or_none = with_.flag("all_or_none", true);
    if (all_or_none || with_.flag("package_version")) {
      if (!own_packages()) return;
      if (all_or_none) mixed();
      if (with_.flag("package_version")) package_version();
    }
    if (with_.has("version"))
      agree("version", "the name of its file", with_.text("version"),
            [&](const Member& one) { return std::string(base_name(one.selected.end.path)); });
    if (with_.has("content_version"))
      agree("version", "its content", with_.text("content_version"),
            [&](const Member& one) { return image_.content(image_.tree()[one.selected.end.node].inode); });
    if (with_.flag("same_directory")) same_directory();
  }

 private:
  void collect() {
    const PathSet& files = with_.paths("files");
    for (const Glob& glob : files.include) {
      PathSet single{.include = {glob}, .exclude = files.exclude, .text = glob.text()};
      const std::vector<Selected> selected = select(single, image_);
      if (!require_some(selected, single, with_.flag("allow_empty"), image_, answer_)) continue;
      for (const Selected& one : selected) {
        if (!one.end.found() || image_.tree()[one.end.node].type != EntryType::file) {
          Finding finding = about(one, "dangling");
          finding.message =
              one.end.found() ? "is no regular file" : "leads to " + one.end.path + ", which does not exist";
          answer_.finding(std::move(finding));
          continue;
        }
        // Two names of one file are one member: a set of them would agree with itself.
        const InodeId inode = image_.tree()[one.end.node].inode;
        const auto known = [&](const Member& other) { return image_.tree()[other.selected.end.node].inode == inode; };
        if (std::ranges::none_of(members_, known))
          members_.push_back({.selected = one, .own = false, .state = {}, .owner = nullptr});
      }
    }
    if (members_.size() != 1) return;
    Finding finding = about(members_.front().selected, "missing");
    finding.message = "is the only member; a set has two at least";
    if (with_.flag("allow_empty"))
      answer_.evidence(finding.subject + " is the only member, which the policy allows",
                       members_.front().selected.end.path);
    else
      answer_.finding(std::move(finding));
  }

  /// False when ownership cannot be told.
  bool own_packages() {
    const PackageDb& db = image_.packages();
    if (image_.pending()) return false;
    if (!db.found()) {
      answer_.could_not(db.presence_text());
      return false;
    }
    for (const std::string& problem : db.problems()) answer_.could_not(problem);
    if (!db.problems().empty()) return false;
    const PackageComparison comparison(image_, db);
    bool all = true;
    for (Member& member : members_) all = judge(member, db, comparison) && all;
    return all;
  }

  bool judge(Member& member, const PackageDb& db, const PackageComparison& comparison) {
    const std::string& path = member.selected.end.path;
    const OwnedPath* const owned = db.find(path);
    if (owned == nullptr) {
      for (const Package& package : db.packages())
        if (!package.unusable.empty()) {
          answer_.could_not(
              fmt::format("{}: whether {} owns it cannot be told: {}", path, package.title(), package.unusable));
          return false;
        }
      member.state = "no package owns " + path;
      return true;
    }
    const FileVerdict verdict = comparison.compare(*owned);
    if (verdict.file != nullptr) member.owner = &db.packages()[verdict.file->package];
    const std::string owner = member.owner == nullptr ? "its package" : member.owner->title();
    switch (verdict.state) {
      case FileState::same:
        member.own = true;
        member.state = fmt::format("as {} brought it", owner);
        return true;
      case FileState::modified:
      case FileState::conffile_modified: member.state = fmt::format("other bytes than {} brought", owner); return true;
      case FileState::type_changed:
      case FileState::redirected:
      case FileState::without_digest:
        member.state = fmt::format("a file where {} brought something else", owner);
        return true;
      default:
        answer_.could_not(fmt::format("{}: whether it is as {} brought it cannot be told", path, owner));
        return false;
    }
  }

  void mixed() {
    const auto is_own = [](const Member& one) { return one.own; };
    const std::size_t own = static_cast<std::size_t>(std::ranges::count_if(members_, is_own));
    if (own == 0 || own == members_.size()) {
      answer_.evidence(fmt::format("all {} members are {}", members_.size(),
                                   own == 0 ? "replaced" : "as their packages brought them"));
      for (const Member& one : members_) proof(one, one.state);
      return;
    }
    for (const Member& one : members_) {
      if (!one.own) {
        proof(one, one.state);
        continue;
      }
      Finding finding = about(one.selected, "mixed");
      finding.message = fmt::format("is {}, but {} of the {} members are replaced", one.state, members_.size() - own,
                                    members_.size());
      for (const Member& other : members_)
        if (!other.own)
          finding.details.push_back(fmt::format("replaced: {}: {}", describe(other.selected), other.state));
      finding.remedy = "replace all members by files of one build, or none; or say `considered: 'reason'`";
      report(std::move(finding));
    }
  }

  void package_version() {
    const Package* first = nullptr;
    for (const Member& one : members_) {
      if (one.owner == nullptr) {
        Finding finding = about(one.selected, "version");
        finding.message = "no package owns it, so it has no package's version";
        report(std::move(finding));
        continue;
      }
      if (first == nullptr) first = one.owner;
      if (one.owner->control.version == first->control.version) {
        proof(one, "of " + one.owner->title());
        continue;
      }
      Finding finding = about(one.selected, "version");
      finding.message = fmt::format("is of {}, but the first member is of {}", one.owner->title(), first->title());
      report(std::move(finding));
    }
  }

  template <typename Text>
  void agree(const char* kind, std::string_view where, const std::string& pattern_text, Text text_of) {
    const Pattern pattern = Pattern::compile(pattern_text);
    std::optional<std::string> first;
    std::string first_path;
    for (const Member& one : members_) {
      const std::optional<std::string> value = pattern.first_in(text_of(one));
      if (!value) {
        Finding finding = about(one.selected, kind);
        finding.message = fmt::format("{} does not match {}", where, pattern_text);
        report(std::move(finding));
        continue;
      }
      if (!first) {
        first = value;
        first_path = one.selected.match.path;
      }
      if (*value == *first) {
        proof(one, fmt::format("{} says {}", where, *value));
        continue;
      }
      Finding finding = about(one.selected, kind);
      finding.message = fmt::format("{} says {}, that of {} says {}", where, *value, first_path, *first);
      report(std::move(finding));
    }
  }

  void same_directory() {
    const std::string first(parent_path(members_.front().selected.end.path));
    for (const Member& one : members_) {
      if (parent_path(one.selected.end.path) == first) {
        proof(one, "in " + first);
        continue;
      }
      Finding finding = about(one.selected, "directory");
      finding.message = fmt::format("stands in {}, the first member in {}", parent_path(one.selected.end.path), first);
      report(std::move(finding));
    }
  }

  Finding about(const Selected& one, const char* kind) const {
    Finding finding;
    finding.kind = kind;
    finding.subject = one.match.path;
    if (one.is_link()) finding.details.push_back(describe(one));
    finding.layer = last_touched(image_, one.end.path);
    return finding;
  }

  void report(Finding finding) {
    if (considered_.empty()) return answer_.finding(std::move(finding));
    answer_.evidence(fmt::format("{}: {}; considered: {}", finding.subject, finding.message, considered_),
                     finding.subject, finding.layer);
  }

  void proof(const Member& one, const std::string& text) {
    answer_.evidence(fmt::format("{}: {}", describe(one.selected), text), one.selected.end.path,
                     last_touched(image_, one.selected.end.path));
  }

  const Params& with_;
  const ImageView& image_;
  Answer& answer_;
  std::string considered_;
  std::vector<Member> members_;
};

void check(const Params& with, const ImageView& image, Answer& answer) { Set(with, image, answer).run(); }

}  // namespace

extern const Rule matched_set;
const Rule matched_set{
    .doc = {.id = "matched-set",
            .summary = "Files that come of one build are replaced together, and have one version.",
            .details = R"(Libraries that are built together (a runtime and its compiler, a library and its helper) are
tested together. An image that replaces one of them by a build of its own and keeps the other from the package has
a pair that nobody built. A member is *replaced* when its bytes are not those that dpkg recorded for the file that
its name finally leads to, or when no package owns that file; either all members are, or none.

`version`, `content_version` and `package_version` ask for one version: what the pattern captures (group 1, or all
of it) must be the same for all. `same_directory` asks that all stand in one directory, after links.

`considered` says why a mixed set is wanted. The check then passes, and the reason stands in the report beside
every member that would have been a finding; a missing or dangling member still is one.

That bytes differ from the package's does not say that they are of one build: only the versions can.)",
            .severity = Severity::warning,
            .security = "none",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
