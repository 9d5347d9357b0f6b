#include "oci/descriptor.h"

#include <fmt/format.h>

#include "base/error.h"
#include "oci/parse.h"

namespace ocilint {

Platform parse_platform(const Json& json) {
  Platform out;
  out.os = json_string(json, "os");
  out.architecture = json_string(json, "architecture");
  out.variant = json_string(json, "variant");
  out.os_version = json_string(json, "os.version");
  return out;
}

std::map<std::string, std::string> parse_string_map(const Json& object, std::string_view key) {
  std::map<std::string, std::string> out;
  const Json* map = member(object, key);
  if (map == nullptr || map->is_null()) return out;
  if (!map->is_object()) corrupt(fmt::format("JSON: '{}' is no map of strings", key));
  for (auto item = map->begin(); item != map->end(); ++item) {
    if (!item->is_string()) corrupt(fmt::format("JSON: '{}' of '{}' is no string", item.key(), key));
    out.emplace(item.key(), item->get_ref<const std::string&>());
  }
  return out;
}

Descriptor Descriptor::parse(const Json& json) {
  if (!json.is_object()) corrupt("a descriptor is no JSON object");
  Descriptor out;
  out.media_type = json_string(json, "mediaType");
  out.artifact_type = json_string(json, "artifactType");
  const std::string digest = json_string(json, "digest");
  if (digest.empty()) corrupt("a descriptor has no digest");
  out.digest = Digest::parse(digest);
  const auto size = json_size(json, "size");
  if (!size) corrupt(fmt::format("the descriptor of {} has no size", digest));
  out.size = *size;
  if (const Json* platform = member(json, "platform"); platform != nullptr && !platform->is_null()) {
    if (!platform->is_object()) corrupt(fmt::format("the platform of {} is no JSON object", digest));
    out.platform = parse_platform(*platform);
  }
  out.annotations = parse_string_map(json, "annotations");
  out.urls = json_strings(json, "urls");
  return out;
}

std::string Descriptor::annotation(const std::string& key) const {
  const auto found = annotations.find(key);
  return found == annotations.end() ? std::string() : found->second;
}

bool Descriptor::is_attestation() const {
  // Both, or an index could hide an image by calling it an attestation.
  return annotation("vnd.docker.reference.type") == "attestation-manifest" && platform.os == "unknown" &&
         platform.architecture == "unknown";
}

}  // namespace ocilint
