#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "base/path.h"
#include "check/rule.h"
#include "check/selection.h"

namespace ocilint::rules {
namespace {

constexpr std::size_t most_shown = 10;  // chains that are proof one by one; the others are counted

constexpr std::string_view ends[] = {"directory", "file"};

constexpr Param params[] = {
    {"path", ParamType::paths, "the name that is a symbolic link", true},
    {"hops", ParamType::paths, "where each link leads, in order and no other: absolute paths or globs"},
    {"max_hops", ParamType::number, "how many links the chain may have at most"},
    {"ends_in", ParamType::text, "what the last link leads to", false, ends},
    {"target_non_empty", ParamType::flag, "the directory has entries, the file has bytes"},
    {"never_directory", ParamType::flag,
     "no layer has the name as a directory, also none that only entries below imply"},
    {"relative", ParamType::flag, "recorded targets are relative"},
    {"same_directory", ParamType::flag, "each link leads to a name in its own directory"},
    {"absolute_allow", ParamType::paths, "an absolute recorded target matches one of these"},
    {"only_links", ParamType::flag, "names that are no link are passed over"},
    {"allow_empty", ParamType::flag, "no such name, or with only_links no link, is fine"},
};

constexpr FindingKind kinds[] = {
    {"missing", "there is no such name, or with only_links no link among them"},
    {"not-a-link", "the name is no symbolic link"},
    {"directory", "some layer has the name as a directory"},
    {"hop", "a link leads elsewhere, or there are more or fewer links"},
    {"too-long", "more links than max_hops"},
    {"loop", "the links lead back to themselves, or to more than 40 others"},
    {"escapes", "a recorded target has more `..` than there are directories"},
    {"dangling", "the last link leads to nothing"},
    {"type", "the chain ends in something else"},
    {"empty", "the chain ends in an empty directory or file"},
    {"absolute", "a recorded target is absolute"},
    {"elsewhere", "a link leads out of its directory"},
};

constexpr Example examples[] = {
    {"two hops to the versioned folder",
     "{path: /opt/x, hops: [/etc/alternatives/x, '/opt/x-*'], ends_in: directory, never_directory: true}",
     "layers: [{files: {/opt/x-1.2/f: a}, links: {/opt/x: /etc/alternatives/x, /etc/alternatives/x: /opt/x-1.2}}]",
     "pass"},
    {"a COPY made a directory where the link stood", "{path: /opt/x, never_directory: true}",
     "layers: [{files: {/opt/x-1.2/f: a}, links: {/opt/x: /opt/x-1.2}}, {directories: [/opt/x], files: {/opt/x/g: b}}]",
     "directory /opt/x\nnot-a-link /opt/x"},
    {"the folder is gone", "{path: /opt/x}", "layers: [{files: {/f: a}, links: {/opt/x: x-1.2}}]", "dangling /opt/x"}};

void plan(const Params&, Plan& plan) { plan.tree(); }

/// One link of the chain of the last component; links in the folders of its target are followed and not counted.
struct Step {
  std::string link;    // canonical
  std::string target;  // as recorded
  std::string leads;   // as text from the link's directory
  bool escaped = false;
};

struct Chain {
  std::vector<Step> steps;
  bool loop = false;
  Resolution end;  // of the last step's target, its last component not followed
};

Chain chain_of(const ImageView& image, const std::string& path) {
  Chain chain;
  chain.end = image.resolve(path, Last::keep);
  while (chain.end.found() && image.tree()[chain.end.node].type == EntryType::symlink) {
    if (chain.steps.size() == static_cast<std::size_t>(link_hops)) {
      chain.loop = true;
      return chain;
    }
    const std::string target(image.tree()[chain.end.node].link);
    if (target.empty()) {  // as Linux does: nothing has this name
      chain.steps.push_back({chain.end.path, target, target, false});
      chain.end.status = Resolution::Status::missing;
      break;
    }
    NormalPath leads = resolve_lexically(chain.end.path, target);
    // `..` behind a link in the path is not what the text says: only a whole walk knows where it leads.
    Resolution next =
        image.resolve(target.starts_with('/') ? target : join(parent_path(chain.end.path), target), Last::keep);
    chain.steps.push_back({chain.end.path, target, std::move(leads.path), leads.escaped});
    chain.end = std::move(next);
  }
  chain.loop = chain.end.status == Resolution::Status::loop;
  return chain;
}

/// For each path, the layer and entry that make it a directory.
struct Directory {
  std::uint32_t layer;
  std::string entry;  // the path itself, or a name below it
};

class DirectoryEntries {
 public:
  DirectoryEntries(const ImageView& image, const std::vector<Selected>& selected) {
    for (const Selected& one : selected) paths_.try_emplace(one.match.canonical);
    const auto& layers = image.scanned().facts.layers();
    for (std::uint32_t layer = 0; layer < layers.size(); ++layer) read(layers[layer], layer);
  }

  const std::vector<Directory>& of(const std::string& path) const { return paths_.at(path); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  // Whiteouts count: a layer that removes a name below a link records the directory that it would be in.
  void read(const LayerIndex& index, std::uint32_t layer) {
    links_.clear();
    for (const LayerEntry& entry : index.entries) {
      bool itself = true;
      for (std::string_view at = entry.path; at != "/"; at = parent_path(at), itself = false)
        if (const auto known = paths_.find(at); known != paths_.end()) note(*known, entry, itself, layer);
    }
  }

  void note(std::pair<const std::string, std::vector<Directory>>& known, const LayerEntry& entry, bool itself,
            std::uint32_t layer) {
    if (itself && entry.type == EntryType::symlink) links_[known.first] = true;
    const bool makes = itself ? entry.type == EntryType::directory : !links_[known.first];
    if (!makes) return;
    // The entry of the directory itself says more than those below it, which may come first.
    if (!known.second.empty() && known.second.back().layer == layer) {
      if (itself) known.second.back().entry = entry.path;
      return;
    }
    known.second.push_back({layer, std::string(entry.path)});
  }

  std::unordered_map<std::string, std::vector<Directory>, Hash, std::equal_to<>> paths_;
  std::unordered_map<std::string, bool> links_;  // of one layer: an entry made it a link before what comes below
};

class Inspection {
 public:
  Inspection(const Params& with, const ImageView& image, Answer& answer)
      : with_(with), image_(image), answer_(answer) {}

  /// False when the name is passed over.
  bool look_at(const Selected& one, const DirectoryEntries* directories) {
    one_ = &one;
    const Node& name = image_.tree()[one.match.node];
    if (name.type != EntryType::symlink && with_.flag("only_links") &&
        (directories == nullptr || !was_link(one.match.canonical)))
      return false;
    const std::size_t before = answer_.findings().size();
    if (directories != nullptr) never_directory(directories->of(one.match.canonical));
    if (name.type != EntryType::symlink) {
      find("not-a-link", fmt::format("a {}, not a symbolic link", to_string(name.type)), one.match.canonical);
      return true;
    }
    const Chain chain = chain_of(image_, one.match.canonical);
    if (chain.loop) {
      find("loop", fmt::format("leads through more than {} links", link_hops), one.match.canonical);
      return true;
    }
    links(chain);
    hops(chain);
    end(chain);
    if (answer_.findings().size() == before) proof(chain, directories != nullptr);
    return true;
  }

  void conclude() {
    if (fine_ > most_shown) answer_.evidence(fmt::format("and {} more chains likewise", fine_ - most_shown));
  }

 private:
  /// Some layer has the name as a link: then it is no folder among others.
  bool was_link(const std::string& path) const {
    const auto& layers = image_.scanned().facts.layers();
    return std::ranges::any_of(image_.tree().story(path), [&](const Event& event) {
      return event.inode.created() &&
             layers.at(event.inode.layer).entries.at(event.inode.ordinal).type == EntryType::symlink;
    });
  }

  void never_directory(const std::vector<Directory>& directories) {
    for (const Directory& made : directories) {
      Finding finding;
      finding.kind = "directory";
      finding.subject = one_->match.path;
      finding.message = made.entry == one_->match.canonical
                            ? fmt::format("layer {} has it as a directory", made.layer)
                            : fmt::format(
                                  "layer {} has {} below it and not the link itself: engines that unpack a "
                                  "layer alone make a directory",
                                  made.layer, made.entry);
      finding.layer = made.layer;
      finding.remedy = "copy to the folder that the link leads to";
      answer_.finding(std::move(finding));
    }
  }

  /// What is said of every link.
  void links(const Chain& chain) {
    for (const Step& step : chain.steps) {
      const bool absolute = step.target.starts_with('/');
      if (step.escaped)
        find("escapes", fmt::format("{} -> {} has a `..` above the root", step.link, step.target), step.link);
      if (with_.flag("relative") && absolute)
        find("absolute", fmt::format("{} -> {} is absolute", step.link, step.target), step.link);
      const PathSet& allowed = with_.paths("absolute_allow");
      const auto fits = [&](const Glob& glob) { return glob.matches(step.leads); };
      const bool among = std::ranges::any_of(allowed.include, fits) && std::ranges::none_of(allowed.exclude, fits);
      if (with_.has("absolute_allow") && absolute && !among)
        find("absolute", fmt::format("{} -> {} is absolute and not in {}", step.link, step.target, allowed.text),
             step.link);
      if (with_.flag("same_directory") && parent_path(step.leads) != parent_path(step.link))
        find("elsewhere", fmt::format("{} -> {} leads to another directory", step.link, step.target), step.link);
    }
    const auto most = with_.number("max_hops");
    if (most && chain.steps.size() > *most)
      find("too-long", fmt::format("{} links, at most {} are allowed", chain.steps.size(), *most),
           one_->match.canonical);
  }

  void hops(const Chain& chain) {
    if (!with_.has("hops")) return;
    const std::vector<Glob>& wanted = with_.paths("hops").include;
    for (std::size_t i = 0; i < std::min(wanted.size(), chain.steps.size()); ++i) {
      const Step& step = chain.steps[i];
      if (wanted[i].matches(step.leads)) continue;
      find("hop", fmt::format("link {} of the chain leads to {}, not to {}", i + 1, step.leads, wanted[i].text()),
           step.link, text_of(chain));
      return;
    }
    if (wanted.size() != chain.steps.size())
      find("hop", fmt::format("a chain of {} links, {} are asked for", chain.steps.size(), wanted.size()),
           one_->match.canonical, text_of(chain));
  }

  void end(const Chain& chain) {
    if (!chain.end.found()) {
      const bool gone = last_touched(image_, chain.end.path).has_value();
      find("dangling", "leads to " + chain.steps.back().leads + ", which does not exist",
           gone ? chain.end.path : chain.steps.back().link, text_of(chain));
      return;
    }
    const Node& node = image_.tree()[chain.end.node];
    const std::string& type = with_.text("ends_in");
    if (!type.empty() && type != to_string(node.type))
      find("type", fmt::format("ends in a {}, not a {}", to_string(node.type), type), chain.end.path, text_of(chain));
    if (!with_.flag("target_non_empty")) return;
    const bool empty = node.type == EntryType::directory ? image_.tree().children(chain.end.node).empty()
                                                         : node.type == EntryType::file && node.size == 0;
    if (empty) find("empty", fmt::format("ends in an empty {}", to_string(node.type)), chain.end.path, text_of(chain));
  }

  std::string text_of(const Chain& chain) const {
    std::string text = one_->match.path;
    for (const Step& step : chain.steps) text += " -> " + step.target;
    if (chain.end.found() && chain.end.path != chain.steps.back().target) text += " (" + chain.end.path + ")";
    return text;
  }

  void proof(const Chain& chain, bool never) {
    if (++fine_ > most_shown) return;
    std::string text = text_of(chain);
    text += fmt::format(" is a {}", to_string(image_.tree()[chain.end.node].type));
    if (never)
      text += fmt::format("; none of {} layers has {} as a directory", image_.layers().size(), one_->match.canonical);
    answer_.evidence(std::move(text), chain.end.path, last_touched(image_, one_->match.canonical));
  }

  void find(const char* kind, std::string message, std::string_view at, std::string detail = {}) {
    Finding finding;
    finding.kind = kind;
    finding.subject = one_->match.path;
    finding.message = std::move(message);
    if (!detail.empty()) finding.details.push_back(std::move(detail));
    finding.layer = last_touched(image_, at);
    answer_.finding(std::move(finding));
  }

  const Params& with_;
  const ImageView& image_;
  Answer& answer_;
  const Selected* one_ = nullptr;
  std::size_t fine_ = 0;
};

void check(const Params& with, const ImageView& image, Answer& answer) {
  const PathSet& paths = with.paths("path");
  if (!with.paths("hops").exclude.empty())
    throw Error(ErrorKind::policy, "'hops' is a list in order and can have no exclusions");
  const std::vector<Selected> selected = select(paths, image);
  if (!require_some(selected, paths, with.flag("allow_empty"), image, answer)) return;
  std::optional<DirectoryEntries> directories;
  if (with.flag("never_directory")) directories.emplace(image, selected);
  Inspection inspection(with, image, answer);
  std::size_t passed_over = 0;
  for (const Selected& one : selected)
    if (!inspection.look_at(one, directories ? &*directories : nullptr)) ++passed_over;
  inspection.conclude();
  if (!with.flag("only_links")) return;
  if (passed_over < selected.size() || with.flag("allow_empty")) {
    answer.evidence(
        fmt::format("{} names match {}; {} of them are no links", selected.size(), paths.text, passed_over));
    return;
  }
  Finding finding;
  finding.kind = "missing";
  finding.subject = paths.text;
  finding.message = fmt::format("none of the {} names that match is a symbolic link", selected.size());
  answer.finding(std::move(finding));
}

}  // namespace

extern const Rule link_chain;
const Rule link_chain{
    .doc = {.id = "link-chain",
            .summary = "A symbolic link leads where it should, hop by hop.",
            .details = R"(Follows a link inside the image, one link at a time, and never leaves its root. `hops` are
the paths that the links lead to, in order and complete, so /opt/x -> /etc/alternatives/x -> /opt/x-1.2 has two. A
link in the folders of a target (/lib -> usr/lib) is followed and is no hop. A chain that loops, that leads
nowhere or whose text climbs above the root is always a finding.

`never_directory` looks into every layer: a `COPY x /opt/x/` of some builders records the directory /opt/x
instead of following the link, or names below it without the link. On overlay engines the link is then gone, and
everything that it led to with it.

`relative`, `same_directory` and `absolute_allow` are about what the links record, for each of the chain;
`only_links` passes over other names, so that `path` may be a whole folder.)",
            .severity = Severity::error,
            .security = "none",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
