// Symbolic links inside the image: a walk over the merged tree that cannot leave its root.
//
// Absolute targets start at the image root, relative ones at the link's directory, `..` at the root stays
// there; at most link_hops links are followed (Linux's own bound). Never touches the host. Never throws.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tree/components.h"
#include "tree/merged_tree.h"

namespace ocilint {

struct Hop {
  NodeId link;
  std::string path;    // where the link stands
  std::string target;  // as recorded
};

struct Resolution {
  enum class Status { found, missing, loop, not_a_directory };
  Status status = Status::missing;
  NodeId node = MergedTree::root;  // when found
  std::string path;                // canonical path of the node, or the first path that does not exist
  std::vector<Hop> hops;           // every link that was followed, in order

  bool found() const { return status == Status::found; }
  /// A link was followed and what it names is not there.
  bool dangling() const { return !found() && !hops.empty(); }
};

enum class Last { follow, keep };  // the last component, when it is a link

Resolution resolve(const MergedTree& tree, std::string_view path, Last last = Last::follow);

}  // namespace ocilint
