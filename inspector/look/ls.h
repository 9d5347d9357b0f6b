// `ocilint ls`: what a folder of the image holds, after all layers or after one of them.
//
// Reads every layer, headers only. The path is walked as the kernel would, inside the image; a folder is
// listed also behind a link. Error{usage} for a path or a layer that is not there. Cost: the names listed, 1
// µs each, and more where `redact` looks into them.
#pragma once

#include <optional>
#include <string>

#include "look/file_row.h"

namespace ocilint {

struct ListOptions {
  std::string path = "/";
  bool recursive = false;
  std::optional<std::size_t> layer = {};
};

FileList look_at_folder(const RunOptions& options, const ListOptions& wanted);

}  // namespace ocilint
