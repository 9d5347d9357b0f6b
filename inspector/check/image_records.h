// What an image says of itself by name (OCI annotations.md): annotations of the manifest and of its entry in an index,
// and labels of the config. The first of a name counts, in this order. Throws Error{corrupt} for a document that is
// no JSON. Pure; linear in the documents.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "source/source.h"

namespace ocilint {

inline constexpr std::string_view base_name_key = "org.opencontainers.image.base.name";
inline constexpr std::string_view base_digest_key = "org.opencontainers.image.base.digest";

struct ImageRecord {
  std::string value;
  std::string_view where;  // "annotation", "label"
};

std::optional<ImageRecord> find_record(const Image& image, std::string_view name);

}  // namespace ocilint
