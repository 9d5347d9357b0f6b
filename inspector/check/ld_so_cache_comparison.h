// A loader cache against the one that ldconfig would write for the same tree.
//
// Entries are compared by the file that they name, links in parent folders followed: /lib/x and /usr/lib/x are one
// where /lib is a link. The kind of C library in the flags is left out, since versions of ldconfig differ about
// it for 32-bit files. Of entries with one name and ABI the order counts too: the loader takes the first. Pure.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "facts/ld_so_cache.h"
#include "tree/merged_tree.h"

namespace ocilint {

struct LdSoCacheComparison {
  struct Reordered {
    std::string name;   // that is looked up
    std::string first;  // path of its first entry
    std::string would;  // and of the one that ldconfig would put there
  };
  using Paths = std::map<std::string, std::vector<std::string>>;  // by canonical directory, as spelled

  Paths stale;   // there, and ldconfig would not write them
  Paths absent;  // ldconfig would write them, and they are not there
  std::vector<Reordered> reordered;
  std::size_t same = 0;

  bool equal() const { return stale.empty() && absent.empty() && reordered.empty(); }
};

/// `wanted` chooses the entries that are compared, by entry and canonical directory.
LdSoCacheComparison compare_ld_so_cache(
    const MergedTree& tree, std::span<const LdSoCache::Entry> is, std::span<const LdSoCache::Entry> would,
    const std::function<bool(const LdSoCache::Entry& entry, const std::string& directory)>& wanted);

}  // namespace ocilint
