// The files of two merged trees beside each other. Part of `ocilint diff`.
//
// Asks both views for digests of what neither size nor origin tells apart: pending answers are possible. Walks
// without recursion; a path that is there in one image alone brings everything below it. Throws what views
// throw. One thread. Cost: linear in the names.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "check/image_view.h"
#include "look/diff.h"

namespace ocilint {

class FileDiff {
 public:
  FileDiff(const ImageView& before, const ImageView& after, bool ignore_timestamps);

  /// Sorted by path.
  std::vector<DiffFile> run();
  std::size_t names() const { return names_; }

 private:
  using Attributes = std::map<InodeId, std::map<std::string, std::string>>;
  struct Pair {
    std::optional<NodeId> before, after;
    std::string path;
  };

  static Attributes attributes_of(const ImageView& view);
  bool same_origin(InodeId before, InodeId after) const;
  bool same_bytes(const Node& before, const Node& after) const;
  void compare(const Pair& pair, std::vector<DiffFile>& out) const;
  void compare_both(const Node& before, const Node& after, DiffFile& file) const;
  void add_children(const Pair& pair, std::vector<Pair>& todo) const;

  const ImageView& before_;
  const ImageView& after_;
  bool ignore_timestamps_;
  Attributes attributes_before_, attributes_after_;
  std::vector<std::string> diff_ids_before_, diff_ids_after_;
  std::size_t names_ = 0;
};

}  // namespace ocilint
