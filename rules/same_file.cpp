#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/path.h"
#include "check/package_history.h"
#include "check/rule.h"
#include "check/selection.h"

namespace ocilint::rules {
namespace {

constexpr std::string_view identities[] = {"inode", "content"};

constexpr Param params[] = {
    {"files", ParamType::paths, "names that must all be one file", true},
    {"identity", ParamType::text, "inode (default): one file under several names; content: equal bytes are enough",
     false, identities},
    {"links", ParamType::number, "how many hard links the file has, exactly, names outside of `files` included"},
    {"at_least", ParamType::number, "how many names there must be; 1 unless stated"},
    {"allow_empty", ParamType::flag, "no such name is fine"},
};

constexpr FindingKind kinds[] = {
    {"split", "a separate file with the same bytes"},
    {"differs", "a separate file with other bytes"},
    {"dangling", "a link that leads nowhere"},
    {"not-a-file", "the name leads to something that is no regular file"},
    {"runtime-dependent", "a hard link to a file of a lower layer: engines disagree whether it is one file"},
    {"links", "another number of hard links"},
    {"missing", "no name matches, or fewer than at_least"},
};

constexpr Example examples[] = {
    {"two names of one file", "{files: ['/l/a.so*']}",
     "layers: [{files: {/l/a.so.1.0: x}, hardlinks: {/l/a.so.1: /l/a.so.1.0}}]", "pass"},
    {"rewriting one name in a later layer splits the pair", "{files: ['/l/a.so*']}",
     "layers: [{files: {/l/a.so.1.0: x}, hardlinks: {/l/a.so.1: /l/a.so.1.0}}, {files: {/l/a.so.1.0: x}}]",
     "split /l/a.so.1.0"}};

void plan(const Params& with, Plan& plan) {
  plan.tree();
  plan.md5(with.paths("files"));
}

/// Since which layer two names are no longer one file, and whether they ever were.
struct Parting {
  std::uint32_t layer = 0;
  bool were_one = false;
};

Parting parting_of(const std::vector<Event>& one, const std::vector<Event>& other) {
  std::vector<std::uint32_t> layers;
  for (const Event& event : one) layers.push_back(event.layer);
  for (const Event& event : other) layers.push_back(event.layer);
  std::ranges::sort(layers);
  Parting parting;
  bool same = true;
  for (const std::uint32_t layer : layers) {
    const auto left = inode_at(one, layer);
    const auto right = inode_at(other, layer);
    const bool now = left && right && *left == *right;
    if (same && !now) parting.layer = layer;
    parting.were_one = parting.were_one || now;
    same = now;
  }
  // Two that never were one came to be so when the later of them was last bound.
  if (!parting.were_one && !layers.empty()) parting.layer = layers.back();
  return parting;
}

struct Name {
  const Selected* selected;
  InodeId inode;
};

/// The inode with the most names; of equal ones the one whose first name sorts first.
InodeId reference_of(const std::vector<Name>& names) {
  std::map<InodeId, std::size_t> counts;
  for (const Name& name : names) ++counts[name.inode];
  InodeId best = names.front().inode;
  for (const Name& name : names)
    if (counts[name.inode] > counts[best]) best = name.inode;
  return best;
}

std::set<std::string_view> links_across_layers(const ImageView& image) {
  std::set<std::string_view> paths;
  for (const Refusal& refusal : image.scanned().overlay().refusals())
    if (refusal.id == "cross-layer-hardlink") paths.insert(refusal.path);
  return paths;
}

/// "file of layer 1: /a, /b"; an inode may have a million names, and each of them may be in a finding.
class InodeNames {
 public:
  explicit InodeNames(const MergedTree& tree) : tree_(tree) {}

  const std::string& of(InodeId inode) {
    const auto [at, fresh] = texts_.try_emplace(inode);
    if (fresh) at->second = list(inode);
    return at->second;
  }

 private:
  static constexpr std::size_t shown = 20;

  std::string list(InodeId inode) const {
    const std::vector<NodeId> nodes = tree_.names_of(inode);
    std::string out = fmt::format("file of layer {}: ", inode.layer);
    for (std::size_t i = 0; i < std::min(shown, nodes.size()); ++i) out += (i == 0 ? "" : ", ") + tree_.path(nodes[i]);
    if (nodes.size() > shown) out += fmt::format(" and {} more", nodes.size() - shown);
    return out;
  }

  const MergedTree& tree_;
  std::map<InodeId, std::string> texts_;
};

Finding separate(const Name& name, const Name& reference, bool same_bytes, const ImageView& image, InodeNames& names) {
  const MergedTree& tree = image.tree();
  const std::string& path = name.selected->end.path;
  const Parting parting = parting_of(tree.story(path), tree.story(reference.selected->end.path));
  Finding finding;
  finding.kind = same_bytes ? "split" : "differs";
  finding.subject = name.selected->match.path;
  finding.layer = parting.layer;
  finding.message =
      fmt::format("{} {}, but a separate file{}", same_bytes ? "same bytes as" : "other bytes than",
                  base_name(reference.selected->end.path),
                  parting.were_one ? fmt::format(" since layer {}", parting.layer) : ": the two were never one file");
  if (name.selected->is_link()) finding.details.push_back(describe(*name.selected));
  for (const Name* side : {&name, &reference}) finding.details.push_back(names.of(side->inode));
  finding.remedy = same_bytes ? fmt::format("link the names in the same RUN that last changes them: ln -f {} {}",
                                            reference.selected->end.path, path)
                              : "decide which bytes are right, and link every name to that file in one RUN";
  return finding;
}

void check(const Params& with, const ImageView& image, Answer& answer) {
  const PathSet& files = with.paths("files");
  const std::vector<Selected> selected = select(files, image);
  if (!require_some(selected, files, with.flag("allow_empty"), image, answer)) return;

  const MergedTree& tree = image.tree();
  const std::set<std::string_view> across = links_across_layers(image);
  std::vector<Name> names;
  for (const Selected& one : selected) {
    if (!one.end.found()) {
      Finding finding;
      finding.kind = "dangling";
      finding.subject = one.match.path;
      finding.message = "leads to " + one.end.path + ", which does not exist";
      finding.layer = last_touched(image, one.end.path);
      if (!finding.layer) finding.layer = last_touched(image, one.match.canonical);
      answer.finding(std::move(finding));
      continue;
    }
    const Node& node = tree[one.end.node];
    if (node.type != EntryType::file) {
      Finding finding;
      finding.kind = "not-a-file";
      finding.subject = one.match.path;
      finding.message = fmt::format("a {}, not a regular file", to_string(node.type));
      finding.layer = last_touched(image, one.end.path);
      answer.finding(std::move(finding));
      continue;
    }
    names.push_back({&one, node.inode});
    if (across.contains(one.end.path)) {
      Finding finding;
      finding.kind = "runtime-dependent";
      finding.subject = one.match.path;
      finding.message = "a hard link to a file of a lower layer: some engines share it, overlay engines refuse it";
      finding.layer = last_touched(image, one.end.path);
      finding.remedy = "touch the file in the same RUN before linking it, so that the layer records both names";
      answer.finding(std::move(finding));
    }
  }
  const std::uint64_t at_least = with.number("at_least").value_or(1);
  if (names.size() < at_least) {
    Finding finding;
    finding.kind = "missing";
    finding.subject = files.text;
    finding.message = fmt::format("{} names, at least {} are asked for", names.size(), at_least);
    for (const Name& name : names) finding.details.push_back(name.selected->match.path);
    answer.finding(std::move(finding));
  }
  if (names.empty()) return;

  const InodeId reference = reference_of(names);
  const Name& first = *std::ranges::find(names, reference, &Name::inode);
  const bool by_content = with.text("identity") == "content";
  InodeNames inode_names(tree);
  const std::size_t links = tree.names_of(reference).size();
  if (with.has("links") && with.number("links") != links) {
    Finding finding;
    finding.kind = "links";
    finding.subject = first.selected->match.path;
    finding.message = fmt::format("its file has {} names, {} are asked for", links, *with.number("links"));
    finding.details.push_back(inode_names.of(reference));
    finding.layer = last_touched(image, first.selected->end.path);
    answer.finding(std::move(finding));
  }
  for (const Name& name : names) {
    if (name.inode == reference) continue;
    const bool same_bytes = tree[name.selected->end.node].size == tree[first.selected->end.node].size &&
                            image.md5(name.inode) == image.md5(reference);
    if (by_content && same_bytes) continue;
    answer.finding(separate(name, first, same_bytes, image, inode_names));
  }
  answer.evidence(
      fmt::format("{} names {}, made by layer {}{}", names.size(), by_content ? "with equal bytes" : "of one file",
                  reference.layer, with.has("links") ? fmt::format(", with {} hard links", links) : ""),
      first.selected->end.path, reference.layer);
}

}  // namespace

extern const Rule same_file;
const Rule same_file{
    .doc = {.id = "same-file",
            .summary = "Several names are one file.",
            .details = R"(Hard links and symbolic links make several names lead to one file. A library is loaded
once for each file, not for each name: two copies of one library in a process have two sets of globals, and a
copy that a later layer did not touch is an old build under a name that something still looks for.

A later layer that touches one name of a hard-linked group (even with the same bytes, mode or time) gives that
name a file of its own. The finding says since which layer, and whether the bytes still agree.

Links are followed first: a name that is a symbolic link to another name of the set is the same file.)",
            .severity = Severity::error,
            .security = "none",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
