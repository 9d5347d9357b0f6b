// A shared object written byte by byte, in either class and byte order, with lies where a test wants them.
#pragma once

#include <elf.h>

#include <string>

#include "facts/elf_support.h"

namespace ocilint::test {

struct MadeElf {
  bool extended_count = false;  // e_phnum is PN_XNUM, the count stands in section 0
  bool circle = false;          // DT_HASH: a chain leads back to itself
  bool end_dynamic = true;
  std::uint64_t soname_at = 1;
  std::uint64_t string_size = 0;     // 0: the true one
  std::uint64_t strtab_address = 0;  // 0: the true one
};

/// Defines `defined`, refers to `far`; SONAME libmade.so.1, NEEDED libfar.so.2; DT_HASH with one bucket.
inline Blob made_elf(ElfClass elf_class, Endian endian, const MadeElf& made = {}) {
  const bool wide = elf_class == ElfClass::elf64;
  Blob out;
  const auto put = [&](std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i) {
      const unsigned shift = 8 * (endian == Endian::little ? i : width - 1 - i);
      out.push_back(static_cast<std::uint8_t>(value >> shift));
    }
  };
  const auto word = [&](std::uint64_t value) { put(value, wide ? 8 : 4); };
  const std::string strings("\0libmade.so.1\0libfar.so.2\0defined\0far\0", 39);
  const std::uint64_t header = wide ? 64 : 52, phdr = wide ? 56 : 32, shdr = wide ? 64 : 40, sym = wide ? 24 : 16;
  const std::uint64_t hash_at = header + 2 * phdr + shdr, symtab_at = hash_at + 6 * 4 + (wide ? 0 : 4);
  const std::uint64_t strtab_at = symtab_at + 3 * sym, dynamic_at = (strtab_at + strings.size() + 7) / 8 * 8;
  const std::uint64_t dynamic_size = 7 * (wide ? 16 : 8), base = 0x10000;
  const std::uint64_t size = dynamic_at + dynamic_size;

  for (const unsigned byte :
       {0x7f, int{'E'}, int{'L'}, int{'F'}, wide ? 2 : 1, endian == Endian::little ? 1 : 2, 1, 0}) {
    out.push_back(static_cast<std::uint8_t>(byte));
  }
  out.resize(16);
  put(ET_DYN, 2);
  put(wide ? EM_PPC64 : EM_PPC, 2);
  put(1, 4);
  word(0);                                            // entry
  word(header);                                       // program headers
  word(made.extended_count ? header + 2 * phdr : 0);  // section headers
  put(0, 4);
  put(header, 2);
  put(phdr, 2);
  put(made.extended_count ? PN_XNUM : 2, 2);
  put(shdr, 2);
  put(made.extended_count ? 1 : 0, 2);
  put(0, 2);
  const auto segment = [&](std::uint32_t type, std::uint64_t at, std::uint64_t length) {
    put(type, 4);
    if (wide) put(PF_R, 4);
    for (const std::uint64_t value : {at, base + at, base + at, length, length}) word(value);
    if (!wide) put(PF_R, 4);
    word(8);
  };
  segment(PT_LOAD, 0, size);
  segment(PT_DYNAMIC, dynamic_at, dynamic_size);
  const std::size_t section_at = out.size();
  out.resize(section_at + (wide ? 44 : 28));
  put(2, 4);  // sh_info: the number of program headers
  out.resize(section_at + shdr);
  // DT_HASH: 1 bucket, 3 symbols; bucket -> 2 -> 1 -> end.
  for (const std::uint32_t value : {1U, 3U, 2U, 0U, 0U, 1U}) put(value, 4);
  if (made.circle) out[out.size() - (endian == Endian::little ? 4 : 1)] = 2;
  out.resize(symtab_at + sym);
  const auto symbol = [&](std::uint32_t name, std::uint16_t section, std::uint64_t value) {
    const std::uint8_t info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    put(name, 4);
    if (wide) {
      put(info, 1);
      put(0, 1);
      put(section, 2);
    }
    word(value);
    word(4);
    if (!wide) {
      put(info, 1);
      put(0, 1);
      put(section, 2);
    }
  };
  symbol(26, 1, base + 64);
  symbol(34, SHN_UNDEF, 0);
  for (const char c : strings) out.push_back(static_cast<std::uint8_t>(c));
  out.resize(dynamic_at);
  const auto entry = [&](std::uint64_t tag, std::uint64_t value) {
    word(tag);
    word(value);
  };
  entry(DT_SONAME, made.soname_at);
  entry(DT_NEEDED, 14);
  entry(DT_HASH, base + hash_at);
  entry(DT_SYMTAB, base + symtab_at);
  entry(DT_STRTAB, made.strtab_address != 0 ? made.strtab_address : base + strtab_at);
  entry(DT_STRSZ, made.string_size != 0 ? made.string_size : strings.size());
  entry(made.end_dynamic ? DT_NULL : DT_DEBUG, 0);
  return out;
}

}  // namespace ocilint::test
