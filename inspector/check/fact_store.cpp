#include "check/fact_store.h"

#include <fmt/format.h>

#include "base/error.h"

namespace ocilint {
namespace {

template <typename Facts>
auto look_up(const Facts& facts, Ordinal ordinal) -> const typename Facts::mapped_type* {
  const auto found = facts.find(ordinal);
  return found == facts.end() ? nullptr : &found->second;
}

/// Facts that are there already stay: references to them are out.
template <typename Facts>
void take_over(Facts& facts, Facts&& more) {
  for (auto& [ordinal, fact] : more) facts.emplace(ordinal, std::move(fact));
}

}  // namespace

FactStore::FactStore(std::deque<LayerIndex> layers) {
  LayerIndexes::Shared own;
  for (LayerIndex& layer : layers) own.push_back(std::make_shared<LayerIndex>(std::move(layer)));
  layers_ = LayerIndexes(std::move(own));
}

std::vector<const LayerIndex*> FactStore::indexes() const {
  std::vector<const LayerIndex*> out;
  for (const LayerIndex& layer : layers_) out.push_back(&layer);
  return out;
}

void FactStore::miss(InodeId inode, FactKind kind) { missing_[inode.layer][inode.ordinal].wants.add(kind); }

const std::string* FactStore::content(InodeId inode) {
  const auto* const fact = look_up(layers_.at(inode.layer).contents, inode.ordinal);
  if (fact == nullptr) miss(inode, FactKind::content);
  return fact;
}

const Md5* FactStore::md5(InodeId inode) {
  const auto* const fact = look_up(layers_.at(inode.layer).md5, inode.ordinal);
  if (fact == nullptr) miss(inode, FactKind::md5);
  return fact;
}

const Digest* FactStore::sha1(InodeId inode) {
  const auto* const fact = look_up(layers_.at(inode.layer).sha1, inode.ordinal);
  if (fact == nullptr) miss(inode, FactKind::sha1);
  return fact;
}

const Digest* FactStore::sha256(InodeId inode) {
  const auto* const fact = look_up(layers_.at(inode.layer).sha256, inode.ordinal);
  if (fact == nullptr) miss(inode, FactKind::sha256);
  return fact;
}

const ElfFacts* FactStore::elf(InodeId inode) {
  const auto* const fact = look_up(layers_.at(inode.layer).elf, inode.ordinal);
  if (fact == nullptr) miss(inode, FactKind::elf);
  return fact == nullptr ? nullptr : fact->get();
}

const FileSecrets* FactStore::secrets(InodeId inode) {
  static const FileSecrets none;
  const LayerIndex& layer = layers_.at(inode.layer);
  if (!layer.was_scanned(inode.ordinal)) {
    miss(inode, FactKind::scan);
    return nullptr;
  }
  const auto* const fact = look_up(layer.secrets, inode.ordinal);
  return fact == nullptr ? &none : fact;
}

bool FactStore::want_elf_ranges(InodeId inode, const std::vector<Range>& ranges) {
  // Several checks look at one file: together they make one read, not one each.
  const auto layer = missing_.find(inode.layer);
  if (layer != missing_.end()) {
    const auto asked = layer->second.find(inode.ordinal);
    if (asked != layer->second.end() && !asked->second.ranges.empty()) return true;
  }
  if (targeted_[inode] == targeted_reads) return false;
  ++targeted_[inode];
  ExactWant& want = missing_[inode.layer][inode.ordinal];
  want.wants.add(FactKind::elf);
  want.ranges = ranges;
  return true;
}

Refill FactStore::take_missing() { return std::exchange(missing_, {}); }

void FactStore::add(std::size_t number, LayerIndex second, const ExactWants& asked) {
  LayerIndex& first = layers_.at(number);
  for (const auto& [ordinal, want] : asked) {
    const bool all = (!want.wants.has(FactKind::content) || second.contents.contains(ordinal)) &&
                     (!want.wants.has(FactKind::md5) || second.md5.contains(ordinal)) &&
                     (!want.wants.has(FactKind::sha1) || second.sha1.contains(ordinal)) &&
                     (!want.wants.has(FactKind::sha256) || second.sha256.contains(ordinal)) &&
                     (!want.wants.has(FactKind::elf) || second.elf.contains(ordinal)) &&
                     (!want.wants.has(FactKind::scan) || second.was_scanned(ordinal));
    if (!all)
      throw Error(ErrorKind::internal,
                  fmt::format("a second read of layer {} did not bring entry {}", number, ordinal));
    if (want.wants.has(FactKind::scan)) first.mark_scanned(ordinal);
    // The targeted facts of a big ELF file replace the incomplete ones.
    if (!want.ranges.empty()) first.elf.erase(ordinal);
  }
  take_over(first.contents, std::move(second.contents));
  take_over(first.md5, std::move(second.md5));
  take_over(first.sha1, std::move(second.sha1));
  take_over(first.sha256, std::move(second.sha256));
  take_over(first.elf, std::move(second.elf));
  take_over(first.secrets, std::move(second.secrets));
}

}  // namespace ocilint
