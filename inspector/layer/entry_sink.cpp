#include "layer/entry_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/path.h"
#include "facts/credential_files.h"

namespace ocilint {
namespace {

constexpr std::size_t largest_hot = 256 << 10;  // still in the second-level cache when its last byte comes

/// What a tree or a rule asks about. Others (user.*, security.selinux, …) do not outlive a build anyway.
bool attribute_matters(std::string_view name) {
  return name.starts_with("trusted.overlay.") || name.starts_with("user.overlay.") || name == "security.capability";
}

std::uint32_t id_of(std::uint64_t value, const Entry& entry, Oddities& oddities) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (value <= most) return static_cast<std::uint32_t>(value);
  oddities.push_back(
      {"large-id", std::string(entry.name), fmt::format("owner or group {} does not fit in 32 bits", value)});
  return static_cast<std::uint32_t>(most);
}

}  // namespace

EntrySink::EntrySink(LayerIndex& index, const Demand& demand, const ExactWants* exact, std::size_t largest_whole,
                     ReadBudget* budget)
    : index_(index), demand_(demand), exact_(exact), largest_whole_(largest_whole), budget_(budget) {}

Body EntrySink::entry(const Entry& entry) {
  const NormalPath normal = normalise(entry.name);
  if (normal.escaped) corrupt(fmt::format("entry '{}': the name leaves the root of the image", entry.name));

  if (budget_ != nullptr) budget_->entry();
  ordinal_ = static_cast<Ordinal>(index_.entries.size());
  LayerEntry& kept = index_.entries.emplace_back();
  kept.path = index_.keep(normal.path);
  kept.type = entry.type;
  kept.size = entry.type == EntryType::file ? entry.size : 0;
  kept.mtime = entry.mtime;
  kept.mode = entry.mode;
  kept.uid = id_of(entry.uid, entry, index_.oddities);
  kept.gid = id_of(entry.gid, entry, index_.oddities);
  kept.device_major = entry.device_major;
  kept.device_minor = entry.device_minor;
  if (entry.type == EntryType::hard_link) {
    const NormalPath target = normalise(entry.link_target);
    kept.link = index_.keep(target.path);
    kept.target_escaped = target.escaped;
  } else if (entry.type == EntryType::symlink) {
    kept.link = index_.keep(entry.link_target);
  }
  keep_attributes(entry);

  wants_ = {};
  ranges_ = nullptr;
  if (entry.type != EntryType::file) return Body::skip;
  if (exact_ == nullptr) {
    wants_ = demand_.wants_of(kept.path);
  } else if (const auto found = exact_->find(ordinal_); found != exact_->end()) {
    wants_ = found->second.wants;
    ranges_ = &found->second.ranges;
  }
  if (wants_.none()) return Body::skip;
  if (entry.size == 0) {
    whole_body({});
    return Body::skip;
  }
  // A search alone takes pieces too, and these are hot.
  whole_ = entry.size == entry.stored && entry.size <= (wants_.only(FactKind::scan) ? largest_hot : largest_whole_);
  if (!whole_) begin_pieces(entry.size);
  return whole_ ? Body::whole : Body::pieces;
}

void EntrySink::keep_attributes(const Entry& entry) {
  for (const auto& [name, value] : entry.attributes)
    if (attribute_matters(name)) index_.attributes.push_back({ordinal_, std::string(name), std::string(value)});
}

void EntrySink::body(std::uint64_t offset, Bytes bytes, bool last) {
  if (whole_)
    whole_body(bytes);
  else
    piece(offset, bytes, last);
}

void EntrySink::begin_scan() {
  if (!scan_) {
    if (demand_.scanner() == nullptr)
      throw Error(ErrorKind::internal, "a file is to be scanned and the demand has no detectors");
    scan_.emplace(*demand_.scanner());
    index_.detectors = demand_.detectors();
  }
  scanned_before_ = index_.counts.scanned_bytes;
  const bool credentials = may_hold_credentials(index_.entries[ordinal_].path);
  scan_->begin(credentials ? SecretScope::credential_file : SecretScope::file);
}

void EntrySink::scan(Bytes bytes, bool last) {
  scan_->add(bytes, last);
  index_.counts.scanned_bytes += bytes.size();
  if (!last) return;
  ++index_.counts.scanned_files;
  if (index_.counts.scanned_bytes - scanned_before_ != index_.entries[ordinal_].size)
    throw Error(ErrorKind::internal, "not every byte of a file went by the search for secrets");
  index_.mark_scanned(ordinal_);
  FileSecrets secrets = scan_->take();
  if (secrets.found == 0) return;
  if (budget_ != nullptr)
    for (const FileSecret& secret : secrets.kept) budget_->kept(secret.value.size() + secret.excerpt.size());
  index_.secrets.emplace(ordinal_, std::move(secrets));
}

void EntrySink::whole_body(Bytes bytes) {
  if (wants_.has(FactKind::scan)) {
    begin_scan();
    scan(bytes, true);
  }
  if (wants_.has(FactKind::content)) {
    if (budget_ != nullptr) budget_->kept(bytes.size());
    index_.contents.emplace(ordinal_, std::string(as_text(bytes)));
    ++index_.counts.kept_files;
    index_.counts.kept_bytes += bytes.size();
  }
  hash_whole(bytes);
  if (wants_.has(FactKind::elf)) {
    index_.elf.emplace(ordinal_, std::make_shared<const ElfFacts>(demand_.elf().read(bytes)));
    ++index_.counts.elf_files;
  }
}

void EntrySink::hash_whole(Bytes bytes) {
  const auto count = [&] {
    ++index_.counts.hashed_files;
    index_.counts.hashed_bytes += bytes.size();
  };
  if (wants_.has(FactKind::md5)) {
    batch_.push_back(bytes);
    batch_ordinals_.push_back(ordinal_);
    count();
  }
  if (wants_.has(FactKind::sha1)) {
    sha1_.update(bytes);
    index_.sha1.emplace(ordinal_, sha1_.finish());
    count();
  }
  if (wants_.has(FactKind::sha256)) {
    index_.sha256.emplace(ordinal_, Digest::sha256_of(bytes));
    count();
  }
}

void EntrySink::begin_pieces(std::uint64_t size) {
  content_.clear();
  if (wants_.has(FactKind::scan)) begin_scan();
  if (wants_.has(FactKind::elf)) {
    if (ranges_ != nullptr && !ranges_->empty())
      capture_.emplace(size, *ranges_);
    else
      capture_.emplace(size);
  }
}

void EntrySink::piece(std::uint64_t offset, Bytes bytes, bool last) {
  const std::uint64_t size = index_.entries[ordinal_].size;
  if (wants_.has(FactKind::content) && size <= content_limit) {
    if (budget_ != nullptr) budget_->kept(bytes.size());
    content_.append(as_text(bytes));
  }
  if (wants_.has(FactKind::scan)) scan(bytes, last);
  if (wants_.has(FactKind::md5)) md5_.update(bytes);
  if (wants_.has(FactKind::sha1)) sha1_.update(bytes);
  if (wants_.has(FactKind::sha256)) sha256_.update(bytes);
  if (wants_.has(FactKind::elf) && capture_->wants_more()) capture_->add(offset, bytes);
  if (!last) return;

  if (wants_.has(FactKind::content) && size <= content_limit) {
    ++index_.counts.kept_files;
    index_.counts.kept_bytes += content_.size();
    index_.contents.emplace(ordinal_, std::move(content_));
  }
  if (wants_.has(FactKind::md5)) {
    Md5 digest;
    std::ranges::copy(md5_.finish().raw(), digest.begin());
    index_.md5.emplace(ordinal_, digest);
  }
  if (wants_.has(FactKind::sha1)) index_.sha1.emplace(ordinal_, sha1_.finish());
  if (wants_.has(FactKind::sha256)) index_.sha256.emplace(ordinal_, sha256_.finish());
  if (wants_.has(FactKind::md5) || wants_.has(FactKind::sha1) || wants_.has(FactKind::sha256)) {
    ++index_.counts.hashed_files;
    index_.counts.hashed_bytes += size;
  }
  if (wants_.has(FactKind::elf)) {
    index_.elf.emplace(ordinal_, std::make_shared<const ElfFacts>(demand_.elf().read(capture_->captured())));
    ++index_.counts.elf_files;
    capture_.reset();
  }
}

void EntrySink::flush() {
  if (batch_.empty()) return;
  batch_digests_.resize(batch_.size());
  md5_many(batch_, batch_digests_);
  for (std::size_t i = 0; i < batch_.size(); ++i) index_.md5.emplace(batch_ordinals_[i], batch_digests_[i]);
  batch_.clear();
  batch_ordinals_.clear();
}

}  // namespace ocilint
