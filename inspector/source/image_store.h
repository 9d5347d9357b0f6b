// What every transport of open.h knows beside one image: which platforms there are, and where stored bytes lie.
//
// every() lists the image of the reference for each of its platforms, in the order of the list, also what is listed
// and cannot be read; never attestations and other artifacts. stored_at() is for whoever has read a layer already.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "source/source.h"

namespace ocilint {

/// One of the images that a reference stands for.
struct ListedImage {
  Platform platform;   // empty: not stated anywhere
  std::string digest;  // its identity in the list
};

/// From one place the same name brings the same bytes. A keeper has each blob once, by its digest, for all of its
/// places. "": nothing is known.
struct StoredAt {
  std::string place, keeper;
};

class ImageStore : public Source {
 public:
  virtual std::vector<ListedImage> every() const = 0;
  virtual Image resolve_listed(const ListedImage& image) = 0;
  virtual StoredAt stored_at() const { return {}; }
};

}  // namespace ocilint
