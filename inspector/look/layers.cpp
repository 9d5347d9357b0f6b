#include "look/layers.h"

namespace ocilint {

ImageLayers measure_layers(const Scanned& scanned) {
  ImageLayers out;
  out.efficiency = measure_efficiency(scanned.facts.indexes(), *scanned.tree);
  for (std::size_t i = 0; i < scanned.layers.size(); ++i) {
    const LayerInfo& info = scanned.layers[i];
    const LayerIndex& index = scanned.facts.layers().at(i);
    LayerRow& row = out.rows.emplace_back();
    row.name = info.name;
    row.diff_id = index.diff_id.text();
    row.compression = index.compression;
    row.stored_bytes = index.counts.stored_bytes;
    row.unpacked_bytes = index.counts.unpacked_bytes;
    row.entries = index.entries.size();
    row.use = out.efficiency.layers[i];
    row.created_by = info.created_by;
    row.history_certain = info.history_certain;
  }
  return out;
}

void redact_layers(const RedactText& redact, ImageLayers& layers) {
  for (HiddenPath& hidden : layers.efficiency.hidden) redact(hidden.path);
  for (LayerRow& row : layers.rows) {
    redact(row.name);
    redact(row.created_by);
    row.command = parse_command(row.created_by);
  }
}

ImageLayers look_at_layers(const RunOptions& options) {
  ImageLayers out;
  with_image(options, [&](ReadImage& read, const RedactText& redact) {
    Demand nothing;
    read_all(read, options, nothing);
    out = measure_layers(read.scanned());
    out.image = describe_image(options, read.image(), redact);
    redact_layers(redact, out);
  });
  return out;
}

}  // namespace ocilint
