#include "check/image_records.h"

#include "base/json.h"

namespace ocilint {
namespace {

std::optional<std::string> annotation(const Json& object, std::string_view name) {
  const Json* const all = member(object, "annotations");
  if (all == nullptr || !all->is_object()) return std::nullopt;
  const auto found = all->find(std::string(name));
  if (found == all->end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

}  // namespace

std::optional<ImageRecord> find_record(const Image& image, std::string_view name) {
  for (const Document& document : image.documents) {
    if (document.kind != Document::Kind::manifest && document.kind != Document::Kind::index) continue;
    const Json json = parse_json(document.text);
    if (!json.is_object()) continue;  // manifest.json of a docker archive
    std::optional<std::string> found = annotation(json, name);
    if (const Json* const list = member(json, "manifests"); !found && list != nullptr && list->is_array())
      for (const Json& entry : *list)
        if (entry.is_object() && json_string(entry, "digest") == image.manifest_digest) found = annotation(entry, name);
    if (found) return ImageRecord{std::move(*found), "annotation"};
  }
  const auto label = image.config.labels.find(std::string(name));
  if (label == image.config.labels.end()) return std::nullopt;
  return ImageRecord{label->second, "label"};
}

}  // namespace ocilint
