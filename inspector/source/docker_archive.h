// What `docker save` and its imitators write (moby image/spec; no formal specification): manifest.json with
// configs and layer paths; before Docker 1.10 `repositories` and a chain of <id>/json.
//
// Paths in manifest.json are opaque: links are followed inside the archive, repeats are allowed. Throws
// Error{corrupt, not_found, limit}. The index must outlive this.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "source/archive_index.h"
#include "source/choice.h"
#include "source/source.h"

namespace ocilint {

class DockerArchive {
 public:
  static bool is_in(const ArchiveIndex& index);
  explicit DockerArchive(const ArchiveIndex& index);

  const std::vector<Choice>& choices() const { return choices_; }
  std::size_t layer_count(const Choice& choice) const { return items_.at(choice.item).layers.size(); }
  Image load(const Choice& choice, std::vector<StoredBlob>& blobs) const;

 private:
  struct Item {
    std::string config;               // path; empty before 1.10
    std::vector<std::string> layers;  // paths, base first
    std::vector<std::string> chain;   // of before 1.10: the v1 documents, base first
    Json sources;                     // LayerSources, by diff ID
  };

  void read_manifest(std::string text);
  void read_legacy();
  void add_legacy(const std::string& id, std::vector<std::string> names);
  void add(Item item, Choice choice);
  std::string document(const std::string& name, std::uint64_t most) const;
  void add_layers(const Item& item, Image& image, std::vector<StoredBlob>& blobs) const;
  void use_layer_sources(const Item& item, Image& image) const;

  const ArchiveIndex& index_;
  std::vector<Item> items_;
  std::vector<Choice> choices_;
};

}  // namespace ocilint
