// Which bytes of a file are at hand, as views, and the only way to look at them.
//
// A byte outside every captured range is *unread*: at() answers nothing, and nobody can take it for zero. The
// bytes belong to whoever captured them (ElfCapture, or the caller of whole()) and must outlive the view.
// add() throws Error{internal} if the pieces are out of order or touch. Reads are const and thread safe; a
// read costs one binary search over the pieces, which are few.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"

namespace ocilint {

struct Range {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  friend bool operator==(const Range&, const Range&) = default;
  friend auto operator<=>(const Range&, const Range&) = default;
};

/// Sorted, clipped to `file_size`, and with neighbours merged that overlap, touch or are less than `gap`
/// apart.
std::vector<Range> normalise_ranges(std::vector<Range> ranges, std::uint64_t file_size, std::uint64_t gap = 0);

class CapturedFile {
 public:
  explicit CapturedFile(std::uint64_t file_size) : file_size_(file_size) {}
  static CapturedFile whole(Bytes bytes);

  /// Ascending, with at least one byte between two pieces: what touches is one piece.
  void add(std::uint64_t offset, Bytes bytes);

  std::uint64_t file_size() const { return file_size_; }
  std::uint64_t captured_size() const { return captured_size_; }
  /// Exactly [offset, offset + size), or nothing when one byte of it was not captured.
  std::optional<Bytes> at(std::uint64_t offset, std::uint64_t size) const;
  /// From `offset` as far as the captured bytes go, at most `most`; empty when `offset` was not captured.
  Bytes from(std::uint64_t offset, std::uint64_t most) const;

 private:
  struct Piece {
    std::uint64_t offset;
    Bytes bytes;
  };
  std::uint64_t file_size_;
  std::uint64_t captured_size_ = 0;
  std::vector<Piece> pieces_;
};

}  // namespace ocilint
