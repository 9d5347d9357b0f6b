// A strict second look at one header block of an outer archive (POSIX ustar interchange format).
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace ocilint {

/// Throws Error{corrupt} for a wrong checksum, a size field that is neither octal nor base-256, a size other
/// than `size` (unless extension headers stood before, which may state another) and an unknown type.
void check_tar_header(Bytes block, std::uint64_t size, bool extended);

}  // namespace ocilint
