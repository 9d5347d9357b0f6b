#include "check/python_abi.h"

#include <algorithm>
#include <unordered_set>

#include "base/path.h"

namespace ocilint {
namespace {

struct Module {
  std::string stem;     // "_x"
  std::string version;  // "3.11", "" without a tag
};

/// nullopt for what is no extension module.
std::optional<Module> module_of(std::string_view name) {
  if (!name.ends_with(".so") || name.size() == 3) return std::nullopt;
  Module out;
  out.stem = name.substr(0, name.find('.'));
  for (const std::string_view tag : {".cpython-", ".pypy"}) {
    const std::size_t at = name.find(tag);
    if (at == name.npos) continue;
    std::string_view digits = name.substr(at + tag.size());
    digits = digits.substr(0, digits.find_first_not_of("0123456789"));
    if (digits.size() < 2) continue;
    out.stem = name.substr(0, at);
    out.version = std::string(1, digits.front()) + "." + std::string(digits.substr(1));
  }
  return out;
}

}  // namespace

PythonModules find_modules(const ImageView& image, const std::string& site, const std::vector<std::string>& versions) {
  PythonModules out;
  const MergedTree& tree = image.tree();
  const Resolution at = image.resolve(site);
  if (!at.found()) return out;
  std::map<std::string, std::vector<std::string>> foreign;  // by package
  std::vector<NodeId> folders = {at.node};
  while (!folders.empty()) {
    const NodeId folder = folders.back();
    folders.pop_back();
    std::map<std::string, std::vector<NodeId>> others;  // of a tag that does not fit, by name
    std::unordered_set<std::string> good;
    for (const NodeId child : tree.children(folder)) {
      if (tree[child].type == EntryType::directory) {
        folders.push_back(child);
        continue;
      }
      const auto module = module_of(tree.name(child));
      if (!module) continue;
      ++(module->version.empty() ? out.untagged : out.tagged);
      if (module->version.empty() || std::ranges::find(versions, module->version) != versions.end())
        good.insert(module->stem);
      else
        others[module->stem].push_back(child);
    }
    for (const auto& [stem, nodes] : others) {
      if (good.contains(stem)) continue;
      for (const NodeId node : nodes) {
        std::string path = tree.path(node);
        const std::string below = path.substr(at.path == "/" ? 1 : at.path.size() + 1);
        foreign[below.substr(0, below.find('/'))].push_back(std::move(path));
      }
    }
  }
  for (auto& [package, files] : foreign) {
    std::ranges::sort(files);
    out.foreign.push_back({site, package, std::move(files)});
  }
  return out;
}

}  // namespace ocilint
