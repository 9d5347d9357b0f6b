// The tar walker on any bytes: it ends with Error or without, and says the same however the bytes arrive.
#include <cstdint>
#include <cstdlib>
#include <exception>

#include "support/walk.h"

using namespace ocilint;

namespace {

constexpr std::size_t small_capacity = 2048;

Body choose(const Entry& entry) {
  // Holes are not stored: a few bytes may describe gigabytes of them.
  if (entry.size > 1 << 20 || entry.size % 5 == 1) return Body::skip;
  return entry.size <= Walker::largest_whole(small_capacity) && entry.size % 2 == 0 ? Body::whole : Body::pieces;
}

bool same(const test::Walk& one, const test::Walk& other) {
  if (one.error != other.error || one.error_text != other.error_text || one.entries != other.entries) return false;
  return std::ranges::equal(one.oddities, other.oddities, [](const Oddity& a, const Oddity& b) {
    return a.id == b.id && a.subject == b.subject && a.text == b.text;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view archive = as_text({data, size});
  const test::Walk whole = test::walk_tar(archive, size + small_capacity, {}, choose);
  unsigned step = size > 0 ? data[size - 1] : 0;
  const test::Walk split = test::walk_tar(
      archive, small_capacity, [&] { return (step = step * 37 + 11) % 1100; }, choose);
  if (!same(whole, split)) std::abort();
  return 0;
}
