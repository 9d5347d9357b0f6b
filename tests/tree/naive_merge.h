// A slow, obvious model of both merges, for comparison with the real one: std::map from path to what is
// there.
//
// Only for images that no engine refuses: each name once a layer, hard links to earlier files, no markers
// beside new content. Everything is a string; nothing is shared with the code under test but path splitting.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/path.h"
#include "tree/merged_tree.h"

namespace ocilint::test {

struct Item {
  EntryType type = EntryType::directory;
  InodeId inode = {};
  std::uint32_t mode = 0755;
  std::string link = {};
  bool implied = true;
  bool operator==(const Item& other) const {
    return type == other.type && inode == other.inode && mode == other.mode && link == other.link;
  }
};
using Items = std::map<std::string, Item>;  // without the root

class NaiveMerge {
 public:
  static Items overlay(const std::vector<const LayerIndex*>& layers) {
    Items tree;
    for (std::size_t i = 0; i < layers.size(); ++i) lay_over(tree, alone(*layers[i], i));
    return tree;
  }

  static Items spec(const std::vector<const LayerIndex*>& layers) {
    Items tree;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const Upper upper = alone(*layers[i], i);
      for (const LayerEntry& entry : layers[i]->entries)
        if (is_marker(entry)) remove_lower(tree, entry, upper);
      Upper sum{tree, {}, {}};
      add_entries(sum, *layers[i], i, false);
      tree = sum.items;
    }
    return tree;
  }

 private:
  struct Upper {
    Items items;
    std::set<std::string> whiteouts, opaque;
  };

  static bool is_marker(const LayerEntry& entry) { return base_name(entry.path).starts_with(".wh."); }
  static bool is_opaque(const LayerEntry& entry) { return base_name(entry.path) == ".wh..wh..opq"; }

  static std::vector<std::string> split(std::string_view path) {
    std::vector<std::string> out;
    std::string part;
    for (const char c : std::string(path) + "/") {
      if (c != '/') {
        part += c;
      } else if (!part.empty()) {
        out.push_back(part);
        part.clear();
      }
    }
    return out;
  }

  static std::string below(const std::string& directory, const std::string& name) {
    return directory == "/" ? "/" + name : directory + "/" + name;
  }

  static void erase_below(Items& items, const std::string& path) {
    std::erase_if(items, [&](const auto& item) { return is_within(item.first, path) && item.first != path; });
  }

  /// The real directory of a folder path, missing ones made; links are followed.
  static std::string directory(Items& items, std::string_view path) {
    std::vector<std::string> todo = split(path);
    std::string at = "/";
    while (!todo.empty()) {
      const std::string name = todo.front();
      todo.erase(todo.begin());
      if (name == "..") {
        at = std::string(parent_path(at));
        continue;
      }
      const std::string child = below(at, name);
      const Item item = items[child];  // made as an implied directory when missing
      if (item.type == EntryType::symlink) {
        const auto target = split(item.link);
        todo.insert(todo.begin(), target.begin(), target.end());
        if (item.link.front() == '/') at = "/";
      } else {
        if (item.type != EntryType::directory) items[child] = {};
        at = child;
      }
    }
    return at;
  }

  static void place(Items& items, const std::string& path, const Item& item) {
    if (item.type != EntryType::directory) erase_below(items, path);
    items[path] = item;
  }

  static void add_entries(Upper& upper, const LayerIndex& layer, std::size_t number, bool markers) {
    for (Ordinal i = 0; i < layer.entries.size(); ++i) {
      const LayerEntry& entry = layer.entries[i];
      if (is_marker(entry) && !markers) continue;
      const std::string folder = directory(upper.items, parent_path(entry.path));
      const std::string name(base_name(entry.path));
      if (is_opaque(entry)) {
        upper.opaque.insert(folder);
      } else if (is_marker(entry)) {
        upper.whiteouts.insert(below(folder, name.substr(4)));
      } else if (entry.type == EntryType::hard_link) {
        Items copy = upper.items;
        const std::string target = below(directory(copy, parent_path(entry.link)), std::string(base_name(entry.link)));
        const auto found = upper.items.find(target);
        if (found == upper.items.end()) continue;  // refused
        const Item item = found->second;
        place(upper.items, below(folder, name), item);
      } else {
        const bool link = entry.type == EntryType::symlink;
        place(upper.items, below(folder, name),
              {entry.type,
               {static_cast<std::uint32_t>(number), i},
               link ? 0777 : entry.mode,
               std::string(link ? entry.link : ""),
               false});
      }
    }
  }

  static Upper alone(const LayerIndex& layer, std::size_t number) {
    Upper upper;
    add_entries(upper, layer, number, true);
    return upper;
  }

  static void lay_over(Items& tree, const Upper& upper) {
    for (const std::string& path : upper.whiteouts) {
      if (upper.items.count(path) != 0) continue;  // a plain directory or file took the marker's place
      erase_below(tree, path);
      tree.erase(path);
    }
    for (const std::string& path : upper.opaque)
      if (path != "/") erase_below(tree, path);
    for (const auto& [path, item] : upper.items) {
      const auto lower = tree.find(path);
      const bool keep = item.implied && lower != tree.end() && lower->second.type == EntryType::directory;
      if (!keep) place(tree, path, item);
    }
  }

  static void remove_lower(Items& tree, const LayerEntry& marker, const Upper& upper) {
    std::vector<std::string> todo = split(parent_path(marker.path));
    std::string at = "/";
    int hops = 0;
    while (!todo.empty()) {
      const std::string name = todo.front();
      todo.erase(todo.begin());
      if (name == "..") {
        at = std::string(parent_path(at));
        continue;
      }
      const std::string child = below(at, name);
      const auto own = upper.items.find(child);
      const auto lower = tree.find(child);
      const Item* item = lower == tree.end() ? nullptr : &lower->second;
      if (own != upper.items.end() && !own->second.implied) {
        if (own->second.type == EntryType::directory && (item == nullptr || item->type != EntryType::directory))
          return;  // a lower link of this name is replaced, not followed
        if (own->second.type != EntryType::directory) item = &own->second;
      }
      if (item == nullptr) return;
      if (item->type == EntryType::directory) {
        at = child;
      } else if (item->type == EntryType::symlink) {
        if (is_opaque(marker) && hops == 0 && todo.empty()) return;
        if (++hops > 40) return;
        const auto target = split(item->link);
        todo.insert(todo.begin(), target.begin(), target.end());
        if (item->link.front() == '/') at = "/";
      } else {
        return;
      }
    }
    if (is_opaque(marker)) return erase_below(tree, at);
    const std::string path = below(at, std::string(base_name(marker.path).substr(4)));
    erase_below(tree, path);
    tree.erase(path);
  }
};

}  // namespace ocilint::test
