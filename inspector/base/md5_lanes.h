// MD5 of many buffers at once, for the md5sums lists of dpkg (integrity as dpkg knows it, not security).
//
// Independent buffers are hashed side by side, one in each lane of the widest vectors this processor has: 16
// (AVX-512), 8 (AVX2) or 4. One lane alone is slower than OpenSSL, so the largest buffers, which would keep a
// lane running alone, go to OpenSSL; the cut is where the estimated time is least. Every digest equals
// OpenSSL's. Allocates in proportion to the number of buffers, not to their bytes. Thread safe.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/bytes.h"

namespace ocilint {

using Md5 = std::array<std::uint8_t, 16>;

/// out[i] = MD5(inputs[i]). The spans must have the same length, else Error{internal}.
void md5_many(std::span<const Bytes> inputs, std::span<Md5> out);

/// Lanes that md5_many uses here: 16, 8 or 4.
unsigned md5_lanes();

/// The same with a given width, for tests and measurements: 16, 8, 4, or 1 for OpenSSL alone. A width that the
/// processor lacks: Error{unsupported}. No buffer is sent elsewhere because of its size.
void md5_many_with(unsigned lanes, std::span<const Bytes> inputs, std::span<Md5> out);

}  // namespace ocilint
