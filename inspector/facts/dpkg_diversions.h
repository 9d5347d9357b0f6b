// var/lib/dpkg/diversions: three lines a record: original path, where it is diverted to, and by which package
// (":" for the administrator). Every package but that one has its file at the target.
//
// Error{corrupt} like dpkg: a cut record, an empty or relative path or one with `..`, a path in two places.
// NUL too.
// Error{limit}: list_bytes, list_line_bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "facts/notes.h"

namespace ocilint {

struct DpkgDiversion {
  std::string original;  // normal form
  std::string target;    // normal form
  std::string package;   // empty: local
  std::size_t line = 0;

  bool local() const { return package.empty(); }
};

struct DpkgDiversions {
  std::vector<DpkgDiversion> records;  // sorted by original
  std::vector<std::size_t> by_target;  // indices of records, sorted by target
  Notes notes;

  static DpkgDiversions parse(std::string_view text);

  const DpkgDiversion* find(std::string_view original) const;
  /// The record whose target this is: the path holds another package's diverted file.
  const DpkgDiversion* find_target(std::string_view target) const;
  /// Where `package` has the file that its list calls `path`. A view of `path` or of a record.
  std::string_view place_of(std::string_view path, std::string_view package) const;
};

}  // namespace ocilint
