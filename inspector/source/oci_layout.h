// What a layout folder and a layout inside an archive share. Internal to the stage.
#pragma once

#include <optional>
#include <string>

#include "base/oddity.h"

namespace ocilint {

/// The file oci-layout, when there is one: anything but version 1.0.0 is odd, and no more.
void check_layout_marker(const std::optional<std::string>& text, Oddities& oddities);

}  // namespace ocilint
