// oci-archive:FILE and docker-archive:FILE, and the hybrid that Docker 25 and containerd write: both in one.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "source/archive_index.h"
#include "source/choice.h"
#include "source/docker_archive.h"
#include "source/image_graph.h"
#include "source/oci_layout.h"
#include "source/transports.h"

namespace ocilint {
namespace {

class ArchiveStore final : public BlobStore {
 public:
  explicit ArchiveStore(const ArchiveIndex& index) : index_(index) {}
  std::optional<StoredBlob> find(const Descriptor& descriptor, Kind) const override {
    const Digest& digest = descriptor.digest;
    auto blob = index_.find(fmt::format("blobs/{}/{}", to_string(digest.algorithm()), digest.hex()));
    if (blob) blob->name = digest.text();
    return blob;
  }

 private:
  const ArchiveIndex& index_;
};

class ArchiveSource final : public StoredSource {
 public:
  ArchiveSource(const Reference& reference, Seekable archive)
      : reference_(reference),
        spooled_(archive.spooled),
        oddities_(std::move(archive.oddities)),
        index_(std::move(archive.file)),
        store_(index_),
        graph_(store_, Transport::oci_archive) {
    const bool explicit_oci = reference_.transport == Transport::oci_archive;
    const bool explicit_docker = reference_.transport == Transport::docker_archive;
    const bool has_oci = index_.has("index.json");
    const bool has_docker = DockerArchive::is_in(index_);
    if (explicit_oci && !has_oci)
      throw Error(has_docker ? ErrorKind::usage : ErrorKind::corrupt,
                  fmt::format("{}: no OCI archive, index.json is not there{}", reference_.path,
                              has_docker ? "; it can be read as docker-archive:" : ""));
    if (explicit_docker && !has_docker)
      throw Error(has_oci ? ErrorKind::usage : ErrorKind::corrupt,
                  fmt::format("{}: no docker-archive, manifest.json is not there{}", reference_.path,
                              has_oci ? "; it can be read as oci-archive:" : ""));
    if (!has_oci && !has_docker)
      corrupt(
          fmt::format("{}: a tar archive, but no image: neither index.json nor manifest.json is in it (what "
                      "`docker export` writes is no image)",
                      reference_.path));
    oddities_.insert(oddities_.end(), index_.oddities().begin(), index_.oddities().end());
    if (has_oci && !explicit_docker) read_layout();
    if (has_docker && !explicit_oci) docker_ = std::make_unique<DockerArchive>(index_);
    unite();
  }

  StoredAt stored_at() const override { return stored_below(reference_.path); }
  std::uint64_t spooled() const override { return spooled_; }

 private:
  const std::vector<Choice>& choices() const override { return choices_; }
  const Reference& reference() const override { return reference_; }

  Image load(const Choice& choice) override {
    Image image =
        choice.transport == Transport::docker_archive ? docker_->load(choice, blobs_) : graph_.load(choice, blobs_);
    Reference full = reference_;
    full.transport = choice.transport;
    image.reference = full.text();
    add_documents(image);
    image.oddities.insert(image.oddities.end(), oddities_.begin(), oddities_.end());
    return image;
  }

  void read_layout() {
    graph_.add_root_index("index.json", index_.find("index.json")->text(max_document_size));
    const auto marker = index_.find("oci-layout");
    // containerd leaves the file out of what it exports for Docker.
    if (marker || !index_.has("manifest.json"))
      check_layout_marker(marker ? std::optional(marker->text(max_document_size)) : std::nullopt, oddities_);
  }

  /// Both lists as one, paired by the config's digest. Docker 25 wrote OCI manifests without layers, and
  /// indexes that miss images of manifest.json: then manifest.json is the one to believe.
  void unite() {
    choices_ = graph_.choices();
    std::size_t groups = 0;
    for (const Choice& choice : choices_) groups = std::max(groups, choice.group + 1);
    if (!docker_) return;
    for (Choice choice : docker_->choices()) {
      const auto twin = std::find_if(choices_.begin(), choices_.end(), [&](const Choice& other) {
        return other.transport == Transport::oci_archive && other.state == Choice::State::image &&
               graph_.config_digest(other) == choice.digest;
      });
      choice.group = groups + choice.index;
      if (twin == choices_.end()) {
        choices_.push_back(std::move(choice));
      } else if (!graph_.has_layers(*twin) && docker_->layer_count(choice) > 0) {
        choice.group = twin->group;
        choice.names.insert(choice.names.end(), twin->names.begin(), twin->names.end());
        choice.digests.insert(choice.digests.end(), twin->digests.begin(), twin->digests.end());
        *twin = std::move(choice);
      } else {
        for (const std::string& name : choice.names)
          if (std::count(twin->names.begin(), twin->names.end(), name) == 0) twin->names.push_back(name);
        twin->digests.push_back(choice.digest);
      }
    }
  }

  /// The lists themselves are published too.
  void add_documents(Image& image) const {
    constexpr std::pair<std::string_view, Document::Kind> lists[] = {
        {"index.json", Document::Kind::index},
        {"manifest.json", Document::Kind::manifest},
        {"repositories", Document::Kind::manifest},
    };
    for (const auto& [name, kind] : lists) {
      const bool there = std::any_of(image.documents.begin(), image.documents.end(),
                                     [name = name](const Document& document) { return document.name == name; });
      if (there || !index_.has(name)) continue;
      image.documents.push_back({kind, std::string(name), index_.find(name)->text(max_document_size)});
    }
  }

  Reference reference_;
  std::uint64_t spooled_;
  Oddities oddities_;
  ArchiveIndex index_;
  ArchiveStore store_;
  ImageGraph graph_;
  std::unique_ptr<DockerArchive> docker_;
  std::vector<Choice> choices_;
};

}  // namespace

std::unique_ptr<ImageStore> make_archive(const Reference& reference, Seekable archive) {
  return std::make_unique<ArchiveSource>(reference, std::move(archive));
}

}  // namespace ocilint
