#include "tree/merged_tree.h"

#include <algorithm>

#include "tree/merge_overlay.h"
#include "tree/merge_spec.h"
#include "tree/tree_state.h"

namespace ocilint {

namespace {

struct Build {
  explicit Build(std::span<const LayerIndex* const> from) : layers(from) {}

  std::span<const LayerIndex* const> layers;
  std::shared_ptr<NameTable> table = std::make_shared<NameTable>();

  /// Either tree may be null.
  void run(TreeState* overlay, TreeState* spec) {
    LayerTree layer(*table);
    std::optional<OverlayMerge> overlay_merge;
    std::optional<SpecMerge> spec_merge;
    if (overlay != nullptr) overlay_merge.emplace(*overlay);
    if (spec != nullptr) spec_merge.emplace(*spec);
    for (std::uint32_t i = 0; i < layers.size(); ++i) {
      layer.read(*layers[i], i);
      if (overlay_merge) overlay_merge->apply(layer);
      if (spec_merge) spec_merge->apply(layer);
    }
    if (overlay != nullptr) overlay->finish(layers);
    if (spec != nullptr) spec->finish(layers);
  }
};

}  // namespace

std::string_view to_string(Deed deed) {
  switch (deed) {
    case Deed::wrote: return "wrote";
    case Deed::linked: return "linked";
    case Deed::removed: return "removed";
    case Deed::hidden: return "hidden";
  }
  return "?";
}

MergedTree::MergedTree(std::unique_ptr<State> state) : state_(std::move(state)) {}
MergedViews MergedTree::build_views(std::span<const LayerIndex* const> layers) {
  Build build(layers);
  auto overlay = std::make_unique<State>(build.table, View::overlay);
  auto spec = std::make_unique<State>(build.table, View::spec);
  build.run(overlay.get(), spec.get());
  return {MergedTree(std::move(overlay)), MergedTree(std::move(spec))};
}

MergedTree MergedTree::build(std::span<const LayerIndex* const> layers, View view) {
  Build build(layers);
  auto state = std::make_unique<State>(build.table, view);
  build.run(view == View::overlay ? state.get() : nullptr, view == View::spec ? state.get() : nullptr);
  return MergedTree(std::move(state));
}

MergedTree::~MergedTree() = default;
MergedTree::MergedTree(MergedTree&&) noexcept = default;
MergedTree& MergedTree::operator=(MergedTree&&) noexcept = default;

const Node& MergedTree::operator[](NodeId node) const { return state_->node(node); }
std::size_t MergedTree::size() const { return state_->size(); }
View MergedTree::view() const { return state_->view(); }
const std::vector<Refusal>& MergedTree::refusals() const { return state_->refusals; }
const Oddities& MergedTree::oddities() const { return state_->oddities; }

std::optional<NodeId> MergedTree::find(std::string_view path) const {
  const auto id = state_->names().find_path(path);
  if (!id || !state_->shows(*id)) return std::nullopt;
  return id;
}

std::optional<NodeId> MergedTree::child(NodeId directory, std::string_view name) const {
  const auto id = state_->names().find(directory, name);
  if (!id || !state_->shows(*id)) return std::nullopt;
  return id;
}

NodeId MergedTree::parent(NodeId node) const { return state_->names().parent(node); }
std::string_view MergedTree::name(NodeId node) const { return state_->names().name(node); }
std::string MergedTree::path(NodeId node) const { return state_->names().path(node); }

std::vector<NodeId> MergedTree::children(NodeId directory) const {
  std::vector<NodeId> out;
  for (PathId at = state_->first_child(directory); at != TreeState::none; at = state_->next_child(at))
    out.push_back(at);
  std::ranges::sort(out, {}, [this](NodeId node) { return name(node); });
  return out;
}

std::vector<NodeId> MergedTree::names_of(InodeId inode) const {
  std::vector<NodeId> out = state_->names_of(inode);
  if (out.size() > 1) std::ranges::sort(out, {}, [this](NodeId node) { return path(node); });
  return out;
}

std::vector<Event> MergedTree::story(std::string_view path) const {
  const auto id = state_->names().find_path(path);
  return id ? state_->story(*id) : std::vector<Event>{};
}

std::vector<std::string> MergedTree::removed_below(std::string_view directory) const {
  std::vector<std::string> out;
  const NameTable& names = state_->names();
  std::vector<PathId> open;
  if (const auto id = names.find_path(directory)) open.push_back(*id);
  while (!open.empty()) {
    const PathId top = open.back();
    open.pop_back();
    for (PathId at = names.first_child(top); at != NameTable::none; at = names.next_sibling(at)) {
      open.push_back(at);
      if (state_->has_story(at) && !state_->shows(at)) out.push_back(names.path(at));
    }
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace ocilint
