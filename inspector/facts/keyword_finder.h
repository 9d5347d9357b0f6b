// Where keywords of detectors stand in bytes: what makes the search of whole layers as fast as reading them.
//
// All literals at once, by vectorscan in block mode; what is found is for DetectorSet to decide. Compiled once (some
// milliseconds), then const: any thread may search, each with a Scratch of its own. Throws Error{unsupported} where
// the processor lacks what vectorscan needs. Cost: about 2.5 GB/s and a core, whatever the bytes are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "facts/secret_detectors.h"

namespace ocilint {

struct KeywordAt {
  std::size_t at = 0;
  std::uint32_t keyword = 0;  // its index in DetectorSet::keywords()

  friend auto operator<=>(const KeywordAt&, const KeywordAt&) = default;
};

class KeywordFinder {
 public:
  class Scratch {
   public:
    explicit Scratch(const KeywordFinder& finder);
    ~Scratch();
    Scratch(Scratch&& other) noexcept;
    Scratch& operator=(Scratch&&) = delete;

   private:
    friend class KeywordFinder;
    void* memory_ = nullptr;
  };

  /// `in_files`: only those that some detector of SecretScope::file has.
  KeywordFinder(std::span<const Keyword> keywords, bool in_files);
  ~KeywordFinder();
  KeywordFinder(const KeywordFinder&) = delete;
  KeywordFinder& operator=(const KeywordFinder&) = delete;

  /// Those that begin in [from, to), sorted. `found` is overwritten.
  void find(std::string_view text, std::size_t from, std::size_t to, Scratch& scratch,
            std::vector<KeywordAt>& found) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ocilint
