// package.json of a package of Node, as far as an inventory asks: what it is called, in which version, under which
// licence (npm documentation, "package.json").
//
// `license` may be a text or the older {type}, `licenses` a list of these; of several the texts are joined by OR.
// A file without name is a part of a package ("{"type": "module"}") and says nothing: nullopt. Error{corrupt}: no JSON
// object, a name or version of another type. Error{limit}: node_manifest_bytes. Values; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ocilint {

struct NodePackage {
  std::string name;     // "@scope/name"
  std::string version;  // "" when it states none
  std::string license;
  bool is_private = false;

  static std::optional<NodePackage> parse(std::string_view text);
};

}  // namespace ocilint
