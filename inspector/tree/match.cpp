#include "tree/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/path.h"
#include "tree/resolve.h"

namespace ocilint {
namespace {

/// The components of a pattern, each a matcher of one name; `**` spans.
struct Component {
  bool spanning = false;
  std::optional<std::string> literal;
  std::optional<Glob> glob;  // of "/component"
};

bool has_wildcard(std::string_view text) { return text.find_first_of("*?[\\") != std::string_view::npos; }

std::vector<Component> split(std::string_view pattern) {
  std::vector<Component> out;
  std::size_t at = pattern.starts_with('/') ? 1 : 0;
  while (at <= pattern.size()) {
    std::size_t slash = pattern.find('/', at);
    if (slash == std::string_view::npos) slash = pattern.size();
    const std::string_view text = pattern.substr(at, slash - at);
    at = slash + 1;
    Component component;
    if (text == "**")
      component.spanning = true;
    else if (has_wildcard(text))
      component.glob = Glob::parse("/" + std::string(text));
    else
      component.literal = text;
    out.push_back(std::move(component));
  }
  return out;
}

constexpr std::uint64_t bytes_of_a_step = 64;  // a step copies its path
constexpr std::uint64_t steps_of_a_match = 8;  // a match is kept, with two paths

class Matcher {
 public:
  Matcher(const MergedTree& tree, const Glob& pattern, std::uint64_t most_steps)
      : tree_(tree), text_(pattern.text()), components_(split(text_)), most_steps_(most_steps) {}

  std::vector<Match> run() {
    walk(MergedTree::root, "", 0);
    std::ranges::sort(found_, {}, &Match::path);
    const auto same_path = [](const Match& one, const Match& other) { return one.path == other.path; };
    found_.erase(std::unique(found_.begin(), found_.end(), same_path), found_.end());
    return std::move(found_);
  }

 private:
  bool last(std::size_t index) const { return index + 1 == components_.size(); }

  /// The directory behind a name in the middle of a pattern; links followed.
  std::optional<NodeId> directory(NodeId node) const {
    const EntryType type = tree_[node].type;
    if (type == EntryType::directory) return node;
    if (type != EntryType::symlink) return std::nullopt;
    const Resolution to = resolve(tree_, tree_.path(node));
    if (!to.found() || tree_[to.node].type != EntryType::directory) return std::nullopt;
    return to.node;
  }

  void count_steps(const std::string& path, std::uint64_t steps = 1) {
    steps_ += steps + path.size() / bytes_of_a_step;
    if (steps_ > most_steps_)
      throw Error(ErrorKind::limit, fmt::format("the pattern {} leads through more than {} names", text_, most_steps_));
  }

  void take(NodeId node, std::string path) {
    count_steps(path, steps_of_a_match);
    found_.push_back({std::move(path), tree_.path(node), node});
  }

  void step(NodeId child, const std::string& path, std::size_t index) {
    if (last(index)) {
      take(child, path);
    } else if (const auto inside = directory(child)) {
      walk(*inside, path, index + 1);
    }
  }

  // Depth is bounded by the pattern's length and the tree's depth, which the layer stage limits.
  void walk(NodeId at, const std::string& path, std::size_t index) {
    const Component& component = components_[index];
    count_steps(path);
    if (component.literal) {
      if (const auto child = tree_.child(at, *component.literal)) step(*child, path + "/" + *component.literal, index);
      return;
    }
    if (component.spanning) {
      if (!last(index)) walk(at, path, index + 1);
      for (const NodeId child : tree_.children(at)) {
        const std::string inner = path + "/" + std::string(tree_.name(child));
        count_steps(inner);
        if (last(index)) take(child, inner);
        if (tree_[child].type == EntryType::directory) walk(child, inner, index);
      }
      return;
    }
    for (const NodeId child : tree_.children(at)) {
      const std::string inner = path + "/" + std::string(tree_.name(child));
      count_steps(inner);
      if (component.glob->matches("/" + std::string(tree_.name(child)))) step(child, inner, index);
    }
  }

  const MergedTree& tree_;
  std::string text_;
  std::vector<Component> components_;
  std::uint64_t most_steps_, steps_ = 0;
  std::vector<Match> found_;
};

}  // namespace

std::vector<Match> match(const MergedTree& tree, const Glob& pattern, std::uint64_t most_steps) {
  return Matcher(tree, pattern, most_steps).run();
}

}  // namespace ocilint
