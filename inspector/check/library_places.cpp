#include "check/library_places.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/path.h"

namespace ocilint {

void LibraryPlaces::index() {
  if (indexed_) return;
  indexed_ = true;
  const MergedTree& tree = view_.tree();
  for (Match& found : match(tree, Glob::parse("**/*.so*"))) {
    const Node& node = tree[found.node];
    if (node.type == EntryType::directory) continue;
    by_name_[std::string(tree.name(found.node))].push_back(found.path);
    if (node.type == EntryType::file) files_[node.inode].push_back(std::move(found.path));
  }
  for (auto& [name, paths] : by_name_) std::ranges::sort(paths);
  for (auto& [inode, paths] : files_) std::ranges::sort(paths);
}

void LibraryPlaces::index_removed() {
  if (removed_indexed_) return;
  removed_indexed_ = true;
  for (std::string& path : view_.tree().removed_below("/")) {
    const std::string_view name = base_name(path);
    if (name.find(".so") != std::string_view::npos) removed_[std::string(name)].push_back(std::move(path));
  }
}

const std::vector<std::string>& LibraryPlaces::named(std::string_view name) {
  static const std::vector<std::string> none;
  index();
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? none : found->second;
}

std::vector<RemovedLibrary> LibraryPlaces::removed(std::string_view name) {
  index_removed();
  std::vector<RemovedLibrary> out;
  const auto found = removed_.find(name);
  if (found == removed_.end()) return out;
  for (const std::string& path : found->second) {
    const std::vector<Event> story = view_.tree().story(path);
    if (!story.empty()) out.push_back({path, story.back().layer, story.back().deed});
  }
  return out;
}

std::vector<SonameProvider> LibraryPlaces::providers(std::string_view soname, std::vector<std::string>& unread) {
  index();
  std::vector<SonameProvider> out;
  const std::string_view stem = soname.substr(0, soname.find(".so"));
  for (const auto& [inode, paths] : files_) {
    const ElfFacts& facts = view_.elf(inode);
    if (facts.kind != ElfKind::elf) continue;
    const bool alike =
        std::ranges::any_of(paths, [&](const std::string& path) { return base_name(path).starts_with(stem); });
    // A broken file is no provider; whether it was meant as one, only its name can say.
    if (!facts.malformed.empty() && !alike) continue;
    if (!facts.was_read(ElfPart::dynamic)) {
      const std::string why = facts.malformed.empty() ? "its dynamic section could not be read" : facts.malformed;
      unread.push_back(fmt::format("{}: {}", paths.front(), why));
      continue;
    }
    const bool named = std::ranges::any_of(paths, [&](const std::string& path) { return base_name(path) == soname; });
    const bool offers = facts.soname ? *facts.soname == soname : named;
    if (offers && facts.is_loadable()) out.push_back({inode, paths, facts.elf_class, facts.machine});
  }
  std::ranges::sort(out, {}, &SonameProvider::paths);
  return out;
}

}  // namespace ocilint
