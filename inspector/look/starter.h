// What `ocilint policy init --from REF` must know of an image to propose checks for it.
//
// Reads every layer. Strings are raw bytes of the image without secrets. Throws what reading throws.
#pragma once

#include <string>

#include "look/open_image.h"

namespace ocilint {

struct ImageTraits {
  LookedAt image;
  std::string os_id, os_version;  // of os-release; "" when it does not say
  bool dpkg_database = false;     // packages to compare files with
  bool dpkg = false;              // the program that would repair them
  bool python = false;            // distributions with metadata
  bool program = false;           // its configuration starts something
};

ImageTraits look_for_starter(const RunOptions& options);

}  // namespace ocilint
