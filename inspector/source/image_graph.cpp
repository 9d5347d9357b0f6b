#include "source/image_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/json.h"

namespace ocilint {
namespace {

bool contradict(const Platform& index, const Platform& config) {
  const Platform a = index.normalised();
  const Platform b = config.normalised();
  const bool os = !a.os.empty() && !b.os.empty() && a.os != b.os;
  return os || (!a.architecture.empty() && !b.architecture.empty() && a.architecture != b.architecture);
}

/// For a descriptor that states no type, or one nobody knows: what the document is.
bool looks_like_index(const std::string& text) {
  const Json json = parse_json(text);
  return member(json, "manifests") != nullptr;
}

Error not_an_image(const std::string& digest, const Manifest& manifest) {
  return Error(ErrorKind::unsupported,
               fmt::format("{} is an artifact, not an image: config of type '{}'{}{}", digest,
                           manifest.config.media_type, manifest.layers.empty() ? "" : ", layer of type ",
                           manifest.layers.empty() ? "" : manifest.layers.back().media_type));
}

}  // namespace

void refuse_unreadable_layer(std::string_view type, std::string_view layer) {
  if (media_type::is_encrypted(type))
    throw Error(ErrorKind::unsupported, fmt::format("layer {} is encrypted ({})", layer, type));
  if (media_type::is_file_system(type))
    throw Error(ErrorKind::unsupported, fmt::format("layer {} is a file system, not a tar archive ({})", layer, type));
}

void match_diff_ids(Image& image) {
  const auto& ids = image.config.diff_ids;
  if (ids.size() != image.layers.size())
    corrupt(fmt::format("the image lists {} layers, its config {} diff IDs", image.layers.size(), ids.size()));
  for (std::size_t i = 0; i < ids.size(); ++i) image.layers[i].diff_id = ids[i];
}

void ImageGraph::add_root_index(const std::string& name, std::string text) {
  const Index index = Index::parse(std::move(text));
  const auto parent = std::make_shared<const Parent>(Parent{name, index.raw, nullptr});
  std::vector<Visit> pending;
  // Last in, first out: pushed in reverse, so that the choices keep the order of the list.
  for (std::size_t i = index.manifests.size(); i-- > 0;) {
    const Descriptor& descriptor = index.manifests[i];
    Visit at{descriptor, parent, 1, i, {}, {}};
    for (const char* key : {"org.opencontainers.image.ref.name", "io.containerd.image.name"}) {
      const std::string found = descriptor.annotation(key);
      if (!found.empty() && std::count(at.names.begin(), at.names.end(), found) == 0) at.names.push_back(found);
    }
    // The full name is the better one to show.
    if (at.names.size() == 2) std::swap(at.names[0], at.names[1]);
    pending.push_back(std::move(at));
  }
  walk(std::move(pending));
}

void ImageGraph::add_root_manifest(std::string text) {
  auto manifest = std::make_shared<const Manifest>(Manifest::parse(std::move(text)));
  Visit at;
  at.descriptor.digest = Digest::sha256_of(manifest->raw);
  at.descriptor.size = manifest->raw.size();
  at.descriptor.media_type = manifest->media_type;
  const bool image = manifest->is_image();
  add(at, std::move(manifest), image ? Choice::State::image : Choice::State::artifact, std::nullopt);
}

void ImageGraph::walk(std::vector<Visit> pending) {
  while (!pending.empty()) {
    const Visit at = std::move(pending.back());
    pending.pop_back();
    if (++visits_ > max_manifests)
      throw Error(ErrorKind::limit, fmt::format("the indexes lead to more than {} manifests", max_manifests));
    visit(at, pending);
  }
}

void ImageGraph::visit(const Visit& at, std::vector<Visit>& pending) {
  const Descriptor& descriptor = at.descriptor;
  const std::string digest = descriptor.digest.text();
  if (descriptor.is_attestation()) {
    attestations_.push_back({descriptor, nullptr, at.parent});
    return;
  }
  // "unknown" is what builders state of what they attach: only the manifest tells whether it is an image.
  const bool chosen_later = reading_ == Reading::chosen && media_type::is_manifest(descriptor.media_type) &&
                            !descriptor.platform.empty() && descriptor.platform.os != "unknown";
  if (chosen_later) {
    add(at, nullptr, Choice::State::image, std::nullopt);
    return;
  }
  auto known = documents_.find(digest);
  if (known == documents_.end()) {
    try {
      const auto blob = store_.find(descriptor, BlobStore::Kind::manifest);
      if (!blob) {
        add(at, nullptr, Choice::State::missing,
            Error(ErrorKind::not_found, fmt::format("manifest {} is listed, but it is not there", digest)));
        return;
      }
      known = documents_.emplace(digest, read_verified(*blob, descriptor)).first;
    } catch (const Error& e) {
      // What could not be asked for is no image that is broken: it may be the one that is meant.
      if (e.kind() == ErrorKind::network || e.kind() == ErrorKind::auth) throw;
      add(at, nullptr, e.kind() == ErrorKind::not_found ? Choice::State::missing : Choice::State::broken, e);
      return;
    }
    documents_size_ += known->second.size();
    if (documents_size_ > max_documents_size)
      throw Error(ErrorKind::limit, fmt::format("the manifests have more than {} bytes", max_documents_size));
  } else if (known->second.size() != descriptor.size) {
    add(at, nullptr, Choice::State::broken,
        Error(ErrorKind::corrupt, fmt::format("{}: two descriptors state different sizes", digest)));
    return;
  }
  try {
    const std::string& type = descriptor.media_type;
    const bool typed = media_type::is_index(type) || media_type::is_manifest(type);
    if (!typed && !type.empty()) {
      add(at, nullptr, Choice::State::artifact,
          Error(ErrorKind::unsupported, fmt::format("{} is no image: its media type is '{}'", digest, type)));
      return;
    }
    if (typed ? media_type::is_index(type) : looks_like_index(known->second)) {
      const Index index = Index::parse(known->second, type);
      if (at.depth >= max_index_depth)
        throw Error(ErrorKind::limit, fmt::format("index {}: indexes nest more than {} deep", digest, max_index_depth));
      const auto parent = std::make_shared<const Parent>(Parent{digest, index.raw, at.parent});
      for (std::size_t i = index.manifests.size(); i-- > 0;) {
        Visit below{index.manifests[i], parent, at.depth + 1, at.group, at.names, at.digests};
        below.digests.push_back(digest);
        pending.push_back(std::move(below));
      }
      return;
    }
    auto manifest = std::make_shared<const Manifest>(Manifest::parse(known->second, type));
    const bool image = manifest->is_image();
    add(at, std::move(manifest), image ? Choice::State::image : Choice::State::artifact, std::nullopt);
  } catch (Error& e) {
    if (e.kind() == ErrorKind::limit) throw;
    e.within(digest);
    add(at, nullptr, Choice::State::broken, e);
  }
}

void ImageGraph::add(const Visit& at, std::shared_ptr<const Manifest> manifest, Choice::State state,
                     std::optional<Error> problem) {
  Choice choice;
  choice.state = state;
  choice.transport = transport_;
  choice.group = choice.index = at.group;
  choice.names = at.names;
  choice.digest = at.descriptor.digest.text();
  choice.digests = at.digests;
  choice.digests.push_back(choice.digest);
  choice.platform = at.descriptor.platform;
  choice.problem = std::move(problem);
  choice.item = nodes_.size();
  if (state == Choice::State::image && manifest && choice.platform.empty())
    choice.platform = config_platform(*manifest);
  if (state == Choice::State::artifact && !choice.problem) choice.problem = not_an_image(choice.digest, *manifest);
  nodes_.push_back({at.descriptor, std::move(manifest), at.parent});
  choices_.push_back(std::move(choice));
}

std::shared_ptr<const Manifest> ImageGraph::manifest_of(const Node& node) const {
  if (node.manifest) return node.manifest;
  const std::string digest = node.descriptor.digest.text();
  const auto blob = store_.find(node.descriptor, BlobStore::Kind::manifest);
  if (!blob) throw Error(ErrorKind::not_found, fmt::format("manifest {} is listed, but it is not there", digest));
  try {
    auto out = std::make_shared<const Manifest>(
        Manifest::parse(read_verified(*blob, node.descriptor), node.descriptor.media_type));
    if (!out->is_image()) throw not_an_image(digest, *out);
    return out;
  } catch (Error& e) {
    e.within(digest);
    throw;
  }
}

/// Only to choose by: whatever is wrong with the config is said when the image is loaded.
Platform ImageGraph::config_platform(const Manifest& manifest) {
  try {
    const auto blob = store_.find(manifest.config, BlobStore::Kind::blob);
    if (!blob) return {};
    std::string text = read_verified(*blob, manifest.config);
    Platform out = Config::parse(text).platform;
    if (reading_ == Reading::chosen && text.size() <= max_documents_size - documents_size_) {
      documents_size_ += text.size();
      configs_.emplace(manifest.config.digest.text(), std::move(text));
    }
    return out;
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::network || e.kind() == ErrorKind::auth) throw;
  }
  return {};
}

std::string ImageGraph::config_digest(const Choice& choice) const {
  const auto& manifest = nodes_.at(choice.item).manifest;
  return manifest ? manifest->config.digest.text() : std::string();
}

bool ImageGraph::has_layers(const Choice& choice) const {
  const auto& manifest = nodes_.at(choice.item).manifest;
  return manifest && !manifest->layers.empty();
}

Image ImageGraph::load(const Choice& choice, std::vector<StoredBlob>& blobs) const {
  const Node& node = nodes_.at(choice.item);
  const std::shared_ptr<const Manifest> held = manifest_of(node);
  const Manifest& manifest = *held;
  Image image;
  image.manifest_digest = choice.digest;
  std::vector<const Parent*> above;
  for (const Parent* parent = node.parent.get(); parent != nullptr; parent = parent->above.get())
    above.push_back(parent);
  for (auto parent = above.rbegin(); parent != above.rend(); ++parent)
    image.documents.push_back({Document::Kind::index, (*parent)->name, (*parent)->text});
  image.documents.push_back({Document::Kind::manifest, choice.digest, manifest.raw});

  const std::string config_name = manifest.config.digest.text();
  const auto config = store_.find(manifest.config, BlobStore::Kind::blob);
  if (!config)
    throw Error(ErrorKind::not_found, fmt::format("config {} of image {} is not there", config_name, choice.digest));
  try {
    const auto known = configs_.find(config_name);
    const bool same = known != configs_.end() && known->second.size() == manifest.config.size;
    image.config = Config::parse(same ? known->second : read_verified(*config, manifest.config));
  } catch (Error& e) {
    e.within(fmt::format("config {}", config_name));
    throw;
  }
  image.documents.push_back({Document::Kind::config, config_name, image.config.raw});
  image.platform = node.descriptor.platform.empty() ? image.config.platform : node.descriptor.platform;
  if (contradict(node.descriptor.platform, image.config.platform))
    corrupt(fmt::format("image {}: the index says {}, its config {}", choice.digest, node.descriptor.platform.text(),
                        image.config.platform.text()));
  add_layers(manifest, image, blobs);
  match_diff_ids(image);
  add_attestations(node, image);
  note_dangling(image);
  return image;
}

StoredBlob ImageGraph::layer_blob(const Descriptor& layer, const std::string& label) const {
  refuse_unreadable_layer(layer.media_type, label);
  auto blob = store_.find(layer, BlobStore::Kind::blob);
  if (!blob && (media_type::is_foreign_layer(layer.media_type) || !layer.urls.empty()))
    throw Error(ErrorKind::unsupported, fmt::format("layer {} is foreign: it is kept elsewhere ({})", label,
                                                    layer.urls.empty() ? layer.media_type : layer.urls.front()));
  if (!blob) throw Error(ErrorKind::not_found, fmt::format("layer {} is not there", label));
  if (blob->size != layer.size)
    corrupt(fmt::format("layer {}: {} bytes are stored, its descriptor says {}", label, blob->size, layer.size));
  return std::move(*blob);
}

void ImageGraph::add_layers(const Manifest& manifest, Image& image, std::vector<StoredBlob>& blobs) const {
  for (std::size_t i = 0; i < manifest.layers.size(); ++i) {
    const Descriptor& layer = manifest.layers[i];
    const std::string name = layer.digest.text();
    const std::string label = fmt::format("{} ({})", i, name);
    StoredBlob blob;
    blob.name = name;
    std::optional<Error> problem;
    try {
      blob = layer_blob(layer, label);
    } catch (const Error& error) {
      problem = error;  // of whoever needs the layer
    }
    image.layers.push_back({name, layer.media_type, layer.digest, layer.size, std::nullopt, blobs.size(), problem});
    blobs.push_back(std::move(blob));
  }
}

void ImageGraph::add_attestations(const Node& node, Image& image) const {
  std::set<std::string> done;
  std::uint64_t size = 0;
  const auto keep = [&](Document::Kind kind, const std::string& name, std::string text) {
    size += text.size();
    if (size > max_documents_size)
      throw Error(ErrorKind::limit, fmt::format("the attestations have more than {} bytes", max_documents_size));
    image.documents.push_back({kind, name, std::move(text)});
  };
  for (const Node& attestation : attestations_) {
    const std::string about = attestation.descriptor.annotation("vnd.docker.reference.digest");
    if (!about.empty() && about != image.manifest_digest) continue;
    if (about.empty() && attestation.parent != node.parent) continue;
    const std::string name = attestation.descriptor.digest.text();
    if (!done.insert(name).second) continue;
    std::string at = name;
    try {
      const auto blob = store_.find(attestation.descriptor, BlobStore::Kind::manifest);
      if (!blob) continue;  // counted as dangling
      const Manifest manifest =
          Manifest::parse(read_verified(*blob, attestation.descriptor), attestation.descriptor.media_type);
      keep(Document::Kind::attestation_manifest, name, manifest.raw);
      for (const Descriptor& layer : manifest.layers) {
        at = layer.digest.text();
        if (!done.insert(at).second) continue;
        const auto statement = store_.find(layer, BlobStore::Kind::blob);
        if (!statement) throw Error(ErrorKind::not_found, "it is not there");
        keep(Document::Kind::attestation, at, read_verified(*statement, layer, max_attestation_size));
      }
    } catch (const Error& e) {
      if (size > max_documents_size) throw;
      image.oddities.push_back({"attestation-unreadable", at, e.what()});
    }
  }
}

/// Partial copies of images for several platforms are usual: one oddity for all that is absent.
void ImageGraph::note_dangling(Image& image) const {
  std::set<std::string> absent;
  for (const Choice& choice : choices_)
    if (choice.state == Choice::State::missing) absent.insert(choice.digest);
  for (const Node& attestation : attestations_)
    if (!store_.find(attestation.descriptor, BlobStore::Kind::manifest))
      absent.insert(attestation.descriptor.digest.text());
  if (absent.empty()) return;
  image.oddities.push_back(
      {"dangling-descriptor", *absent.begin(),
       fmt::format("{} listed manifests of other images or platforms are not there", absent.size())});
}

}  // namespace ocilint
