#include "check/package_comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/path.h"
#include "check/package_history.h"

namespace ocilint {
namespace {

bool is_obsolete_entry(const PackageFile& file) { return file.conffile != nullptr && file.conffile->remove_on_upgrade; }

/// The record that decides: one with a digest before one without, for of two owners the one that has the
/// regular file speaks about it.
const PackageFile* speaker(std::span<const PackageFile> files) {
  const PackageFile* best = nullptr;
  const auto rank = [](const PackageFile& file) {
    return is_obsolete_entry(file) ? 0 : file.conffile != nullptr ? 3 : file.digest != nullptr ? 2 : 1;
  };
  for (const PackageFile& file : files)
    if (best == nullptr || rank(file) > rank(*best)) best = &file;
  return best;
}

std::string describe_link(const Node& node, const Resolution& at) {
  if (at.found()) return fmt::format("a symbolic link to {}", node.link);
  if (at.status == Resolution::Status::loop) return fmt::format("a symbolic link to {}, a loop", node.link);
  return fmt::format("a symbolic link to {}, which does not exist", node.link);
}

}  // namespace

bool is_library_name(std::string_view path) {
  const std::string_view name = base_name(path);
  for (std::size_t at = name.find(".so"); at != std::string_view::npos; at = name.find(".so", at + 1))
    if (at > 0 && (at + 3 == name.size() || name[at + 3] == '.')) return true;
  return false;
}

bool PackageComparison::is_owned(std::string_view canonical) const {
  return db_.find(canonical) != nullptr || !db_.diverted_from(canonical).empty();
}

FileVerdict PackageComparison::compare(const OwnedPath& path) const {
  FileVerdict verdict;
  verdict.file = speaker(db_.files(path));
  const PackageFile& file = *verdict.file;
  const auto node = image_.tree().find(path.path);
  if (is_obsolete_entry(file)) {
    verdict.state = FileState::other;
    return verdict;
  }
  if (file.digest == nullptr && file.conffile == nullptr && !db_.packages()[file.package].unusable.empty()) {
    verdict.state = FileState::unusable;
    return verdict;
  }
  if (file.conffile != nullptr && file.conffile->digest.empty()) {
    verdict.state = FileState::not_configured;
    return verdict;
  }
  verdict.expected = file.conffile != nullptr ? file.conffile->digest
                     : file.digest != nullptr ? *file.digest
                                              : Digest();
  if (!node) return absent(path, std::move(verdict));
  if (file.conffile != nullptr) return conffile(image_.tree()[*node], path.path, std::move(verdict));
  if (file.digest != nullptr) return with_digest(path, image_.tree()[*node], std::move(verdict));
  return without_digest(path, image_.tree()[*node], std::move(verdict));
}

FileVerdict PackageComparison::absent(const OwnedPath& path, FileVerdict verdict) const {
  const PackageFile& file = *verdict.file;
  if (db_.filter().excluded(file.recorded)) {
    verdict.state = FileState::excluded;
  } else if (file.conffile != nullptr) {
    verdict.state = FileState::conffile_missing;
  } else if (file.digest != nullptr) {
    verdict.state = FileState::missing;
    verdict.text = "file";
  } else if (file.has_children) {
    verdict.state = FileState::other;
  } else {
    // The list does not tell a link from an empty folder; a layer that had it does.
    const LayerEntry* last = nullptr;
    for (const Event& event : image_.tree().story(path.path))
      if (event.shows()) last = entry_of(image_, event.inode);
    if (last != nullptr && (last->type == EntryType::symlink || last->type == EntryType::file)) {
      verdict.state = FileState::missing;
      verdict.text = last->type == EntryType::symlink ? "link" : "file";
    } else if (last == nullptr && is_library_name(path.path)) {
      verdict.state = FileState::missing;
      verdict.text = "link";
    } else {
      verdict.state = last == nullptr ? FileState::never_stood : FileState::other;
    }
  }
  return verdict;
}

FileVerdict PackageComparison::conffile(const Node& node, std::string_view path, FileVerdict verdict) const {
  // dpkg follows a link that stands in place of a conffile.
  const Node* at = &node;
  if (node.type == EntryType::symlink) {
    const Resolution target = image_.resolve(path);
    verdict.text = describe_link(node, target);
    if (!target.found()) {
      verdict.state = FileState::conffile_missing;
      return verdict;
    }
    at = &image_.tree()[target.node];
  }
  if (at->type != EntryType::file) {
    verdict.state = FileState::conffile_modified;
    verdict.text = fmt::format("a {}", to_string(at->type));
    return verdict;
  }
  verdict.actual = digest_of(image_, at->inode, verdict.expected.algorithm());
  verdict.state = verdict.actual == verdict.expected ? FileState::same : FileState::conffile_modified;
  return verdict;
}

FileVerdict PackageComparison::with_digest(const OwnedPath& path, const Node& node, FileVerdict verdict) const {
  const auto agrees = [&](InodeId inode) {
    for (const PackageFile& file : db_.files(path)) {
      if (file.digest == nullptr) continue;
      if (digest_of(image_, inode, file.digest->algorithm()) == *file.digest) return true;
    }
    return false;
  };
  if (node.type == EntryType::file) {
    verdict.actual = digest_of(image_, node.inode, verdict.expected.algorithm());
    verdict.state = agrees(node.inode) ? FileState::same : FileState::modified;
    return verdict;
  }
  verdict.state = FileState::type_changed;
  verdict.text = fmt::format("a {}", to_string(node.type));
  if (node.type != EntryType::symlink) return verdict;
  const Resolution target = image_.resolve(path.path);
  verdict.text = describe_link(node, target);
  if (!target.found()) return verdict;
  verdict.target = target.path;
  const Node& at = image_.tree()[target.node];
  if (at.type != EntryType::file) return verdict;
  verdict.actual = digest_of(image_, at.inode, verdict.expected.algorithm());
  verdict.other_bytes = !agrees(at.inode);
  return verdict;
}

FileVerdict PackageComparison::without_digest(const OwnedPath& path, const Node& node, FileVerdict verdict) const {
  verdict.state = FileState::other;
  if (node.type == EntryType::symlink) {
    verdict.state = FileState::link;
    if (!is_library_name(path.path)) return verdict;
    const Resolution target = image_.resolve(path.path);
    const bool leads_to_file = !target.found() || image_.tree()[target.node].type == EntryType::file;
    if (target.found()) verdict.target = target.path;
    verdict.text = describe_link(node, target);
    // A chain through another owned name is as good as that name, which has a verdict of its own.
    const bool by_owned =
        std::any_of(target.hops.begin() + 1, target.hops.end(), [this](const Hop& hop) { return is_owned(hop.path); });
    if (leads_to_file && !by_owned && !is_owned(target.path)) verdict.state = FileState::redirected;
    return verdict;
  }
  if (node.type != EntryType::file) return verdict;
  const Package& package = db_.packages()[verdict.file->package];
  if (verdict.file->has_children) {
    verdict.state = FileState::type_changed;
    verdict.text = "a file where the package has a folder";
  } else {
    verdict.state =
        package.digests.empty() || package.refused_lines > 0 ? FileState::unverifiable : FileState::without_digest;
  }
  return verdict;
}

}  // namespace ocilint
