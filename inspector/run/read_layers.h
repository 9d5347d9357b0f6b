// Reads the layers of an image beside each other: biggest first, one worker a core; a core without a layer left
// helps a layer that is still big. The first error cancels the others and is thrown, with the layer's name.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "layer/demand.h"
#include "layer/layer_index.h"
#include "layer/read_budget.h"
#include "source/source.h"

namespace ocilint {

struct LayerProgress {
  std::size_t layer;           // base = 0
  std::uint64_t stored_bytes;  // read so far
  bool done;
  std::string image = {};                  // name of the image when it is one to compare with, else ""
  std::optional<std::uint64_t> size = {};  // stored bytes that the image states
};

/// Called from several threads, one at a time.
using OnProgress = std::function<void(const LayerProgress&)>;

/// A layer that another image of the run has too, and what is left to prove of it.
struct KnownLayer {
  enum class Proof : std::uint8_t {
    none,      // it lies in the same place
    presence,  // whoever keeps it has it once, by its digest: that it is there for this image
    bytes,     // another copy: its bytes are hashed, but neither unpacked nor looked at again
  };

  std::shared_ptr<LayerIndex> index;  // null: not known
  Proof proof = Proof::none;
  std::string from = {};  // image and layer that it was read for
};
using KnownLayers = std::vector<KnownLayer>;

/// Every layer, base first. What `known` has already (by layer; it may be shorter) is proven and taken over.
/// A layer of which the image knows that it cannot be read is an error before any is read.
std::vector<std::shared_ptr<LayerIndex>> read_layers(const Source& source, const Image& image, const Demand& demand,
                                                     unsigned jobs, const ImageLimits& limits = {},
                                                     const OnProgress& progress = {}, const KnownLayers& known = {});

/// A second read of the layers that `refill` names, in its order.
std::vector<LayerIndex> read_again(const Source& source, const Image& image, const Demand& demand, const Refill& refill,
                                   unsigned jobs, const ImageLimits& limits = {});

}  // namespace ocilint
