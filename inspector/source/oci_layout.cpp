// oci:DIR, a folder after OCI image-layout.md.
#include "source/oci_layout.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/json.h"
#include "source/choice.h"
#include "source/image_graph.h"
#include "source/transports.h"

namespace ocilint {
namespace {

class FolderStore final : public BlobStore {
 public:
  explicit FolderStore(std::string folder) : folder_(std::move(folder)) {}
  std::optional<StoredBlob> find(const Descriptor& descriptor, Kind) const override {
    const Digest& digest = descriptor.digest;
    return StoredBlob::in_folder(fmt::format("{}/blobs/{}/{}", folder_, to_string(digest.algorithm()), digest.hex()),
                                 digest.text());
  }

 private:
  std::string folder_;
};

class OciLayout final : public StoredSource {
 public:
  explicit OciLayout(const Reference& reference)
      : reference_(reference), store_(reference.path), graph_(store_, Transport::oci) {
    const auto index = StoredBlob::in_folder(reference_.path + "/index.json", "index.json");
    if (!index)
      throw Error(ErrorKind::not_found, fmt::format("{}: no OCI layout, index.json is not there", reference_.path));
    graph_.add_root_index("index.json", index->text(max_document_size));
    const auto marker = StoredBlob::in_folder(reference_.path + "/oci-layout", "oci-layout");
    check_layout_marker(marker ? std::optional(marker->text(max_document_size)) : std::nullopt, oddities_);
  }

  StoredAt stored_at() const override { return stored_below(reference_.path); }

 private:
  const std::vector<Choice>& choices() const override { return graph_.choices(); }
  const Reference& reference() const override { return reference_; }
  Image load(const Choice& choice) override {
    Image image = graph_.load(choice, blobs_);
    image.reference = reference_.text();
    image.oddities.insert(image.oddities.end(), oddities_.begin(), oddities_.end());
    return image;
  }

  Reference reference_;
  FolderStore store_;
  ImageGraph graph_;
  Oddities oddities_;
};

}  // namespace

void check_layout_marker(const std::optional<std::string>& text, Oddities& oddities) {
  if (!text) {
    oddities.push_back({"oci-layout-marker", "oci-layout", "the layout has no file oci-layout"});
    return;
  }
  std::string version;
  try {
    version = json_string(parse_json(*text), "imageLayoutVersion");
  } catch (const Error& e) {
    oddities.push_back({"oci-layout-marker", "oci-layout", e.what()});
    return;
  }
  if (version != "1.0.0")
    oddities.push_back({"oci-layout-marker", "oci-layout", fmt::format("the layout's version is '{}'", version)});
}

std::unique_ptr<ImageStore> make_oci_layout(const Reference& reference) {
  return std::make_unique<OciLayout>(reference);
}

}  // namespace ocilint
