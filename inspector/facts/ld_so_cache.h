// /etc/ld.so.cache: what glibc's loader looks libraries up in, written by ldconfig.
//
// Reads the format of glibc 2.2 and later ("glibc-ld.so.cache1.1", with the extension of 2.33), the older one
// ("ld.so-1.7.0"), and the older one with the newer hidden in its strings, of which the newer counts. Either
// byte order; a cache that does not say which is tried as little-endian first. A value; nothing refers to the
// bytes. Error{corrupt} for anything that the loader could misread: a wrong magic, counts, offsets or strings
// outside the file, an unfinished extension, the mark that the cache is invalid. Error{limit}: below.
// Cost: linear in entries and their strings.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace ocilint {

// Limits on hostile files. A system with every library of a distribution has some 10,000 entries in 1 MB.
inline constexpr std::size_t ld_so_cache_bytes = 16U << 20U;
inline constexpr std::size_t ld_so_cache_entries = 200'000;
inline constexpr std::size_t ld_so_cache_string = 4096;         // a path at most
inline constexpr std::size_t ld_so_cache_strings = 64U << 20U;  // all together: entries may share one

struct LdSoCache {
  enum class Format : std::uint8_t { old_only, new_only, both };

  struct Entry {
    std::string name;              // "libz.so.1": what is looked up
    std::string path;              // "/lib/x86_64-linux-gnu/libz.so.1"
    std::int32_t flags = 0;        // kind of C library in the low byte, ABI above: 0x0303 is libc6,x86-64
    std::uint32_t os_version = 0;  // least kernel version; unused since glibc 2.37
    std::uint64_t hwcap = 0;       // as recorded; 0: for every processor
    std::string hwcaps;            // name of the glibc-hwcaps folder ("x86-64-v3"), "" when it is in none

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  Format format = Format::new_only;
  Endian endian = Endian::little;
  std::string generator;       // what wrote it, "" before glibc 2.33
  std::vector<Entry> entries;  // in file order: descending by name; for one name hwcaps first, then by folder order

  static LdSoCache parse(Bytes file);

  /// The entries that the loader considers for a name, in its order: neighbours whose names are equal. As the
  /// loader does it: a binary search, which misses entries of a cache that is not in order. Logarithmic, however
  /// many they are.
  std::span<const Entry> find(std::string_view name) const;
  /// To be called when `entries` was filled in another way than by parse().
  void index();

  std::vector<std::uint32_t> groups = {};  // where neighbours of equal names begin
};

/// How ldconfig and the loader order library names: digits as numbers, other bytes by value. Negative, zero or
/// positive. Different names can be equal ("libx.so.01", "libx.so.1"). Numbers wrap at 32 bits, as in glibc.
int compare_library_names(std::string_view a, std::string_view b);

}  // namespace ocilint
