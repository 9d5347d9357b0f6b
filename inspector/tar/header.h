// One header block of a tar archive (POSIX.1-1988 ustar, GNU, star, v7) and the grammar of its fields.
//
// The grammar is the one of the tar reader that container engines share, so that an archive
// means here what it means to them: octal digits between blanks, or base-256. Anything else throws
// Error{corrupt} and names the field. Views point into the block. No state, no allocation but for errors.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"

namespace ocilint::tar {

inline constexpr std::size_t block_size = 512;

enum class Dialect : std::uint8_t { v7, ustar, star, gnu };

struct Header {
  Dialect dialect = Dialect::v7;
  char type = '0';
  std::string_view name, prefix, link;
  std::uint64_t mode = 0, uid = 0, gid = 0, size = 0;
  std::int64_t mtime = 0;
  std::uint64_t device_major = 0, device_minor = 0;
  bool prefix_in_gnu = false;  // a GNU header whose time fields hold a ustar prefix
};

bool is_zero(Bytes block);
/// The recorded sum equals the one over unsigned or over signed bytes (old writers).
bool checksum_holds(Bytes block);
Header parse_header(Bytes block);

/// Octal or base-256; the value may be negative in base-256 only.
std::int64_t parse_number(Bytes field, std::string_view what);
/// The same for what cannot be negative.
std::uint64_t parse_unsigned(Bytes field, std::string_view what);
/// The bytes up to the first NUL.
std::string_view parse_text(Bytes field);

}  // namespace ocilint::tar
