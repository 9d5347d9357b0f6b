// `ocilint layers`: what each layer brings, takes away and hides, and how efficient that makes the image.
//
// Reads every layer, headers only. Efficiency is that of check/efficiency.h. Strings are raw bytes of the
// image without secrets. Throws what opening and reading an image throws.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/efficiency.h"
#include "look/command_text.h"
#include "look/open_image.h"

namespace ocilint {

struct LayerRow {
  std::string name, diff_id, compression;
  std::uint64_t stored_bytes = 0, unpacked_bytes = 0;
  std::size_t entries = 0;
  LayerUse use;
  std::string created_by;
  Command command;
  bool history_certain = true;
};

struct ImageLayers {
  LookedAt image;
  std::vector<LayerRow> rows;
  Efficiency efficiency;  // its paths too are without secrets
};

ImageLayers look_at_layers(const RunOptions& options);

// Its parts, for who looks at more than layers in one pass: the rows of an image that was read (image apart, raw),
// and the end of secrets in them.
ImageLayers measure_layers(const Scanned& scanned);
void redact_layers(const RedactText& redact, ImageLayers& layers);

}  // namespace ocilint
