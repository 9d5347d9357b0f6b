#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/mode.h"
#include "check/rule.h"
#include "check/selection.h"

namespace ocilint::rules {
namespace {

constexpr Param params[] = {{"allow", ParamType::paths, "files that may be set-uid, set-gid or have capabilities"}};

constexpr FindingKind kinds[] = {
    {"setuid", "runs with its owner's rights"},
    {"setgid", "runs with its group's rights"},
    {"capability", "carries file capabilities"},
};

constexpr Example examples[] = {
    {"one that is known and one that is not", "{allow: [/usr/bin/su]}",
     "layers: [{files: {/usr/bin/su: {content: x, mode: '4755'}, /usr/bin/x: {content: x, mode: '4755'}}}]",
     "setuid /usr/bin/x"}};

constexpr std::uint32_t setuid = 04000, setgid = 02000;

void plan(const Params&, Plan& plan) { plan.tree(); }

std::set<InodeId> inodes_with_capabilities(const ImageView& image) {
  std::set<InodeId> out;
  std::uint32_t number = 0;
  for (const LayerIndex& layer : image.scanned().facts.layers()) {
    for (const EntryAttribute& attribute : layer.attributes)
      if (attribute.name == "security.capability") out.insert({number, attribute.ordinal});
    ++number;
  }
  return out;
}

void check(const Params& with, const ImageView& image, Answer& answer) {
  const MergedTree& tree = image.tree();
  std::set<NodeId> allowed;
  if (with.has("allow")) {
    for (const Selected& one : select(with.paths("allow"), image)) {
      allowed.insert(one.match.node);
      if (one.end.found()) allowed.insert(one.end.node);
    }
  }
  const std::set<InodeId> capable = inodes_with_capabilities(image);
  std::size_t files = 0, special = 0;
  std::map<InodeId, std::vector<NodeId>> aliases;  // each name of one file is a finding: looked up once
  constexpr std::size_t shown = 20;
  std::vector<NodeId> open{MergedTree::root};  // ids of names that are gone stand between those of the tree
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    const Node& node = tree[id];
    if (node.type == EntryType::directory) {
      const std::vector<NodeId> children = tree.children(id);
      open.insert(open.end(), children.rbegin(), children.rend());
    }
    if (node.type != EntryType::file) continue;
    ++files;
    const char* const kind = (node.mode & setuid) != 0                              ? "setuid"
                             : (node.mode & setgid) != 0 && (node.mode & 0010) != 0 ? "setgid"
                             : capable.contains(node.inode)                         ? "capability"
                                                                                    : nullptr;
    if (kind == nullptr) continue;
    ++special;
    if (allowed.contains(id)) continue;
    Finding finding;
    finding.kind = kind;
    finding.subject = tree.path(id);
    finding.message =
        fmt::format("mode {}, owner {}:{}, not in the list of allowed files", mode_text(node.mode), node.uid, node.gid);
    const auto [names, fresh] = aliases.try_emplace(node.inode);
    if (fresh) names->second = tree.names_of(node.inode);
    for (std::size_t i = 0; i < std::min(shown, names->second.size()); ++i)
      if (names->second[i] != id) finding.details.push_back("also named " + tree.path(names->second[i]));
    if (names->second.size() > shown)
      finding.details.push_back(fmt::format("and {} more names", names->second.size() - shown));
    finding.layer = last_touched(image, finding.subject);
    finding.remedy = "chmod it in the RUN that installs it, or list it under allow";
    answer.finding(std::move(finding));
  }
  answer.evidence(fmt::format("{} regular files were looked at, {} of them are set-uid, set-gid or have capabilities",
                              files, special));
}

}  // namespace

extern const Rule setuid_files;
const Rule setuid_files{
    .doc = {.id = "setuid-files",
            .summary = "Only known files are set-uid, set-gid or carry capabilities.",
            .details = R"(Looks at every regular file of the merged tree under each of its names, so that a set-uid
program is found under a second hard-linked name too. A set-gid bit counts when the group may execute.)",
            .severity = Severity::error,
            .security = "7.0",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
