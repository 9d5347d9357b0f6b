// Where a recorded path really stands: links in its parent folders followed, the last component kept.
//
// dpkg's lists name files through links of the image itself (/lib -> usr/lib), so no question of ownership may
// be asked before this. Parts that do not exist stay as they are written. Folders are remembered, so that a
// list in dpkg's order costs one look-up a path. Nothing is thrown. One thread. The tree must outlive it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "tree/merged_tree.h"

namespace ocilint {

class CanonicalPaths {
 public:
  explicit CanonicalPaths(const MergedTree& tree) : tree_(tree) {}

  /// Of a normal path.
  std::string of(std::string_view path);
  /// Of a normal path of a folder, its last component followed too.
  std::string directory(std::string_view path);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  const MergedTree& tree_;
  std::unordered_map<std::string, std::string, Hash, std::equal_to<>> known_;
  std::string last_, last_canonical_;
};

}  // namespace ocilint
