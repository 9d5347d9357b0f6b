#include <array>

#include "oci/manifest.h"

namespace ocilint::media_type {
namespace {

constexpr std::string_view oci_layer = "application/vnd.oci.image.layer.v1.tar";
constexpr std::string_view oci_foreign = "application/vnd.oci.image.layer.nondistributable.v1.tar";
constexpr std::string_view docker_layer = "application/vnd.docker.image.rootfs.diff.tar";
constexpr std::string_view docker_foreign = "application/vnd.docker.image.rootfs.foreign.diff.tar";
constexpr std::string_view encrypted_suffix = "+encrypted";

/// What follows a known layer type: "", "+gzip", ".gzip", "+gzip+encrypted"; nullopt for other types.
std::optional<std::string_view> suffix(std::string_view type) {
  for (const std::string_view base : {oci_layer, oci_foreign, docker_layer, docker_foreign}) {
    if (!type.starts_with(base)) continue;
    const std::string_view rest = type.substr(base.size());
    if (rest.empty() || rest[0] == '+' || rest[0] == '.') return rest;
  }
  return std::nullopt;
}

}  // namespace

bool is_index(std::string_view type) {
  return type == "application/vnd.oci.image.index.v1+json" ||
         type == "application/vnd.docker.distribution.manifest.list.v2+json";
}

bool is_manifest(std::string_view type) {
  return type == "application/vnd.oci.image.manifest.v1+json" ||
         type == "application/vnd.docker.distribution.manifest.v2+json";
}

bool is_config(std::string_view type) {
  // Old Docker pushed octet-stream; some tools state no type.
  return type.empty() || type == "application/vnd.oci.image.config.v1+json" ||
         type == "application/vnd.docker.container.image.v1+json" || type == "application/octet-stream";
}

bool is_layer(std::string_view type) { return suffix(type).has_value() && !is_encrypted(type); }

bool is_foreign_layer(std::string_view type) {
  return suffix(type).has_value() && (type.starts_with(oci_foreign) || type.starts_with(docker_foreign));
}

bool is_encrypted(std::string_view type) { return type.ends_with(encrypted_suffix) && suffix(type).has_value(); }

bool is_file_system(std::string_view type) {
  return type.starts_with("application/vnd.erofs.") ||
         (type.starts_with("application/vnd.") && type.find("squashfs") != std::string_view::npos);
}

std::optional<std::string_view> compression(std::string_view type) {
  auto rest = suffix(type);
  if (!rest) return std::nullopt;
  if (rest->ends_with(encrypted_suffix)) rest->remove_suffix(encrypted_suffix.size());
  if (rest->empty()) return "";
  rest->remove_prefix(1);
  if (*rest == "gzip" || *rest == "zstd") return rest;
  return std::nullopt;
}

}  // namespace ocilint::media_type
