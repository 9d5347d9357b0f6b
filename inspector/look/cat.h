// `ocilint cat`: the content of one file, after all layers or after one of them.
//
// Reads every layer, and in a second read the one content, whole: up to content_limit, else Error{limit}.
// `content` is exactly the bytes in the layer, secrets included; who shows it on a terminal applies `redact`
// and escapes. Error{usage} for a path that is not there or no regular file.
#pragma once

#include <optional>
#include <string>

#include "look/file_row.h"

namespace ocilint {

struct CatOptions {
  std::string path;
  std::optional<std::size_t> layer = {};
};

struct FileContent {
  LookedAt image;
  FileRow file;
  std::string content;
  RedactText redact;
};

FileContent look_into_file(const RunOptions& options, const CatOptions& wanted);

}  // namespace ocilint
