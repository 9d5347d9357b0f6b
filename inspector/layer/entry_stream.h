// The content of one file of a layer, piece by piece: for contents that nobody wants to hold.
//
// Reads the layer to its end and verifies it as the pass does (layer/layer_pass.h), so what was handed out is what the
// layer has only when this returns; who cannot take bytes back reads the layer before. Holds one buffer. Throws
// Error{corrupt, unsupported, limit} with the layer's name, and what `out` throws. Error{internal}: the entry is no
// regular file of it.
#pragma once

#include <functional>
#include <memory>

#include "base/byte_stream.h"
#include "layer/layer_pass.h"

namespace ocilint {

void stream_entry(std::unique_ptr<ByteStream> stored, const LayerClaim& claim, Ordinal entry, const LayerLimits& limits,
                  const std::function<void(Bytes)>& out);

}  // namespace ocilint
