// One image of a run on its way from its source to what rules see: resolved, read, merged.
//
// The images of the run and those that it is compared with all take this way. scanned() points into the object,
// so it stays where it is. Throws what sources and layers throw. One thread, but for the reading of layers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "check/image_view.h"
#include "run/read_layers.h"
#include "run/run.h"
#include "source/source.h"
#include "tree/merged_tree.h"

namespace ocilint {

class ReadImage {
 public:
  /// The reference is resolved once; from here on everything is named by digest. The source must live on.
  ReadImage(Source& source, const Selection& selection);
  ReadImage(std::shared_ptr<Source> source, const Selection& selection);
  /// Resolved before, by this source.
  ReadImage(std::shared_ptr<Source> source, Image image);
  ReadImage(const ReadImage&) = delete;
  ReadImage& operator=(const ReadImage&) = delete;

  const Image& image() const { return image_; }

  /// One pass over every layer, beside each other: verified to the last byte, headers kept, demanded facts made.
  /// Layers that are known are taken over. `name`: of the image in messages.
  void read(const Demand& demand, const RunOptions& options, KnownLayers known = {}, const std::string& name = {});
  /// The layers of this image that `other` has read: equal digests are equal bytes.
  KnownLayers known_from(const ReadImage& other) const;
  /// The layers that were read are merged by name, in both readings: what overlay engines show, and what the
  /// specification says. Ends the way; without read() the image is its documents.
  void merge(const RunOptions& options);
  /// A second read of what no pattern foresaw.
  void read_again(const Demand& demand, const Refill& missing, const RunOptions& options);

  /// The content of a regular file in pieces (layer/entry_stream.h), from a second read of its layer.
  void stream(InodeId inode, const RunOptions& options, const std::function<void(Bytes)>& out) const;

  Scanned& scanned() { return *scanned_; }
  const Scanned& scanned() const { return *scanned_; }
  bool was_read() const { return read_; }
  /// Base first; none without read().
  std::vector<std::shared_ptr<LayerIndex>> layers() const;
  /// Was taken over; of which image it says, where that is known.
  bool shares(std::size_t layer) const { return layer < known_.size() && known_[layer].index; }
  const std::string& shared_with(std::size_t layer) const { return known_.at(layer).from; }
  std::uint64_t spooled() const { return source_.spooled(); }
  std::size_t names() const { return views_ ? views_->overlay.size() : 0; }

 private:
  std::shared_ptr<Source> own_;
  Source& source_;
  Image image_;
  bool read_ = false;
  KnownLayers known_;
  std::optional<FactStore> facts_;
  std::optional<MergedViews> views_;
  std::optional<Scanned> scanned_;
};

}  // namespace ocilint
