#include "run/shared_layers.h"

#include <fmt/format.h>

#include <algorithm>

namespace ocilint {

/// "" for a layer that is like no other: nothing says what its archive is.
std::string SharedLayers::key_of(const LayerSource& layer) {
  return layer.diff_id && !layer.problem ? layer.diff_id->text() : std::string();
}

void SharedLayers::expect(const Image& image) {
  for (const LayerSource& layer : image.layers)
    if (const std::string key = key_of(layer); !key.empty()) ++expected_[key];
}

void SharedLayers::arrived(const Image& image) {
  for (const LayerSource& layer : image.layers) {
    const auto waited = expected_.find(key_of(layer));
    if (waited != expected_.end() && --waited->second == 0) expected_.erase(waited);
  }
}

std::optional<KnownLayer::Proof> SharedLayers::to_prove(const Layer& layer, const LayerSource& claim,
                                                        const StoredAt& at) {
  const bool same_digest = claim.digest && claim.digest == layer.claim.digest;
  const bool none_stated = !claim.digest && !layer.claim.digest;
  if (claim.media_type != layer.claim.media_type || claim.size != layer.claim.size) return std::nullopt;
  // What is odd about it was said with its name.
  if (!layer.index->oddities.empty() && claim.name != layer.claim.name) return std::nullopt;
  const bool here = std::ranges::any_of(layer.places, [&](const StoredAt& place) {
    return !at.place.empty() && place.place == at.place && claim.name == layer.claim.name;
  });
  if (here && (same_digest || none_stated)) return KnownLayer::Proof::none;
  const bool kept = std::ranges::any_of(
      layer.places, [&](const StoredAt& place) { return !at.keeper.empty() && place.keeper == at.keeper; });
  if (!same_digest) return std::nullopt;
  return kept ? KnownLayer::Proof::presence : KnownLayer::Proof::bytes;
}

KnownLayers SharedLayers::known(const StoredAt& at, const Image& image) const {
  KnownLayers out(image.layers.size());
  for (std::size_t i = 0; i < image.layers.size(); ++i) {
    const auto [first, last] = layers_.equal_range(key_of(image.layers[i]));
    for (auto layer = first; layer != last; ++layer) {
      const auto proof = to_prove(layer->second, image.layers[i], at);
      // The copy that leaves least to prove.
      if (proof && (!out[i].index || *proof < out[i].proof)) out[i] = {layer->second.index, *proof, layer->second.from};
    }
  }
  return out;
}

bool SharedLayers::has_room_for(const LayerIndex& index) const {
  std::uint64_t entries = index.entries.size(), kept_bytes = index.counts.kept_bytes;
  for (const auto& [key, layer] : layers_) {
    entries += layer.index->entries.size();
    kept_bytes += layer.index->counts.kept_bytes;
  }
  return entries <= limits_.entries && kept_bytes <= limits_.kept_bytes;
}

void SharedLayers::keep(const StoredAt& at, const Image& image, const std::string& name,
                        const std::vector<std::shared_ptr<LayerIndex>>& layers) {
  std::erase_if(layers_, [&](const auto& layer) { return !expected_.contains(layer.first); });
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const LayerSource& claim = image.layers[i];
    const std::string key = key_of(claim);
    // What differs from its claim and was let pass (padding left out of a digest) is no copy of anything.
    if (!expected_.contains(key) || !layers[i]->counts.verified || *claim.diff_id != layers[i]->diff_id) continue;
    const auto [first, last] = layers_.equal_range(key);
    const auto held = std::find_if(first, last, [&](const auto& layer) { return layer.second.index == layers[i]; });
    if (held != last) {
      held->second.places.push_back(at);
    } else if (has_room_for(*layers[i])) {
      layers_.emplace(key, Layer{claim, layers[i], fmt::format("{}, layer {}", name, i), {at}});
    }
  }
}

}  // namespace ocilint
