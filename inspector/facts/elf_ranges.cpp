#include "facts/elf_ranges.h"

#include <algorithm>

#include "base/error.h"

namespace ocilint {

std::vector<Range> normalise_ranges(std::vector<Range> ranges, std::uint64_t file_size, std::uint64_t gap) {
  std::sort(ranges.begin(), ranges.end());
  std::vector<Range> result;
  for (Range range : ranges) {
    if (range.offset >= file_size || range.size == 0) continue;
    range.size = std::min(range.size, file_size - range.offset);
    if (!result.empty()) {
      Range& last = result.back();
      const std::uint64_t last_end = last.offset + last.size;
      if (range.offset <= last_end || range.offset - last_end < gap) {
        last.size = std::max(last_end, range.offset + range.size) - last.offset;
        continue;
      }
    }
    result.push_back(range);
  }
  return result;
}

CapturedFile CapturedFile::whole(Bytes bytes) {
  CapturedFile file(bytes.size());
  file.add(0, bytes);
  return file;
}

void CapturedFile::add(std::uint64_t offset, Bytes bytes) {
  if (bytes.empty()) return;
  const bool fits = offset <= file_size_ && bytes.size() <= file_size_ - offset;
  const bool ascends = pieces_.empty() || pieces_.back().offset + pieces_.back().bytes.size() < offset;
  if (!fits || !ascends) throw Error(ErrorKind::internal, "captured pieces are out of order");
  pieces_.push_back({offset, bytes});
  captured_size_ += bytes.size();
}

Bytes CapturedFile::from(std::uint64_t offset, std::uint64_t most) const {
  auto next = std::upper_bound(pieces_.begin(), pieces_.end(), offset,
                               [](std::uint64_t value, const Piece& piece) { return value < piece.offset; });
  if (next == pieces_.begin()) return {};
  const Piece& piece = *--next;
  const std::uint64_t skip = offset - piece.offset;
  if (skip >= piece.bytes.size()) return {};
  return piece.bytes.subspan(skip, std::min<std::uint64_t>(most, piece.bytes.size() - skip));
}

std::optional<Bytes> CapturedFile::at(std::uint64_t offset, std::uint64_t size) const {
  const Bytes bytes = from(offset, size);
  if (bytes.size() != size) return std::nullopt;
  return bytes;
}

}  // namespace ocilint
