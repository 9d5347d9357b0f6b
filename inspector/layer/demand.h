// What all checks of a run want to know about files, compiled to one matcher.
//
// Before the pass each rule adds its needs by path patterns, widened where a variable or a link may change the
// path (docs/architecture.md, "Demand"). The pass asks wants_of() for each regular file. After the merge what
// is still missing is named exactly, by layer and ordinal (Refill), and only those layers are read again.
// add…() is for one thread before freeze(); the rest is for any thread after it. wants_of() allocates nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "base/glob.h"
#include "facts/elf.h"
#include "facts/extra_detector.h"
#include "layer/layer_index.h"

namespace ocilint {

class SecretScanner;

enum class FactKind : std::uint8_t {
  content = 1,
  md5 = 2,
  sha256 = 4,
  elf = 8,
  scan = 16,  // every byte goes by the search for secrets
  sha1 = 32,
};

/// A set of fact kinds.
struct Wants {
  std::uint8_t kinds = 0;

  bool has(FactKind kind) const { return (kinds & static_cast<std::uint8_t>(kind)) != 0; }
  void add(FactKind kind) { kinds = static_cast<std::uint8_t>(kinds | static_cast<std::uint8_t>(kind)); }
  bool none() const { return kinds == 0; }
  bool only(FactKind kind) const { return kinds == static_cast<std::uint8_t>(kind); }
  friend bool operator==(Wants, Wants) = default;
};

/// The most of one file that a content need keeps. What is larger is an error of the check that needs it, never
/// a part that passes for the whole: policies ask for markers, lists and tables, not for media.
inline constexpr std::uint64_t content_limit = 64ull << 20;

class Demand {
 public:
  void add(FactKind kind, const Glob& pattern);
  /// Symbols that every ELF fact must answer for.
  void add_symbols(const std::vector<std::string>& names);
  void add_symbol_patterns(const std::vector<std::string>& defined, const std::vector<std::string>& undefined);

  /// Detectors that the search for secrets has besides its table; the same may be added again.
  void add_detectors(const std::vector<ExtraDetector>& more);

  /// Error{policy} for a symbol pattern that is no regular expression, and for two detectors of one id. The search
  /// for secrets is compiled only when something is to be scanned; Error{unsupported} where it cannot run.
  void freeze();

  /// For a regular file of this path.
  Wants wants_of(std::string_view path) const;
  const ElfReader& elf() const { return *elf_; }
  /// Null when nothing is to be scanned.
  const SecretScanner* scanner() const { return scanner_.get(); }
  const std::vector<ExtraDetector>& detectors() const { return detectors_; }

 private:
  std::set<std::pair<std::string, FactKind>> seen_;  // rules name the same files again and again
  GlobSet set_;
  ElfRequest request_;
  std::shared_ptr<const ElfReader> elf_;
  bool scans_ = false;
  std::vector<ExtraDetector> detectors_;
  std::shared_ptr<const SecretScanner> scanner_;
};

/// Facts wanted of single entries of one layer, by ordinal; for ELF perhaps with the ranges to capture.
struct ExactWant {
  Wants wants;
  std::vector<Range> ranges;
};
using ExactWants = std::map<Ordinal, ExactWant>;

/// Per layer number, what a second read must bring.
using Refill = std::map<std::size_t, ExactWants>;

}  // namespace ocilint
