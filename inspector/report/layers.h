// `ocilint layers` as text and JSON. Pure.
#pragma once

#include <string>

#include "look/layers.h"
#include "report/look_head.h"

namespace ocilint {

/// `top`: so many of the paths that hide most.
std::string write_layers_text(const ImageLayers& layers, const LookStyle& style, std::size_t top);
std::string write_layers_json(const ImageLayers& layers, std::size_t top);

/// "98.4 %", rounded down: 100 % is only what is.
std::string percent(double share);

}  // namespace ocilint
