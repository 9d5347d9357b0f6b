// Many paths said in few lines: `rm -rf /usr/share/doc` is one thing that happened, not thousands.
#pragma once

#include <string>
#include <vector>

namespace ocilint {

struct PathGroup {
  std::string folder;  // empty: the one path stands for itself
  std::vector<std::string> paths;
};

/// Groups of more than `most` paths below one folder (two levels deep at least: everything is below /usr), and
/// the others alone. Sorted. The order of `paths` does not matter. O(n log n).
std::vector<PathGroup> group_by_folder(std::vector<std::string> paths, std::size_t most);

}  // namespace ocilint
