#include "facts/ld_so_cache.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace ocilint {
namespace {

constexpr std::string_view old_magic = "ld.so-1.7.0";
constexpr std::string_view new_magic = "glibc-ld.so.cache1.1";
constexpr std::size_t old_header = 16, old_entry = 12;  // the magic is padded to a multiple of four
constexpr std::size_t new_header = 48, new_entry = 24;
constexpr std::uint32_t extension_magic = 0xeaa42174;
constexpr std::uint32_t tag_generator = 0, tag_hwcaps = 1;
constexpr std::uint32_t most_sections = 64;  // two are known
constexpr std::uint64_t hwcap_extension = 1ULL << 62U;
constexpr std::uint64_t isa_levels = 0x3ffULL << 32U;  // ten bits beside the mark
constexpr std::uint64_t hwcaps_index = 0xffffffffULL;

enum class EndianMark : std::uint8_t { unset = 0, invalid = 1, little = 2, big = 3 };

bool has_magic(Bytes file, std::size_t at, std::string_view magic) {
  return at <= file.size() && as_text(file.subspan(at)).starts_with(magic);
}

std::uint32_t number_at(Bytes file, std::size_t at, Endian endian) {
  Cursor cursor(file, endian);
  cursor.seek(at);
  return cursor.u32();
}

bool fits(Bytes file, std::size_t at, std::size_t entry_size, Endian endian, std::size_t count_at) {
  return number_at(file, count_at, endian) <= (file.size() - at) / entry_size;
}

/// Without a mark the count tells: read in the wrong order it is at least 2^24 for any real cache.
Endian guess(Bytes file, std::size_t at, std::size_t entry_size, std::size_t count_at) {
  for (const Endian endian : {Endian::little, Endian::big})
    if (fits(file, at, entry_size, endian, count_at)) return endian;
  corrupt("more entries than the file has bytes for");
}

class CacheReader {
 public:
  explicit CacheReader(Bytes file) : file_(file) {}

  LdSoCache read() {
    if (file_.size() > ld_so_cache_bytes)
      throw Error(ErrorKind::limit, fmt::format("a loader cache of {} bytes", file_.size()));
    if (has_magic(file_, 0, new_magic)) {
      read_new(0);
    } else if (has_magic(file_, 0, old_magic)) {
      read_old();
    } else {
      corrupt("no loader cache: unknown bytes at its start");
    }
    return std::move(cache_);
  }

 private:
  void read_old() {
    if (file_.size() < old_header) corrupt("a loader cache that ends within its header");
    const std::size_t count_at = 12;
    cache_.format = LdSoCache::Format::old_only;
    cache_.endian = guess(file_, old_header, old_entry, count_at);
    const std::size_t count = number_at(file_, count_at, cache_.endian);
    const std::size_t strings = old_header + count * old_entry;
    // The newer header is aligned as its 64-bit fields are: to 8 bytes, on some architectures to 4.
    for (const std::size_t at : {(strings + 7) / 8 * 8, (strings + 3) / 4 * 4}) {
      if (!has_magic(file_, at, new_magic)) continue;
      cache_.format = LdSoCache::Format::both;
      return read_new(at);
    }
    limit_entries(count);
    Cursor cursor(file_, cache_.endian);
    cursor.seek(old_header);
    for (std::size_t i = 0; i < count; ++i) {
      LdSoCache::Entry entry;
      entry.flags = static_cast<std::int32_t>(cursor.u32());
      entry.name = text_at(strings, cursor.u32());
      entry.path = text_at(strings, cursor.u32());
      cache_.entries.push_back(std::move(entry));
    }
  }

  void read_new(std::size_t start) {
    if (file_.size() - start < new_header) corrupt("a loader cache that ends within its header");
    const std::size_t count_at = start + new_magic.size();
    switch (static_cast<EndianMark>(file_[start + 28] & 3U)) {
      case EndianMark::unset: cache_.endian = guess(file_, start + new_header, new_entry, count_at); break;
      case EndianMark::invalid: corrupt("the loader cache is marked as invalid");
      case EndianMark::little: cache_.endian = Endian::little; break;
      case EndianMark::big: cache_.endian = Endian::big; break;
    }
    if (!fits(file_, start + new_header, new_entry, cache_.endian, count_at))
      corrupt("more entries than the file has bytes for");
    const std::size_t count = number_at(file_, count_at, cache_.endian);
    limit_entries(count);
    read_extension(number_at(file_, start + 32, cache_.endian));

    Cursor cursor(file_, cache_.endian);
    cursor.seek(start + new_header);
    for (std::size_t i = 0; i < count; ++i) {
      LdSoCache::Entry entry;
      entry.flags = static_cast<std::int32_t>(cursor.u32());
      entry.name = text_at(start, cursor.u32());
      entry.path = text_at(start, cursor.u32());
      entry.os_version = cursor.u32();
      entry.hwcap = cursor.u64();
      if ((entry.hwcap & ~(isa_levels | hwcaps_index)) == hwcap_extension) {
        const std::uint64_t index = entry.hwcap & hwcaps_index;
        if (index >= hwcaps_.size()) corrupt(fmt::format("entry {} is for a hwcaps folder that has no name", i));
        entry.hwcaps = count_text(hwcaps_[static_cast<std::size_t>(index)]);
      }
      cache_.entries.push_back(std::move(entry));
    }
  }

  // Its offsets count from the start of the file, also when an older cache stands before the newer.
  void read_extension(std::uint32_t at) {
    if (at == 0) return;
    if (at % 4 != 0) corrupt("the extension of the loader cache is not aligned");
    Cursor cursor(file_, cache_.endian);
    cursor.seek(at);
    if (cursor.u32() != extension_magic) corrupt("the extension of the loader cache does not begin as one");
    const std::uint32_t count = cursor.u32();
    if (count > most_sections) throw Error(ErrorKind::limit, fmt::format("{} sections of a loader cache", count));
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t tag = cursor.u32();
      cursor.skip(4);  // flags
      const std::uint32_t offset = cursor.u32(), size = cursor.u32();
      Cursor section(file_, cache_.endian);
      section.seek(offset);
      const Bytes bytes = section.take(size);
      if (tag == tag_generator) {
        if (size > ld_so_cache_string) throw Error(ErrorKind::limit, "the name of a loader cache's generator");
        cache_.generator = as_text(bytes);
      } else if (tag == tag_hwcaps) {
        read_hwcaps(offset, bytes);
      }
    }
  }

  void read_hwcaps(std::uint32_t offset, Bytes bytes) {
    if (offset % 4 != 0 || bytes.size() % 4 != 0) corrupt("the hwcaps names of the loader cache are not aligned");
    constexpr std::size_t most = 4096;  // processors have ten levels
    if (bytes.size() / 4 > most) throw Error(ErrorKind::limit, "hwcaps names of a loader cache");
    hwcaps_.clear();
    for (Cursor cursor(bytes, cache_.endian); cursor.left() > 0;) hwcaps_.push_back(text_at(0, cursor.u32()));
  }

  std::string text_at(std::size_t base, std::uint32_t offset) {
    if (offset >= file_.size() - base) corrupt(fmt::format("a string at {} lies beyond the file", offset));
    const std::string_view rest = as_text(file_.subspan(base + offset));
    const std::size_t end = rest.substr(0, ld_so_cache_string + 1).find('\0');
    if (end == rest.npos) {
      if (rest.size() <= ld_so_cache_string) corrupt(fmt::format("a string at {} does not end", offset));
      throw Error(ErrorKind::limit, fmt::format("a string at {} of more than {} bytes", offset, ld_so_cache_string));
    }
    return count_text(std::string(rest.substr(0, end)));
  }

  std::string count_text(std::string text) {
    kept_ += text.size() + 1;
    if (kept_ > ld_so_cache_strings) throw Error(ErrorKind::limit, "the strings of a loader cache");
    return text;
  }

  static void limit_entries(std::size_t count) {
    if (count > ld_so_cache_entries) throw Error(ErrorKind::limit, fmt::format("{} entries of a loader cache", count));
  }

  Bytes file_;
  LdSoCache cache_;
  std::vector<std::string> hwcaps_;
  std::size_t kept_ = 0;
};

bool is_digit(std::string_view text, std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; }

std::uint32_t take_number(std::string_view text, std::size_t& at) {
  std::uint32_t value = 0;
  for (; is_digit(text, at); ++at) value = value * 10 + static_cast<std::uint32_t>(text[at] - '0');
  return value;
}

/// A byte as glibc's `char` on most machines; the end of the name is 0.
int byte_at(std::string_view text, std::size_t at) { return at < text.size() ? static_cast<signed char>(text[at]) : 0; }

}  // namespace

LdSoCache LdSoCache::parse(Bytes file) {
  LdSoCache cache = CacheReader(file).read();
  cache.index();
  return cache;
}

void LdSoCache::index() {
  groups.clear();
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (i == 0 || compare_library_names(entries[i - 1].name, entries[i].name) != 0)
      groups.push_back(static_cast<std::uint32_t>(i));
}

std::span<const LdSoCache::Entry> LdSoCache::find(std::string_view name) const {
  std::size_t left = 0, right = entries.size();
  while (left < right) {
    // As the loader: the middle of inclusive bounds.
    const std::size_t middle = (left + right - 1) / 2;
    const int order = compare_library_names(name, entries[middle].name);
    if (order < 0) {
      left = middle + 1;
    } else if (order > 0) {
      right = middle;
    } else {
      const auto next = std::ranges::upper_bound(groups, middle);
      const std::size_t end = next == groups.end() ? entries.size() : *next;
      const std::size_t begin = *std::prev(next);
      return std::span(entries).subspan(begin, end - begin);
    }
  }
  return {};
}

int compare_library_names(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size()) {
    if (is_digit(a, i)) {
      if (!is_digit(b, j)) return 1;
      const std::uint32_t left = take_number(a, i), right = take_number(b, j);
      if (left != right) return static_cast<std::int32_t>(left - right);
    } else if (is_digit(b, j)) {
      return -1;
    } else if (byte_at(a, i) != byte_at(b, j)) {
      return byte_at(a, i) - byte_at(b, j);
    } else {
      ++i;
      ++j;
    }
  }
  return -byte_at(b, j);
}

}  // namespace ocilint
