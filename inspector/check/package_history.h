// The package database as it was at a layer: each layer keeps its own lists, also those that a later one hides.
//
// The list in effect at a layer is the version of its path that the last layer up to it wrote. A version that
// cannot be parsed counts as absent here: the present database decides whether the check can be evaluated. Uses
// facts of the view, so pending answers are possible. One thread; remembers what it has parsed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "check/image_view.h"
#include "check/package_db.h"

namespace ocilint {

/// The inode that a path showed when `layer` was the last one; nullopt when it showed none.
std::optional<InodeId> inode_at(const std::vector<Event>& story, std::uint32_t layer);
/// MD5, SHA-1 or SHA-256 of a regular file, as the recorded digest needs it.
Digest digest_of(const ImageView& image, InodeId inode, Algorithm algorithm);
/// The archive entry that made an inode; nullptr for implied directories.
const LayerEntry* entry_of(const ImageView& image, InodeId inode);

class PackageHistory {
 public:
  explicit PackageHistory(const ImageView& image) : image_(image) {}

  /// What the package's list (or, of a conffile, the status file) recorded for a path of its list.
  std::optional<Digest> digest_at(std::uint32_t layer, const Package& package, std::string_view recorded);

  /// A version of a file that was not its package's, and the layer after it that brought the package's back.
  struct Replacement {
    std::uint32_t layer;
    std::uint32_t back;
    Digest digest;                // empty: it was no regular file
    bool before_package = false;  // the package was not installed yet: nothing was replaced, something was lost
  };
  /// The last one, of a file that now is the package's own.
  std::optional<Replacement> lost_replacement(const Package& package, const PackageFile& file,
                                              std::string_view canonical);

  /// The status file that was in effect; nullptr when there was none or it cannot be parsed.
  const DpkgStatus* status_at(std::uint32_t layer);
  /// Why the one in effect cannot be parsed; "" when it can, or there is none.
  std::string status_problem(std::uint32_t layer);

  struct Removal {
    std::uint32_t layer;  // the first after which it was not installed any more
    std::string version;  // the one that was removed
  };
  /// When a package that is not installed now was last removed. `architecture` empty: of any.
  std::optional<Removal> removal(std::string_view name, std::string_view architecture);

 private:
  const std::map<std::string, Digest, std::less<>>& digests_of(InodeId list);
  const DpkgStatus* status_of(InodeId inode);
  const std::vector<Event>& status_story();

  const ImageView& image_;
  std::map<InodeId, std::map<std::string, Digest, std::less<>>> digests_;
  std::map<InodeId, std::optional<DpkgStatus>> statuses_;
  std::map<InodeId, std::string> status_problems_;
  std::optional<std::vector<Event>> status_story_;
};

}  // namespace ocilint
