// What an image says of itself by name (OCI annotations.md): annotations of an index, of the manifest's entry in it and
// of the manifest, and labels of the config. A build inherits labels from its base, annotations it does not: where an
// annotation has the name, the label does not count. Throws Error{corrupt} for a document that is no JSON. Pure; linear
// in the documents.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/source.h"

namespace ocilint {

inline constexpr std::string_view base_name_key = "org.opencontainers.image.base.name";
inline constexpr std::string_view base_digest_key = "org.opencontainers.image.base.digest";

struct ImageRecord {
  std::string value;
  std::string_view where;  // "annotation of the manifest", "label"
};

/// All annotations of this name, in the order of the documents, else the label. They may contradict each other.
std::vector<ImageRecord> find_records(const Image& image, std::string_view name);
/// The first of them.
std::optional<ImageRecord> find_record(const Image& image, std::string_view name);

}  // namespace ocilint
