#include "oci/manifest.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "oci/parse.h"

namespace ocilint {
namespace {

bool holds(const Json& json, std::string_view key) {
  const Json* value = member(json, key);
  return value != nullptr && !value->is_null();
}

Json parse_document(std::string_view raw, std::string_view what) {
  Json json = parse_json(raw);
  if (!json.is_object()) corrupt(fmt::format("the {} is no JSON object", what));
  const auto version = json_size(json, "schemaVersion");
  if (version == 1) throw Error(ErrorKind::unsupported, fmt::format("the {} is of Docker's schema 1", what));
  if (version && *version != 2) corrupt(fmt::format("the {} has schemaVersion {}", what, *version));
  return json;
}

/// The type that body and descriptor agree on.
std::string agreed_media_type(const Json& json, std::string_view descriptor_type, std::string_view what) {
  std::string type = json_string(json, "mediaType");
  if (type.empty()) return std::string(descriptor_type);
  if (!descriptor_type.empty() && descriptor_type != type)
    corrupt(fmt::format("the {} calls itself '{}', its descriptor calls it '{}'", what, type, descriptor_type));
  return type;
}

const Json* list(const Json& json, std::string_view key, std::size_t most) {
  const Json* value = member(json, key);
  if (value == nullptr || value->is_null()) return nullptr;
  if (!value->is_array()) corrupt(fmt::format("JSON: '{}' is no list", key));
  if (value->size() > most)
    throw Error(ErrorKind::limit, fmt::format("{} {}, at most {} are read", value->size(), key, most));
  return value;
}

}  // namespace

Manifest Manifest::parse(std::string raw, std::string_view descriptor_media_type) {
  Manifest out;
  const Json json = parse_document(raw, "manifest");
  if (holds(json, "manifests") || holds(json, "fsLayers"))
    corrupt("the manifest is another kind of document at the same time ('manifests' or 'fsLayers')");
  out.media_type = agreed_media_type(json, descriptor_media_type, "manifest");
  if (media_type::is_index(out.media_type)) corrupt("an index where a manifest is expected");
  out.artifact_type = json_string(json, "artifactType");
  const Json* config = member(json, "config");
  if (config == nullptr || config->is_null()) corrupt("the manifest has no config");
  out.config = Descriptor::parse(*config);
  if (const Json* layers = list(json, "layers", max_layers))
    for (const Json& layer : *layers) out.layers.push_back(Descriptor::parse(layer));
  if (holds(json, "subject")) out.subject = Descriptor::parse(*member(json, "subject"));
  out.annotations = parse_string_map(json, "annotations");
  out.raw = std::move(raw);
  return out;
}

bool Manifest::is_image() const {
  return media_type::is_config(config.media_type) &&
         std::all_of(layers.begin(), layers.end(), [](const Descriptor& layer) {
           const std::string& type = layer.media_type;
           return media_type::is_layer(type) || media_type::is_encrypted(type) || media_type::is_file_system(type);
         });
}

Index Index::parse(std::string raw, std::string_view descriptor_media_type) {
  Index out;
  const Json json = parse_document(raw, "index");
  if (holds(json, "layers") || holds(json, "config") || holds(json, "fsLayers"))
    corrupt("the index is a manifest at the same time ('layers' or 'config')");
  out.media_type = agreed_media_type(json, descriptor_media_type, "index");
  if (media_type::is_manifest(out.media_type)) corrupt("a manifest where an index is expected");
  if (const Json* manifests = list(json, "manifests", max_manifests))
    for (const Json& manifest : *manifests) out.manifests.push_back(Descriptor::parse(manifest));
  out.annotations = parse_string_map(json, "annotations");
  out.raw = std::move(raw);
  return out;
}

}  // namespace ocilint
