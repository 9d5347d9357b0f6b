// gzip (ISA-L) and zstd (libzstd) of a string, for tests: one member or frame a call, so that several can be
// put one behind the other.
#pragma once

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ocilint::test {

inline std::string gzip(std::string_view plain) {
  std::vector<std::uint8_t> work(ISAL_DEF_LVL1_DEFAULT);
  isal_zstream stream;
  isal_deflate_init(&stream);
  stream.gzip_flag = IGZIP_GZIP;
  stream.level = 1;
  stream.level_buf = work.data();
  stream.level_buf_size = static_cast<std::uint32_t>(work.size());
  stream.end_of_stream = 1;
  stream.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<std::uint32_t>(plain.size());
  std::string out;
  std::vector<std::uint8_t> step(64 << 10);
  do {
    stream.next_out = step.data();
    stream.avail_out = static_cast<std::uint32_t>(step.size());
    if (isal_deflate(&stream) != COMP_OK) throw std::runtime_error("isal_deflate failed");
    out.append(reinterpret_cast<const char*>(step.data()), step.size() - stream.avail_out);
  } while (stream.internal_state.state != ZSTATE_END);
  return out;
}

inline std::string zstd(std::string_view plain, int level = 3) {
  std::string out(ZSTD_compressBound(plain.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), level);
  if (ZSTD_isError(size)) throw std::runtime_error("ZSTD_compress failed");
  out.resize(size);
  return out;
}

/// A skippable frame (RFC 8878, 3.1.2), as zstd:chunked and pzstd write them.
inline std::string zstd_skippable(std::string_view content) {
  std::string out("\x50\x2a\x4d\x18", 4);
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<char>(content.size() >> (8 * i) & 0xff));
  return out.append(content);
}

}  // namespace ocilint::test
