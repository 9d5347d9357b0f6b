#include "source/tar_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/error.h"

namespace ocilint {
namespace {

/// Leading spaces, octal digits, then spaces or NULs; or base-256 with the high bit set.
std::optional<std::uint64_t> number(Bytes field) {
  if ((field[0] & 0x80) != 0) {
    if (field[0] != 0x80) return std::nullopt;  // negative, or beyond 64 bits
    std::uint64_t value = 0;
    for (const std::uint8_t byte : field.subspan(1)) {
      if (value >> 56 != 0) return std::nullopt;
      value = value << 8 | byte;
    }
    return value;
  }
  std::size_t at = 0;
  while (at < field.size() && field[at] == ' ') ++at;
  std::uint64_t value = 0;
  for (; at < field.size() && field[at] >= '0' && field[at] <= '7'; ++at) value = value << 3 | (field[at] - '0');
  for (; at < field.size(); ++at)
    if (field[at] != ' ' && field[at] != 0) return std::nullopt;
  return value;
}

}  // namespace

void check_tar_header(Bytes block, std::uint64_t size, bool extended) {
  if (block.size() != 512) throw Error(ErrorKind::internal, "a tar header has 512 bytes");
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < block.size(); ++i) sum += i >= 148 && i < 156 ? std::uint64_t{' '} : block[i];
  if (number(block.subspan(148, 8)) != sum) corrupt("the header's checksum is wrong");

  constexpr std::string_view types(
      "\0"
      "01234567",
      9);
  const char type = static_cast<char>(block[156]);
  if (types.find(type) == std::string_view::npos)
    corrupt(fmt::format("the header has the unknown type {:#04x}", block[156]));
  const auto stated = number(block.subspan(124, 12));
  if (!stated) corrupt("the header's size is not a number");
  const bool file = type == '0' || type == '\0' || type == '7';
  if (file && !extended && *stated != size)
    corrupt(fmt::format("the header states {} bytes, {} are stored", *stated, size));
}

}  // namespace ocilint
