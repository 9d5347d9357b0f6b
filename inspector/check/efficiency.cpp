#include "check/efficiency.h"

#include <algorithm>
#include <deque>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/path.h"
#include "tree/marker.h"

namespace ocilint {
namespace {

constexpr std::string_view opaque_prefix = ".wh..wh.";

/// Dive's figures, by the sizes that archives state.
class StatedSizes {
 public:
  /// Every layer that will be added: what no whiteout of any of them is about need not be remembered by name.
  explicit StatedSizes(std::span<const LayerIndex* const> layers) {
    std::size_t most = 0;
    for (const LayerIndex* const layer : layers) {
      most = std::max(most, layer->entries.size());
      for (const LayerEntry& entry : layer->entries)
        if (const std::string_view name = base_name(entry.path); is_marker(name) && !name.starts_with(opaque_prefix))
          removed_.insert(target_of(entry.path));
    }
    seen_.reserve(most);
  }

  void add(const LayerIndex& layer) {
    std::unordered_map<std::string_view, const LayerEntry*> nodes;  // null: an opaque folder that no entry makes
    nodes.reserve(layer.entries.size());
    std::unordered_set<std::string_view> parents;
    std::string_view last_parent;
    for (const LayerEntry& entry : layer.entries) {
      if (entry.path == "/") continue;
      std::string_view at = entry.path;
      if (base_name(at).starts_with(opaque_prefix)) {
        at = parent_path(at);
        if (at != "/") nodes.try_emplace(at, nullptr);
      } else {
        nodes[at] = &entry;
      }
      at = parent_path(at);
      if (at == last_parent) continue;  // entries of a folder mostly follow each other
      last_parent = at;
      for (; at != "/" && parents.insert(at).second;) at = parent_path(at);
    }
    for (const auto& [path, entry] : nodes)
      if (!parents.contains(path)) see(path, entry);
    if (!removed_.empty()) lay_over(nodes);
  }

  void finish(Efficiency& out) const {
    for (const auto& [path, seen] : seen_) {
      out.least_bytes += seen.least;
      out.stated_bytes += seen.all;
      if (seen.count > 1) out.repeated_bytes += seen.all;
    }
  }

 private:
  struct Seen {
    std::uint64_t least = 0, all = 0;
    std::size_t count = 0;
  };
  struct Shown {
    std::uint64_t size;
    bool directory;
  };

  static std::uint64_t size_of(const LayerEntry* entry) {
    return entry != nullptr && entry->type == EntryType::file ? entry->size : 0;
  }

  void see(std::string_view path, const LayerEntry* entry) {
    std::uint64_t size = size_of(entry);
    if (is_marker(base_name(path))) {
      path = target_of(path);
      size = removed_below(path);
    }
    Seen& seen = seen_[path];
    seen.least = seen.count == 0 ? size : std::min(seen.least, size);
    seen.all += size;
    ++seen.count;
  }

  std::uint64_t removed_below(std::string_view path) const {
    const auto found = shown_.find(path);
    if (found == shown_.end() || !found->second.directory) return 0;
    const std::string front = std::string(path) + "/";
    std::uint64_t out = 0;
    for (auto below = shown_.lower_bound(front); below != shown_.end() && below->first.starts_with(front); ++below)
      out += below->second.size;
    return out;
  }

  /// Does some whiteout name the path, or a folder above it?
  bool is_removed_somewhere(std::string_view path) const {
    for (; path != "/"; path = parent_path(path))
      if (removed_.contains(path)) return true;
    return false;
  }

  void lay_over(const std::unordered_map<std::string_view, const LayerEntry*>& nodes) {
    for (const auto& [path, entry] : nodes) {
      if (!is_marker(base_name(path))) continue;
      const std::string_view target = target_of(path);
      const std::string front = std::string(target) + "/";
      const auto first = shown_.lower_bound(front);
      auto end = first;
      while (end != shown_.end() && end->first.starts_with(front)) ++end;
      shown_.erase(first, end);
      shown_.erase(target);
    }
    for (const auto& [path, entry] : nodes) {
      if (is_marker(base_name(path)) || !is_removed_somewhere(path)) continue;
      const bool directory = entry != nullptr && entry->type == EntryType::directory;
      shown_.insert_or_assign(path, Shown{size_of(entry), directory});
    }
  }

  std::string_view target_of(std::string_view marker) {
    return kept_.emplace_back(join(parent_path(marker), whiteout_target(base_name(marker))));
  }

  std::unordered_map<std::string_view, Seen> seen_;
  std::unordered_set<std::string_view> removed_;
  std::map<std::string_view, Shown> shown_;  // of what removed_ is about
  std::deque<std::string> kept_;             // names that markers mean
};

/// What the stories of names say.
class Stories {
 public:
  Stories(std::span<const LayerIndex* const> layers, const MergedTree& tree, Efficiency& out)
      : layers_(layers), tree_(tree), out_(out) {}

  void run() {
    std::vector<NodeId> left = {MergedTree::root};
    while (!left.empty()) {
      const NodeId node = left.back();
      left.pop_back();
      if (node != MergedTree::root) read(tree_.story(tree_.path(node)));
      if (tree_[node].type != EntryType::directory) continue;
      for (const NodeId child : tree_.children(node)) left.push_back(child);
    }
    for (const std::string& gone : tree_.removed_below("/")) read(tree_.story(gone));
  }

 private:
  bool is_file(const Event& event) const {
    const bool there = event.shows();
    if (!there || !event.inode.created() || event.inode.layer >= layers_.size()) return false;
    return layers_[event.inode.layer]->entries[event.inode.ordinal].type != EntryType::directory;
  }

  /// By layer: was there a file of that name before, is there one after?
  void read(const std::vector<Event>& story) {
    bool before = false;
    for (std::size_t i = 0; i < story.size();) {
      const std::uint32_t layer = story[i].layer;
      bool after = before;
      for (; i < story.size() && story[i].layer == layer; ++i) after = is_file(story[i]);
      LayerUse& use = out_.layers[layer];
      use.added += !before && after;
      use.changed += before && after;
      use.removed += before && !after;
      before = after;
    }
  }

  std::span<const LayerIndex* const> layers_;
  const MergedTree& tree_;
  Efficiency& out_;
};

void find_hidden(std::span<const LayerIndex* const> layers, const MergedTree& tree, Efficiency& out) {
  std::unordered_map<std::string_view, HiddenPath> hidden;
  for (std::uint32_t number = 0; number < layers.size(); ++number) {
    const LayerIndex& layer = *layers[number];
    LayerUse& use = out.layers[number];
    for (Ordinal ordinal = 0; ordinal < layer.entries.size(); ++ordinal) {
      const LayerEntry& entry = layer.entries[ordinal];
      if (entry.type != EntryType::file || entry.size == 0) continue;
      use.content_bytes += entry.size;
      if (!tree.names_of({number, ordinal}).empty()) continue;
      use.hidden_bytes += entry.size;
      HiddenPath& path = hidden[entry.path];
      path.bytes += entry.size;
      if (path.layers.empty() || path.layers.back() != number) path.layers.push_back(number);
    }
    out.content_bytes += use.content_bytes;
    out.hidden_bytes += use.hidden_bytes;
  }
  for (auto& [name, path] : hidden) {
    path.path = name;
    const std::vector<Event> story = tree.story(name);
    path.last_layer = story.empty() ? path.layers.back() : story.back().layer;
    out.hidden.push_back(std::move(path));
  }
  std::ranges::sort(out.hidden, [](const HiddenPath& a, const HiddenPath& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.path < b.path;
  });
}

}  // namespace

double Efficiency::score() const {
  return stated_bytes == 0 ? 1.0 : static_cast<double>(least_bytes) / static_cast<double>(stated_bytes);
}

Efficiency measure_efficiency(std::span<const LayerIndex* const> layers, const MergedTree& tree) {
  Efficiency out;
  out.layers.resize(layers.size());
  StatedSizes sizes(layers);
  for (const LayerIndex* const layer : layers) sizes.add(*layer);
  sizes.finish(out);
  Stories(layers, tree, out).run();
  find_hidden(layers, tree, out);
  return out;
}

}  // namespace ocilint
