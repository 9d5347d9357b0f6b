// What all layers of one image may take together, whatever each of them may.
//
// A manifest may list one small blob five hundred times: a limit of a layer alone then bounds nothing. The
// budget is charged while layers are read beside each other; what goes beyond it throws Error{limit} with the
// limit's name. For any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace ocilint {

struct ImageLimits {
  std::uint64_t entries = 4'000'000;                  // about 250 bytes each, before a name is stored twice: 1 GiB
  std::uint64_t unpacked_bytes = 256ull << 30;        // a bomb guard: at least minutes of reading, not days
  std::uint64_t layer_unpacked_bytes = 64ull << 30;   // of one layer: constant memory does not need it
  std::uint64_t kept_bytes = std::uint64_t{1} << 30;  // contents for rules: lists and markers are some megabytes
};

class ReadBudget {
 public:
  explicit ReadBudget(const ImageLimits& limits = {}) : limits_(limits) {}

  void entry() { charge(entries_, 1, limits_.entries, entry_limit); }
  void unpacked(std::uint64_t bytes) {
    charge(unpacked_, bytes, limits_.unpacked_bytes, "unpacked bytes (--max-unpacked)");
  }
  /// A layer that was read for another image: what an image may have does not depend on what else is read.
  void layer(std::uint64_t entries, std::uint64_t unpacked_bytes, std::uint64_t kept_bytes) {
    charge(entries_, entries, limits_.entries, entry_limit);
    unpacked(unpacked_bytes);
    kept(kept_bytes);
  }
  void kept(std::uint64_t bytes) {
    charge(kept_, bytes, limits_.kept_bytes, "bytes of file contents to keep (--max-kept)");
  }

 private:
  static constexpr std::string_view entry_limit = "entries (--max-entries)";
  using Counter = std::atomic<std::uint64_t>;
  static void charge(Counter& counter, std::uint64_t amount, std::uint64_t most, std::string_view what);

  ImageLimits limits_;
  Counter entries_{0}, unpacked_{0}, kept_{0};
};

}  // namespace ocilint
