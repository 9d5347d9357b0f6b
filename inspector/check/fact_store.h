// The layer indexes of an image, and what is still missing of them.
//
// The first pass fills it; a look-up that finds nothing is noted, and take_missing() gives the runner what a
// second read of single layers must bring (decisions.md: refill). One thread. Owns the indexes, perhaps together
// with the store of another image that has the same layer; references that it hands out live until the next
// add(), those to contents and digests as long as the store.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "layer/demand.h"
#include "layer/layer_index.h"
#include "tree/merged_tree.h"

namespace ocilint {

/// The indexes of an image's layers, base first.
class LayerIndexes {
 public:
  using Shared = std::vector<std::shared_ptr<LayerIndex>>;

  class Iterator {
   public:
    explicit Iterator(Shared::const_iterator at) : at_(at) {}
    const LayerIndex& operator*() const { return **at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    Shared::const_iterator at_;
  };

  LayerIndexes() = default;
  explicit LayerIndexes(Shared layers) : layers_(std::move(layers)) {}

  std::size_t size() const { return layers_.size(); }
  const LayerIndex& at(std::size_t layer) const { return *layers_.at(layer); }
  LayerIndex& at(std::size_t layer) { return *layers_.at(layer); }
  bool empty() const { return layers_.empty(); }
  const LayerIndex& operator[](std::size_t layer) const { return *layers_[layer]; }
  const LayerIndex& front() const { return at(0); }
  Iterator begin() const { return Iterator(layers_.begin()); }
  Iterator end() const { return Iterator(layers_.end()); }
  /// For the store of an image that has the same layer.
  std::shared_ptr<LayerIndex> share(std::size_t layer) const { return layers_.at(layer); }

 private:
  Shared layers_;
};

class FactStore {
 public:
  FactStore() = default;
  explicit FactStore(std::deque<LayerIndex> layers);
  explicit FactStore(LayerIndexes::Shared layers) : layers_(std::move(layers)) {}
  FactStore(const FactStore&) = delete;
  FactStore& operator=(const FactStore&) = delete;

  const LayerIndexes& layers() const { return layers_; }
  std::vector<const LayerIndex*> indexes() const;

  const std::string* content(InodeId inode);
  const Md5* md5(InodeId inode);
  const Digest* sha1(InodeId inode);
  const Digest* sha256(InodeId inode);
  const ElfFacts* elf(InodeId inode);
  /// What the search for secrets found in it, nothing perhaps; null: it was not searched.
  const FileSecrets* secrets(InodeId inode);
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

  LayerIndexes layers_;
  Refill missing_;
  std::map<InodeId, int> targeted_;  // reads so far
};

}  // namespace ocilint
