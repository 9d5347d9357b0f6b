// The parsers of the loader's cache and of ldconfig's configuration over hostile bytes. They answer or throw
// Error; what a cache holds is found again when the cache is in order, and the order of names is one.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "facts/ld_so_cache.h"
#include "facts/ld_so_conf.h"

namespace {

using namespace ocilint;

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void cache(Bytes bytes) {
  const LdSoCache read = LdSoCache::parse(bytes);
  const auto descending = [](const auto& a, const auto& b) { return compare_library_names(a.name, b.name) > 0; };
  // Numbers of ten digits wrap, and what wraps has no order.
  const auto wraps = [](const auto& entry) {
    return std::count_if(entry.name.begin(), entry.name.end(), is_digit) > 9;
  };
  const bool ordered = std::none_of(read.entries.begin(), read.entries.end(), wraps) &&
                       std::is_sorted(read.entries.begin(), read.entries.end(), descending);
  std::size_t looked_up = 0;
  for (const LdSoCache::Entry& entry : read.entries) {
    require(entry.name.size() <= ld_so_cache_string && entry.path.size() <= ld_so_cache_string);
    require(compare_library_names(entry.name, entry.name) == 0);
    if (++looked_up > 50) continue;
    const auto found = read.find(entry.name);
    require(!ordered || (&entry >= found.data() && &entry < found.data() + found.size()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    if (data[0] % 4 == 0)
      for (const LdSoConf::Line& line : LdSoConf::parse(as_text({data + 1, size - 1})).lines)
        require(!line.text.empty());
    else
      cache({data + 1, size - 1});
  } catch (const Error&) {
  }
  return 0;
}
