// `ocilint diff`: what two images show differently: configuration, history, packages, files with their packages and
// layers, and the symbols of shared libraries that changed.
//
// Files are compared as the merged view has them: type, mode, owner, device, link target, bytes (SHA-256, unless both
// come from an equal layer), capabilities and, unless told not to, time. Which names share an inode is not compared.
// A library that got another file name is found again by its SONAME and folder. What cannot be told stands in
// `unread`; then nothing is called equal. Throws what reading throws. Cost: a second read of layers that
// hold files of equal size.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "look/layers.h"
#include "look/open_image.h"

namespace ocilint {

struct DiffQuestion {
  std::string other;
  bool ignore_timestamps = false;
  bool layers = false;  // what each layer brings too
};

enum class Change : std::uint8_t { added, removed, changed };
std::string_view to_string(Change);

struct DiffField {
  std::string name;  // "env PATH", "user"
  Change change = Change::changed;
  std::string before, after;
};

struct DiffPackage {
  std::string name;
  std::string manager;  // "dpkg", "apk", "python"
  Change change = Change::changed;
  std::string before, after;  // versions, with the state where that is what differs

  /// An image has one manager of its system's packages, which needs no word; libraries of languages come beside it.
  std::string title() const { return manager == "python" || manager == "node" ? name + " (" + manager + ")" : name; }
};

struct DiffHistory {
  Change change = Change::added;  // added or removed
  std::size_t entry = 0;          // of the image that has it
  std::string created_by, comment;
};

struct DiffFile {
  std::string path;
  Change change = Change::changed;
  std::vector<std::string> what;  // "content", "mode 0644 -> 0755", of an added one "file"; only "time" is nothing else
  std::optional<std::uint64_t> bytes_before, bytes_after;  // of regular files
  std::string package;                                     // that owns it, in the second image or else in the first
  std::optional<std::uint32_t> layer_before, layer_after;  // that made it; of a removed one, that removed it

  bool only_time() const { return what.size() == 1 && what.front() == "time"; }
};

struct DiffLibrary {
  std::string before, after;  // paths
  std::string soname_before, soname_after;
  std::vector<std::string> needed_added, needed_removed;
  std::vector<std::string> symbols_added, symbols_removed;  // name@@VERSION, exported ones
};

struct ImageDiff {
  LookedAt before, after;
  bool ignore_timestamps = false;
  std::size_t equal_layers = 0;                            // from the base on
  std::vector<std::string> layer_lines;                    // history lines of the second image's layers
  std::optional<ImageLayers> layers_before, layers_after;  // when they were asked for; their own `image` is empty
  std::vector<DiffField> fields;
  std::vector<DiffHistory> history;
  std::vector<DiffPackage> packages;
  std::vector<DiffFile> files;
  std::vector<DiffLibrary> libraries;
  std::size_t names_compared = 0;
  std::vector<std::string> unread;

  bool equal() const {
    return fields.empty() && history.empty() && packages.empty() && files.empty() && libraries.empty();
  }
};

ImageDiff diff_images(const RunOptions& options, const DiffQuestion& question);

}  // namespace ocilint
