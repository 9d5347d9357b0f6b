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

/// Links followed inside a pattern multiply: a thousand links to a folder of a thousand names are a million
/// matches. The largest images need a few million steps a pattern.
inline constexpr std::uint64_t most_match_steps = 32'000'000;

/// Sorted by path, each once. Error{limit} beyond `most_steps` names looked at.
std::vector<Match> match(const MergedTree& tree, const Glob& pattern, std::uint64_t most_steps = most_match_steps);

}  // namespace ocilint
