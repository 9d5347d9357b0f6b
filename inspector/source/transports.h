// The transports that open.h chooses from, and what they share. Internal to the stage.
#pragma once

#include <memory>
#include <vector>

#include "oci/reference.h"
#include "source/registry_options.h"
#include "source/source.h"
#include "source/spool.h"
#include "source/stored_blob.h"

namespace ocilint {

/// A source whose blobs are listed as images are resolved. The list only grows, so that layers of an earlier
/// resolve() stay readable; open() reads it without a lock and must not run during resolve().
class StoredSource : public Source {
 public:
  std::unique_ptr<ByteStream> open(const LayerSource& layer) const final {
    if (layer.problem) throw *layer.problem;
    return blobs_.at(layer.blob).stream();
  }

 protected:
  std::vector<StoredBlob> blobs_;
};

std::unique_ptr<Source> make_oci_layout(const Reference& reference);
std::unique_ptr<Source> make_dir(const Reference& reference);
/// oci-archive, docker-archive, and what a bare file or standard input turns out to be.
std::unique_ptr<Source> make_archive(const Reference& reference, Seekable archive);

std::unique_ptr<Source> make_registry(const Reference& reference, const RegistryOptions& options);
std::unique_ptr<Source> make_daemon(const Reference& reference, const RegistryOptions& options);

}  // namespace ocilint
