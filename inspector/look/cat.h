// `ocilint cat`: the content of one file, after all layers or after one of them.
//
// Reads every layer, and in a second read the one content. look_into_file() keeps it, up to content_limit (beyond:
// Error{limit}); stream_file() hands it out in pieces, whatever its size. Bytes are exactly those in the layer, secrets
// included; who shows them on a terminal applies `redact` and escapes. Error{usage} for a path that is not there or no
// regular file.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/bytes.h"
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

/// The layers are verified before the first piece; one that changes between the two reads is Error{corrupt} behind it.
void stream_file(const RunOptions& options, const CatOptions& wanted, const std::function<void(Bytes)>& out);

}  // namespace ocilint
