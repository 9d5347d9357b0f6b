// The files with which a search for needed libraries begins: those that globs select, and the native files of Python
// distributions (the shared objects that their RECORD lists).
//
// Pure functions of the view; the result owns its texts. Throws what reading the view throws (Error). Cost: one look-up
// a name of the globs, and the metadata of the distributions when some are asked for.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "check/finding.h"
#include "check/image_view.h"
#include "check/selection.h"

namespace ocilint {

struct LoaderRoot {
  std::string path;    // canonical
  bool named = false;  // by a glob without wildcards, or by a RECORD: it must be what it says
};

struct LoaderRoots {
  std::vector<LoaderRoot> files;
  std::vector<Finding> missing;                 // what was named and is not there
  std::vector<Selected> dangling;               // names that a wildcard met and that lead to nothing
  std::map<std::string, std::size_t> left_out;  // what is no file, by why
};

/// A file that is met by several names is one root, unless the names stand in different directories: the directory
/// decides what $ORIGIN is. With an empty `set`, the distributions alone.
LoaderRoots loader_roots(const PathSet& set, const std::vector<std::string>& distributions, const ImageView& image);

}  // namespace ocilint
