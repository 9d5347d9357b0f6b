// A loader cache written byte by byte, in either byte order, with lies where a test wants them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace ocilint::test {

struct MadeCache {
  Endian endian = Endian::little;
  bool marked = true;         // says its byte order
  bool old_prefix = false;    // an older cache before it, with one entry
  std::uint32_t name_at = 0;  // of the first entry; 0: the true place
  std::uint32_t extension_at = 0;
  std::uint32_t sections = 2;
  std::uint32_t hwcaps_index = 0;  // of the second entry
  std::size_t long_name = 0;       // bytes to put before the first name's end
};

/// libb.so.2 for everybody, liba.so.1 in glibc-hwcaps/v9; generator "made".
inline std::vector<std::uint8_t> made_cache(const MadeCache& made) {
  std::vector<std::uint8_t> out;
  const auto text = [&](std::string_view bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); };
  const auto put = [&](std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i)
      out.push_back(static_cast<std::uint8_t>(value >> (8 * (made.endian == Endian::little ? i : width - 1 - i))));
  };
  if (made.old_prefix) {
    text("ld.so-1.7.0");
    out.push_back(0);
    put(1, 4);
    put(3, 4);
    put(0, 4);
    put(0, 4);
    out.resize((out.size() + 7) / 8 * 8);
  }
  const std::size_t start = out.size();
  const std::string strings = std::string("libb.so.2") + std::string(made.long_name, 'x') + '\0' + "/l/libb.so.2" +
                              '\0' + "liba.so.1" + '\0' + "/l/glibc-hwcaps/v9/liba.so.1" + '\0' + "v9" + '\0';
  const auto at = [&](std::string_view wanted) {
    return static_cast<std::uint32_t>(48 + 2 * 24 + strings.find(wanted));
  };
  const std::size_t extension = (start + 48 + 2 * 24 + strings.size() + 3) / 4 * 4;
  text("glibc-ld.so.cache1.1");
  put(2, 4);
  put(strings.size(), 4);
  out.push_back(made.marked ? (made.endian == Endian::little ? 2 : 3) : 0);
  out.resize(out.size() + 3);
  put(made.extension_at != 0 ? made.extension_at : extension, 4);
  out.resize(out.size() + 12);
  const auto entry = [&](std::uint32_t name, std::uint32_t path, std::uint64_t hwcap) {
    put(0x303, 4);
    put(name, 4);
    put(path, 4);
    put(0, 4);
    put(hwcap, 8);
  };
  entry(made.name_at != 0 ? made.name_at : at("libb.so.2"), at("/l/libb.so.2"), 0);
  entry(at("liba.so.1"), at("/l/glibc"), (1ULL << 62) | (2ULL << 32) | made.hwcaps_index);
  text(strings);
  out.resize(extension);
  put(0xeaa42174, 4);
  put(made.sections, 4);
  const std::size_t payload = extension + 8 + 32;
  put(1, 4);  // hwcaps names
  put(0, 4);
  put(payload, 4);
  put(4, 4);
  put(0, 4);  // generator
  put(0, 4);
  put(payload + 4, 4);
  put(4, 4);
  put(start + at(std::string_view("v9\0", 3)), 4);
  text("made");
  return out;
}

}  // namespace ocilint::test
