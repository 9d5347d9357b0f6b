#include "check/installed_comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/package_history.h"

namespace ocilint {
namespace {

std::string text_of(const Digest& digest) { return fmt::format("{} {}", to_string(digest.algorithm()), digest.hex()); }

bool matches_text(const RecordedDigest& digest, std::string_view text) {
  Hasher hasher(digest.algorithm);
  hasher.update(as_bytes(text));
  return digest.matches(hasher.finish());
}

class Comparer {
 public:
  Comparer(const ImageView& image, std::string_view path, const InstalledClaim& claim)
      : image_(image), path_(path), file_(*claim.file) {
    verdict_.claim = claim;
  }

  InstalledVerdict compare() {
    if (file_.type == InstalledFile::Type::other) return end(FileState::other);
    const auto at = image_.tree().find(path_);
    if (!at) return absent();
    if (file_.type == InstalledFile::Type::presence) return end(FileState::other);
    const Node& node = image_.tree()[*at];
    switch (node.type) {
      case EntryType::symlink: return link(node);
      case EntryType::file: return file(node);
      default: verdict_.text = fmt::format("a {}", to_string(node.type)); return end(FileState::type_changed);
    }
  }

 private:
  InstalledVerdict end(FileState state) {
    verdict_.state = state;
    return std::move(verdict_);
  }

  bool may_be_link() const { return file_.type == InstalledFile::Type::link || file_.links_mode; }

  InstalledVerdict absent() {
    if (file_.optional) return end(FileState::excluded);
    if (file_.configuration) return end(FileState::conffile_missing);
    verdict_.text = may_be_link() ? "link" : "file";
    return end(FileState::missing);
  }

  InstalledVerdict link(const Node& node) {
    const Resolution at = image_.resolve(path_);
    verdict_.text = fmt::format("a symbolic link to {}{}", node.link,
                                at.found()                              ? ""
                                : at.status == Resolution::Status::loop ? ", a loop"
                                                                        : ", which does not exist");
    if (at.found()) verdict_.target = at.path;
    if (file_.type == InstalledFile::Type::link) {
      verdict_.compared = true;
      verdict_.expected = "a link to " + file_.link;
      verdict_.actual = fmt::format("a link to {}", node.link);
      return end(file_.link == node.link ? FileState::same : FileState::redirected);
    }
    if (file_.type == InstalledFile::Type::file_or_link) {
      if (!file_.digest || !file_.digest->usable())
        return end(file_.links_mode ? FileState::link : FileState::type_changed);
      verdict_.compared = true;
      verdict_.expected = file_.digest->text();
      verdict_.actual = verdict_.text;
      if (matches_text(*file_.digest, node.link)) return end(FileState::same);
      if (file_.links_mode) return end(FileState::redirected);
    }
    return end(file_.configuration ? FileState::conffile_modified : FileState::type_changed);
  }

  InstalledVerdict file(const Node& node) {
    if (file_.type == InstalledFile::Type::link) {
      verdict_.expected = "a link to " + file_.link;
      verdict_.actual = "a regular file";
      verdict_.compared = true;
      return end(FileState::without_digest);
    }
    if (!file_.digest || !file_.digest->usable()) return end(FileState::unverifiable);
    const Digest actual = digest_of(image_, node.inode, file_.digest->algorithm);
    verdict_.compared = true;
    verdict_.expected = file_.digest->text();
    verdict_.actual = text_of(actual);
    if (file_.digest->matches(actual)) return end(FileState::same);
    if (file_.links_mode) return end(FileState::without_digest);
    return end(file_.configuration ? FileState::conffile_modified : FileState::modified);
  }

  const ImageView& image_;
  std::string_view path_;
  const InstalledFile& file_;
  InstalledVerdict verdict_;
};

/// The verdict that speaks for a path: one who has it as it is, then one who compared it.
int rank(const InstalledVerdict& verdict) {
  if (verdict.state == FileState::same) return 3;
  if (verdict.compared) return 2;
  return verdict.state == FileState::other || verdict.state == FileState::excluded ? 0 : 1;
}

}  // namespace

bool has_own_bytes(const InstalledFile& file) {
  return file.type == InstalledFile::Type::file || file.type == InstalledFile::Type::file_or_link;
}

InstalledIndex::InstalledIndex(const InstalledPackages& packages) {
  for (const Installed& package : packages.packages)
    for (const InstalledFile& file : package.files) claims_.push_back({&package, &file});
  std::ranges::stable_sort(claims_, {},
                           [](const InstalledClaim& claim) -> std::string_view { return claim.file->path; });
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    if (paths_.empty() || paths_.back().path != claims_[i].file->path) paths_.push_back({claims_[i].file->path, i, 0});
    ++paths_.back().count;
  }
}

const InstalledIndex::Path* InstalledIndex::find(std::string_view canonical) const {
  const auto at = std::ranges::lower_bound(paths_, canonical, {}, &Path::path);
  return at == paths_.end() || at->path != canonical ? nullptr : &*at;
}

InstalledVerdict compare_installed(const ImageView& image, std::string_view path,
                                   std::span<const InstalledClaim> claims) {
  InstalledVerdict best = Comparer(image, path, claims.front()).compare();
  for (const InstalledClaim& claim : claims.subspan(1)) {
    InstalledVerdict next = Comparer(image, path, claim).compare();
    if (rank(next) > rank(best)) best = std::move(next);
  }
  return best;
}

bool has_recorded_bytes(const ImageView& image, InodeId inode, const InstalledFile& file) {
  if (!file.digest || !file.digest->usable() || !has_own_bytes(file)) return false;
  return file.digest->matches(digest_of(image, inode, file.digest->algorithm));
}

}  // namespace ocilint
