// dir:PATH, what skopeo writes: manifest.json and blobs named by their bare hex digest, flat.
#include <fmt/format.h>

#include "base/error.h"
#include "base/json.h"
#include "oci/legacy.h"
#include "source/choice.h"
#include "source/image_graph.h"
#include "source/transports.h"

namespace ocilint {
namespace {

class FlatStore final : public BlobStore {
 public:
  explicit FlatStore(std::string folder) : folder_(std::move(folder)) {}
  std::optional<StoredBlob> find(const Descriptor& descriptor, Kind) const override { return find(descriptor.digest); }
  std::optional<StoredBlob> find(const Digest& digest) const {
    const std::string hex = digest.hex();
    const std::string algorithm(to_string(digest.algorithm()));
    // Manifests of a list have a name of their own; other algorithms than sha256 are spelt out by newer
    // writers.
    for (const std::string& name : {hex, hex + ".manifest.json", algorithm + "-" + hex})
      if (auto blob = StoredBlob::in_folder(folder_ + "/" + name, digest.text())) return blob;
    return std::nullopt;
  }

 private:
  std::string folder_;
};

class Dir final : public StoredSource {
 public:
  explicit Dir(const Reference& reference)
      : reference_(reference), store_(reference.path), graph_(store_, Transport::dir) {
    const auto manifest = StoredBlob::in_folder(reference_.path + "/manifest.json", "manifest.json");
    if (!manifest) throw Error(ErrorKind::not_found, fmt::format("{}: manifest.json is not there", reference_.path));
    std::string text = manifest->text(max_document_size);
    const Json json = parse_json(text);
    if (Schema1::is(json)) {
      schema1_ = Schema1::parse(std::move(text));
      choose_schema1();
    } else if (member(json, "manifests") != nullptr) {
      graph_.add_root_index("manifest.json", std::move(text));
    } else {
      graph_.add_root_manifest(std::move(text));
    }
  }

  StoredAt stored_at() const override { return stored_below(reference_.path); }

 private:
  const std::vector<Choice>& choices() const override { return schema1_ ? schema1_choice_ : graph_.choices(); }
  const Reference& reference() const override { return reference_; }

  Image load(const Choice& choice) override {
    Image image = schema1_ ? load_schema1() : graph_.load(choice, blobs_);
    image.reference = reference_.text();
    return image;
  }

  void choose_schema1() {
    Choice& only = schema1_choice_.emplace_back();
    only.digest = Digest::sha256_of(schema1_->raw).text();
    only.platform = config_of_chain(schema1_->chain).platform;
    only.transport = Transport::dir;
  }

  Image load_schema1() {
    Image image;
    image.manifest_digest = schema1_choice_.front().digest;
    image.documents.push_back({Document::Kind::manifest, image.manifest_digest, schema1_->raw});
    image.config = config_of_chain(schema1_->chain);
    image.platform = image.config.platform;
    image.documents.push_back({Document::Kind::config, "v1Compatibility", image.config.raw});
    for (std::size_t i = 0; i + 1 < schema1_->chain.size(); ++i)
      image.documents.push_back(
          {Document::Kind::legacy_config, fmt::format("v1Compatibility of layer {}", i), schema1_->chain[i]});

    for (const Schema1::Layer& layer : schema1_->layers) {
      if (layer.throwaway) continue;
      const std::string name = layer.digest.text();
      if (auto blob = store_.find(layer.digest)) {
        image.layers.push_back({name, {}, layer.digest, blob->size, std::nullopt, blobs_.size()});
        blobs_.push_back(std::move(*blob));
      } else {
        Error absent(ErrorKind::not_found, fmt::format("layer {} is not there", name));
        image.layers.push_back({name, {}, layer.digest, std::nullopt, std::nullopt, blobs_.size(), std::move(absent)});
        blobs_.emplace_back().name = name;
      }
    }
    if (!image.config.diff_ids.empty()) match_diff_ids(image);
    return image;
  }

  Reference reference_;
  FlatStore store_;
  ImageGraph graph_;
  std::optional<Schema1> schema1_;
  std::vector<Choice> schema1_choice_;
};

}  // namespace

std::unique_ptr<ImageStore> make_dir(const Reference& reference) { return std::make_unique<Dir>(reference); }

}  // namespace ocilint
