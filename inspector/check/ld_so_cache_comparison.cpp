#include "check/ld_so_cache_comparison.h"

#include <compare>
#include <cstdint>
#include <set>
#include <utility>

#include "base/path.h"
#include "check/canonical_paths.h"

namespace ocilint {
namespace {

/// Entries among which the loader chooses by order.
struct Slot {
  std::string name, hwcaps;
  std::int32_t abi = 0;
  friend auto operator<=>(const Slot&, const Slot&) = default;
};

struct File {
  std::string directory, name;  // canonical
  std::string spelled;
};

/// The files of one slot in order, each once.
class Files {
 public:
  // Twice says nothing more: two spellings of a folder, or two processor folders that are one.
  void add(File file) {
    if (known_.emplace(file.directory, file.name).second) list_.push_back(std::move(file));
  }
  bool has(const File& file) const { return known_.contains({file.directory, file.name}); }
  const std::vector<File>& list() const { return list_; }

  /// Adds to `out` those that `others` lack; how many there are.
  std::size_t without(const Files& others, LdSoCacheComparison::Paths& out) const {
    std::size_t missing = 0;
    for (const File& file : list_) {
      if (others.has(file)) continue;
      out[file.directory].push_back(file.spelled);
      ++missing;
    }
    return missing;
  }

 private:
  std::vector<File> list_;
  std::set<std::pair<std::string, std::string>> known_;
};

using Slots = std::map<Slot, Files>;

}  // namespace

LdSoCacheComparison compare_ld_so_cache(
    const MergedTree& tree, std::span<const LdSoCache::Entry> is, std::span<const LdSoCache::Entry> would,
    const std::function<bool(const LdSoCache::Entry& entry, const std::string& directory)>& wanted) {
  CanonicalPaths canonical(tree);
  const auto sort = [&](std::span<const LdSoCache::Entry> entries) {
    Slots slots;
    for (const LdSoCache::Entry& entry : entries) {
      const std::string path = normalise(entry.path).path;
      File file{canonical.directory(parent_path(path)), std::string(base_name(path)), entry.path};
      if (!wanted(entry, file.directory)) continue;
      slots[{entry.name, entry.hwcaps, entry.flags >> 8}].add(std::move(file));
    }
    return slots;
  };
  Slots there = sort(is), expected = sort(would);
  LdSoCacheComparison out;
  for (const auto& [slot, files] : there) {
    const Files& others = expected[slot];
    const std::size_t stale = files.without(others, out.stale);
    out.same += files.list().size() - stale;
    if (stale > 0 || others.list().size() != files.list().size()) continue;
    const File &first = files.list().front(), &should = others.list().front();
    if (first.directory != should.directory || first.name != should.name)
      out.reordered.push_back({slot.name, first.spelled, should.spelled});
  }
  for (const auto& [slot, files] : expected) files.without(there[slot], out.absent);
  return out;
}

}  // namespace ocilint
