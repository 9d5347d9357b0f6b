#include "cases/image_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/base64.h"
#include "base/digest.h"
#include "base/json.h"
#include "cases/layer_archive.h"
#include "policy/load_parts.h"

namespace ocilint {
namespace {

/// Of an image's tree, as the archive names it: without the slash in front.
std::string archive_name(const Place& place, const std::string& path) {
  if (!path.starts_with('/') || path.size() == 1) place.fail(fmt::format("'{}' is no absolute path", path));
  return path.substr(1);
}

std::string archive_name(const YamlNode& node) { return archive_name(node.place(), node.raw()); }

std::uint32_t load_mode(const YamlNode& node) {
  const std::string& text = node.text();
  std::uint32_t mode = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
  if (error != std::errc() || end != text.data() + text.size() || mode > 07777)
    node.fail(fmt::format("must be a mode in octal digits such as '0644', is '{}'", text));
  return mode;
}

/// "1000" or "1000:100"
void load_owner(const YamlNode& node, FileMeta& meta) {
  const std::string& text = node.raw();
  const std::size_t colon = text.find(':');
  const auto number = [&](std::size_t from, std::size_t to) {
    std::uint32_t id = 0;
    const auto [end, error] = std::from_chars(text.data() + from, text.data() + to, id);
    if (error != std::errc() || end != text.data() + to || from == to)
      node.fail(fmt::format("must be numbers such as '0:0', is '{}'", text));
    return id;
  };
  meta.uid = number(0, std::min(colon, text.size()));
  meta.gid = colon == std::string::npos ? meta.uid : number(colon + 1, text.size());
}

void add_file(LayerArchive& archive, const YamlNode::Member& file) {
  const std::string name = archive_name(file.key_place, file.key);
  FileMeta meta;
  if (file.value->kind() != YamlNode::Kind::map) {
    if (file.value->kind() == YamlNode::Kind::list) file.value->fail("must be a text or a map, is a list");
    archive.file(name, file.value->raw(), meta);
    return;
  }
  verify_keys(*file.value, {"content", "base64", "mode", "owner", "xattr"});
  std::string content;
  if (const YamlNode* node = file.value->find("content")) content = node->raw();
  if (const YamlNode* node = file.value->find("base64")) {
    if (file.value->find("content")) node->fail("stands beside 'content'; one of them is enough");
    const auto bytes = decode_base64(node->raw());
    if (!bytes) node->fail("is no base64");
    content = *bytes;
  }
  if (const YamlNode* node = file.value->find("mode")) meta.mode = load_mode(*node);
  if (const YamlNode* node = file.value->find("owner")) load_owner(*node, meta);
  if (const YamlNode* node = file.value->find("xattr"))
    for (const auto& attribute : node->members()) meta.attributes.emplace_back(attribute.key, attribute.value->raw());
  archive.file(name, content, meta);
}

DescribedLayer read_layer_description(const YamlNode& layer) {
  verify_keys(layer, {"run", "files", "links", "hardlinks", "directories", "remove", "opaque"});
  LayerArchive archive;
  if (const YamlNode* list = layer.find("directories"))
    for (const YamlNode& path : list->items()) archive.directory(archive_name(path));
  if (const YamlNode* map = layer.find("files"))
    for (const auto& file : map->members()) add_file(archive, file);
  if (const YamlNode* map = layer.find("links"))
    for (const auto& link : map->members()) archive.symlink(archive_name(link.key_place, link.key), link.value->raw());
  if (const YamlNode* map = layer.find("hardlinks"))
    for (const auto& link : map->members())
      archive.hard_link(archive_name(link.key_place, link.key), archive_name(*link.value));
  if (const YamlNode* list = layer.find("remove"))
    for (const YamlNode& path : list->items()) archive.whiteout(archive_name(path));
  if (const YamlNode* list = layer.find("opaque"))
    for (const YamlNode& path : list->items()) archive.opaque(archive_name(path));
  const YamlNode* run = layer.find("run");
  return {archive.finish(), run ? run->raw() : ""};
}

Json raw_texts(const YamlNode& list) {
  Json out = Json::array();
  for (const YamlNode& item : list.items()) out.push_back(item.raw());
  return out;
}

/// {"80/tcp": {}}
Json set_of(const YamlNode& list) {
  Json out = Json::object();
  for (const YamlNode& item : list.items()) out[item.raw()] = Json::object();
  return out;
}

void read_config(const YamlNode& node, DescribedImage& image) {
  verify_keys(node, {"user", "env", "labels", "cmd", "entrypoint", "working_dir", "stop_signal", "ports", "volumes",
                     "healthcheck", "annotations"});
  Json config = Json::object();
  for (const auto& field : node.members()) {
    const YamlNode& value = *field.value;
    if (field.key == "user") config["User"] = value.raw();
    if (field.key == "env") config["Env"] = raw_texts(value);
    if (field.key == "cmd") config["Cmd"] = raw_texts(value);
    if (field.key == "entrypoint") config["Entrypoint"] = raw_texts(value);
    if (field.key == "working_dir") config["WorkingDir"] = value.raw();
    if (field.key == "stop_signal") config["StopSignal"] = value.raw();
    if (field.key == "healthcheck") config["Healthcheck"]["Test"] = raw_texts(value);
    if (field.key == "ports") config["ExposedPorts"] = set_of(value);
    if (field.key == "volumes") config["Volumes"] = set_of(value);
    if (field.key == "labels")
      for (const auto& label : value.members()) config["Labels"][label.key] = label.value->raw();
    if (field.key == "annotations")
      for (const auto& one : value.members()) image.annotations.emplace_back(one.key, one.value->raw());
  }
  image.config = config.dump();
}

}  // namespace

DescribedImage read_description(const YamlNode& node) {
  verify_keys(node, {"config", "layers", "others"});
  DescribedImage image;
  image.config = "{}";
  if (const YamlNode* config = node.find("config")) read_config(*config, image);
  if (const YamlNode* layers = node.find("layers"))
    for (const YamlNode& layer : layers->items()) image.layers.push_back(read_layer_description(layer));
  // Depth is bounded by the YAML reader's.
  if (const YamlNode* others = node.find("others"))
    for (const auto& other : others->members()) image.others.emplace_back(other.key, read_description(*other.value));
  return image;
}

Json DescribedImage::configuration() const {
  Json out{{"os", "linux"}, {"architecture", "amd64"}, {"config", Json::parse(config)}};
  out["rootfs"] = {{"type", "layers"}, {"diff_ids", Json::array()}};
  out["history"] = Json::array();
  for (const DescribedLayer& layer : layers) {
    out["rootfs"]["diff_ids"].push_back(Digest::sha256_of(layer.archive).text());
    out["history"].push_back({{"created_by", layer.created_by}});
  }
  return out;
}

}  // namespace ocilint
