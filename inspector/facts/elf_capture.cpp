#include "facts/elf_capture.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "facts/elf.h"
#include "facts/elf_image.h"

namespace ocilint {

namespace {

constexpr std::uint64_t nothing_more = std::numeric_limits<std::uint64_t>::max();
// The file header and usual program headers (848 bytes at most in 2,669 files), kept by every targeted
// capture.
constexpr std::uint64_t header_window = 4096;
// Ranges closer than this are kept as one: cheaper than two buffers.
constexpr std::uint64_t piece_gap = 4096;

/// `wanted` in order of importance, as long as the budget lasts.
std::vector<Range> within_budget(const std::vector<Range>& wanted, std::uint64_t budget) {
  std::vector<Range> result;
  for (Range range : wanted) {
    range.size = std::min(range.size, budget);
    budget -= range.size;
    if (range.size > 0) result.push_back(range);
  }
  return result;
}

}  // namespace

ElfCapture::ElfCapture(std::uint64_t file_size, std::uint64_t head_window, std::uint64_t whole_limit)
    : file_size_(file_size),
      head_window_(std::max(head_window, elf_kind_bytes)),
      whole_limit_(whole_limit),
      decide_at_(std::min(file_size, elf_kind_bytes)) {
  set_pieces({{0, file_size <= whole_limit ? file_size : std::min(head_window_, file_size)}});
}

ElfCapture::ElfCapture(std::uint64_t file_size, std::vector<Range> wanted)
    : file_size_(file_size), head_window_(0), whole_limit_(0), decide_at_(nothing_more) {
  wanted.push_back({0, header_window});
  set_pieces(within_budget(normalise_ranges(std::move(wanted), file_size, piece_gap), elf_capture_limit));
}

void ElfCapture::set_pieces(const std::vector<Range>& ranges) {
  std::vector<Piece> old = std::move(pieces_);
  pieces_.clear();
  current_ = 0;
  for (const Range& range : normalise_ranges(ranges, file_size_, piece_gap)) pieces_.push_back({range, {}});
  // What is held already is the front of the file, and every plan keeps that.
  if (!old.empty() && !pieces_.empty()) pieces_.front().bytes = std::move(old.front().bytes);
}

void ElfCapture::add(std::uint64_t offset, Bytes bytes) {
  if (offset != at_) throw Error(ErrorKind::internal, "an ELF capture was fed out of order");
  if (bytes.size() > file_size_ - at_) throw Error(ErrorKind::internal, "more bytes than the file has");
  while (!bytes.empty()) {
    if (!wants_more()) {
      at_ += bytes.size();
      return;
    }
    const Bytes now = bytes.first(std::min<std::uint64_t>(bytes.size(), decide_at_ - at_));
    keep(now);
    at_ += now.size();
    bytes = bytes.subspan(now.size());
    if (at_ == decide_at_) decide();
  }
}

void ElfCapture::keep(Bytes bytes) {
  const std::uint64_t end = at_ + bytes.size();
  for (; current_ < pieces_.size(); ++current_) {
    Piece& piece = pieces_[current_];
    const std::uint64_t piece_end = piece.range.offset + piece.range.size;
    const std::uint64_t from = std::max(at_, piece.range.offset);
    const std::uint64_t to = std::min(end, piece_end);
    if (from < to) {
      if (piece.bytes.capacity() < piece.range.size && decide_at_ == nothing_more) {
        piece.bytes.reserve(piece.range.size);  // one allocation, touched as it fills
      }
      const Bytes part = bytes.subspan(from - at_, to - from);
      piece.bytes.insert(piece.bytes.end(), part.begin(), part.end());
    }
    if (end < piece_end) return;  // the rest of it is still to come
  }
}

void ElfCapture::decide() {
  const bool first = !is_elf_;
  decide_at_ = nothing_more;
  try {
    if (first) {
      look_at_kind();
    } else {
      plan();
    }
  } catch (const Error&) {
    // Malformed: the reader says so, from the headers alone.
    set_pieces({{0, at_}});
  }
}

void ElfCapture::look_at_kind() {
  const Bytes head{pieces_.empty() ? Bytes{} : Bytes(pieces_.front().bytes)};
  const auto ident = elf_ident(head);
  if (!ident) {
    set_pieces({{0, at_}});
    return;
  }
  is_elf_ = true;
  const CapturedFile file = captured();
  ElfImage image(file, ident->elf_class, ident->endian);
  if (image.ehdr_size() > head.size()) return;
  const GElf_Ehdr header = image.ehdr(head.first(image.ehdr_size()));
  // An extended count or headers outside of the head: keep the head as it is; the reader asks for the rest.
  if (header.e_phnum == PN_XNUM || header.e_phnum == 0 || header.e_phoff > head_window_) return;
  const std::uint64_t end = header.e_phoff + header.e_phnum * image.phdr_size();
  if (end > std::min(head_window_, file_size_)) return;
  decide_at_ = std::max(end, at_);
  if (decide_at_ == at_) {
    decide_at_ = nothing_more;
    plan();
  }
}

void ElfCapture::plan() {
  const Bytes head{pieces_.front().bytes};
  const auto ident = elf_ident(head);
  const CapturedFile file = captured();
  ElfImage image(file, ident->elf_class, ident->endian);
  if (!image.read_headers()) return;
  std::vector<Range> wanted;
  bool has_dynamic = false;
  for (const GElf_Phdr& segment : image.segments()) {
    if (segment.p_type == PT_INTERP) wanted.push_back({segment.p_offset, std::min(segment.p_filesz, elf_name_limit)});
    if (segment.p_type == PT_NOTE && image.header().e_type != ET_CORE) {
      wanted.push_back({segment.p_offset, std::min(segment.p_filesz, elf_notes_limit)});
    }
    if (segment.p_type == PT_DYNAMIC) has_dynamic = true;
  }
  if (!has_dynamic) {  // static, an object, a core: nothing but its headers and notes is a fact
    wanted = within_budget(wanted, elf_tail_budget);
    wanted.push_back({0, at_});
    set_pieces(wanted);
    return;
  }
  if (file_size_ <= whole_limit_) return;
  for (const GElf_Phdr& dynamic : image.segments()) {
    if (dynamic.p_type != PT_DYNAMIC) continue;
    for (const GElf_Phdr& segment : image.segments()) {
      if (segment.p_type != PT_LOAD || dynamic.p_offset < segment.p_offset) continue;
      if (dynamic.p_offset - segment.p_offset >= segment.p_filesz) continue;
      const std::uint64_t before = std::min(dynamic.p_offset - segment.p_offset, elf_dynamic_margin);
      const std::uint64_t from = dynamic.p_offset - before;
      wanted.push_back({from, segment.p_filesz - (from - segment.p_offset)});
    }
  }
  // Nothing of what the head brings counts against the tail.
  for (Range& range : wanted) {
    const std::uint64_t covered = range.offset < head_window_ ? std::min(head_window_ - range.offset, range.size) : 0;
    range.offset += covered;
    range.size -= covered;
  }
  wanted = within_budget(wanted, elf_tail_budget);
  wanted.push_back({0, head_window_});
  set_pieces(wanted);
}

bool ElfCapture::wants_more() const {
  return current_ < pieces_.size() && at_ < pieces_.back().range.offset + pieces_.back().range.size;
}

CapturedFile ElfCapture::captured() const {
  CapturedFile file(file_size_);
  for (const Piece& piece : pieces_) file.add(piece.range.offset, piece.bytes);
  return file;
}

std::uint64_t ElfCapture::held_bytes() const {
  std::uint64_t total = 0;
  for (const Piece& piece : pieces_) total += piece.bytes.size();
  return total;
}

}  // namespace ocilint
