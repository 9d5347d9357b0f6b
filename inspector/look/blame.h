// `ocilint blame`: the story of one name, a layer that touched it a row: what the layer did, by which
// command, what changed, and which names were one file with it from then on.
//
// Reads every layer, headers first, and the digests of the versions in a second read. Links in parent folders
// are followed as the image is in the end, the last component is not. Each row looks at the tree as it was
// after its layer. Error{usage} for a name that no layer ever had. Cost: a merge of the layers below for each
// row, for most_blamed_layers at most; beyond them rows say so and have no names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "look/command_text.h"
#include "look/file_row.h"

namespace ocilint {

inline constexpr std::size_t most_blamed_layers = 100;  // images have fewer layers, but for some made by hand

struct BlameRow {
  std::uint32_t layer = 0;
  std::string layer_name;
  std::vector<Deed> deeds;  // of this layer, in order
  std::string created_by;
  Command command;
  std::optional<FileRow> after;      // unset: the name is gone after this layer
  std::string sha256;                // of a regular file
  std::vector<std::string> changes;  // against the row before: "content", "mode 0644 -> 0600"; empty: none
  std::vector<std::string> shared;   // other names of its inode after this layer, sorted
};

struct Blame {
  LookedAt image;
  std::string asked, path;  // path: where the name stands
  std::vector<BlameRow> rows;
  bool history_certain = true;
};

Blame look_at_story(const RunOptions& options, const std::string& path);

}  // namespace ocilint
