#include "source/docker_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/json.h"
#include "base/path.h"
#include "oci/legacy.h"
#include "source/image_graph.h"

namespace ocilint {
namespace {

constexpr std::string_view layer_file = "/layer.tar";

std::optional<Digest> sha256_of_hex(std::string_view hex) {
  const bool good = hex.size() == 64 && hex.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return good ? std::optional(Digest::from_hex(Algorithm::sha256, hex)) : std::nullopt;
}

/// `blobs/sha256/<hex>` (Docker 25), `<hex>.tar.gz` (kaniko, crane): the digest of the stored bytes. Not
/// `<hex>/layer.tar`, whose hex is an old image ID, and not `<hex>.tar`, which the diff ID vouches for.
std::optional<Digest> stated_layer_digest(std::string_view path) {
  const std::string normal = normalise(path).path;
  const std::string_view name = base_name(normal);
  if (parent_path(normal).ends_with("/blobs/sha256")) return sha256_of_hex(name);
  constexpr std::string_view suffix = ".tar.gz";
  return name.ends_with(suffix) ? sha256_of_hex(name.substr(0, name.size() - suffix.size())) : std::nullopt;
}

/// `sha256:<hex>` (kaniko), `blobs/sha256/<hex>`.
std::optional<Digest> stated_config_digest(std::string_view path) {
  const std::string normal = normalise(path).path;
  std::string_view name = base_name(normal);
  const bool kaniko = name.starts_with("sha256:");
  if (kaniko) name.remove_prefix(7);
  return kaniko || parent_path(normal).ends_with("/blobs/sha256") ? sha256_of_hex(name) : std::nullopt;
}

/// `<hex>.json` is the digest too, but no reader holds the writer to it: hand-edited archives load
/// everywhere.
bool is_misnamed(std::string_view path, std::string_view digest) {
  constexpr std::string_view suffix = ".json";
  const std::string normal = normalise(path).path;
  std::string_view name = base_name(normal);
  if (!name.ends_with(suffix)) return false;
  name.remove_suffix(suffix.size());
  const auto named = sha256_of_hex(name);
  return named && named->text() != digest;
}

}  // namespace

bool DockerArchive::is_in(const ArchiveIndex& index) {
  return index.has("manifest.json") || index.has("repositories") || !index.ending_in(layer_file).empty();
}

DockerArchive::DockerArchive(const ArchiveIndex& index) : index_(index) {
  if (const auto manifest = index_.find("manifest.json"))
    read_manifest(manifest->text(max_archive_manifest_size));
  else
    read_legacy();
}

std::string DockerArchive::document(const std::string& name, std::uint64_t most) const {
  const auto blob = index_.find(name);
  if (!blob)
    throw Error(ErrorKind::not_found, fmt::format("{}: '{}' is listed, but it is not there", index_.file_name(), name));
  return blob->text(most);
}

void DockerArchive::add(Item item, Choice choice) {
  if (items_.size() == max_manifests)
    throw Error(ErrorKind::limit, fmt::format("manifest.json lists more than {} images", max_manifests));
  if (item.layers.size() > max_layers)
    throw Error(ErrorKind::limit, fmt::format("{} layers, at most {} are read", item.layers.size(), max_layers));
  choice.transport = Transport::docker_archive;
  choice.item = choice.group = choice.index = items_.size();
  items_.push_back(std::move(item));
  choices_.push_back(std::move(choice));
}

void DockerArchive::read_manifest(std::string text) {
  const Json json = parse_json(text);
  if (!json.is_array()) corrupt("manifest.json is no list");
  for (const Json& entry : json) {
    if (!entry.is_object()) corrupt("manifest.json: an entry is no JSON object");
    Item item;
    Choice choice;
    item.config = json_string(entry, "Config");
    if (item.config.empty()) corrupt("manifest.json: an entry has no Config");
    item.layers = json_strings(entry, "Layers");
    if (const Json* sources = member(entry, "LayerSources")) item.sources = *sources;
    choice.names = json_strings(entry, "RepoTags");
    const auto stated = stated_config_digest(item.config);
    choice.digest = stated ? stated->text() : item.config;
    try {
      const std::string config = document(item.config, max_document_size);
      const Digest found = Digest::sha256_of(config);
      if (stated && *stated != found) corrupt(fmt::format("config '{}' has the digest {}", item.config, found.text()));
      choice.digest = found.text();
      choice.platform = Config::parse(config).platform;
    } catch (const Error& e) {
      choice.state = Choice::State::broken;
      choice.problem = e;
    }
    choice.digests = {choice.digest};
    add(std::move(item), std::move(choice));
  }
}

void DockerArchive::read_legacy() {
  std::map<std::string, std::vector<std::string>> names;  // by image ID
  if (const auto repositories = index_.find("repositories")) {
    const Json json = parse_json(repositories->text(max_archive_manifest_size));
    if (!json.is_object()) corrupt("repositories is no JSON object");
    for (auto repository = json.begin(); repository != json.end(); ++repository) {
      if (!repository->is_object()) corrupt("repositories: a repository is no JSON object");
      for (auto tag = repository->begin(); tag != repository->end(); ++tag) {
        if (!tag->is_string()) corrupt("repositories: a tag leads to no image ID");
        names[tag->get_ref<const std::string&>()].push_back(repository.key() + ":" + tag.key());
      }
    }
  }
  if (names.empty()) {  // saved by ID: the images are those that are no other's parent
    std::set<std::string> parents;
    for (const std::string& path : index_.ending_in(layer_file)) {
      const std::string id(parent_path(path).substr(1));
      names[id];
      parents.insert(json_string(parse_json(document(id + "/json", max_document_size)), "parent"));
    }
    for (const std::string& parent : parents) names.erase(parent);
  }
  for (auto& [id, tags] : names) add_legacy(id, std::move(tags));
}

void DockerArchive::add_legacy(const std::string& id, std::vector<std::string> names) {
  Item item;
  Choice choice;
  choice.names = std::move(names);
  choice.digest = id;
  choice.digests = {id};
  try {
    std::set<std::string> seen;
    for (std::string at = id; !at.empty();) {
      if (!seen.insert(at).second) corrupt(fmt::format("image '{}': its parents lead in circles", id));
      if (seen.size() > max_layers)
        throw Error(ErrorKind::limit, fmt::format("image '{}' has more than {} layers", id, max_layers));
      item.layers.push_back(at + std::string(layer_file));
      item.chain.push_back(document(at + "/json", max_document_size));
      at = json_string(parse_json(item.chain.back()), "parent");
    }
    std::reverse(item.layers.begin(), item.layers.end());
    std::reverse(item.chain.begin(), item.chain.end());
    choice.platform = config_of_chain(item.chain).platform;
  } catch (const Error& e) {
    choice.state = Choice::State::broken;
    choice.problem = e;
  }
  add(std::move(item), std::move(choice));
}

Image DockerArchive::load(const Choice& choice, std::vector<StoredBlob>& blobs) const {
  const Item& item = items_.at(choice.item);
  Image image;
  if (item.config.empty()) {
    image.config = config_of_chain(item.chain);
    image.manifest_digest = Digest::sha256_of(image.config.raw).text();
    image.documents.push_back({Document::Kind::config, choice.digest + "/json", image.config.raw});
  } else {
    image.config = Config::parse(document(item.config, max_document_size));
    // It was read once to choose by; a file that is written to meanwhile must not show two.
    if (Digest::sha256_of(image.config.raw).text() != choice.digest)
      corrupt(fmt::format("config '{}' changed while the image was read", item.config));
    image.manifest_digest = choice.digest;
    image.documents.push_back({Document::Kind::config, item.config, image.config.raw});
    if (is_misnamed(item.config, choice.digest))
      image.oddities.push_back({"config-misnamed", item.config, "the config has the digest " + choice.digest});
  }
  image.platform = image.config.platform;
  add_layers(item, image, blobs);
  if (!item.config.empty() || !image.config.diff_ids.empty()) {
    match_diff_ids(image);
    use_layer_sources(item, image);
  } else {
    image.oddities.push_back({"layers-without-digest", choice.digest,
                              "an archive of before Docker 1.10 states no digests: its layers cannot be verified"});
  }
  return image;
}

void DockerArchive::add_layers(const Item& item, Image& image, std::vector<StoredBlob>& blobs) const {
  std::set<std::string> documents;
  if (item.config.empty()) documents.insert(item.layers.back().substr(0, item.layers.back().rfind('/')) + "/json");
  for (const std::string& path : item.layers) {
    auto digest = stated_layer_digest(path);
    if (auto blob = index_.find(path)) {
      if (!digest) digest = stated_layer_digest(*index_.resolve(path));
      image.layers.push_back({path, {}, digest, blob->size, std::nullopt, blobs.size()});
      blobs.push_back(std::move(*blob));
    } else {
      Error absent(ErrorKind::not_found,
                   fmt::format("{}: layer '{}' is listed, but it is not there", index_.file_name(), path));
      image.layers.push_back({path, {}, digest, std::nullopt, std::nullopt, blobs.size(), std::move(absent)});
      blobs.emplace_back().name = path;
    }
    // Docker kept writing each layer's v1 document beside it: the command that made it.
    if (!path.ends_with(layer_file)) continue;
    const std::string json = path.substr(0, path.size() - layer_file.size()) + "/json";
    if (!index_.has(json) || !documents.insert(json).second) continue;
    image.documents.push_back({Document::Kind::legacy_config, json, document(json, max_document_size)});
  }
}

/// Docker 25 and later state each layer's descriptor by its diff ID.
void DockerArchive::use_layer_sources(const Item& item, Image& image) const {
  if (!item.sources.is_object()) return;
  for (LayerSource& layer : image.layers) {
    const auto source = item.sources.find(layer.diff_id->text());
    if (source == item.sources.end()) continue;
    const Descriptor descriptor = Descriptor::parse(*source);
    if (layer.digest && *layer.digest != descriptor.digest)
      corrupt(fmt::format("layer '{}': LayerSources states {}", layer.name, descriptor.digest.text()));
    if (layer.size && *layer.size != descriptor.size)
      corrupt(fmt::format("layer '{}': {} bytes are stored, LayerSources says {}", layer.name, *layer.size,
                          descriptor.size));
    refuse_unreadable_layer(descriptor.media_type, layer.name);
    layer.digest = descriptor.digest;
    layer.media_type = descriptor.media_type;
  }
}

}  // namespace ocilint
