// Takes what the tar walker reports of one layer: writes headers into the LayerIndex and makes the demanded
// facts of bodies while they stream by. Bodies that lie whole in the buffer are hashed many at a time: call
// flush() before the buffer is moved or refilled. One thread. Throws Error{corrupt, limit}.
#pragma once

#include <optional>
#include <vector>

#include "facts/elf_capture.h"
#include "facts/secret_scan.h"
#include "layer/demand.h"
#include "layer/layer_index.h"
#include "layer/read_budget.h"
#include "tar/walker.h"

namespace ocilint {

class EntrySink final : public TarSink {
 public:
  /// `exact` not null: facts are made for these ordinals only. `budget` may be null.
  EntrySink(LayerIndex& index, const Demand& demand, const ExactWants* exact, std::size_t largest_whole,
            ReadBudget* budget = nullptr);

  Body entry(const Entry& entry) override;
  void body(std::uint64_t offset, Bytes bytes, bool last) override;
  /// Hashes what was collected since the last flush.
  void flush();

 private:
  void whole_body(Bytes bytes);
  void hash_whole(Bytes bytes);
  void piece(std::uint64_t offset, Bytes bytes, bool last);
  void begin_pieces(std::uint64_t size);
  void keep_attributes(const Entry& entry);
  void begin_scan();
  void scan(Bytes bytes, bool last);

  LayerIndex& index_;
  const Demand& demand_;
  const ExactWants* exact_;
  std::size_t largest_whole_;
  ReadBudget* budget_;

  Ordinal ordinal_ = 0;
  Wants wants_;
  const std::vector<Range>* ranges_ = nullptr;
  bool whole_ = false;

  // Of a body that comes in pieces.
  Hasher md5_{Algorithm::md5};
  Hasher sha1_{Algorithm::sha1};
  Hasher sha256_{Algorithm::sha256};
  std::optional<ElfCapture> capture_;
  std::string content_;
  std::optional<SecretScan> scan_;
  std::uint64_t scanned_before_ = 0;  // bytes, of the files before

  std::vector<Bytes> batch_;
  std::vector<Ordinal> batch_ordinals_;
  std::vector<Md5> batch_digests_;
};

}  // namespace ocilint
