#include "check/image_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace ocilint {

const ImageView& ImageView::other(std::string_view name) const {
  const auto given = scanned_.others.find(name);
  if (given == scanned_.others.end())
    throw Error(ErrorKind::usage, fmt::format("it compares with another image, '{0}', and none of that name was given: "
                                              "--with {0}=REF",
                                              name));
  std::unique_ptr<const ImageView>& view = others_[std::string(name)];
  if (!view) view = std::make_unique<const ImageView>(*given->second, declared_);
  return *view;
}

bool ImageView::pending() const {
  return pending_ || std::ranges::any_of(others_, [](const auto& other) { return other.second->pending(); });
}

const MergedTree& ImageView::tree() const {
  if (scanned_.tree == nullptr)
    throw Error(ErrorKind::internal, "the check looks at files and its plan did not ask for layers");
  return *scanned_.tree;
}

std::vector<Match> ImageView::match(const PathSet& set) const {
  std::vector<Match> all;
  for (const Glob& pattern : set.include) {
    std::vector<Match> found = ocilint::match(tree(), pattern);
    std::ranges::move(found, std::back_inserter(all));
  }
  std::erase_if(all, [&](const Match& match) {
    return std::ranges::any_of(
        set.exclude, [&](const Glob& glob) { return glob.matches(match.path) || glob.matches(match.canonical); });
  });
  std::ranges::sort(all, {}, &Match::path);
  const auto same_path = [](const Match& one, const Match& other) { return one.path == other.path; };
  all.erase(std::unique(all.begin(), all.end(), same_path), all.end());
  return all;
}

Resolution ImageView::resolve(std::string_view path, Last last) const { return ocilint::resolve(tree(), path, last); }

const LayerEntry& ImageView::file(InodeId inode, FactKind kind) const {
  if (!declared_.has(kind))
    throw Error(ErrorKind::internal, "the check asks for a kind of fact that its plan did not declare");
  if (!inode.created()) corrupt("a directory that no layer entry created has no content");
  const LayerEntry& entry = scanned_.facts.layers().at(inode.layer).entries.at(inode.ordinal);
  if (entry.type != EntryType::file)
    corrupt(fmt::format("{}: a {}, not a regular file", entry.path, to_string(entry.type)));
  return entry;
}

const std::string& ImageView::content(InodeId inode) const {
  static const std::string placeholder;
  const LayerEntry& entry = file(inode, FactKind::content);
  if (entry.size > content_limit)
    throw Error(ErrorKind::limit,
                fmt::format("{}: {} bytes, contents are read up to {}", entry.path, entry.size, content_limit));
  const std::string* const fact = scanned_.facts.content(inode);
  pending_ |= fact == nullptr;
  return fact == nullptr ? placeholder : *fact;
}

Md5 ImageView::md5(InodeId inode) const {
  (void)file(inode, FactKind::md5);
  const Md5* const fact = scanned_.facts.md5(inode);
  pending_ |= fact == nullptr;
  return fact == nullptr ? Md5{} : *fact;
}

const Digest& ImageView::sha1(InodeId inode) const {
  static const Digest placeholder;
  (void)file(inode, FactKind::sha1);
  const Digest* const fact = scanned_.facts.sha1(inode);
  pending_ |= fact == nullptr;
  return fact == nullptr ? placeholder : *fact;
}

const Digest& ImageView::sha256(InodeId inode) const {
  static const Digest placeholder;
  (void)file(inode, FactKind::sha256);
  const Digest* const fact = scanned_.facts.sha256(inode);
  pending_ |= fact == nullptr;
  return fact == nullptr ? placeholder : *fact;
}

const ElfFacts& ImageView::elf(InodeId inode) const {
  static const ElfFacts placeholder;
  (void)file(inode, FactKind::elf);
  const ElfFacts* const fact = scanned_.facts.elf(inode);
  pending_ |= fact == nullptr;
  if (fact == nullptr) return placeholder;
  if (!fact->unread.empty() && scanned_.facts.want_elf_ranges(inode, fact->unread_ranges())) pending_ = true;
  return *fact;
}

const FileSecrets& ImageView::secrets(InodeId inode) const {
  static const FileSecrets placeholder;
  (void)file(inode, FactKind::scan);
  const FileSecrets* const fact = scanned_.facts.secrets(inode);
  pending_ |= fact == nullptr;
  return fact == nullptr ? placeholder : *fact;
}

std::optional<std::string> ImageView::text_of(std::string_view path) const {
  const Resolution at = resolve(path);
  if (at.status == Resolution::Status::missing && !at.dangling()) return std::nullopt;
  if (!at.found()) corrupt(fmt::format("{}: the link leads to {}, which does not exist", path, at.path));
  const Node& node = tree()[at.node];
  if (node.type != EntryType::file) corrupt(fmt::format("{}: a {}, not a regular file", path, to_string(node.type)));
  return content(node.inode);
}

}  // namespace ocilint
