#include "oci/legacy.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "oci/manifest.h"

namespace ocilint {
namespace {

std::string command_line(const Json& document) {
  const Json* config = member(document, "container_config");
  if (config == nullptr || !config->is_object()) return {};
  const Json* command = member(*config, "Cmd");
  if (command != nullptr && command->is_string()) return command->get_ref<const std::string&>();
  std::string out;
  for (const std::string& word : json_strings(*config, "Cmd")) {
    if (!out.empty()) out += ' ';
    out += word;
  }
  return out;
}

const Json& required_list(const Json& json, std::string_view key) {
  const Json* value = member(json, key);
  if (value == nullptr || !value->is_array()) corrupt(fmt::format("schema 1 manifest: '{}' is no list", key));
  if (value->size() > max_layers)
    throw Error(ErrorKind::limit, fmt::format("{} {}, at most {} are read", value->size(), key, max_layers));
  return *value;
}

}  // namespace

Config config_of_chain(const std::vector<std::string>& chain) {
  if (chain.empty()) corrupt("an image without any document");
  Config out = Config::parse(chain.back());
  out.history.clear();
  for (const std::string& text : chain) {
    const Json document = parse_json(text);
    if (!document.is_object()) corrupt("a v1 document is no JSON object");
    out.history.push_back({json_string(document, "created"), command_line(document), json_string(document, "comment"),
                           json_string(document, "author"), json_flag(document, "throwaway")});
  }
  return out;
}

bool Schema1::is(const Json& document) {
  const Json* layers = member(document, "fsLayers");
  return layers != nullptr && !layers->is_null();
}

Schema1 Schema1::parse(std::string raw) {
  Schema1 out;
  const Json json = parse_json(raw);
  if (json_size(json, "schemaVersion") != 1) corrupt("a schema 1 manifest without schemaVersion 1");
  for (const std::string_view key : {"manifests", "layers", "config"})
    if (member(json, key) != nullptr) corrupt(fmt::format("the schema 1 manifest also has '{}'", key));
  const Json& layers = required_list(json, "fsLayers");
  const Json& history = required_list(json, "history");
  if (layers.size() != history.size())
    corrupt(fmt::format("schema 1 manifest: {} layers, {} history entries", layers.size(), history.size()));
  for (std::size_t i = layers.size(); i-- > 0;) {
    std::string document = json_string(history[i], "v1Compatibility");
    const Json parsed = parse_json(document);
    if (!parsed.is_object()) corrupt("schema 1 manifest: a v1Compatibility is no JSON object");
    out.layers.push_back({Digest::parse(json_string(layers[i], "blobSum")), json_flag(parsed, "throwaway")});
    out.chain.push_back(std::move(document));
  }
  out.raw = std::move(raw);
  return out;
}

}  // namespace ocilint
