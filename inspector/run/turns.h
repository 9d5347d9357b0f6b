// The images of a run in their order, resolved some way ahead, so that layers which a later image has too are known
// before they are let go.
//
// A reference is resolved once; with `every_platform` it is an image for each of its platforms. How far is looked ahead
// is bounded by the number of images, by the bytes of their documents, and by what would have to be waited for: an
// image on standard input or of an engine is opened when its turn comes. What cannot be opened or resolved is a turn of
// its own with the error. Throws nothing but bad_alloc. One thread.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "run/run.h"
#include "run/shared_layers.h"
#include "source/image_store.h"

namespace ocilint {

struct Turn {
  std::string reference;
  std::optional<ListedImage> listed;   // of several
  std::shared_ptr<ImageStore> source;  // null: could not be opened
  std::optional<Image> image;
  std::optional<Error> failed;
  bool last = true;  // of its reference

  bool settled() const { return image || failed; }
};

class Turns {
 public:
  /// The references must outlive it. `ahead`: whether anything is gained by it.
  Turns(const RunOptions& options, std::span<const std::string> references, SharedLayers& layers, bool ahead)
      : options_(options), references_(references), layers_(layers), ahead_(ahead) {}

  /// The next image, resolved or failed; nullopt after the last.
  std::optional<Turn> next();

 private:
  void open(const std::string& reference);
  void settle(Turn& turn);
  void look_ahead();

  const RunOptions& options_;
  std::span<const std::string> references_;
  SharedLayers& layers_;
  bool ahead_;
  std::size_t opened_ = 0;
  std::deque<Turn> turns_;
};

}  // namespace ocilint
