// An image described in YAML, as testdata/cases and the examples of rules have it (docs/policy.md):
//
//   config: {user: app, env: [A=b], labels: {k: v}, cmd: [], entrypoint: [], working_dir: /w, stop_signal: S,
//            ports: [80/tcp], volumes: [/v], healthcheck: [CMD, x], annotations: {k: v}}        # all optional
//   others: {base: {layers: …}}    # images to compare with, by their names; optional
//   layers:
//     - run: RUN make install                              # the history line; optional
//       files: {/etc/a: text, /usr/bin/b: {content: x, mode: '4755', owner: '0:0', xattr: {name: value}}}
//       links: {/l: target}   hardlinks: {/m: /etc/a}   directories: [/d]   remove: [/etc/c]   opaque: [/d]
//
// Entries go into the layer's archive in this order: directories, files, links, hardlinks, remove, opaque.
// A description may also be just the list of layers under `layers:` without braces around it.
#pragma once

#include <string>

#include "base/error.h"
#include "policy/yaml.h"
#include "support/oci_writer.h"
#include "support/tar_writer.h"

namespace ocilint::testing {

inline std::string tar_name(const std::string& path) { return path.starts_with('/') ? path.substr(1) : path; }

inline void add_file(test::TarWriter& tar, const std::string& path, const YamlNode& node) {
  test::TarMeta meta;
  meta.mode = 0644;
  if (node.kind() != YamlNode::Kind::map) {
    tar.file(tar_name(path), node.raw(), meta);
    return;
  }
  std::string content;
  test::PaxRecords attributes;
  for (const auto& member : node.members()) {
    if (member.key == "content")
      content = member.value->raw();
    else if (member.key == "mode")
      meta.mode = static_cast<std::uint32_t>(std::stoul(member.value->text(), nullptr, 8));
    else if (member.key == "owner") {
      const std::string owner = member.value->text();
      meta.uid = std::stoul(owner);
      meta.gid = std::stoul(owner.substr(owner.find(':') + 1));
    } else if (member.key == "xattr") {
      for (const auto& attribute : member.value->members()) attributes.push_back({attribute.key, attribute.value->raw()});
    } else {
      member.value->fail("no such key of a file");
    }
  }
  if (attributes.empty())
    tar.file(tar_name(path), content, meta);
  else
    tar.xattr_file(tar_name(path), content, attributes, meta);
}

inline std::string layer_tar(const YamlNode& layer) {
  test::TarWriter tar;
  for (const auto& member : layer.members()) {
    static const std::vector<std::string> known = {"run",       "files",  "links", "hardlinks",
                                                   "directories", "remove", "opaque"};
    if (std::find(known.begin(), known.end(), member.key) == known.end()) member.value->fail("no such key of a layer");
  }
  if (const YamlNode* list = layer.find("directories"))
    for (const YamlNode& path : list->items()) tar.directory(tar_name(path.raw()));
  if (const YamlNode* map = layer.find("files"))
    for (const auto& file : map->members()) add_file(tar, file.key, *file.value);
  if (const YamlNode* map = layer.find("links"))
    for (const auto& link : map->members()) tar.symlink(tar_name(link.key), link.value->raw());
  if (const YamlNode* map = layer.find("hardlinks"))
    for (const auto& link : map->members()) tar.hard_link(tar_name(link.key), tar_name(link.value->raw()));
  if (const YamlNode* list = layer.find("remove"))
    for (const YamlNode& path : list->items()) tar.whiteout(tar_name(path.raw()));
  if (const YamlNode* list = layer.find("opaque"))
    for (const YamlNode& path : list->items()) tar.opaque(tar_name(path.raw()));
  return tar.finish();
}

inline std::vector<std::string> raw_texts(const YamlNode& list) {
  std::vector<std::string> out;
  for (const YamlNode& item : list.items()) out.push_back(item.raw());
  return out;
}

inline TestImage describe_image(const YamlNode& root) {
  TestImage image;
  for (const auto& member : root.members()) {
    if (member.key == "layers") {
      for (const YamlNode& layer : member.value->items()) {
        image.layer_tars.push_back(layer_tar(layer));
        const YamlNode* run = layer.find("run");
        image.created_by.push_back(run == nullptr ? "" : run->raw());
      }
    } else if (member.key == "config") {
      for (const auto& field : member.value->members()) {
        if (field.key == "user") image.config["User"] = field.value->raw();
        else if (field.key == "env") for (const YamlNode& item : field.value->items()) image.config["Env"].push_back(item.raw());
        else if (field.key == "cmd") image.config["Cmd"] = raw_texts(*field.value);
        else if (field.key == "entrypoint") image.config["Entrypoint"] = raw_texts(*field.value);
        else if (field.key == "working_dir") image.config["WorkingDir"] = field.value->raw();
        else if (field.key == "stop_signal") image.config["StopSignal"] = field.value->raw();
        else if (field.key == "healthcheck") image.config["Healthcheck"]["Test"] = raw_texts(*field.value);
        else if (field.key == "ports") for (const YamlNode& item : field.value->items()) image.config["ExposedPorts"][item.raw()] = Json::object();
        else if (field.key == "volumes") for (const YamlNode& item : field.value->items()) image.config["Volumes"][item.raw()] = Json::object();
        else if (field.key == "annotations") for (const auto& one : field.value->members()) image.manifest_extra["annotations"][one.key] = one.value->raw();
        else if (field.key == "labels") for (const auto& label : field.value->members()) image.config["Labels"][label.key] = label.value->raw();
        else field.value->fail("no such key of the config");
      }
    } else if (member.key == "others") {
      for (const auto& other : member.value->members()) image.others.emplace_back(other.key, describe_image(*other.value));
    } else {
      member.value->fail("no such key of an image");
    }
  }
  return image;
}

inline TestImage describe_image(std::string_view yaml, const std::string& file = "image") {
  return describe_image(YamlNode::parse(yaml, file));
}

}  // namespace ocilint::testing
