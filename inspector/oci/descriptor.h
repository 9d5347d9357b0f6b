// A content descriptor (OCI image-spec descriptor.md): media type, digest, size, and what else it says.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/json_fwd.h"
#include "oci/platform.h"

namespace ocilint {

using Annotations = std::map<std::string, std::string>;

struct Descriptor {
  std::string media_type;
  Digest digest;
  std::uint64_t size = 0;
  Platform platform;  // empty when absent
  Annotations annotations;
  std::vector<std::string> urls;
  std::string artifact_type;

  /// Throws Error{corrupt}: digest and size are required, size is an integer.
  static Descriptor parse(const Json& json);

  std::string annotation(const std::string& key) const;  // "" when absent
  /// BuildKit's attestation manifests: by annotation, and platform unknown/unknown.
  bool is_attestation() const;
};

}  // namespace ocilint
