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

std::vector<ImageRecord> find_records(const Image& image, std::string_view name) {
  std::vector<ImageRecord> out;
  const auto take = [&](const Json& object, std::string_view where) {
    if (auto found = annotation(object, name)) out.push_back({std::move(*found), where});
  };
  for (const Document& document : image.documents) {
    if (document.kind != Document::Kind::manifest && document.kind != Document::Kind::index) continue;
    const Json json = parse_json(document.text);
    if (!json.is_object()) continue;  // manifest.json of a docker archive
    take(json, document.kind == Document::Kind::manifest ? "annotation of the manifest" : "annotation of the index");
    if (const Json* const list = member(json, "manifests"); list != nullptr && list->is_array())
      for (const Json& entry : *list)
        if (entry.is_object() && json_string(entry, "digest") == image.manifest_digest)
          take(entry, "annotation of its entry in the index");
  }
  if (!out.empty()) return out;
  if (const auto label = image.config.labels.find(std::string(name)); label != image.config.labels.end())
    out.push_back({label->second, "label"});
  return out;
}

std::optional<ImageRecord> find_record(const Image& image, std::string_view name) {
  std::vector<ImageRecord> all = find_records(image, name);
  if (all.empty()) return std::nullopt;
  return std::move(all.front());
}

}  // namespace ocilint
