#include "run/read_image.h"

#include "layer/entry_stream.h"

namespace ocilint {
namespace {

std::vector<LayerInfo> describe_layers(const Image& image) {
  const HistoryPairing pairing = pair_history(image.config.history, image.layers.size());
  std::vector<LayerInfo> out;
  for (std::size_t i = 0; i < image.layers.size(); ++i) {
    LayerInfo& layer = out.emplace_back();
    layer.name = image.layers[i].name;
    layer.history_certain = pairing.certain;
    if (const auto entry = pairing.entry_of_layer[i]) layer.created_by = image.config.history[*entry].created_by;
    if (image.layers[i].diff_id) layer.diff_id = *image.layers[i].diff_id;
    layer.stored_bytes = image.layers[i].size.value_or(0);
  }
  return out;
}

/// `read` was verified against its digest and diff ID, and `claimed` says nothing else: reading it would bring the
/// same. What is known to be unreadable is no layer of anybody.
bool same_layer(const LayerSource& claimed, const LayerSource& read) {
  if (claimed.problem) return false;
  const bool same_digest = claimed.digest && claimed.digest == read.digest;
  const bool same_diff_id = claimed.diff_id && claimed.diff_id == read.diff_id;
  return claimed.diff_id && read.diff_id ? same_diff_id : same_digest;
}

}  // namespace

ReadImage::ReadImage(Source& source, const Selection& selection) : source_(source), image_(source.resolve(selection)) {}

ReadImage::ReadImage(std::shared_ptr<Source> source, const Selection& selection)
    : own_(std::move(source)), source_(*own_), image_(source_.resolve(selection)) {}

ReadImage::ReadImage(std::shared_ptr<Source> source, Image image)
    : own_(std::move(source)), source_(*own_), image_(std::move(image)) {}

KnownLayers ReadImage::known_from(const ReadImage& other) const {
  if (!other.read_) return {};
  KnownLayers out(image_.layers.size());
  for (std::size_t i = 0; i < image_.layers.size(); ++i)
    for (std::size_t j = 0; j < other.image_.layers.size() && !out[i].index; ++j)
      if (same_layer(image_.layers[i], other.image_.layers[j])) out[i].index = other.facts_->layers().share(j);
  return out;
}

void ReadImage::read(const Demand& demand, const RunOptions& options, KnownLayers known, const std::string& name) {
  known_ = std::move(known);
  OnProgress progress;
  if (options.progress) {
    progress = [&](const LayerProgress& step) {
      LayerProgress named = step;
      named.image = name;
      options.progress(named);
    };
  }
  facts_.emplace(read_layers(source_, image_, demand, options.jobs, options.limits, progress, known_));
  read_ = true;
}

void ReadImage::merge(const RunOptions& options) {
  if (!facts_) facts_.emplace();
  scanned_.emplace(Scanned{.image = image_,
                           .layers = describe_layers(image_),
                           .tree = nullptr,
                           .other = nullptr,
                           .oddities = image_.oddities,
                           .facts = *facts_,
                           .packages = {},
                           .jobs = options.jobs});
  if (!read_) return;
  const std::vector<const LayerIndex*> indexes = facts_->indexes();
  views_.emplace(MergedTree::build_views(indexes));
  const bool by_overlay = options.view == View::overlay;
  scanned_->tree = by_overlay ? &views_->overlay : &views_->spec;
  scanned_->other = by_overlay ? &views_->spec : &views_->overlay;
  for (std::size_t number = 0; number < indexes.size(); ++number)
    for (Oddity oddity : indexes[number]->oddities) {
      // The number is this image's: a layer may stand elsewhere in others that have it.
      oddity.layer = static_cast<int>(number);
      scanned_->oddities.push_back(std::move(oddity));
    }
  const Oddities& merging = views_->overlay.oddities();
  scanned_->oddities.insert(scanned_->oddities.end(), merging.begin(), merging.end());
}

void ReadImage::read_again(const Demand& demand, const Refill& missing, const RunOptions& options) {
  std::vector<LayerIndex> again = ocilint::read_again(source_, image_, demand, missing, options.jobs, options.limits);
  std::size_t at = 0;
  for (const auto& [layer, asked] : missing) facts_->add(layer, std::move(again[at++]), asked);
}

void ReadImage::stream(InodeId inode, const RunOptions& options, const std::function<void(Bytes)>& out) const {
  const LayerSource& layer = image_.layers.at(inode.layer);
  const LayerClaim claim{layer.name, layer.media_type, layer.digest, layer.size, layer.diff_id};
  const LayerLimits limits{.unpacked_bytes = options.limits.layer_unpacked_bytes, .image = nullptr};
  stream_entry(source_.open(layer), claim, inode.ordinal, limits, out);
}

std::vector<std::shared_ptr<LayerIndex>> ReadImage::layers() const {
  std::vector<std::shared_ptr<LayerIndex>> out;
  for (std::size_t i = 0; facts_ && i < facts_->layers().size(); ++i) out.push_back(facts_->layers().share(i));
  return out;
}

}  // namespace ocilint
