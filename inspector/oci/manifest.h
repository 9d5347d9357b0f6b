// Image manifests and indexes (OCI manifest.md, image-index.md; Docker schema 2 and manifest lists).
//
// parse() takes the verified bytes and keeps them: a digest is of bytes, not of JSON. It refuses a document
// that is both (a manifest with `manifests`, an index with `layers` or `config`: CVE-2021-41190) and a body
// whose mediaType contradicts the descriptor. Throws Error{corrupt}.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oci/descriptor.h"

namespace ocilint {

inline constexpr std::size_t max_layers = 500;       // runtimes stop near 127
inline constexpr std::size_t max_manifests = 1'000;  // of one index, and distinct visits of a walk

struct Manifest {
  std::string media_type;
  std::string artifact_type;
  Descriptor config;
  std::vector<Descriptor> layers;
  std::optional<Descriptor> subject;
  Annotations annotations;
  std::string raw;

  static Manifest parse(std::string raw, std::string_view descriptor_media_type = {});
  /// Every layer has a layer media type and the config is an image config: an image, not an artifact. Layers
  /// that are legal but cannot be read (encrypted, a file system) count as layers: the image is refused
  /// later.
  bool is_image() const;
};

struct Index {
  std::string media_type;
  std::vector<Descriptor> manifests;
  Annotations annotations;
  std::string raw;

  static Index parse(std::string raw, std::string_view descriptor_media_type = {});
};

namespace media_type {
bool is_index(std::string_view);
bool is_manifest(std::string_view);
bool is_layer(std::string_view);  // any tar layer, compressed or not, nondistributable too
bool is_foreign_layer(std::string_view);
bool is_encrypted(std::string_view);
bool is_config(std::string_view);       // of an image
bool is_file_system(std::string_view);  // EROFS, SquashFS: a layer that is no tar
/// "gzip", "zstd", "" (plain) by its suffix; nullopt when the type says nothing.
std::optional<std::string_view> compression(std::string_view);
}  // namespace media_type

}  // namespace ocilint
