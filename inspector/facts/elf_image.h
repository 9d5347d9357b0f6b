// The one place where bytes of an ELF file become numbers: checked reads, class and byte order.
//
// Every read names file offsets, is checked against the captured ranges, and is recorded (for a second pass).
// libelf translates the structures, but never holds the file: elf32/64_xlatetom work on bytes that were
// checked here. elf_memory() would allocate for every section that a file claims; elf_getdata_rawchunk() is
// quadratic in the number of reads (0.188: 40,000 reads 14 s, 0.8 ms this way) and cannot tell a gap from
// zeros. Unread: nothing is returned and the range stands in unread(). A contradiction, or too much work:
// throws Error{corrupt}. Not thread safe; holds a view of the file.
#pragma once

#include <gelf.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/elf.h"
#include "facts/elf_ranges.h"

namespace ocilint {

/// A table in the file: where it starts, and how far the segment (or the stated size) lets it go.
struct ElfTable {
  std::uint64_t offset = 0;
  std::uint64_t most = 0;
};

class ElfImage {
 public:
  ElfImage(const CapturedFile& file, ElfClass elf_class, Endian endian);

  bool is64() const { return elf_class_ == ElfClass::elf64; }
  Endian endian() const { return endian_; }
  std::uint64_t ehdr_size() const { return is64() ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr); }
  std::uint64_t phdr_size() const { return is64() ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr); }
  std::uint64_t shdr_size() const { return is64() ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr); }
  std::uint64_t dyn_size() const { return is64() ? sizeof(Elf64_Dyn) : sizeof(Elf32_Dyn); }
  std::uint64_t sym_size() const { return is64() ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym); }

  // The bytes must be as many as the size above.
  GElf_Ehdr ehdr(Bytes bytes) const;
  GElf_Phdr phdr(Bytes bytes) const;
  GElf_Shdr shdr(Bytes bytes) const;
  GElf_Dyn dyn(Bytes bytes) const;
  GElf_Sym sym(Bytes bytes) const;
  std::uint64_t number(Bytes bytes) const;  // 2, 4 or 8 bytes

  /// File header and program headers; false when unread. Everything below needs them.
  bool read_headers();
  const GElf_Ehdr& header() const { return header_; }
  const std::vector<GElf_Phdr>& segments() const { return segments_; }

  /// What is reported of a read that fails.
  void set_part(ElfPart part) { part_ = part; }
  std::optional<Bytes> read(std::uint64_t offset, std::uint64_t size, std::string_view what);
  /// At least one byte, as far as captured and at most `most`.
  Bytes read_some(std::uint64_t offset, std::uint64_t most, std::string_view what);
  std::optional<Bytes> element(const ElfTable& table, std::uint64_t index, std::uint64_t size, std::string_view what);
  std::optional<std::uint64_t> word(const ElfTable& table, std::uint64_t position, unsigned width,
                                    std::string_view what);
  /// The bytes up to NUL. The view lives as long as the captured bytes.
  std::optional<std::string_view> text(const ElfTable& table, std::uint64_t index, std::uint64_t longest,
                                       std::string_view what);
  /// Where an address is in the file: through PT_LOAD, by file size.
  ElfTable locate(std::uint64_t address, std::string_view what) const;
  /// The part of a table behind `position`.
  static ElfTable behind(const ElfTable& table, std::uint64_t position, std::string_view what);

  bool is_captured(Range range) const { return file_->at(range.offset, range.size).has_value(); }
  void report_unread(Range range, std::string_view what);
  const std::vector<ElfUnread>& unread() const { return unread_; }
  std::vector<Range> touched() const;
  void allow_more_work(std::uint64_t bytes) { work_left_ += bytes; }
  void spend(std::uint64_t bytes);

 private:
  template <class Wide, class Narrow>
  Wide translate(Bytes bytes, Elf_Type type) const;
  std::optional<std::uint64_t> segment_count();
  void touch(std::uint64_t offset, std::uint64_t size);

  const CapturedFile* file_;
  ElfClass elf_class_;
  Endian endian_;
  ElfPart part_ = ElfPart::headers;
  GElf_Ehdr header_{};
  std::vector<GElf_Phdr> segments_;
  std::vector<ElfUnread> unread_;
  std::vector<Range> touched_;
  std::uint64_t work_left_;
};

/// Class and byte order of an ELF identification, or nothing if it is none. Throws Error{corrupt} for an ELF
/// magic with a class, byte order or version that does not exist.
struct ElfIdent {
  ElfClass elf_class;
  Endian endian;
};
std::optional<ElfIdent> elf_ident(Bytes head);

}  // namespace ocilint
