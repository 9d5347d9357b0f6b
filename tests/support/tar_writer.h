// Layer archives for tests, made in memory: POSIX ustar headers, PAX and GNU ones where asked for.
//
// Every call appends to one string and returns the writer, so that calls chain:
//   TarWriter().directory("etc/").file("etc/passwd", "root:…").whiteout("etc/shadow").finish()
// Names and link targets beyond 100 bytes get a PAX header by themselves. What a sane writer would refuse
// goes through header() and raw(). No dependency but the standard library.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ocilint::test {

struct TarMeta {
  std::uint32_t mode = 0644;
  std::uint64_t uid = 0, gid = 0;
  std::int64_t mtime = 0;
};

/// One header block, every field free. Numbers too large for octal digits are written in base-256.
struct TarHeader {
  std::string name;
  char type = '0';
  std::uint64_t size = 0;
  TarMeta meta = {};
  std::string link = {};
  std::uint64_t device_major = 0, device_minor = 0;
  std::string magic = std::string(
      "ustar\0"
      "00",
      8);
  std::string prefix = {};

  std::string block() const;
};

using PaxRecords = std::vector<std::pair<std::string, std::string>>;

/// "27 path=…\n": the length counts itself.
inline std::string pax_record(std::string_view key, std::string_view value) {
  const std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest + 1;
  while (std::to_string(length).size() + rest != length) length = std::to_string(length).size() + rest;
  return std::to_string(length) + " " + std::string(key) + "=" + std::string(value) + "\n";
}

/// Writes the checksum over a header block that was changed by hand.
inline void seal(std::string& block) {
  std::memset(block.data() + 148, ' ', 8);
  unsigned sum = 0;
  for (std::size_t i = 0; i < 512; ++i) sum += static_cast<unsigned char>(block[i]);
  for (std::size_t i = 6; i-- > 0; sum >>= 3) block[148 + i] = static_cast<char>('0' + (sum & 7));
  block[154] = '\0';
}

inline std::string TarHeader::block() const {
  std::string out(512, '\0');
  const auto text = [&](std::size_t at, std::size_t width, std::string_view value) {
    std::memcpy(out.data() + at, value.data(), value.size() < width ? value.size() : width);
  };
  const auto number = [&](std::size_t at, std::size_t width, std::uint64_t value) {
    const std::size_t digits = width - 1;
    if (3 * digits < 64 && value >> (3 * digits) != 0) {
      for (std::size_t i = width; i-- > 0; value >>= 8) out[at + i] = static_cast<char>(value & 0xff);
      out[at] = static_cast<char>(static_cast<unsigned char>(out[at]) | 0x80u);
      return;
    }
    for (std::size_t i = digits; i-- > 0; value >>= 3) out[at + i] = static_cast<char>('0' + (value & 7));
  };
  text(0, 100, name);
  number(100, 8, meta.mode);
  number(108, 8, meta.uid);
  number(116, 8, meta.gid);
  number(124, 12, size);
  number(136, 12, static_cast<std::uint64_t>(meta.mtime));
  out[156] = type;
  text(157, 100, link);
  text(257, 8, magic);
  number(329, 8, device_major);
  number(337, 8, device_minor);
  text(345, 155, prefix);
  seal(out);
  return out;
}

class TarWriter {
 public:
  TarWriter& file(std::string_view name, std::string_view content = {}, TarMeta meta = {}) {
    return entry({.name = std::string(name), .type = '0', .size = content.size(), .meta = meta}, content);
  }
  TarWriter& directory(std::string_view name, TarMeta meta = {.mode = 0755}) {
    return entry({.name = std::string(name), .type = '5', .meta = meta});
  }
  TarWriter& symlink(std::string_view name, std::string_view target, TarMeta meta = {.mode = 0777}) {
    return entry({.name = std::string(name), .type = '2', .meta = meta, .link = std::string(target)});
  }
  TarWriter& hard_link(std::string_view name, std::string_view target, TarMeta meta = {}) {
    return entry({.name = std::string(name), .type = '1', .meta = meta, .link = std::string(target)});
  }
  /// `type`: 'c' or 'b'.
  TarWriter& device(std::string_view name, char type, std::uint64_t major, std::uint64_t minor, TarMeta meta = {}) {
    return entry({.name = std::string(name),
                  .type = type == 'b' ? '4' : '3',
                  .meta = meta,
                  .device_major = major,
                  .device_minor = minor});
  }
  TarWriter& fifo(std::string_view name, TarMeta meta = {}) {
    return entry({.name = std::string(name), .type = '6', .meta = meta});
  }
  /// The marker that removes `path` from lower layers: "a/b" becomes the empty file "a/.wh.b".
  TarWriter& whiteout(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    const std::size_t base = slash == std::string_view::npos ? 0 : slash + 1;
    return file(std::string(path.substr(0, base)) + ".wh." + std::string(path.substr(base)));
  }
  /// The marker that makes the directory opaque.
  TarWriter& opaque(std::string_view directory) {
    std::string name(directory);
    if (!name.empty() && name.back() != '/') name += '/';
    return file(name + ".wh..wh..opq");
  }

  /// A PAX header for the next entry ('x') or for all of them ('g').
  TarWriter& pax(const PaxRecords& records, char type = 'x') {
    std::string body;
    for (const auto& [key, value] : records) body += pax_record(key, value);
    return pax_raw(body, type);
  }
  TarWriter& pax_raw(std::string_view body, char type = 'x') {
    return header({.name = "PaxHeaders/0", .type = type, .size = body.size()}).body(body);
  }
  /// A file with extended attributes: SCHILY.xattr.<name>.
  TarWriter& xattr_file(std::string_view name, std::string_view content, const PaxRecords& attributes,
                        TarMeta meta = {}) {
    PaxRecords records;
    for (const auto& [key, value] : attributes) records.emplace_back("SCHILY.xattr." + key, value);
    return pax(records).file(name, content, meta);
  }
  /// GNU long name ('L') or long link target ('K') of the next entry.
  TarWriter& gnu_long(std::string_view text, char type = 'L') {
    const std::string terminated = std::string(text) + '\0';
    return header(
               {.name = "././@LongLink", .type = type, .size = terminated.size(), .magic = std::string("ustar  \0", 8)})
        .body(terminated);
  }

  /// The header as given, and then its body.
  TarWriter& entry(TarHeader head, std::string_view content = {}) {
    PaxRecords records;
    if (head.name.size() > 100) records.emplace_back("path", head.name);
    if (head.link.size() > 100) records.emplace_back("linkpath", head.link);
    if (!records.empty()) pax(records);
    return header(head).body(content);
  }
  TarWriter& header(const TarHeader& head) { return raw(head.block()); }
  TarWriter& body(std::string_view content) {
    return raw(content).raw(std::string((512 - content.size() % 512) % 512, '\0'));
  }
  TarWriter& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  TarWriter& end(std::size_t zero_blocks = 2) { return raw(std::string(512 * zero_blocks, '\0')); }

  const std::string& bytes() const { return bytes_; }
  /// The archive with its end marker.
  std::string finish() const { return bytes_ + std::string(1024, '\0'); }

 private:
  std::string bytes_;
};

}  // namespace ocilint::test
