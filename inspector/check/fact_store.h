// The layer indexes of an image, and what is still missing of them.
//
// The first pass fills it; a look-up that finds nothing is noted, and take_missing() gives the runner what a
// second read of single layers must bring (decisions.md: refill). One thread. Owns the indexes; references
// that it hands out live until the next add(), those to contents and digests as long as the store.
#pragma once

#include <deque>
#include <map>

#include "layer/demand.h"
#include "layer/layer_index.h"
#include "tree/merged_tree.h"

namespace ocilint {

class FactStore {
 public:
  FactStore() = default;
  explicit FactStore(std::deque<LayerIndex> layers) : layers_(std::move(layers)) {}
  FactStore(const FactStore&) = delete;
  FactStore& operator=(const FactStore&) = delete;

  const std::deque<LayerIndex>& layers() const { return layers_; }
  std::vector<const LayerIndex*> indexes() const;

  const std::string* content(InodeId inode);
  const Md5* md5(InodeId inode);
  const Digest* sha256(InodeId inode);
  const ElfFacts* elf(InodeId inode);
  /// An ELF fact had unread ranges: a targeted second read shall bring them. False after targeted_reads of
  /// them: what is unread then stays so.
  static constexpr int targeted_reads = 3;  // what one read brings may lead to the next table
  bool want_elf_ranges(InodeId inode, const std::vector<Range>& ranges);

  /// What was asked for in vain since the last call.
  Refill take_missing();
  /// Takes the facts of a second read of layer `number`. What the read was asked for and did not bring can
  /// never come: it throws Error{internal}.
  void add(std::size_t number, LayerIndex second, const ExactWants& asked);

 private:
  void miss(InodeId inode, FactKind kind);

  std::deque<LayerIndex> layers_;
  Refill missing_;
  std::map<InodeId, int> targeted_;  // reads so far
};

}  // namespace ocilint
