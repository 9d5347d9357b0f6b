#include "cases/memory_image.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/json.h"
#include "oci/reference.h"
#include "source/image_graph.h"

namespace ocilint {
namespace {

using SharedText = std::shared_ptr<const std::string>;

class TextStream final : public ByteStream {
 public:
  explicit TextStream(SharedText text) : text_(std::move(text)) {}
  std::size_t read(std::span<std::uint8_t> into) override {
    const std::size_t count = std::min(into.size(), text_->size() - at_);
    if (count > 0) std::memcpy(into.data(), text_->data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  SharedText text_;
  std::size_t at_ = 0;
};

class MemoryStore final : public BlobStore {
 public:
  std::optional<StoredBlob> find(const Descriptor& descriptor, Kind) const override {
    const std::string name = descriptor.digest.text();
    const auto found = texts_.find(name);
    if (found == texts_.end()) return std::nullopt;
    StoredBlob out;
    out.name = name;
    out.size = found->second->size();
    out.remote = [text = found->second]() -> std::unique_ptr<ByteStream> { return std::make_unique<TextStream>(text); };
    return out;
  }

  /// Keeps a blob and gives its descriptor.
  Json put(std::string text, const char* media_type) {
    const std::string digest = Digest::sha256_of(text).text();
    const std::size_t size = text.size();
    texts_[digest] = std::make_shared<const std::string>(std::move(text));
    return {{"mediaType", media_type}, {"digest", digest}, {"size", size}};
  }

 private:
  std::map<std::string, SharedText> texts_;
};

class MemorySource final : public ImageStore {
 public:
  MemorySource(const DescribedImage& image, std::string name) : name_(std::move(name)), graph_(store_, Transport::dir) {
    Json manifest{{"schemaVersion", 2}, {"mediaType", "application/vnd.oci.image.manifest.v1+json"}};
    manifest["config"] = store_.put(image.configuration().dump(), "application/vnd.oci.image.config.v1+json");
    manifest["layers"] = Json::array();
    for (const DescribedLayer& layer : image.layers)
      manifest["layers"].push_back(store_.put(layer.archive, "application/vnd.oci.image.layer.v1.tar"));
    for (const auto& [key, value] : image.annotations) manifest["annotations"][key] = value;
    graph_.add_root_manifest(manifest.dump());
  }

  Image resolve(const Selection& selection) override {
    const Reference itself{Transport::dir, name_, "", std::nullopt};
    Image image = graph_.load(choose(graph_.choices(), itself, selection.platform), blobs_);
    image.reference = name_;
    return image;
  }

  std::vector<ListedImage> every() const override {
    const Choice& only = graph_.choices().front();
    return {{only.platform, only.digest}};
  }
  Image resolve_listed(const ListedImage&) override { return resolve({}); }

  std::unique_ptr<ByteStream> open(const LayerSource& layer) const override {
    if (layer.problem) throw *layer.problem;
    return blobs_.at(layer.blob).stream();
  }

 private:
  std::string name_;
  MemoryStore store_;
  ImageGraph graph_;
  std::vector<StoredBlob> blobs_;
};

}  // namespace

std::unique_ptr<ImageStore> make_memory_source(const DescribedImage& image, std::string name) {
  return std::make_unique<MemorySource>(image, std::move(name));
}

}  // namespace ocilint
