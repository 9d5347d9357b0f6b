// `ocilint find`: names of the merged tree by where and what they are. Every condition must hold.
//
// Reads every layer, headers only, and the package database when a package is asked for. Globs are those of
// policies (tree/match.h): links in parent folders are followed. Error{usage} for a condition that means
// nothing, such as a package that is not installed. Cost: one step a name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/mode.h"
#include "check/params.h"
#include "look/file_row.h"

namespace ocilint {

/// "+4096" at least, "-4096" at most, "4096" exactly; K, M and G are powers of 1024.
struct SizeTerm {
  enum class Kind : std::uint8_t { exactly, at_least, at_most } kind = Kind::exactly;
  std::uint64_t bytes = 0;

  static SizeTerm parse(std::string_view text);
  bool holds(std::uint64_t size) const;
};

struct FindOptions {
  PathSet paths = {};  // empty: everything
  std::optional<EntryType> type = {};
  std::vector<SizeTerm> sizes = {};       // of regular files
  std::optional<ModeSpec> mode = {};      // these bits at least, or exactly this mode
  std::string owner = {};                 // "1000", "1000:1000", ":1000"; "" any
  std::string package = {};               // that owns it
  std::optional<std::size_t> layer = {};  // whose entry made the inode
};

/// "f", "file", "d", "l", …; Error{usage}.
EntryType parse_type(std::string_view text);

FileList find_files(const RunOptions& options, const FindOptions& wanted);

}  // namespace ocilint
