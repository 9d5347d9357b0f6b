#include "facts/elf_image.h"

#include <fmt/format.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/error.h"

namespace ocilint {

namespace {

// So many ranges are recorded before neighbours are merged: bounds the memory of a hostile scatter.
constexpr std::size_t touched_limit = 4096;
// Reads closer than this are one range for a second pass.
constexpr std::uint64_t touched_gap = 4096;
// What an unread range costs of the work allowed: bounds their number.
constexpr std::uint64_t unread_work = 64;

void prepare_libelf() {
  static const bool ready = elf_version(EV_CURRENT) != EV_NONE;  // once, whichever thread comes first
  if (!ready) throw Error(ErrorKind::internal, "libelf is older than its header");
}

template <class Wide, class Narrow>
Wide widen(const Narrow& from) {
  if constexpr (std::is_same_v<Narrow, Wide>) {
    return from;
  } else if constexpr (std::is_same_v<Wide, GElf_Ehdr>) {
    Wide to{};
    std::memcpy(to.e_ident, from.e_ident, EI_NIDENT);
    to.e_type = from.e_type;
    to.e_machine = from.e_machine;
    to.e_version = from.e_version;
    to.e_phoff = from.e_phoff;
    to.e_shoff = from.e_shoff;
    to.e_flags = from.e_flags;
    to.e_ehsize = from.e_ehsize;
    to.e_phentsize = from.e_phentsize;
    to.e_phnum = from.e_phnum;
    to.e_shentsize = from.e_shentsize;
    to.e_shnum = from.e_shnum;
    return to;
  } else if constexpr (std::is_same_v<Wide, GElf_Phdr>) {
    return {from.p_type,  from.p_flags,  from.p_offset, from.p_vaddr,
            from.p_paddr, from.p_filesz, from.p_memsz,  from.p_align};
  } else if constexpr (std::is_same_v<Wide, GElf_Shdr>) {
    Wide to{};
    to.sh_type = from.sh_type;
    to.sh_info = from.sh_info;
    return to;
  } else if constexpr (std::is_same_v<Wide, GElf_Dyn>) {
    Wide to{};
    to.d_tag = from.d_tag;
    to.d_un.d_val = from.d_un.d_val;
    return to;
  } else {
    static_assert(std::is_same_v<Wide, GElf_Sym>);
    return {from.st_name, from.st_info, from.st_other, from.st_shndx, from.st_value, from.st_size};
  }
}

}  // namespace

std::optional<ElfIdent> elf_ident(Bytes head) {
  if (head.size() < SELFMAG || std::memcmp(head.data(), ELFMAG, SELFMAG) != 0) return std::nullopt;
  if (head.size() < EI_NIDENT) corrupt("the ELF header is cut");
  const auto elf_class = head[EI_CLASS];
  const auto data = head[EI_DATA];
  if (elf_class != ELFCLASS32 && elf_class != ELFCLASS64) {
    corrupt(fmt::format("ELF class {} does not exist", elf_class));
  }
  if (data != ELFDATA2LSB && data != ELFDATA2MSB) corrupt(fmt::format("ELF byte order {} does not exist", data));
  if (head[EI_VERSION] != EV_CURRENT) corrupt(fmt::format("ELF version {} does not exist", head[EI_VERSION]));
  return ElfIdent{elf_class == ELFCLASS64 ? ElfClass::elf64 : ElfClass::elf32,
                  data == ELFDATA2LSB ? Endian::little : Endian::big};
}

ElfImage::ElfImage(const CapturedFile& file, ElfClass elf_class, Endian endian)
    : file_(&file),
      elf_class_(elf_class),
      endian_(endian),
      work_left_(elf_work_base + elf_work_factor * file.captured_size()) {
  prepare_libelf();
}

template <class Wide, class Narrow>
Wide ElfImage::translate(Bytes bytes, Elf_Type type) const {
  // The copy makes it aligned; libelf translates in place.
  const auto run = [&](auto native, auto xlate) {
    if (bytes.size() != sizeof native) throw Error(ErrorKind::internal, "an ELF structure of the wrong size");
    std::memcpy(&native, bytes.data(), sizeof native);
    Elf_Data data{};
    data.d_buf = &native;
    data.d_type = type;
    data.d_version = EV_CURRENT;
    data.d_size = sizeof native;
    if (!xlate(&data, &data, endian_ == Endian::little ? ELFDATA2LSB : ELFDATA2MSB)) {
      throw Error(ErrorKind::internal, std::string("libelf: ") + elf_errmsg(-1));
    }
    return widen<Wide>(native);
  };
  return is64() ? run(Wide{}, elf64_xlatetom) : run(Narrow{}, elf32_xlatetom);
}

GElf_Ehdr ElfImage::ehdr(Bytes bytes) const { return translate<GElf_Ehdr, Elf32_Ehdr>(bytes, ELF_T_EHDR); }
GElf_Phdr ElfImage::phdr(Bytes bytes) const { return translate<GElf_Phdr, Elf32_Phdr>(bytes, ELF_T_PHDR); }
GElf_Shdr ElfImage::shdr(Bytes bytes) const { return translate<GElf_Shdr, Elf32_Shdr>(bytes, ELF_T_SHDR); }
GElf_Dyn ElfImage::dyn(Bytes bytes) const { return translate<GElf_Dyn, Elf32_Dyn>(bytes, ELF_T_DYN); }
GElf_Sym ElfImage::sym(Bytes bytes) const { return translate<GElf_Sym, Elf32_Sym>(bytes, ELF_T_SYM); }

std::uint64_t ElfImage::number(Bytes bytes) const {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    value = value << 8U | bytes[endian_ == Endian::big ? i : bytes.size() - 1 - i];
  }
  return value;
}

std::optional<std::uint64_t> ElfImage::segment_count() {
  if (header_.e_phnum != PN_XNUM) return header_.e_phnum;
  // The count does not fit: it stands in sh_info of section 0, the one thing that is ever read of a section.
  if (header_.e_shoff == 0) corrupt("the number of program headers is extended, but there is no section 0");
  const auto bytes = read(header_.e_shoff, shdr_size(), "section header 0");
  if (!bytes) return std::nullopt;
  return shdr(*bytes).sh_info;
}

bool ElfImage::read_headers() {
  part_ = ElfPart::headers;
  const auto head = read(0, ehdr_size(), "the ELF header");
  if (!head) return false;
  header_ = ehdr(*head);
  const auto count = segment_count();
  if (!count) return false;
  if (*count == 0) return true;
  if (*count > elf_segments_limit) {
    corrupt(fmt::format("{} program headers; at most {} are read", *count, elf_segments_limit));
  }
  if (header_.e_phentsize != phdr_size()) {
    corrupt(fmt::format("program headers of {} bytes instead of {}", header_.e_phentsize, phdr_size()));
  }
  const auto table = read(header_.e_phoff, *count * phdr_size(), "the program headers");
  if (!table) return false;
  for (std::uint64_t i = 0; i < *count; ++i) {
    segments_.push_back(phdr(table->subspan(i * phdr_size(), phdr_size())));
  }
  return true;
}

std::optional<Bytes> ElfImage::read(std::uint64_t offset, std::uint64_t size, std::string_view what) {
  if (offset > file_->file_size() || size > file_->file_size() - offset) {
    corrupt(fmt::format("{} ends behind the end of the file", what));
  }
  spend(size);
  const auto bytes = file_->at(offset, size);
  if (bytes) {
    touch(offset, size);
  } else {
    report_unread({offset, size}, what);
  }
  return bytes;
}

Bytes ElfImage::read_some(std::uint64_t offset, std::uint64_t most, std::string_view what) {
  if (offset > file_->file_size() || most > file_->file_size() - offset) {
    corrupt(fmt::format("{} ends behind the end of the file", what));
  }
  const Bytes bytes = file_->from(offset, most);
  if (bytes.empty() && most > 0) report_unread({offset, most}, what);
  return bytes;
}

ElfTable ElfImage::behind(const ElfTable& table, std::uint64_t position, std::string_view what) {
  if (position > table.most) corrupt(fmt::format("{} leaves its segment", what));
  return {table.offset + position, table.most - position};
}

std::optional<Bytes> ElfImage::element(const ElfTable& table, std::uint64_t index, std::uint64_t size,
                                       std::string_view what) {
  if (index >= table.most / size) corrupt(fmt::format("entry {} of {} is outside of it", index, what));
  return read(table.offset + index * size, size, what);
}

std::optional<std::uint64_t> ElfImage::word(const ElfTable& table, std::uint64_t position, unsigned width,
                                            std::string_view what) {
  if (position > table.most || width > table.most - position) corrupt(fmt::format("{} leaves its segment", what));
  const auto bytes = read(table.offset + position, width, what);
  if (!bytes) return std::nullopt;
  return number(*bytes);
}

std::optional<std::string_view> ElfImage::text(const ElfTable& table, std::uint64_t index, std::uint64_t longest,
                                               std::string_view what) {
  if (table.offset > file_->file_size() || table.most > file_->file_size() - table.offset) {
    corrupt(fmt::format("{} ends behind the end of the file", what));
  }
  if (index >= table.most) corrupt(fmt::format("a name in {} starts outside of it", what));
  const std::uint64_t most = std::min(longest + 1, table.most - index);
  const Bytes bytes = file_->from(table.offset + index, most);
  const auto* end =
      bytes.empty() ? nullptr : static_cast<const std::uint8_t*>(std::memchr(bytes.data(), 0, bytes.size()));
  if (end == nullptr) {
    spend(bytes.size());
    if (bytes.size() == most) corrupt(fmt::format("a name in {} is too long or has no end", what));
    report_unread({table.offset + index, most}, what);
    return std::nullopt;
  }
  const Bytes name = bytes.first(static_cast<std::size_t>(end - bytes.data()));
  spend(name.size() + 1);
  touch(table.offset + index, name.size() + 1);
  return as_text(name);
}

ElfTable ElfImage::locate(std::uint64_t address, std::string_view what) const {
  for (const GElf_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
    const std::uint64_t skip = address - segment.p_vaddr;
    if (skip >= segment.p_filesz) continue;
    return {segment.p_offset + skip, segment.p_filesz - skip};
  }
  corrupt(fmt::format("{} is at address {:#x}, which no PT_LOAD brings from the file", what, address));
}

void ElfImage::report_unread(Range range, std::string_view what) {
  spend(unread_work);
  if (!unread_.empty() && unread_.back().range == range && unread_.back().part == part_) return;
  unread_.push_back({range, part_, what});
}

void ElfImage::touch(std::uint64_t offset, std::uint64_t size) {
  if (file_->captured_size() == file_->file_size() || size == 0) return;  // no second pass can be needed
  if (!touched_.empty()) {
    Range& last = touched_.back();
    if (offset >= last.offset && offset - last.offset <= last.size + touched_gap) {
      last.size = std::max(last.size, offset - last.offset + size);
      return;
    }
  }
  if (touched_.size() >= touched_limit) touched_ = touched();
  touched_.push_back({offset, size});
}

std::vector<Range> ElfImage::touched() const {
  std::vector<Range> result = normalise_ranges(touched_, file_->file_size(), touched_gap);
  // A scatter that does not merge is coarsened, so that the list stays short; what is between may be unread.
  for (std::uint64_t gap = touched_gap * 4; result.size() > touched_limit / 2; gap *= 4) {
    result = normalise_ranges(std::move(result), file_->file_size(), gap);
  }
  return result;
}

void ElfImage::spend(std::uint64_t bytes) {
  if (bytes > work_left_) corrupt("reading it takes more work than any file of its size needs");
  work_left_ -= bytes;
}

}  // namespace ocilint
