// Globs against the merged tree (base/glob.h).
//
// Links in parent folders are followed, as a shell does, except below `**`; the last component is not. So
// "/opt/rocm/lib/*.so" finds the files of /opt/rocm-7.2.4/lib when /opt/rocm is a link. Never throws.
#pragma once

#include <string>
#include <vector>

#include "base/glob.h"
#include "tree/merged_tree.h"

namespace ocilint {

struct Match {
  std::string path;       // as the pattern spells it
  std::string canonical;  // where the name really stands
  NodeId node = MergedTree::root;
};

/// Sorted by path, each once.
std::vector<Match> match(const MergedTree& tree, const Glob& pattern);

}  // namespace ocilint
