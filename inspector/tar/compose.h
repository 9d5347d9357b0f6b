// Makes one Entry of a header block and of the special headers before it (POSIX pax, "pax Header Block"), by the
// precedence that container engines use: GNU names, then PAX, then ustar; a sparse file's own name above all.
//
// Views in the entry point into the block, the special headers and `joined`. Throws Error{corrupt} for what
// engines refuse as malformed and Error{limit} for paths that no runtime could create.
#pragma once

#include <string>

#include "tar/entry.h"
#include "tar/header.h"
#include "tar/oddity_log.h"
#include "tar/special.h"

namespace ocilint::tar {

/// Linux's PATH_MAX: beyond it nothing can be created or opened.
inline constexpr std::size_t max_path = 4096;

enum class Layout : std::uint8_t {
  plain,
  mapped,      // a sparse file; its map is known
  map_first,   // PAX 1.0: the map is at the front of the body
  old_sparse,  // GNU type S: blocks of regions may follow the header
};

/// Bytes of body as recorded, before the type is looked at.
std::uint64_t recorded_size(const Header& header, const SpecialHeaders& special);

/// `size`: bytes of body that are there. `map` receives the regions for Layout::mapped.
Layout compose(const Header& header, Bytes block, const SpecialHeaders& special, std::uint64_t size, Entry& entry,
               std::string& joined, SparseMap& map);

/// What is odd about the entry. After compose(), so that the subject is its real name.
void report_oddities(const Header& header, const SpecialHeaders& special, const Entry& entry, OddityLog& log);

}  // namespace ocilint::tar
