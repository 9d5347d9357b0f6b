// The transports that open.h chooses from, and what they share. Internal to the stage.
#pragma once

#include <memory>
#include <vector>

#include "oci/reference.h"
#include "source/choice.h"
#include "source/image_store.h"
#include "source/registry_options.h"
#include "source/spool.h"
#include "source/stored_blob.h"

namespace ocilint {

/// A source whose blobs are listed as images are resolved. The list only grows, so that layers of an earlier
/// resolve() stay readable; open() reads it without a lock and must not run during resolve().
class StoredSource : public ImageStore {
 public:
  Image resolve(const Selection& selection) final { return load(choose(choices(), reference(), selection.platform)); }
  Image resolve_listed(const ListedImage& image) final {
    return load(choose_listed(choices(), reference(), image.digest));
  }
  std::vector<ListedImage> every() const final;
  std::unique_ptr<ByteStream> open(const LayerSource& layer) const final {
    if (layer.problem) throw *layer.problem;
    return blobs_.at(layer.blob).stream();
  }

 protected:
  virtual const std::vector<Choice>& choices() const = 0;
  virtual const Reference& reference() const = 0;
  virtual Image load(const Choice& choice) = 0;

  std::vector<StoredBlob> blobs_;
};

/// A file or folder of this machine; standard input is none.
StoredAt stored_below(const std::string& path);

std::unique_ptr<ImageStore> make_oci_layout(const Reference& reference);
std::unique_ptr<ImageStore> make_dir(const Reference& reference);
/// oci-archive, docker-archive, and what a bare file or standard input turns out to be.
std::unique_ptr<ImageStore> make_archive(const Reference& reference, Seekable archive);

std::unique_ptr<ImageStore> make_registry(const Reference& reference, const RegistryOptions& options);
std::unique_ptr<ImageStore> make_daemon(const Reference& reference, const RegistryOptions& options);

}  // namespace ocilint
