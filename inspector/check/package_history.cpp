#include "check/package_history.h"

#include <algorithm>

#include "base/error.h"

namespace ocilint {
namespace {

const DpkgPackage* find(const DpkgStatus& status, std::string_view name, std::string_view architecture) {
  const DpkgPackage* found = nullptr;
  for (const DpkgPackage& package : status.packages)
    if (package.name == name && (architecture.empty() || package.architecture == architecture))
      if (found == nullptr || package.installed()) found = &package;
  return found;
}

}  // namespace

std::optional<InodeId> inode_at(const std::vector<Event>& story, std::uint32_t layer) {
  std::optional<InodeId> inode;
  for (const Event& event : story) {
    if (event.layer > layer) break;
    inode = event.shows() ? std::optional(event.inode) : std::nullopt;
  }
  return inode;
}

Digest digest_of(const ImageView& image, InodeId inode, Algorithm algorithm) {
  if (algorithm == Algorithm::sha256) return image.sha256(inode);
  if (algorithm == Algorithm::sha1) return image.sha1(inode);
  return Digest(Algorithm::md5, image.md5(inode));
}

const LayerEntry* entry_of(const ImageView& image, InodeId inode) {
  if (!inode.created()) return nullptr;
  return &image.scanned().facts.layers().at(inode.layer).entries.at(inode.ordinal);
}

const std::map<std::string, Digest, std::less<>>& PackageHistory::digests_of(InodeId list) {
  const auto [at, fresh] = digests_.try_emplace(list);
  if (!fresh) return at->second;
  try {
    for (DpkgMd5sums::Entry& entry : DpkgMd5sums::parse(image_.content(list)).entries)
      at->second.insert_or_assign(std::move(entry.path), entry.digest);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
  }
  return at->second;
}

const DpkgStatus* PackageHistory::status_of(InodeId inode) {
  const auto [at, fresh] = statuses_.try_emplace(inode);
  if (fresh) {
    try {
      at->second = DpkgStatus::parse(image_.content(inode));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      status_problems_[inode] = error.what();
    }
  }
  return at->second ? &*at->second : nullptr;
}

const std::vector<Event>& PackageHistory::status_story() {
  if (!status_story_) {
    const std::string& path = image_.packages().status_path();
    status_story_ = path.empty() ? std::vector<Event>() : image_.tree().story(path);
  }
  return *status_story_;
}

const DpkgStatus* PackageHistory::status_at(std::uint32_t layer) {
  const auto inode = inode_at(status_story(), layer);
  return inode ? status_of(*inode) : nullptr;
}

std::string PackageHistory::status_problem(std::uint32_t layer) {
  const auto inode = inode_at(status_story(), layer);
  if (!inode || status_of(*inode) != nullptr) return {};
  return status_problems_.at(*inode);
}

std::optional<Digest> PackageHistory::digest_at(std::uint32_t layer, const Package& package,
                                                std::string_view recorded) {
  if (const auto list = inode_at(image_.tree().story(package.digests_path), layer)) {
    const auto& digests = digests_of(*list);
    if (const auto hit = digests.find(recorded); hit != digests.end()) return hit->second;
  }
  const DpkgStatus* const status = status_at(layer);
  if (status == nullptr) return std::nullopt;
  const DpkgPackage* const control = find(*status, package.control.name, package.control.architecture);
  if (control == nullptr) return std::nullopt;
  for (const Conffile& conffile : control->conffiles)
    if (conffile.path == recorded && !conffile.digest.empty()) return conffile.digest;
  return std::nullopt;
}

std::optional<PackageHistory::Replacement> PackageHistory::lost_replacement(const Package& package,
                                                                            const PackageFile& file,
                                                                            std::string_view canonical) {
  const Digest& stock = file.conffile != nullptr ? file.conffile->digest : *file.digest;
  std::optional<Replacement> lost;
  bool is_back = false;
  for (const Event& event : image_.tree().story(canonical)) {
    const LayerEntry* const entry = event.shows() ? entry_of(image_, event.inode) : nullptr;
    if (entry == nullptr) continue;
    const std::optional<Digest> recorded = digest_at(event.layer, package, file.recorded);
    const bool regular = entry->type == EntryType::file;
    if (!regular && !recorded) continue;
    const Digest expected = recorded.value_or(stock);
    const Digest found = regular ? digest_of(image_, event.inode, expected.algorithm()) : Digest();
    if (found != expected) {
      lost = Replacement{.layer = event.layer, .back = 0, .digest = found, .before_package = !recorded};
      is_back = false;
    } else if (lost && !is_back) {
      lost->back = event.layer;
      is_back = true;
    }
  }
  return is_back ? lost : std::nullopt;
}

std::optional<PackageHistory::Removal> PackageHistory::removal(std::string_view name, std::string_view architecture) {
  const std::vector<Event>& story = status_story();
  std::optional<std::uint32_t> after;
  for (auto event = story.rbegin(); event != story.rend(); ++event) {
    const DpkgStatus* const status = event->shows() ? status_of(event->inode) : nullptr;
    const DpkgPackage* const package = status == nullptr ? nullptr : find(*status, name, architecture);
    if (package != nullptr && package->installed()) {
      if (!after) return std::nullopt;
      return Removal{*after, package->version};
    }
    after = event->layer;
  }
  return std::nullopt;
}

}  // namespace ocilint
