// docker://HOST/NAME:TAG, an image of a registry.
#include <fmt/format.h>

#include "base/error.h"
#include "source/choice.h"
#include "source/image_graph.h"
#include "source/registry.h"
#include "source/transports.h"

namespace ocilint {
namespace {

/// Signatures, SBOMs and reports that others attached: enough to look at, and no endless list.
constexpr std::size_t max_referrers = 100;

class RegistrySource final : public StoredSource {
 public:
  RegistrySource(const Reference& reference, const RegistryOptions& options)
      : reference_(reference),
        name_(RegistryName::parse(reference.path)),
        registry_(name_, options),
        graph_(registry_, Transport::registry, ImageGraph::Reading::chosen) {
    reference_.path = name_.text();
    Registry::Root root = registry_.root();
    // From here on the name is the digest that the tag had.
    name_.digest = root.digest;
    if (media_type::is_index(root.media_type))
      graph_.add_root_index(root.digest.text(), std::move(root.text));
    else
      graph_.add_root_manifest(std::move(root.text));
  }

  StoredAt stored_at() const override { return {"docker://" + name_.image(), "docker://" + name_.host}; }

 private:
  const std::vector<Choice>& choices() const override { return graph_.choices(); }
  const Reference& reference() const override { return reference_; }

  Image load(const Choice& choice) override {
    Image image = graph_.load(choice, blobs_);
    image.reference = "docker://" + name_.text();
    add_referrers(image);
    return image;
  }

  /// What refers to the image is published with it. What cannot be read of it is said, not left out.
  void add_referrers(Image& image) const {
    const Digest subject = Digest::parse(image.manifest_digest);
    const auto unread = [&](const std::string& of, const std::string& why) {
      image.oddities.push_back({"attestation-unreadable", of, why});
    };
    std::uint64_t size = 0;
    try {
      const auto text = registry_.referrers(subject);
      if (!text) return;
      const Index index = Index::parse(*text);
      for (std::size_t i = 0; i < index.manifests.size(); ++i) {
        if (i == max_referrers) {
          unread("referrers", fmt::format("there are {}, {} are read", index.manifests.size(), max_referrers));
          return;
        }
        const Descriptor& referrer = index.manifests[i];
        try {
          add_referrer(image, referrer, subject, size);
        } catch (const Error& error) {
          unread(referrer.digest.text(), error.what());
        }
      }
    } catch (const Error& error) {
      unread("referrers", error.what());
    }
  }

  void add_referrer(Image& image, const Descriptor& referrer, const Digest& subject, std::uint64_t& size) const {
    const auto blob = registry_.find(referrer, BlobStore::Kind::manifest);
    const Manifest manifest = Manifest::parse(read_verified(*blob, referrer), referrer.media_type);
    // A list may name what does not refer to this image at all.
    if (!manifest.subject || manifest.subject->digest != subject) return;
    keep(image, Document::Kind::attestation_manifest, referrer.digest.text(), manifest.raw, size);
    for (const Descriptor& layer : manifest.layers) {
      const auto statement = registry_.find(layer, BlobStore::Kind::blob);
      keep(image, Document::Kind::attestation, layer.digest.text(),
           read_verified(*statement, layer, max_attestation_size), size);
    }
  }

  static void keep(Image& image, Document::Kind kind, const std::string& name, std::string text, std::uint64_t& size) {
    size += text.size();
    if (size > max_documents_size)
      throw Error(ErrorKind::limit, fmt::format("what refers to the image has more than {} bytes", max_documents_size));
    image.documents.push_back({kind, name, std::move(text)});
  }

  Reference reference_;
  RegistryName name_;
  Registry registry_;
  ImageGraph graph_;
};

}  // namespace

std::unique_ptr<ImageStore> make_registry(const Reference& reference, const RegistryOptions& options) {
  return std::make_unique<RegistrySource>(reference, options);
}

}  // namespace ocilint
