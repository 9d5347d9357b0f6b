#include "layer/workspace.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

#include "base/error.h"

namespace ocilint {

Buffer::Buffer() {
  void* const memory =
      ::mmap(nullptr, headroom + capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  (void)::madvise(memory, headroom + capacity, MADV_HUGEPAGE);
  memory_ = static_cast<std::uint8_t*>(memory);
}

Buffer::~Buffer() { ::munmap(memory_, headroom + capacity); }

void Buffer::prepend(Bytes rest) {
  if (rest.size() > begin_) throw Error(ErrorKind::internal, "the tar walker left more than half a buffer");
  if (rest.empty()) return;
  begin_ -= rest.size();
  // The rest may stand in this same buffer, behind where it goes.
  std::memmove(memory_ + begin_, rest.data(), rest.size());
}

Buffer& Workspace::first() {
  if (!first_) first_ = std::make_unique<Buffer>();
  return *first_;
}

Buffer& Workspace::second() {
  if (!second_) second_ = std::make_unique<Buffer>();
  return *second_;
}

}  // namespace ocilint
