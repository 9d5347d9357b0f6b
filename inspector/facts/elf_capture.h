// Keeps of one streamed file what the loader facts need (facts/elf.h), in bounded memory.
//
// The layer pass feeds the pieces of a file in order and asks wants_more(); what is not an ELF file is
// dropped after a few bytes. Small files are kept whole (better: hand them whole to ElfReader::read, without
// a copy). Of big ones it keeps the head, where linkers put the tables, and the segment tail that holds
// PT_DYNAMIC, PT_INTERP and PT_NOTE, whose places the program headers in the head tell. Tables moved
// elsewhere (patchelf) stay unread: the facts name the ranges, and a targeted capture takes exactly these on
// a second pass. Owns its buffers: captured() is a view into them. Throws Error{internal} when a piece is out
// of order. Not thread safe. Cost: one copy of what is kept; add() returns at once when nothing is wanted of
// a piece.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "facts/elf_ranges.h"

namespace ocilint {

/// Up to this size a file is kept whole: the loader tables of every one of 2,669 files tried end before it.
inline constexpr std::uint64_t elf_whole_limit = 16U << 20U;
/// The head that is kept of a bigger file: holds all loader tables of 99.9 % of files.
inline constexpr std::uint64_t elf_head_window = 8U << 20U;
/// What one capture may keep beside the head: a segment tail is kilobytes, patchelf moves tens of kilobytes.
inline constexpr std::uint64_t elf_tail_budget = 8U << 20U;
/// Kept before PT_DYNAMIC inside its segment: patchelf puts .dynstr and .gnu.hash there.
inline constexpr std::uint64_t elf_dynamic_margin = 1U << 20U;
/// All that one capture may keep, targeted or not.
inline constexpr std::uint64_t elf_capture_limit = elf_head_window + elf_tail_budget;
/// Enough to tell a script from an archive when the file is not ELF.
inline constexpr std::uint64_t elf_kind_bytes = 64;

class ElfCapture {
 public:
  explicit ElfCapture(std::uint64_t file_size, std::uint64_t head_window = elf_head_window,
                      std::uint64_t whole_limit = elf_whole_limit);
  /// Targeted: exactly `wanted` (and the file and program headers), for the second pass: see
  /// ElfFacts::unread_ranges(). What does not fit in elf_capture_limit stays unread.
  ElfCapture(std::uint64_t file_size, std::vector<Range> wanted);

  /// The bytes at `offset`, which is where the piece before ended.
  void add(std::uint64_t offset, Bytes bytes);
  /// Is anything of what follows wanted? False for good once it is false.
  bool wants_more() const;
  /// What was kept so far, for ElfReader::read.
  CapturedFile captured() const;
  std::uint64_t held_bytes() const;

 private:
  struct Piece {
    Range range;
    std::vector<std::uint8_t> bytes;
  };

  void keep(Bytes bytes);
  void decide();
  void look_at_kind();
  void plan();
  void set_pieces(const std::vector<Range>& ranges);

  std::uint64_t file_size_;
  std::uint64_t head_window_;
  std::uint64_t whole_limit_;
  std::uint64_t at_ = 0;
  std::uint64_t decide_at_ = 0;  // the next offset where something new is known; max when all is decided
  bool is_elf_ = false;
  std::vector<Piece> pieces_;  // ascending; a gap between each two
  std::size_t current_ = 0;    // the first that is not full
};

}  // namespace ocilint
