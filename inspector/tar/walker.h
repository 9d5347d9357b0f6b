// The strict tar walker: reads a layer archive as it streams by (OCI image-spec layer.md; POSIX pax).
//
// A push parser over the caller's chunk. push() consumes whole headers and bodies from the front of `chunk`
// and says how much; the caller keeps the rest (moves it to the front) and brings more. Bodies are handed to
// the sink as views into the chunk, never copied. It never resynchronises: a bad checksum, a malformed field
// or PAX record, a truncated body throw Error{corrupt}; a limit throws Error{limit}. What is readable but odd
// goes to `oddities` (unknown type flags, global headers with more than a comment, bytes after the end, …).
// One thread; holds one header's names and PAX records (limits in walker.cpp).
#pragma once

#include <memory>

#include "base/bytes.h"
#include "base/oddity.h"
#include "tar/entry.h"

namespace ocilint {

/// How the sink wants the body of an entry.
enum class Body : std::uint8_t {
  skip,    // not at all
  pieces,  // in pieces as they come
  whole,   // in one piece; only for sizes up to Walker::largest_whole(chunk capacity)
};

class TarSink {
 public:
  virtual ~TarSink() = default;
  /// A header was read. Bodies follow only for regular files with a size.
  virtual Body entry(const Entry& entry) = 0;
  /// Bytes [offset, offset + bytes.size()) of the content of the last entry. `last` with the final piece.
  /// Sparse files are handed out expanded (holes as zeros), always in pieces.
  virtual void body(std::uint64_t offset, Bytes bytes, bool last) = 0;
};

class Walker {
 public:
  /// `capacity`: the size of the caller's chunk; a body asked for as `whole` must fit in half of it.
  Walker(TarSink& sink, Oddities& oddities, std::size_t capacity);
  ~Walker();

  static std::size_t largest_whole(std::size_t capacity) { return capacity / 2; }

  /// Consumes from the front of `chunk`; returns the number of bytes consumed. `final`: no more bytes follow.
  /// Views given to the sink for `whole` bodies point into `chunk`: they live until the caller moves it.
  std::size_t push(Bytes chunk, bool final);
  /// Call after the final push: the end marker was seen or its absence is reported; a cut archive throws.
  void finish();

  std::uint32_t entries() const;
  /// Has the end marker been read? What follows is only looked at for being zero.
  bool ended() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace ocilint
