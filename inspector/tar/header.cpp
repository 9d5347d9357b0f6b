#include "tar/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/error.h"

namespace ocilint::tar {
namespace {

constexpr std::size_t checksum_at = 148, checksum_width = 8;

/// Empty: not a number of this grammar. One pass: there are eight fields in every header.
std::optional<std::int64_t> octal(Bytes field) {
  const auto blank = [](std::uint8_t byte) { return byte == ' ' || byte == 0; };
  const std::uint8_t* at = field.data();
  const std::uint8_t* const end = at + field.size();
  while (at != end && blank(*at)) ++at;
  std::int64_t value = 0;  // 12 digits have 36 bits
  for (; at != end && static_cast<std::uint8_t>(*at - '0') < 8; ++at) value = value << 3 | (*at - '0');
  if (at == end || *at == 0) return value;  // engines do not look behind the NUL
  while (at != end && blank(*at)) ++at;
  return at == end ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> base256(Bytes field) {
  const bool negative = (field[0] & 0x40) != 0;
  const std::uint8_t flip = negative ? 0xff : 0x00;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < field.size(); ++i) {
    std::uint8_t byte = field[i] ^ flip;
    if (i == 0) byte &= 0x7f;
    if (value >> 56 != 0) return {};
    value = value << 8 | byte;
  }
  if (value >> 63 != 0) return {};
  return negative ? static_cast<std::int64_t>(~value) : static_cast<std::int64_t>(value);
}

std::optional<std::int64_t> number(Bytes field) { return (field[0] & 0x80) != 0 ? base256(field) : octal(field); }

Dialect dialect_of(Bytes block) {
  const std::string_view magic = as_text(block.subspan(257, 8));
  if (magic == std::string_view("ustar\0"
                                "00",
                                8))
    return as_text(block.subspan(508, 4)) == std::string_view("tar\0", 4) ? Dialect::star : Dialect::ustar;
  return magic == std::string_view("ustar  \0", 8) ? Dialect::gnu : Dialect::v7;
}

void parse_star_times(Bytes block) {
  (void)parse_number(block.subspan(476, 12), "access time");
  (void)parse_number(block.subspan(488, 12), "change time");
}

/// A writer's old bug that engines make up for: a ustar prefix where GNU has the access and change times.
void parse_gnu_times(Bytes block, Header& header) {
  const Bytes accessed = block.subspan(345, 12), changed = block.subspan(357, 12);
  const bool times = (accessed[0] == 0 || number(accessed)) && (changed[0] == 0 || number(changed));
  if (times) return;
  const std::string_view prefix = parse_text(block.subspan(345, 155));
  if (std::ranges::any_of(prefix, [](char c) { return (c & 0x80) != 0; })) return;
  header.prefix = prefix;
  header.prefix_in_gnu = !prefix.empty();
}

}  // namespace

bool is_zero(Bytes block) {
  return block[0] == 0 && std::memcmp(block.data(), block.data() + 1, block.size() - 1) == 0;
}

bool checksum_holds(Bytes block) {
  const std::optional<std::int64_t> recorded = number(block.subspan(checksum_at, checksum_width));
  if (!recorded) return false;
  // Four 16-bit sums beside each other in one word: 64 words of at most 510 each do not overflow.
  constexpr std::uint64_t low_bytes = 0x00ff00ff00ff00ff;
  std::uint64_t lanes = 0;
  for (std::size_t i = 0; i < block_size; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, block.data() + i, 8);
    lanes += (word & low_bytes) + (word >> 8 & low_bytes);
  }
  std::int64_t sum = 0;
  for (int i = 0; i < 4; ++i) sum += static_cast<std::int64_t>(lanes >> (16 * i) & 0xffff);
  // The field itself counts as blanks.
  std::int64_t high_in_field = 0;
  for (const std::uint8_t byte : block.subspan(checksum_at, checksum_width)) {
    sum += ' ' - byte;
    high_in_field += byte >> 7;
  }
  if (*recorded == sum) return true;
  const auto high = std::ranges::count_if(block, [](std::uint8_t byte) { return byte >= 0x80; });
  return *recorded == sum - 256 * (high - high_in_field);
}

std::int64_t parse_number(Bytes field, std::string_view what) {
  const std::optional<std::int64_t> value = number(field);
  if (!value) corrupt(fmt::format("the {} is not a number", what));
  return *value;
}

std::uint64_t parse_unsigned(Bytes field, std::string_view what) {
  const std::int64_t value = parse_number(field, what);
  if (value < 0) corrupt(fmt::format("the {} is negative", what));
  return static_cast<std::uint64_t>(value);
}

std::string_view parse_text(Bytes field) {
  const std::string_view text = as_text(field);
  return text.substr(0, text.find('\0'));
}

Header parse_header(Bytes block) {
  Header header;
  header.dialect = dialect_of(block);
  header.name = parse_text(block.subspan(0, 100));
  header.mode = parse_unsigned(block.subspan(100, 8), "mode");
  header.uid = parse_unsigned(block.subspan(108, 8), "user ID");
  header.gid = parse_unsigned(block.subspan(116, 8), "group ID");
  header.size = parse_unsigned(block.subspan(124, 12), "size");
  header.mtime = parse_number(block.subspan(136, 12), "modification time");
  header.type = static_cast<char>(block[156]);
  header.link = parse_text(block.subspan(157, 100));
  if (header.dialect == Dialect::v7) return header;
  header.device_major = parse_unsigned(block.subspan(329, 8), "device number");
  header.device_minor = parse_unsigned(block.subspan(337, 8), "device number");
  if (header.dialect == Dialect::ustar) header.prefix = parse_text(block.subspan(345, 155));
  if (header.dialect == Dialect::star) {
    header.prefix = parse_text(block.subspan(345, 131));
    parse_star_times(block);
  }
  if (header.dialect == Dialect::gnu) parse_gnu_times(block, header);
  return header;
}

}  // namespace ocilint::tar
