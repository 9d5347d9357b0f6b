// What a run enters into the result of an image, stage by stage: what was listed, what was read, what checks said.
//
// Strings are taken as they are; run/redact.h comes after. Pure but for the result.
#pragma once

#include <string>

#include "run/evaluate.h"
#include "run/read_image.h"
#include "run/result.h"

namespace ocilint {

/// What was listed of the image is entered before a layer is read, so that a read that ends early leaves a hole.
void enter_listed(ImageResult& result, const Image& image, bool layers_needed);

void enter_layers(ImageResult& result, const ReadImage& read);

/// Layers of an image to compare with count like the image's own; bytes of shared ones were counted there. `earlier`:
/// it was read for an earlier image of the run.
void enter_other(ImageResult& result, const std::string& name, const std::string& reference, const ReadImage& read,
                 const ReadImage& main, bool earlier);

void enter_checks(ImageResult& result, const Evaluation& evaluation, const std::vector<LayerInfo>& layers);

}  // namespace ocilint
