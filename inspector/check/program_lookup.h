// Which file a container engine runs for the first word of a command: as runc and crun look it up in the image.
//
// A word with a slash is a path, seen from the working directory; any other is looked for in the folders of PATH,
// of which only absolute ones count (engines refuse a program that the working directory brings). It must lead to
// a regular file with an execute bit. Pure; links are followed inside the image.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/image_view.h"

namespace ocilint {

/// What engines take when the image sets no PATH.
inline constexpr std::string_view default_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

struct ProgramLookup {
  std::string path;                    // of the file that runs; "" when there is none
  std::optional<std::uint32_t> layer;  // that made it; of no path, the last that touched one tried
  std::vector<std::string> tried;      // "/usr/bin/x: not there", in order; none for what was found at once
};

ProgramLookup find_program(const ImageView& image, std::string_view word, std::string_view path_list,
                           std::string_view working_dir);

}  // namespace ocilint
