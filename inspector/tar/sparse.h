// Where the data of a sparse file lies: GNU's PAX formats 0.0, 0.1 and 1.0, and the old GNU headers.
//
// A map is a list of regions in order; what is between them and behind them is zeros. Malformed or
// overlapping regions throw Error{corrupt}, more than 65,536 Error{limit} (CVE-2026-32288: millions exhaust a
// reader). Memory: 16 bytes a region, kept for the next file.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace ocilint::tar {

inline constexpr std::uint64_t max_sparse_regions = 65'536;

/// Digits only, up to 2^63 - 1; anything else throws Error{corrupt} naming `what`.
std::uint64_t parse_decimal(std::string_view text, std::string_view what);

class SparseMap {
 public:
  struct Region {
    std::uint64_t offset, length;
  };

  void clear();
  bool empty() const { return regions_.empty() && !half_; }
  const std::vector<Region>& regions() const { return regions_; }

  /// The next number of the list offset, length, offset, length, … Only `offset` where one is due.
  void add_offset(std::uint64_t value);
  void add_length(std::uint64_t value);
  /// Format 0.1: "offset,length,offset,length…".
  void parse_list(std::string_view text);
  /// Format 1.0, block by block at the front of the body: a count, and then the numbers, one a line. True:
  /// the map is complete, and the rest of this block is padding.
  bool parse_block(Bytes block);

  /// Regions in order, inside `size`, and with `stored` bytes of data together.
  void check(std::uint64_t size, std::uint64_t stored) const;

 private:
  void add(std::uint64_t value) { half_ ? add_length(value) : add_offset(value); }

  std::vector<Region> regions_;
  bool half_ = false;  // an offset stands without its length
  // Format 1.0: the number that is being read, and how many are still to come.
  std::uint64_t number_ = 0, numbers_left_ = 0;
  std::uint32_t digits_ = 0;
  bool counted_ = false;
};

/// Old GNU: is another block of regions announced at `flag_at`? Counts the regions that were read so far.
class OldSparseHeaders {
 public:
  void start() { regions_ = 0; }
  /// Reads the regions of the header itself (4 of them) or of an extension (21). True: another block follows.
  bool read(Bytes block, bool extension);

 private:
  std::uint64_t regions_ = 0;
};

}  // namespace ocilint::tar
