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
#include <vector>

namespace ocilint {

struct NodePackage {
  std::string name;     // "@scope/name"
  std::string version;  // "" when it states none
  std::string license;
  bool is_private = false;

  struct Dependency {
    std::string field;  // "dependencies", "peerDependencies", …
    std::string name, range;
  };
  /// In the order of the fields; a project's own asks stand in devDependencies, too. Also of a file without name.
  static std::vector<Dependency> dependencies_of(std::string_view text);

  static std::optional<NodePackage> parse(std::string_view text);
};

}  // namespace ocilint
