#include "tar/pax.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"

namespace ocilint::tar {
namespace {

constexpr std::string_view xattr_prefix = "SCHILY.xattr.";
constexpr std::string_view foreign_xattr_prefix = "LIBARCHIVE.xattr.";

bool digits_only(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Seconds with an optional fraction, rounded down.
std::int64_t parse_time(std::string_view text, std::string_view key) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = point == std::string_view::npos ? "" : text.substr(point + 1);
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), seconds);
  if (whole.empty() || error != std::errc() || end != whole.data() + whole.size() || !digits_only(fraction))
    corrupt(fmt::format("PAX record {} '{}' is not a time", key, text.substr(0, 40)));
  const bool inside = fraction.find_first_not_of('0') != std::string_view::npos;
  return text.front() == '-' && inside && seconds > INT64_MIN ? seconds - 1 : seconds;
}

void no_nul(std::string_view value, std::string_view key) {
  if (value.find('\0') != std::string_view::npos)
    corrupt(fmt::format("PAX record {} holds a NUL byte", key.substr(0, 80)));
}

}  // namespace

void PaxRecords::clear() {
  path = link = sparse_major = sparse_minor = sparse_name = sparse_map = duplicate = ignored_xattr = {};
  size = uid = gid = sparse_size = sparse_regions = real_size_ = std::nullopt;
  mtime = std::nullopt;
  attributes.clear();
  sparse.clear();
  more_than_comment = false;
  seen_ = 0;
}

void PaxRecords::parse(std::string_view body) {
  clear();
  while (!body.empty()) {
    // The shortest record, "5 k=\n", has five bytes; the longest fits the body, so that few digits suffice.
    const std::size_t blank = body.substr(0, 20).find(' ');
    if (blank == std::string_view::npos) corrupt("a PAX record has no length");
    const std::uint64_t length = parse_decimal(body.substr(0, blank), "PAX record's length");
    if (length < 5 || length > body.size() || length <= blank + 1)
      corrupt(fmt::format("a PAX record of {} bytes where {} are left", length, body.size()));
    std::string_view record = body.substr(blank + 1, length - blank - 1);
    if (record.back() != '\n') corrupt("a PAX record does not end with a newline");
    record.remove_suffix(1);
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos || equals == 0) corrupt("a PAX record has no key");
    const std::string_view key = record.substr(0, equals);
    no_nul(key, "key");
    take(key, record.substr(equals + 1));
    body.remove_prefix(length);
  }
  if (real_size_ && !sparse_size) sparse_size = real_size_;
  if (attributes.size() > 1) sort_attributes();
}

void PaxRecords::see(unsigned bit, std::string_view key) {
  if ((seen_ & 1u << bit) != 0) duplicate = key;
  seen_ |= 1u << bit;
}

void PaxRecords::take(std::string_view key, std::string_view value) {
  if (key == "comment") return;
  more_than_comment = true;
  // Of two equal keys the last wins, also when it is empty and so says "as in the ustar header".
  const auto number = [&](unsigned bit, std::optional<std::uint64_t>& into) {
    see(bit, key);
    into = value.empty() ? std::nullopt : std::optional(parse_decimal(value, key));
  };
  const auto text = [&](unsigned bit, std::string_view& into) {
    see(bit, key);
    no_nul(value, key);
    into = value;
  };
  if (key == "path") return text(0, path);
  if (key == "linkpath") return text(1, link);
  if (key == "size") return number(2, size);
  if (key == "uid") return number(3, uid);
  if (key == "gid") return number(4, gid);
  if (key == "mtime") {
    see(5, key);
    mtime = value.empty() ? std::nullopt : std::optional(parse_time(value, key));
  } else if (key == "atime" || key == "ctime") {
    if (!value.empty()) (void)parse_time(value, key);
  } else if (key == "uname" || key == "gname") {
    no_nul(value, key);
  } else if (key.starts_with(xattr_prefix)) {
    attributes.emplace_back(key.substr(xattr_prefix.size()), value);
  } else if (key.starts_with(foreign_xattr_prefix)) {
    ignored_xattr = key;
  } else if (key == "GNU.sparse.major") {
    text(6, sparse_major);
  } else if (key == "GNU.sparse.minor") {
    text(7, sparse_minor);
  } else if (key == "GNU.sparse.name") {
    text(8, sparse_name);
  } else if (key == "GNU.sparse.map") {
    text(9, sparse_map);
  } else if (key == "GNU.sparse.size") {
    number(10, sparse_size);
  } else if (key == "GNU.sparse.realsize") {
    number(11, real_size_);
  } else if (key == "GNU.sparse.numblocks") {
    number(12, sparse_regions);
  } else if (key == "GNU.sparse.offset") {
    sparse.add_offset(parse_decimal(value, key));
  } else if (key == "GNU.sparse.numbytes") {
    sparse.add_length(parse_decimal(value, key));
  }
}

void PaxRecords::sort_attributes() {
  std::ranges::stable_sort(attributes, {}, [](const auto& attribute) { return attribute.first; });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < attributes.size(); ++i) {
    if (attributes[i].first == attributes[kept].first)
      duplicate = attributes[i].first;
    else
      ++kept;
    attributes[kept] = attributes[i];
  }
  attributes.resize(kept + 1);
}

}  // namespace ocilint::tar
