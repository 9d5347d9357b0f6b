// The memory of one layer read, reused for every layer that a worker reads.
//
// A Buffer has room for `capacity` fresh bytes and, before them, headroom for what the tar walker could not yet
// use of the buffer before: a body that it hands out in one piece, at most half the capacity. Fresh memory is
// dear (page clearing), so it is mapped once, with huge pages where the system gives them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"

namespace ocilint {

class Buffer {
 public:
  static constexpr std::size_t capacity = 16 << 20;  // more gained nothing (docs/performance.md)
  static constexpr std::size_t headroom = capacity / 2;

  Buffer();
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void clear() { begin_ = end_ = headroom; }
  /// Where fresh bytes go, and how many of them arrived.
  std::span<std::uint8_t> free() { return {memory_ + end_, headroom + capacity - end_}; }
  void grow(std::size_t count) { end_ += count; }
  Bytes data() const { return {memory_ + begin_, end_ - begin_}; }
  /// Copies the rest of the buffer before in front of the data. At most `headroom` bytes.
  void prepend(Bytes rest);

 private:
  std::uint8_t* memory_;
  std::size_t begin_ = headroom, end_ = headroom;
};

class Workspace {
 public:
  Buffer& first();
  Buffer& second();  // only while a layer is read by two threads

 private:
  std::unique_ptr<Buffer> first_, second_;
};

}  // namespace ocilint
