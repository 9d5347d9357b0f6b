// A shared object of a few hundred bytes with a stated SONAME, which real tools read too.
#pragma once

#include <elf.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace ocilint::test {

struct MadeLibrary {
  std::string_view soname = {};   // "": none
  std::string_view variant = {};  // bytes that make its content another
  bool wide = true;               // 64-bit
  std::uint16_t machine = EM_X86_64;
  std::uint16_t type = ET_DYN;
};

inline std::string made_library(const MadeLibrary& made) {
  std::string out;
  const auto put = [&](std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
  };
  const auto word = [&](std::uint64_t value) { put(value, made.wide ? 8 : 4); };
  const std::uint64_t header = made.wide ? 64 : 52, segment_size = made.wide ? 56 : 32, base = 0x10000;
  const std::string strings = std::string(1, '\0') + std::string(made.soname) + '\0' + std::string(made.variant) + '\0';
  const std::uint64_t strings_at = header + 2 * segment_size;
  const std::uint64_t dynamic_at = (strings_at + strings.size() + 7) / 8 * 8;
  const std::uint64_t entries = made.soname.empty() ? 3 : 4, dynamic_size = entries * (made.wide ? 16 : 8);
  const std::uint64_t size = dynamic_at + dynamic_size;

  out = std::string(
            "\x7f"
            "ELF") +
        (made.wide ? '\2' : '\1') + '\1' + '\1';
  out.resize(16);
  put(made.type, 2);
  put(made.machine, 2);
  put(1, 4);
  word(0);
  word(header);
  word(0);
  put(0, 4);
  put(header, 2);
  put(segment_size, 2);
  put(2, 2);
  put(made.wide ? 64 : 40, 2);
  put(0, 4);
  const auto segment = [&](std::uint32_t type, std::uint64_t at, std::uint64_t length) {
    put(type, 4);
    if (made.wide) put(PF_R, 4);
    for (const std::uint64_t value : {at, base + at, base + at, length, length}) word(value);
    if (!made.wide) put(PF_R, 4);
    word(8);
  };
  segment(PT_LOAD, 0, size);
  segment(PT_DYNAMIC, dynamic_at, dynamic_size);
  out += strings;
  out.resize(dynamic_at);
  const auto entry = [&](std::uint64_t tag, std::uint64_t value) {
    word(tag);
    word(value);
  };
  if (!made.soname.empty()) entry(DT_SONAME, 1);
  entry(DT_STRTAB, base + strings_at);
  entry(DT_STRSZ, strings.size());
  entry(DT_NULL, 0);
  return out;
}

}  // namespace ocilint::test
