// The documents of an OCI layout as a graph: indexes, manifests, attestations, artifacts (image-layout.md).
//
// Built once by reading every index and manifest that is there, each verified; load() then makes an Image of
// one. Nested indexes are walked with a list, to max_index_depth and max_manifests visits. Used by the layout
// folder, the oci-archive, Docker's hybrid archive, the dir: transport and registries. Throws Error{corrupt, limit, …}.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "source/choice.h"
#include "source/source.h"
#include "source/stored_blob.h"

namespace ocilint {

inline constexpr std::size_t max_index_depth = 4;
inline constexpr std::uint64_t max_attestation_size = 32U << 20;  // an SBOM of a large image has a few MiB
/// Of all manifests, or of all attestations of an image: a thousand of the largest would be gigabytes.
inline constexpr std::uint64_t max_documents_size = 256U << 20;

class ImageGraph {
 public:
  /// Which manifests of an index are read: all there are, or the one that is chosen, where the index says enough.
  enum class Reading { all, chosen };

  /// `store` must live as long as the graph. `transport` is how its choices are spelt.
  ImageGraph(const BlobStore& store, Transport transport, Reading reading = Reading::all)
      : store_(store), transport_(transport), reading_(reading) {}

  /// The root document: an index (its descriptors are the groups) or, for dir:, a manifest.
  void add_root_index(const std::string& name, std::string text);
  void add_root_manifest(std::string text);

  const std::vector<Choice>& choices() const { return choices_; }
  /// Digest of the config that a choice names, for pairing with manifest.json; empty for what is no manifest.
  std::string config_digest(const Choice& choice) const;
  bool has_layers(const Choice& choice) const;

  /// Reads the config, checks counts, and lists layers, readable or not; blobs are appended to `blobs`.
  Image load(const Choice& choice, std::vector<StoredBlob>& blobs) const;

 private:
  struct Parent {  // an index document
    std::string name, text;
    std::shared_ptr<const Parent> above;
  };
  struct Node {
    Descriptor descriptor;
    std::shared_ptr<const Manifest> manifest;
    std::shared_ptr<const Parent> parent;
  };
  struct Visit {
    Descriptor descriptor;
    std::shared_ptr<const Parent> parent;
    std::size_t depth = 0, group = 0;
    std::vector<std::string> names, digests;
  };

  void walk(std::vector<Visit> pending);
  void visit(const Visit& at, std::vector<Visit>& pending);
  void add(const Visit& at, std::shared_ptr<const Manifest> manifest, Choice::State state,
           std::optional<Error> problem);
  std::shared_ptr<const Manifest> manifest_of(const Node& node) const;
  void add_attestations(const Node& node, Image& image) const;
  /// Where the bytes of a layer are stored; Error when they are absent or cannot be a readable layer.
  StoredBlob layer_blob(const Descriptor& layer, const std::string& label) const;
  void add_layers(const Manifest& manifest, Image& image, std::vector<StoredBlob>& blobs) const;
  void note_dangling(Image& image) const;
  Platform config_platform(const Manifest& manifest);

  const BlobStore& store_;
  Transport transport_;
  Reading reading_;
  std::vector<Node> nodes_;
  std::vector<Choice> choices_;
  std::vector<Node> attestations_;
  std::map<std::string, std::string> documents_;  // index and manifest bytes by digest: read once
  std::map<std::string, std::string> configs_;    // what was read to choose by, where reading costs a request
  std::size_t visits_ = 0;
  std::uint64_t documents_size_ = 0;
};

/// Checks that both counts agree and puts the diff IDs at the layers. Error{corrupt}.
void match_diff_ids(Image& image);
/// Refuses layers that cannot be read whatever their bytes are: encrypted, a file system. Error{unsupported}.
void refuse_unreadable_layer(std::string_view media_type, std::string_view layer);

}  // namespace ocilint
