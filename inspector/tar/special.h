// The headers in front of an entry that only describe it: PAX x and g, GNU L (long name) and K (long target).
//
// Collects their bodies, as they stream by, until the entry comes. As container engines do:
// the last x header replaces earlier ones as a whole, GNU names beat PAX ones, and a g header is read for its
// grammar only. Limits throw Error{limit}, malformed bodies Error{corrupt}. Buffers are kept between entries.
#pragma once

#include <string>
#include <string_view>

#include "tar/pax.h"

namespace ocilint::tar {

/// Go's archive/tar since CVE-2022-2879; libarchive up to 3.7.
inline constexpr std::uint64_t max_special_bytes = 1 << 20;
/// Real archives need four; many readers recurse.
inline constexpr unsigned max_special_headers = 16;

class SpecialHeaders {
 public:
  static bool is_special(char type) { return type == 'x' || type == 'g' || type == 'L' || type == 'K'; }

  void begin(char type, std::uint64_t size);
  void append(Bytes bytes) { body_->append(as_text(bytes)); }
  /// The body is complete. True: it was a g header that says more than a comment.
  bool finish();

  /// Does anything wait for an entry?
  bool pending() const { return pending_; }
  const PaxRecords& pax() const { return pax_; }
  std::string_view long_name() const { return long_name_; }
  std::string_view long_link() const { return long_link_; }

  /// What waits is not for the next entry: a global header came between. The counts go on.
  void drop();
  /// The entry has come: its headers are used up.
  void clear();

 private:
  char type_ = 0;
  std::string* body_ = nullptr;
  std::string pax_body_, global_body_, long_name_, long_link_;
  PaxRecords pax_, global_;
  bool pending_ = false;
  unsigned headers_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace ocilint::tar
