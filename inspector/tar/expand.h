// Hands a sparse file to a sink as its readers see it: data where the map says, zeros everywhere else.
//
// Zeros come from one static page; nothing is stored. Cost: one call a region and one a 64 KiB of hole.
#pragma once

#include "tar/sparse.h"
#include "tar/walker.h"

namespace ocilint::tar {

class SparseExpander {
 public:
  /// `map` has been checked against `size` and must outlive the file.
  void start(const SparseMap& map, std::uint64_t size);
  /// Data of the file, from the front of `bytes`: hands out what belongs to one region, after its hole.
  /// Returns the number of bytes used.
  std::size_t data(Bytes bytes, TarSink& sink);
  /// After the last data: the hole at the end.
  void finish(TarSink& sink) { zeros(size_, sink); }

 private:
  void zeros(std::uint64_t until, TarSink& sink);

  const SparseMap* map_ = nullptr;
  std::uint64_t size_ = 0;
  std::uint64_t at_ = 0;  // in the expanded file
  std::size_t region_ = 0;
};

}  // namespace ocilint::tar
