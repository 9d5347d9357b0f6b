// PAX extended headers (POSIX.1-2001 pax, "pax Extended Header"): the records of one x or g header.
//
// A record is "LENGTH KEY=VALUE\n"; a malformed one, a NUL in a key or in a path, and a known key whose value
// is no number throw Error{corrupt}. An empty value keeps what the ustar header says. Views point into the
// bytes given to parse(). Reused from entry to entry: no allocation in the common case.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tar/sparse.h"

namespace ocilint::tar {

class PaxRecords {
 public:
  std::string_view path, link;
  std::optional<std::uint64_t> size, uid, gid;
  std::optional<std::int64_t> mtime;
  /// SCHILY.xattr.*, sorted by name; of equal names the last.
  std::vector<std::pair<std::string_view, std::string_view>> attributes;

  std::string_view sparse_major, sparse_minor, sparse_name, sparse_map;
  std::optional<std::uint64_t> sparse_size, sparse_regions;
  SparseMap sparse;  // format 0.0: one record a number

  std::string_view duplicate;      // a key that this header has twice, or empty
  std::string_view ignored_xattr;  // an attribute in libarchive's own spelling, or empty
  bool more_than_comment = false;

  /// Replaces all records by those of `body`.
  void parse(std::string_view body);
  void clear();

 private:
  void take(std::string_view key, std::string_view value);
  void see(unsigned bit, std::string_view key);
  void sort_attributes();

  unsigned seen_ = 0;
  std::optional<std::uint64_t> real_size_;
};

}  // namespace ocilint::tar
