#include <algorithm>
#include <queue>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "run/survey_owners.h"
#include "run/survey_parts.h"

namespace ocilint {
namespace {

constexpr std::uint64_t least_share = 10'000;  // a tile has at least such a part of the whole: 9 points of 300 x 300

struct InodeHash {
  std::size_t operator()(const InodeId& id) const {
    return std::hash<std::uint64_t>{}(std::uint64_t{id.layer} << 32 | id.ordinal);
  }
};

/// A name of the tree, in the order of a walk: what is below it follows it.
struct Item {
  NodeId node = MergedTree::root;
  std::uint32_t parent = 0, end = 0;  // end: the first that is not below
  std::uint64_t bytes = 0, own = 0;
  std::size_t files = 0;
  std::uint32_t package = SizeNode::none;
  std::optional<std::uint8_t> severity;
};

class SizeTree {
 public:
  SizeTree(const Scanned& scanned, const std::vector<CheckResult>& checks, ImageSurvey& out)
      : tree_(*scanned.tree), owners_(scanned), out_(out) {
    note_findings(checks);
    walk();
    add_up();
  }

  void cut_down() {
    if (items_[0].bytes == 0) return;
    const std::uint64_t least = items_[0].bytes / least_share;
    using Open = std::pair<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>>;  // bytes, item, tile
    const auto smaller = [](const Open& a, const Open& b) {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    };
    std::priority_queue<Open, std::vector<Open>, decltype(smaller)> open(smaller);
    emit(0, SizeNode::none);
    open.push({items_[0].bytes, {0, 0}});
    std::size_t tiles = 1;
    while (!open.empty()) {
      const auto [item, tile] = open.top().second;
      open.pop();
      std::vector<std::uint32_t> children = sized_children(item);
      std::size_t shown = 0;
      while (shown < children.size() && items_[children[shown]].bytes >= least) ++shown;
      if (children.size() - shown == 1) ++shown;
      if (tiles + shown > most_surveyed_tiles) shown = most_surveyed_tiles - std::min(tiles, most_surveyed_tiles);
      if (shown == 0) continue;  // the folder stays one tile
      tiles += shown;
      for (std::size_t i = 0; i < shown; ++i) {
        const std::uint32_t child = children[i];
        const auto made = emit(child, tile);
        if (out_.sizes[made].folder) open.push({items_[child].bytes, {child, made}});
      }
      if (shown < children.size()) emit_rest(std::span(children).subspan(shown), tile);
    }
    colour();
  }

 private:
  void note_findings(const std::vector<CheckResult>& checks) {
    for (const CheckResult& check : checks)
      for (const ReportedFinding& found : check.findings) {
        if (found.waived) continue;
        const auto place = place_of(tree_, found.finding.subject);
        const auto node = place ? tree_.find(*place) : std::nullopt;
        if (!node) continue;
        auto& worst = severities_[*node];
        worst = std::max(worst, static_cast<std::uint8_t>(found.severity));
      }
  }

  void walk() {
    std::vector<std::pair<NodeId, std::uint32_t>> left = {{MergedTree::root, 0}};
    while (!left.empty()) {
      const auto [node, parent] = left.back();
      left.pop_back();
      const auto number = static_cast<std::uint32_t>(items_.size());
      Item& item = items_.emplace_back();
      item.node = node;
      item.parent = parent;
      item.end = number + 1;
      enter(item);
      if (tree_[node].type != EntryType::directory) continue;
      const std::vector<NodeId> children = tree_.children(node);
      for (auto child = children.rbegin(); child != children.rend(); ++child) left.emplace_back(*child, number);
    }
  }

  void enter(Item& item) {
    const Node& node = tree_[item.node];
    if (const auto found = severities_.find(item.node); found != severities_.end()) item.severity = found->second;
    if (node.type == EntryType::directory) return;
    item.files = 1;
    if (node.type != EntryType::file || !node.inode.created() || !seen_.insert(node.inode).second) return;
    item.own = item.bytes = node.size;
    if (!owners_.known() || node.size == 0) return;
    item.package = owners_.of(tree_.path(item.node));
    if (item.package != PathOwners::nobody) package_bytes_[item.package] += node.size;
  }

  void add_up() {
    for (std::size_t i = items_.size() - 1; i > 0; --i) {
      const Item& item = items_[i];
      Item& parent = items_[item.parent];
      parent.end = std::max(parent.end, item.end);
      parent.bytes += item.bytes;
      parent.files += item.files;
      if (item.severity) parent.severity = std::max(parent.severity.value_or(0), *item.severity);
    }
  }

  std::vector<std::uint32_t> sized_children(std::uint32_t item) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t at = item + 1; at < items_[item].end; at = items_[at].end)
      if (items_[at].bytes > 0) out.push_back(at);
    std::ranges::stable_sort(out, [&](std::uint32_t a, std::uint32_t b) { return items_[a].bytes > items_[b].bytes; });
    return out;
  }

  std::uint32_t emit(std::uint32_t item, std::uint32_t parent) {
    SizeNode& made = out_.sizes.emplace_back();
    made.path = tree_.path(items_[item].node);
    made.folder = tree_[items_[item].node].type == EntryType::directory;
    made.bytes = items_[item].bytes;
    made.files = items_[item].files;
    made.severity = items_[item].severity;
    made.parent = parent;
    parts_.push_back({item});
    return static_cast<std::uint32_t>(out_.sizes.size() - 1);
  }

  void emit_rest(std::span<const std::uint32_t> items, std::uint32_t parent) {
    SizeNode& made = out_.sizes.emplace_back();
    made.path = out_.sizes[parent].path;
    made.rest = true;
    made.parent = parent;
    for (const std::uint32_t item : items) {
      made.bytes += items_[item].bytes;
      made.files += items_[item].files;
      if (items_[item].severity) made.severity = std::max(made.severity.value_or(0), *items_[item].severity);
    }
    parts_.emplace_back(items.begin(), items.end());
  }

  /// The one of most bytes, the smaller of two with as many.
  static std::uint32_t biggest(const std::vector<std::pair<std::uint32_t, std::uint64_t>>& bytes,
                               std::uint32_t otherwise) {
    std::uint64_t most = 0;
    for (const auto& [key, count] : bytes)
      if (count > most || (count == most && key < otherwise)) {
        most = count;
        otherwise = key;
      }
    return otherwise;
  }

  /// Bytes by key, for a few keys of many: what was counted is cleared at the price of what was counted.
  class Tally {
   public:
    void add(std::uint32_t key, std::uint64_t bytes) {
      const std::size_t slot = key == SizeNode::none ? 0 : std::size_t{key} + 1;
      if (slots_.size() <= slot) slots_.resize(slot + 1, 0);
      if (slots_[slot] == 0) {
        counted_.emplace_back(key, 0);
        slots_[slot] = counted_.size();
      }
      counted_[slots_[slot] - 1].second += bytes;
    }
    const std::vector<std::pair<std::uint32_t, std::uint64_t>>& counted() const { return counted_; }
    void clear() {
      for (const auto& [key, bytes] : counted_) slots_[key == SizeNode::none ? 0 : std::size_t{key} + 1] = 0;
      counted_.clear();
    }

   private:
    std::vector<std::size_t> slots_;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> counted_;
  };

  /// Layer and package that most bytes of each are from, and the packages by the bytes that they own.
  void colour() {
    std::set<std::uint32_t> used;
    Tally layers, packages;
    for (std::size_t i = 0; i < out_.sizes.size(); ++i) {
      layers.clear();
      packages.clear();
      for (const std::uint32_t part : parts_[i])
        for (std::uint32_t at = part; at < items_[part].end; ++at) {
          if (items_[at].own == 0) continue;
          layers.add(tree_[items_[at].node].inode.layer, items_[at].own);
          packages.add(items_[at].package, items_[at].own);
        }
      out_.sizes[i].layer = biggest(layers.counted(), 0u);
      out_.sizes[i].package = biggest(packages.counted(), SizeNode::none);
      if (out_.sizes[i].package != SizeNode::none) used.insert(out_.sizes[i].package);
    }
    std::vector<std::uint32_t> order(used.begin(), used.end());
    std::ranges::stable_sort(order,
                             [&](std::uint32_t a, std::uint32_t b) { return package_bytes_[a] > package_bytes_[b]; });
    std::unordered_map<std::uint32_t, std::uint32_t> number;
    for (const std::uint32_t package : order) {
      number[package] = static_cast<std::uint32_t>(out_.packages.size());
      out_.packages.push_back(owners_.name(package));
    }
    for (SizeNode& node : out_.sizes)
      if (node.package != SizeNode::none) node.package = number[node.package];
    out_.packages_known = owners_.known();
  }

  const MergedTree& tree_;
  const PathOwners owners_;
  ImageSurvey& out_;
  std::unordered_map<NodeId, std::uint8_t> severities_;
  std::unordered_set<InodeId, InodeHash> seen_;
  std::vector<Item> items_;
  std::unordered_map<std::uint32_t, std::uint64_t> package_bytes_;
  std::vector<std::vector<std::uint32_t>> parts_;  // by tile: the items that it stands for
};

}  // namespace

void survey_sizes(const Scanned& scanned, const std::vector<CheckResult>& checks, ImageSurvey& out) {
  SizeTree(scanned, checks, out).cut_down();
}

}  // namespace ocilint
