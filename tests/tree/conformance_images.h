// The conformance images and what was measured of them, read into comparable listings.
//
// Expected trees are lists of "path mode uid:gid kind"; ghost names (which cannot be opened), link counts as
// stat shows them and extended attributes are left out, since no view shows them. Hard-link groups are
// compared as partitions.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "layer/layer_pass.h"
#include "support/places.h"
#include "source/open.h"
#include "support/layer_builder.h"
#include "tree/conformance_cases.h"
#include "tree/merged_tree.h"

namespace ocilint::test {

struct Shown {
  std::string what;   // "0644 0:0 file='x'"
  std::string group;  // the first name of its hard-link group
  bool operator==(const Shown&) const = default;
};
using Listing = std::map<std::string, Shown>;

struct Tree {
  Listing names;
  bool refused = false;
  bool operator==(const Tree&) const = default;
};
using Measured = std::map<std::string, Tree>;  // by engine

inline std::string conformance_dir() { return std::string(test::source_dir) + "/../shared/conformance"; }

/// Groups are named by any member; afterwards each carries its smallest name.
inline void name_groups(Listing& names) {
  std::map<std::string, std::string> smallest;
  for (auto& [path, shown] : names) {
    const auto [at, fresh] = smallest.try_emplace(shown.group, path);
    if (!fresh) at->second = std::min(at->second, path);
  }
  for (auto& [path, shown] : names) shown.group = smallest.at(shown.group);
}

inline Tree parse_listing(const std::vector<std::string>& lines) {
  Tree out;
  for (const std::string& line : lines) {
    if (line == "ERR") {
      out.refused = true;
      continue;
    }
    if (line.find(" !") != std::string::npos) continue;
    // The path may hold anything; the mode is the first " dddd d" behind it.
    std::size_t at = line.find(' ');
    while (!(std::isdigit(line[at + 1]) && std::isdigit(line[at + 4]) && line[at + 5] == ' '))
      at = line.find(' ', at + 1);
    const std::string path = line.substr(0, at);
    std::string rest = line.substr(at + 1);
    rest = rest.substr(0, rest.find(" nlink="));
    rest = rest.substr(0, rest.find(" xattr="));
    std::string group = path;
    if (const std::size_t same = rest.find(" =="); same != std::string::npos) {
      group = rest.substr(same + 3);
      rest.resize(same);
    }
    out.names[path] = {rest, group};
  }
  name_groups(out.names);
  return out;
}

/// Bytes that are no UTF-8 stand as lone surrogates in the results; here they become <e9>.
inline std::string readable(std::string_view bytes) {
  std::string out;
  for (const char c : bytes)
    if (static_cast<unsigned char>(c) < 0x80)
      out += c;
    else
      out += fmt::format("<{:02x}>", static_cast<unsigned char>(c));
  return out;
}

inline std::map<std::string, Measured> measured() {
  std::map<std::string, Measured> out;
  std::ifstream in(conformance_dir() + "/results.json");
  if (!in) return out;
  std::string text{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t at; (at = text.find("\\udc")) != std::string::npos;)
    text.replace(at, 6, "<" + text.substr(at + 4, 2) + ">");
  const auto json = nlohmann::json::parse(text);
  for (const auto& [name, engines] : json.items())
    for (const auto& [engine, lines] : engines.items())
      out[name][engine] = parse_listing(lines.get<std::vector<std::string>>());
  return out;
}

inline std::vector<std::string> members_of(const Measured& engines, Family family) {
  std::vector<std::string> out;
  for (const char* const name : {"docker_overlay2", "ctr_overlayfs", "podman_overlay", "docker", "ctr"})
    if (family == Family::overlay && engines.count(name) != 0) out.push_back(name);
  for (const char* const name : {"ctr_native", "podman_vfs", "pvfs", "umoci"})
    if (family == Family::cumulative && engines.count(name) != 0) out.push_back(name);
  return out;
}

inline bool families_agree(const Measured& engines, Family family) {
  const auto members = members_of(engines, family);
  return std::ranges::all_of(members,
                             [&](const std::string& name) { return engines.at(name) == engines.at(members.front()); });
}

struct Loaded {
  std::vector<LayerIndex> layers;
  std::optional<MergedViews> views;
  std::string error;  // of an image that is not what it claims to be
};

inline Loaded load_case(const std::string& name) {
  Loaded out;
  try {
    const std::string file = conformance_dir() + "/images/" + name + ".tar";
    const auto source = open_source(Reference::parse("docker-archive:" + file));
    const Image image = source->resolve({});
    Demand demand;
    demand.add(FactKind::content, Glob::parse("/**"));
    demand.freeze();
    Workspace workspace;
    IdleCores idle;
    for (const LayerSource& layer : image.layers) {
      const LayerClaim claim{layer.name, layer.media_type, layer.digest, layer.size, layer.diff_id};
      out.layers.push_back(read_layer(workspace, source->open(layer), claim, demand, nullptr, {}, idle));
    }
    out.views = MergedTree::build_views(pointers_to(out.layers));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt && error.kind() != ErrorKind::unsupported) throw;
    out.error = error.what();
  }
  return out;
}

inline Listing listing_of(const MergedTree& tree, const Loaded& image) {
  Listing out;
  std::vector<NodeId> open{MergedTree::root};
  while (!open.empty()) {
    const NodeId top = open.back();
    open.pop_back();
    for (const NodeId child : tree.children(top)) {
      open.push_back(child);
      const Node& node = tree[child];
      std::string what = fmt::format("{:04o} {}:{} ", node.mode, node.uid, node.gid);
      if (node.type == EntryType::directory) what += "dir";
      if (node.type == EntryType::symlink) what += fmt::format("-> {}", node.link);
      if (node.type == EntryType::fifo) what += "fifo";
      if (node.type == EntryType::character) what += fmt::format("chr {}:{}", node.device_major, node.device_minor);
      if (node.type == EntryType::unsupported) what += "unsupported";
      if (node.type == EntryType::file) {
        const std::string& content = image.layers.at(node.inode.layer).contents.at(node.inode.ordinal);
        REQUIRE(content.size() == node.size);
        const bool large = content.size() > 100;
        what += fmt::format("file='{}'", large ? fmt::format("len{}", content.size()) : content);
      }
      Shown& shown = out[readable(std::string_view(tree.path(child)).substr(1))];
      shown.what = what;
      shown.group = node.type == EntryType::directory ? readable(std::string_view(tree.path(child)).substr(1))
                                                      : fmt::format("{}/{}", node.inode.layer, node.inode.ordinal);
    }
  }
  name_groups(out);
  return out;
}

inline std::string to_text(const Listing& names) {
  std::string out;
  for (const auto& [path, shown] : names) out += path + " " + shown.what + " ==" + shown.group + "\n";
  return out;
}

}  // namespace ocilint::test
