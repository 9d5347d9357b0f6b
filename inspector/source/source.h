// Where an image comes from. One implementation a transport (containers-transports(5)); open.h makes them.
//
// resolve() chooses one image and reads its documents (index, manifest, config), each verified against its
// descriptor. open() gives the stored bytes of a layer or another blob; streams are independent of each other
// and open() may be called from any thread. Nothing is unpacked. Throws Error{not_found, corrupt, usage, …};
// "more than one image" is Error{usage} and its text lists the choices. A layer whose stored bytes are absent or
// of no use is no error of resolve(): policies that look at documents need no layer. open() throws it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/byte_stream.h"
#include "base/error.h"
#include "base/oddity.h"
#include "oci/config.h"
#include "oci/descriptor.h"
#include "oci/manifest.h"
#include "oci/platform.h"

namespace ocilint {

/// A layer as the image lists it: the descriptor, or for a docker archive what stands in for one.
struct LayerSource {
  std::string name;                   // digest text, or the path inside a docker archive
  std::string media_type;             // empty: not stated
  std::optional<Digest> digest;       // of the stored bytes, when the image states it
  std::optional<std::uint64_t> size;  // of the stored bytes, when known
  std::optional<Digest> diff_id;      // of the uncompressed archive, from the config
  std::size_t blob = 0;               // what Source::open() takes
  std::optional<Error> problem = {};  // why it cannot be read, known before: absent, encrypted, of another size
};

/// A document that is published with the image beside its layers: manifest, config, index, attestation.
struct Document {
  enum class Kind { index, manifest, config, attestation_manifest, attestation, legacy_config };
  Kind kind;
  std::string name;  // digest text or path
  std::string text;  // raw bytes
};

struct Image {
  std::string reference;            // full form, with transport
  std::string manifest_digest;      // text; of a docker archive: the config's digest, marked in the reference
  Platform platform;                // chosen
  Config config;                    // parsed; `config.raw` is the document
  std::vector<LayerSource> layers;  // base first
  std::vector<Document> documents;  // everything textual, the config and the manifest included
  Oddities oddities;                // of the container: size lies, dangling descriptors, ambiguous names
};

/// Which image of the reference, and which platform of it.
struct Selection {
  std::optional<Platform> platform;  // unset: the host's if present, else the only one
};

class Source {
 public:
  virtual ~Source() = default;
  virtual Image resolve(const Selection& selection) = 0;
  virtual std::unique_ptr<ByteStream> open(const LayerSource& layer) const = 0;
  /// Bytes written to an unlinked spool, for --stats (0 where nothing was).
  virtual std::uint64_t spooled() const { return 0; }
};

}  // namespace ocilint
