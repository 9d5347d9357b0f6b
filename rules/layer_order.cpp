#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "check/rule.h"
#include "check/selection.h"

namespace ocilint::rules {
namespace {

constexpr std::size_t most_shown = 10;  // files that are proof one by one; the others are counted

constexpr std::string_view events[] = {"package-database"};

constexpr Param params[] = {
    {"files", ParamType::paths, "the files whose last change is looked at", true},
    {"after", ParamType::text, "they are last written in no layer before the last one that changes this", false,
     events},
    {"after_files", ParamType::paths, "likewise: before the last layer that touches one of these files"},
    {"before", ParamType::text, "they are last written in no layer after the first one that changes this", false,
     events},
    {"before_files", ParamType::paths, "likewise: after the first layer that touches one of these files"},
    {"untouched_after", ParamType::flag,
     "no layer touches a file after the one that brought its present bytes, and "
     "these bytes are not those of a version before another one"},
    {"allow_empty", ParamType::flag, "no such file is fine"},
};

constexpr FindingKind kinds[] = {
    {"too-early", "a file was last written before something that had to come first"},
    {"too-late", "a file was written after something that had to come later"},
    {"touched", "a later layer wrote the file again, with the same bytes"},
    {"reverted", "a later layer brought back the bytes that another layer had replaced"},
    {"dangling", "a name leads nowhere, so no layer wrote it last"},
    {"missing", "no file matches"},
};

constexpr Example examples[] = {
    {"the library was replaced after the last change of the packages", "{files: [/l/a.so], after: package-database}",
     "layers: [{run: 'RUN apt-get install a', files: {/var/lib/dpkg/status: x, /l/a.so: stock}}, "
     "{run: 'COPY a.so /l/', files: {/l/a.so: mine}}]",
     "pass"},
    {"packages were installed after the replacement", "{files: [/l/a.so], after: package-database}",
     "layers: [{run: 'COPY a.so /l/', files: {/l/a.so: mine}}, "
     "{run: 'RUN apt-get install b', files: {/var/lib/dpkg/status: x}}]",
     "too-early /l/a.so"},
    {"a later layer brings the old bytes back", "{files: [/l/a.so], untouched_after: true}",
     "layers: [{files: {/l/a.so: stock}}, {files: {/l/a.so: mine}}, {run: 'RUN apt-get install --reinstall a', "
     "files: {/l/a.so: stock}}]",
     "reverted /l/a.so"}};

// What each package manager rewrites with every transaction.
constexpr std::string_view databases[] = {"/var/lib/dpkg/status",
                                          "/var/lib/dpkg/status.d/*",
                                          "/lib/apk/db/installed",
                                          "/usr/lib/apk/db/installed",
                                          "/var/lib/rpm/Packages",
                                          "/var/lib/rpm/Packages.db",
                                          "/var/lib/rpm/rpmdb.sqlite",
                                          "/var/lib/rpm/rpmdb.sqlite-wal",
                                          "/usr/lib/sysimage/rpm/Packages",
                                          "/usr/lib/sysimage/rpm/Packages.db",
                                          "/usr/lib/sysimage/rpm/rpmdb.sqlite",
                                          "/usr/lib/sysimage/rpm/rpmdb.sqlite-wal",
                                          "/usr/share/rpm/Packages",
                                          "/usr/share/rpm/rpmdb.sqlite",
                                          "/usr/share/rpm/rpmdb.sqlite-wal",
                                          "/var/lib/pacman/local/*/desc"};

void plan(const Params& with, Plan& plan) {
  plan.tree();
  if (with.flag("untouched_after")) plan.md5(with.paths("files"));
}

/// A layer and the path that it touched.
struct Touch {
  std::uint32_t layer = 0;
  std::string path;
};

/// The layers that files must be compared with: of the set, the first touch and the last one.
struct Mark {
  std::string what;
  std::optional<Touch> first, last;

  void add(std::uint32_t layer, const std::string& path) {
    if (!first || layer < first->layer) first = Touch{layer, path};
    if (!last || layer > last->layer) last = Touch{layer, path};
  }
};

Mark mark_of(std::string what, const PathSet& set, const ImageView& image) {
  Mark mark{.what = std::move(what), .first = {}, .last = {}};
  const auto add = [&](const std::string& path) {
    for (const Event& event : image.tree().story(path)) mark.add(event.layer, path);
  };
  for (const Match& match : image.match(set)) add(match.canonical);
  // A file that is gone was touched, too.
  const auto fits = [](const std::vector<Glob>& globs, const std::string& path) {
    return std::ranges::any_of(globs, [&](const Glob& glob) { return glob.matches(path); });
  };
  for (const Glob& glob : set.include)
    if (glob.is_literal()) add(image.resolve(glob.text(), Last::keep).path);
  if (!std::ranges::all_of(set.include, &Glob::is_literal))
    for (const std::string& path : image.tree().removed_below("/"))
      if (fits(set.include, path) && !fits(set.exclude, path)) add(path);
  return mark;
}

Mark package_database(const ImageView& image) {
  PathSet set;
  for (const std::string_view glob : databases) set.include.push_back(Glob::parse(glob));
  return mark_of("the package database", set, image);
}

class Order {
 public:
  Order(const Params& with, const ImageView& image, Answer& answer) : image_(image), answer_(answer) {
    if (with.has("after")) require(after_, package_database(image));
    if (with.has("after_files"))
      require(after_, mark_of(with.paths("after_files").text, with.paths("after_files"), image));
    if (with.has("before")) require(before_, package_database(image));
    if (with.has("before_files"))
      require(before_, mark_of(with.paths("before_files").text, with.paths("before_files"), image));
    untouched_ = with.flag("untouched_after");
    for (const Glob& glob : with.paths("files").include)
      if (glob.is_literal()) named_.push_back(glob.text());
  }

  void look_at(const Selected& one) {
    if (!one.end.found()) {
      find(one, "dangling", "leads to " + one.end.path + ", which does not exist", last_touched(image_, one.end.path));
      return;
    }
    const bool bytes = untouched_ && has_bytes(one);
    if (untouched_ && !bytes && after_.empty() && before_.empty()) return;
    const std::vector<Event> story = image_.tree().story(one.end.path);
    if (story.empty()) {
      answer_.could_not(one.end.path + ": no layer has an entry for it");
      return;
    }
    const std::size_t before = answer_.findings().size();
    const std::uint32_t layer = story.back().layer;
    for (const Mark& mark : after_) compare_after(one, layer, mark);
    for (const Mark& mark : before_) compare_before(one, layer, mark);
    if (untouched_ && !bytes) return;
    if (bytes) stays(one, story);
    if (answer_.findings().size() == before) proof(one, layer);
  }

  void conclude() {
    if (untouched_ && bytes_compared_ == 0 && without_bytes_ > 0)
      answer_.could_not("untouched_after compares bytes, and no file of the set has any");
    else if (without_bytes_ > 0)
      answer_.evidence(fmt::format(
          "{} names lead to no regular file: they have no bytes that untouched_after could compare", without_bytes_));
    if (fine_ > most_shown) answer_.evidence(fmt::format("and {} more files likewise", fine_ - most_shown));
  }

 private:
  void require(std::vector<Mark>& marks, Mark mark) {
    if (mark.last)
      marks.push_back(std::move(mark));
    else
      answer_.could_not("no layer ever touched " + mark.what + ", so there is nothing to compare with");
  }

  void compare_after(const Selected& one, std::uint32_t layer, const Mark& mark) {
    if (layer >= mark.last->layer) return;
    find(one, "too-early",
         fmt::format("last written by layer {}, but layer {} touches {} after it", layer, mark.last->layer, mark.what),
         mark.last->layer,
         {"the file: " + layer_text(image_, layer),
          fmt::format("{} in {}", mark.last->path, layer_text(image_, mark.last->layer))},
         "write the file in a step after that one: what runs there may have put another file in its place");
  }

  void compare_before(const Selected& one, std::uint32_t layer, const Mark& mark) {
    if (layer <= mark.first->layer) return;
    find(
        one, "too-late",
        fmt::format("last written by layer {}, but layer {} touches {} before it", layer, mark.first->layer, mark.what),
        layer,
        {"the file: " + layer_text(image_, layer),
         fmt::format("{} in {}", mark.first->path, layer_text(image_, mark.first->layer))},
        "write the file in a step before that one");
  }

  /// False for what is no regular file: nothing that untouched_after could compare, and no proof.
  bool has_bytes(const Selected& one) {
    const EntryType type = image_.tree()[one.end.node].type;
    if (type == EntryType::file) {
      ++bytes_compared_;
      return true;
    }
    const std::string& path = one.match.path;
    if (std::ranges::find(named_, path) == named_.end())
      ++without_bytes_;
    else
      answer_.could_not(fmt::format("{} leads to a {}, and untouched_after compares bytes{}", path, to_string(type),
                                    type == EntryType::directory ? ": name the files below it, " + path + "/**" : ""));
    return false;
  }

  /// Bytes are compared, not times: a copy-up for a new mode or name writes the same file again.
  void stays(const Selected& one, const std::vector<Event>& story) {
    const Node& node = image_.tree()[one.end.node];
    const Md5 now = image_.md5(node.inode);
    std::uint32_t origin = story.back().layer;
    std::size_t at = story.size();
    const auto regular = [&](const Event& event) {
      return event.shows() && event.inode.created() &&
             image_.scanned().facts.layers().at(event.inode.layer).entries.at(event.inode.ordinal).type ==
                 EntryType::file;
    };
    while (at > 0 && regular(story[at - 1]) && image_.md5(story[at - 1].inode) == now) origin = story[--at].layer;
    if (origin != story.back().layer)
      find(one, "touched",
           fmt::format("its bytes are those of layer {}, and layer {} wrote it again", origin, story.back().layer),
           story.back().layer, {"the bytes: " + layer_text(image_, origin)}, "leave the file alone after that step");
    for (std::size_t earlier = at; earlier > 0; --earlier) {
      const Event& event = story[earlier - 1];
      if (!regular(event) || image_.md5(event.inode) != now) continue;
      find(one, "reverted",
           fmt::format("has the bytes of layer {} again; layer {} had taken them away", event.layer,
                       story[earlier].layer),
           origin,
           {"the replacement: " + layer_text(image_, story[earlier].layer), "back in " + layer_text(image_, origin)},
           "replace the file after that step, or keep the step from writing it");
      break;
    }
  }

  void proof(const Selected& one, std::uint32_t layer) {
    if (++fine_ > most_shown) return;
    std::string text = fmt::format("{} was last written by {}", describe(one), layer_text(image_, layer));
    for (const Mark& mark : after_) {
      const std::string other = layer_text(image_, mark.last->layer);
      text +=
          layer == mark.last->layer
              ? fmt::format("; the same layer is the last to touch {}, and what came first within it cannot be told",
                            mark.what)
              : fmt::format("; the last to touch {} is {}", mark.what, other);
    }
    for (const Mark& mark : before_)
      text += fmt::format("; the first to touch {} is {}", mark.what, layer_text(image_, mark.first->layer));
    answer_.evidence(std::move(text), one.end.path, layer);
  }

  void find(const Selected& one, const char* kind, std::string message, std::optional<std::uint32_t> layer,
            std::vector<std::string> details = {}, std::string remedy = {}) {
    Finding finding;
    finding.kind = kind;
    finding.subject = one.match.path;
    finding.message = std::move(message);
    finding.details = std::move(details);
    if (one.is_link()) finding.details.push_back(describe(one));
    finding.layer = layer;
    finding.remedy = std::move(remedy);
    answer_.finding(std::move(finding));
  }

  const ImageView& image_;
  Answer& answer_;
  std::vector<Mark> after_, before_;
  bool untouched_ = false;
  std::vector<std::string> named_;  // by a glob without wildcards
  std::size_t fine_ = 0, bytes_compared_ = 0, without_bytes_ = 0;
};

void check(const Params& with, const ImageView& image, Answer& answer) {
  bool asks = with.flag("untouched_after");
  for (const char* const name : {"after", "after_files", "before", "before_files"}) asks = asks || with.has(name);
  if (!asks) throw Error(ErrorKind::policy, "layer-order states no order");
  const PathSet& files = with.paths("files");
  const std::vector<Selected> selected = select(files, image);
  if (!require_some(selected, files, with.flag("allow_empty"), image, answer)) return;
  Order order(with, image, answer);
  for (const Selected& one : selected) order.look_at(one);
  order.conclude();
}

}  // namespace

extern const Rule layer_order;
const Rule layer_order{
    .doc = {.id = "layer-order",
            .summary = "Files are last written after (or before) the layers that touch other things.",
            .details = R"(A file that replaces one of a package is safe only after the last step that installs
packages: `apt-get install` of something else may bring the package's own file back. `after: package-database`
asks that each file is last written in no layer before the last one that changes the database of dpkg, apk, rpm or
pacman; `after_files` names other files, also such as are gone. Names are followed through links, and the file that
they lead to is looked at. The last change counts, whatever it was: a new mode or hard link writes the file, too.
One layer that does both is fine, and the evidence says that its inner order is unknown.

`untouched_after` compares bytes: a later layer that writes the same bytes again (for another mode or a new hard
link) has *touched* the file; one that brings the bytes of an even earlier layer back has *reverted* it. A later
layer with bytes that were never there before is taken for the replacement itself: package-files and
file's `sha256` say which bytes are right. A folder has no bytes: those that a pattern matches are counted, and one
that is named is an error.

An image in which no layer ever touched what the files are compared with makes the check an error.)",
            .severity = Severity::error,
            .security = "none",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
