// One read of one layer: blob → verify → decompress → diff ID → tar → match → hash or keep → LayerIndex.
//
// read_layer() streams: it holds one Workspace (a 24 MiB buffer; a second one while the work is split over two
// threads) whatever the size of the layer or of a file in it. Every byte of the blob and of the archive goes
// by a digest, and the LayerIndex is returned only after both agreed. Throws Error{corrupt, unsupported,
// limit} with the entry and offset in the text. Several layers may be read at the same time, each with its own
// Workspace.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "base/byte_stream.h"
#include "layer/demand.h"
#include "layer/layer_index.h"
#include "layer/read_budget.h"
#include "layer/workspace.h"

namespace ocilint {

/// What the image says about a layer's bytes.
struct LayerClaim {
  std::string name;        // for messages
  std::string media_type;  // "" when not stated
  std::optional<Digest> digest;
  std::optional<std::uint64_t> size;
  std::optional<Digest> diff_id;
};

struct LayerLimits {
  std::uint64_t unpacked_bytes = ImageLimits{}.layer_unpacked_bytes;
  ReadBudget* image = nullptr;  // shared by the layers of one image; may be null
};

/// Cores that have nothing to do. A layer that is still big takes one to inflate ahead of the tar walk.
class IdleCores {
 public:
  explicit IdleCores(int count = 0) : count_(count) {}
  void give() { ++count_; }
  bool take() {
    int seen = count_;
    while (seen > 0)
      if (count_.compare_exchange_weak(seen, seen - 1)) return true;
    return false;
  }

 private:
  std::atomic<int> count_;
};

/// `exact` not null: a second read that brings only these facts (and verifies everything again).
/// `progress` is called now and then with the stored bytes read so far.
LayerIndex read_layer(Workspace& workspace, std::unique_ptr<ByteStream> stored, const LayerClaim& claim,
                      const Demand& demand, const ExactWants* exact, const LayerLimits& limits, IdleCores& idle,
                      const std::function<void(std::uint64_t)>& progress = {});

}  // namespace ocilint
