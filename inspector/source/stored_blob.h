// Bytes of an image as they are stored: a file of its own (a layout folder), a range of an archive, or elsewhere (a
// registry).
//
// A value; cheap to copy. The file of a folder is opened when it is read, without following a link and never
// a FIFO or device. Any thread may read. Throws Error{not_found, corrupt, limit} with `name` in the text.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/byte_stream.h"
#include "base/digest.h"
#include "base/file.h"
#include "oci/descriptor.h"

namespace ocilint {

inline constexpr std::uint64_t max_document_size = 4U << 20;          // manifest, index, config: what registries take
inline constexpr std::uint64_t max_archive_manifest_size = 1U << 20;  // manifest.json, repositories

struct StoredBlob {
  std::string name;                  // digest or path inside the archive, for messages
  std::string path;                  // of a folder: the file; empty: the range below
  std::shared_ptr<const File> file;  // of an archive
  std::uint64_t offset = 0;
  std::uint64_t size = 0;                               // elsewhere: what the descriptor says
  std::function<std::unique_ptr<ByteStream>()> remote;  // elsewhere: opens it; whoever made it must be there still

  /// A file of a folder; nullopt when it is absent.
  static std::optional<StoredBlob> in_folder(std::string path, std::string name);

  std::unique_ptr<ByteStream> stream() const;
  /// All bytes. Error{limit} above `most`, Error{corrupt} when the file is shorter than `size`.
  std::string text(std::uint64_t most) const;
};

/// Where blobs are found by digest.
class BlobStore {
 public:
  enum class Kind { manifest, blob };  // registries keep them apart

  virtual ~BlobStore() = default;
  virtual std::optional<StoredBlob> find(const Descriptor& descriptor, Kind kind) const = 0;
};

/// The bytes of a document, which must have the digest and the size that its descriptor states.
std::string read_verified(const StoredBlob& blob, const Descriptor& descriptor, std::uint64_t most = max_document_size);

}  // namespace ocilint
