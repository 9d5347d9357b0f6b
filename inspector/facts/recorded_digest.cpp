#include "facts/recorded_digest.h"

#include <fmt/format.h>

namespace ocilint {

std::string RecordedDigest::text() const {
  if (!unknown.empty()) return unknown;
  std::string out = fmt::format("{} ", to_string(algorithm));
  for (const std::uint8_t byte : as_bytes(bytes)) out += fmt::format("{:02x}", byte);
  if (bytes.size() < size_of(algorithm)) out += fmt::format(" (its first {} bytes)", bytes.size());
  return out;
}

}  // namespace ocilint
