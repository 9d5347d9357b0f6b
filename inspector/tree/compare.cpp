#include <fmt/format.h>

#include <algorithm>

#include "tree/tree_state.h"

namespace ocilint {
namespace {

constexpr std::string_view overlay_engines = "on overlay engines";

std::string names_text(std::size_t count) { return fmt::format("{} name{}", count, count == 1 ? "" : "s"); }

std::string_view kind_of(EntryType type) {
  switch (type) {
    case EntryType::file: return "file";
    case EntryType::directory: return "directory";
    case EntryType::symlink: return "symbolic link";
    case EntryType::character:
    case EntryType::block: return "device";
    case EntryType::fifo: return "named pipe";
    case EntryType::hard_link:
    case EntryType::unsupported: break;
  }
  return "entry of an unknown type";
}

std::string describe(const Node& node) {
  if (node.type == EntryType::symlink) return fmt::format("a symbolic link to {}", node.link);
  return fmt::format("{} {}", node.type == EntryType::unsupported ? "an" : "a", kind_of(node.type));
}

std::string owner_text(const Node& node) { return fmt::format("{:04o} {}:{}", node.mode, node.uid, node.gid); }

bool same_attributes(const Node& a, const Node& b) { return a.mode == b.mode && a.uid == b.uid && a.gid == b.gid; }

}  // namespace

class Comparison {
 public:
  Comparison(const MergedTree& overlay, const MergedTree& spec)
      : overlay_(*overlay.state_),
        spec_(*spec.state_),
        // Counting what a folder hides walks other folders; many links to one could make that quadratic.
        budget_(4 * (overlay_.size() + spec_.size())) {}

  std::vector<Divergence> run() {
    both_.push_back({NameTable::root, NameTable::root});
    while (!both_.empty()) {
      const Pair pair = both_.back();
      both_.pop_back();
      children_of(pair);
    }
    std::ranges::sort(found_, {}, &Divergence::path);
    return std::move(found_);
  }

 private:
  struct Pair {
    PathId overlay, spec;
  };

  /// The name under the other tree's directory, whether anything is there or not.
  static std::optional<PathId> twin(const TreeState& from, PathId path, const TreeState& to, PathId parent) {
    if (&from.names() == &to.names()) return path;
    return to.names().find(parent, from.names().name(path));
  }

  void children_of(Pair parents) {
    for (PathId at = overlay_.first_child(parents.overlay); at != TreeState::none; at = overlay_.next_child(at)) {
      const auto other = twin(overlay_, at, spec_, parents.spec);
      if (other && spec_.shows(*other))
        compare({at, *other});
      else
        only_overlay(at, other);
    }
    for (PathId at = spec_.first_child(parents.spec); at != TreeState::none; at = spec_.next_child(at)) {
      const auto other = twin(spec_, at, overlay_, parents.overlay);
      if (!other || !overlay_.shows(*other)) only_spec(at, other);
    }
  }

  void compare(Pair pair) {
    const Node& here = overlay_.node(pair.overlay);
    const Node& there = spec_.node(pair.spec);
    if (here.type != there.type) return types_differ(pair);
    if (here.type == EntryType::directory) {
      both_.push_back(pair);
    } else if (here.inode != there.inode) {
      return add(pair, fmt::format("{} of layer {} {}, {} of layer {} elsewhere", describe(here), here.inode.layer,
                                   overlay_engines, describe(there), there.inode.layer));
    }
    if (!same_attributes(here, there))
      add(pair, fmt::format("{} {}, {} elsewhere", owner_text(here), overlay_engines, owner_text(there)), true);
  }

  void types_differ(Pair pair) {
    const Node& here = overlay_.node(pair.overlay);
    const Node& there = spec_.node(pair.spec);
    std::string text = fmt::format("{} {}{}, {} elsewhere", describe(here), overlay_engines,
                                   maker(overlay_, pair.overlay), describe(there));
    if (here.type == EntryType::directory && there.type == EntryType::symlink) {
      const auto target = spec_.locate(spec_.names().path(pair.spec), true);
      if (target && spec_.is_directory(*target)) text += hidden_text(pair.overlay, *target);
    } else if (here.type == EntryType::directory || there.type == EntryType::directory) {
      const bool mine = here.type == EntryType::directory;
      text += fmt::format("; the directory holds {}",
                          names_text(mine ? below(overlay_, pair.overlay) : below(spec_, pair.spec)));
    }
    add(pair, std::move(text));
  }

  void only_overlay(PathId path, std::optional<PathId> other) {
    add({path, other.value_or(NameTable::none)},
        fmt::format("{}{} {}{}, {} elsewhere", describe(overlay_.node(path)), contents(overlay_, path), overlay_engines,
                    maker(overlay_, path), gone(spec_, other)));
  }

  void only_spec(PathId path, std::optional<PathId> other) {
    add({other.value_or(NameTable::none), path},
        fmt::format("{} {}, {}{} elsewhere{}", gone(overlay_, other), overlay_engines, describe(spec_.node(path)),
                    contents(spec_, path), maker(spec_, path)));
  }

  static std::string maker(const TreeState& tree, PathId path) {
    const std::vector<Event> story = tree.story(path);
    if (story.empty()) return {};
    const bool made = tree.is_directory(path);
    return fmt::format(" ({} by layer {})", made ? "made" : "written", story.back().layer);
  }

  static std::string gone(const TreeState& tree, std::optional<PathId> path) {
    if (!path || !tree.has_story(*path)) return "absent";
    return fmt::format("removed by layer {}", tree.story(*path).back().layer);
  }

  std::string contents(const TreeState& tree, PathId path) const {
    if (!tree.has_children(path)) return {};
    return fmt::format(" with {}", names_text(below(tree, path)));
  }

  static std::size_t below(const TreeState& tree, PathId path) {
    std::size_t count = 0;
    std::vector<PathId> open{path};
    while (!open.empty()) {
      const PathId top = open.back();
      open.pop_back();
      for (PathId at = tree.first_child(top); at != TreeState::none; at = tree.next_child(at)) {
        ++count;
        if (tree.has_children(at)) open.push_back(at);
      }
    }
    return count;
  }

  /// How many names can be reached through the link that the directory, on overlay engines, does not have.
  std::string hidden_text(PathId directory, PathId target) {
    std::size_t count = 0;
    std::vector<Pair> open{{directory, target}};
    while (!open.empty()) {
      const Pair top = open.back();
      open.pop_back();
      for (PathId at = spec_.first_child(top.spec); at != TreeState::none; at = spec_.next_child(at)) {
        if (budget_ == 0) return "; hides more names than were counted";
        --budget_;
        PathId mine = NameTable::none;
        if (top.overlay != NameTable::none)
          if (const auto name = overlay_.names().find(top.overlay, spec_.names().name(at));
              name && overlay_.shows(*name))
            mine = *name;
        if (mine == NameTable::none) ++count;
        if (spec_.has_children(at)) open.push_back({mine, at});
      }
    }
    return count == 0 ? std::string{} : fmt::format("; hides {}", names_text(count));
  }

  /// The layer after which the two trees never again showed the same at the name.
  std::uint32_t since(Pair pair) const {
    const auto story = [](const TreeState& tree, PathId path) {
      return path == NameTable::none ? std::vector<Event>{} : tree.story(path);
    };
    const std::vector<Event> here = story(overlay_, pair.overlay), there = story(spec_, pair.spec);
    std::size_t i = 0, j = 0;
    struct State {
      bool shown = false;
      InodeId inode;
      bool operator==(const State&) const = default;
    } a, b;
    std::uint32_t out = 0;
    bool differ = false;
    const auto advance = [](const std::vector<Event>& events, std::size_t& at, std::uint32_t layer, State& state) {
      for (; at < events.size() && events[at].layer == layer; ++at) state = {events[at].shows(), events[at].inode};
    };
    while (i < here.size() || j < there.size()) {
      const std::uint32_t layer =
          std::min(i < here.size() ? here[i].layer : ~0u, j < there.size() ? there[j].layer : ~0u);
      advance(here, i, layer, a);
      advance(there, j, layer, b);
      if (a != b && !differ) out = layer;
      differ = a != b;
    }
    if (differ) return out;
    // The same inode, yet other attributes: the last that touched it.
    return here.empty() ? 0 : here.back().layer;
  }

  void add(Pair pair, std::string text, bool attributes_only = false) {
    const bool mine = pair.overlay != NameTable::none;
    found_.push_back({mine ? overlay_.names().path(pair.overlay) : spec_.names().path(pair.spec), std::move(text),
                      since(pair), attributes_only});
  }

  const TreeState& overlay_;
  const TreeState& spec_;
  std::size_t budget_;
  std::vector<Pair> both_;
  std::vector<Divergence> found_;
};

std::vector<Divergence> compare(const MergedTree& overlay, const MergedTree& spec) {
  return Comparison(overlay, spec).run();
}

}  // namespace ocilint
