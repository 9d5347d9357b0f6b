// Makes an archive seekable: what is compressed, or comes from standard input, goes to an unlinked spool.
//
// The compression is told by its first bytes and undone once: gzip and zstd by the readers of layers
// (blob/decompress.h), xz and bzip2 by libarchive's filter of exactly that name. Throws Error{not_found, corrupt,
// limit}.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/file.h"
#include "base/oddity.h"

namespace ocilint {

/// An archive is never larger than what may be unpacked of an image.
inline constexpr std::uint64_t max_spool_size = std::uint64_t{64} << 30;

struct Seekable {
  std::shared_ptr<const File> file;
  std::uint64_t spooled = 0;  // bytes written to the spool
  Oddities oddities;          // bytes behind the compressed stream
};

/// The file at `path`, or standard input for "-".
Seekable open_seekable(const std::string& path);

/// An archive that comes as a stream; `name` is for messages.
Seekable spool_stream(ByteStream& from, const std::string& name);

}  // namespace ocilint
