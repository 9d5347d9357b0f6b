#include "oci/config.h"

#include <fmt/format.h>

#include "base/error.h"
#include "oci/parse.h"

namespace ocilint {
namespace {

const Json* object_of(const Json& json, std::string_view key) {
  const Json* value = member(json, key);
  if (value == nullptr || value->is_null()) return nullptr;
  if (!value->is_object()) corrupt(fmt::format("config: '{}' is no JSON object", key));
  return value;
}

/// Docker takes one string where a list of strings is meant.
std::vector<std::string> strings_or_one(const Json& json, std::string_view key) {
  const Json* value = member(json, key);
  if (value != nullptr && value->is_string()) return {value->get_ref<const std::string&>()};
  return json_strings(json, key);
}

/// ExposedPorts and Volumes are sets, written as objects with empty values.
std::vector<std::string> keys_of(const Json& json, std::string_view key) {
  std::vector<std::string> out;
  if (const Json* set = object_of(json, key))
    for (auto item = set->begin(); item != set->end(); ++item) out.push_back(item.key());
  return out;
}

void parse_run_config(Config& out, const Json& json) {
  out.user = json_string(json, "User");
  out.working_dir = json_string(json, "WorkingDir");
  out.stop_signal = json_string(json, "StopSignal");
  out.env = json_strings(json, "Env");
  out.entrypoint = strings_or_one(json, "Entrypoint");
  out.cmd = strings_or_one(json, "Cmd");
  out.shell = strings_or_one(json, "Shell");
  out.on_build = json_strings(json, "OnBuild");
  out.exposed_ports = keys_of(json, "ExposedPorts");
  out.volumes = keys_of(json, "Volumes");
  out.labels = parse_string_map(json, "Labels");
  if (const Json* check = object_of(json, "Healthcheck")) out.healthcheck = strings_or_one(*check, "Test");
}

}  // namespace

Config Config::parse(std::string raw) {
  Config out;
  out.document = std::make_shared<const Json>(parse_json(raw));
  const Json& json = *out.document;
  if (!json.is_object()) corrupt("the config is no JSON object");
  out.platform = parse_platform(json);
  out.created = json_string(json, "created");
  out.author = json_string(json, "author");
  if (const Json* run = object_of(json, "config")) parse_run_config(out, *run);
  if (const Json* rootfs = object_of(json, "rootfs"))
    for (const std::string& text : json_strings(*rootfs, "diff_ids")) out.diff_ids.push_back(Digest::parse(text));
  if (const Json* history = member(json, "history"); history != nullptr && !history->is_null()) {
    if (!history->is_array()) corrupt("config: 'history' is no list");
    for (const Json& entry : *history) {
      if (!entry.is_object()) corrupt("config: an entry of 'history' is no JSON object");
      out.history.push_back({json_string(entry, "created"), json_string(entry, "created_by"),
                             json_string(entry, "comment"), json_string(entry, "author"),
                             json_flag(entry, "empty_layer")});
    }
  }
  out.raw = std::move(raw);
  return out;
}

std::optional<std::string> Config::env_value(std::string_view name) const {
  for (auto item = env.rbegin(); item != env.rend(); ++item) {
    const std::string_view text = *item;
    if (text.starts_with(name) && text.size() > name.size() && text[name.size()] == '=')
      return std::string(text.substr(name.size() + 1));
  }
  return std::nullopt;
}

HistoryPairing pair_history(const std::vector<History>& history, std::size_t layers) {
  HistoryPairing out;
  out.entry_of_layer.resize(layers);
  std::size_t layer = 0;
  for (std::size_t i = 0; i < history.size(); ++i) {
    if (history[i].empty_layer) continue;
    if (layer < layers) out.entry_of_layer[layer] = i;
    ++layer;
  }
  out.certain = layer == layers;
  return out;
}

}  // namespace ocilint
