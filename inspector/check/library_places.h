// Where libraries of a name are, or once were: for what a search did not find, and for who offers a SONAME.
//
// Looks at names with ".so" in them. Made on first use, in one walk over the tree. Nothing throws. One thread;
// the view must outlive it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/image_view.h"

namespace ocilint {

struct RemovedLibrary {
  std::string path;
  std::uint32_t layer = 0;
  Deed deed = Deed::removed;
};

struct SonameProvider {
  InodeId inode;
  std::vector<std::string> paths;  // names of the file, sorted; links to it are not among them
  ElfClass elf_class = ElfClass::none;
  std::uint16_t machine = 0;
};

class LibraryPlaces {
 public:
  explicit LibraryPlaces(const ImageView& view) : view_(view) {}

  /// Paths of the image, links too, whose last component is `name`; sorted.
  const std::vector<std::string>& named(std::string_view name);
  /// Paths of that name that some layer had and the image has not.
  std::vector<RemovedLibrary> removed(std::string_view name);
  /// Libraries whose DT_SONAME it is, or that have none and this file name; sorted by path. Facts that are
  /// still to come make the view pending; those that cannot be read are added to `unread`.
  std::vector<SonameProvider> providers(std::string_view soname, std::vector<std::string>& unread);

 private:
  void index();
  void index_removed();

  const ImageView& view_;
  bool indexed_ = false, removed_indexed_ = false;
  std::map<std::string, std::vector<std::string>, std::less<>> by_name_, removed_;
  std::map<InodeId, std::vector<std::string>> files_;
};

}  // namespace ocilint
