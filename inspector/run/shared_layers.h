// Layers that several images of a run have: what was read of one is kept while a later image will use it.
//
// A layer is the same for another image when that states the same blob digest, size, diff ID and media type; without
// a blob digest (docker archives name layers by path) when it lies in the same place under the same name. Only what
// was verified to the last byte is kept. A copy that lies elsewhere has its bytes hashed still (KnownLayer::Proof), so
// that an image is unreadable in a run where it is unreadable alone. All images of a run have one demand. What is
// kept stays within the limits of one image. One thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "run/read_layers.h"
#include "source/image_store.h"

namespace ocilint {

class SharedLayers {
 public:
  explicit SharedLayers(const ImageLimits& limits) : limits_(limits) {}

  /// An image that will be read later; each once, and to be taken back by arrived().
  void expect(const Image& image);
  void arrived(const Image& image);

  /// What earlier images have read of this one's layers.
  KnownLayers known(const StoredAt& at, const Image& image) const;
  /// Of an image that was read: the layers that an expected image will use. The others of before are let go.
  void keep(const StoredAt& at, const Image& image, const std::string& name,
            const std::vector<std::shared_ptr<LayerIndex>>& layers);

  std::size_t kept() const { return layers_.size(); }

 private:
  struct Layer {
    LayerSource claim;
    std::shared_ptr<LayerIndex> index;
    std::string from;
    std::vector<StoredAt> places;  // where it was verified
  };

  static std::string key_of(const LayerSource& layer);
  static std::optional<KnownLayer::Proof> to_prove(const Layer& layer, const LayerSource& claim, const StoredAt& at);
  bool has_room_for(const LayerIndex& index) const;

  ImageLimits limits_;
  std::multimap<std::string, Layer> layers_;     // by diff ID
  std::map<std::string, std::size_t> expected_;  // images that wait for a layer of this diff ID
};

}  // namespace ocilint
