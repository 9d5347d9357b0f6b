// The tables that PT_DYNAMIC leads to: strings, versions, hash tables and symbols. Internal to facts/elf.
//
// Calls in this order: read_dynamic, read_versions, then symbols. What is unread is reported to the image and
// leaves its facts empty; a contradiction throws Error{corrupt}. Lookups follow the loader: DT_GNU_HASH if
// there is one, else DT_HASH; a symbol that no hash table leads to does not exist. Holds views, not thread
// safe.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "facts/elf.h"
#include "facts/elf_image.h"

namespace ocilint {

using ElfPatterns = std::vector<std::shared_ptr<const re2::RE2>>;

class ElfTables {
 public:
  static constexpr std::string_view dynamic_name = "PT_DYNAMIC";

  explicit ElfTables(ElfImage& image) : image_(image) {}

  void read_dynamic(ElfFacts& facts);
  void read_versions(ElfFacts& facts);
  void read_symbols(const ElfRequest& request, const ElfPatterns& defined, const ElfPatterns& undefined,
                    ElfFacts& facts);
  std::vector<ElfSymbol> all_symbols(const ElfSymbolFilter& wanted);

 private:
  enum class Scan { undefined, all };
  struct Version {
    std::string name;
    std::string file;
  };
  struct GnuHash {
    std::uint64_t buckets = 0;
    std::uint64_t first = 0;  // index of the first symbol that is hashed
    std::uint64_t words = 0;  // of the Bloom filter
    unsigned shift = 0;
    ElfTable bloom, bucket, chain;
  };
  using Take = std::function<void(ElfSymbol)>;

  // Of PT_DYNAMIC (elf_dynamic.cpp).
  std::vector<GElf_Dyn> dynamic_entries(const GElf_Phdr& segment);
  void place_tables(const std::vector<GElf_Dyn>& entries);
  std::optional<std::string> string(std::uint64_t index, std::uint64_t longest);
  std::optional<ElfTable> table(std::int64_t tag, std::string_view what) const;
  std::uint64_t value(std::int64_t tag) const;
  Range bound(const ElfTable& table) const;

  // Of the versions (elf_versions.cpp).
  bool read_verdef(ElfFacts& facts);
  bool read_verneed(ElfFacts& facts);
  void add_version(std::uint16_t index, Version version);
  std::optional<Version> version_of(std::uint64_t symbol, bool& hidden);

  // Of the symbols (elf_symbols.cpp). Empty optional, false: unread.
  std::optional<GnuHash> gnu_hash();
  std::optional<std::vector<std::uint64_t>> candidates(std::string_view name);
  std::optional<std::vector<std::uint64_t>> gnu_candidates(std::string_view name);
  std::optional<std::vector<std::uint64_t>> sysv_candidates(std::string_view name);
  unsigned sysv_width() const;
  std::optional<GElf_Sym> raw_symbol(std::uint64_t index);
  std::optional<std::string_view> symbol_name(const GElf_Sym& raw);
  std::optional<ElfSymbol> symbol(std::uint64_t index, const GElf_Sym& raw, std::string_view name);
  std::optional<SymbolAnswer> definitions(std::string_view name);
  std::optional<std::uint64_t> hashed_end();
  std::optional<std::uint64_t> undefined_end();
  std::optional<std::uint64_t> end_without_hash();
  bool scan(Scan what, const ElfSymbolFilter& wanted, const Take& take);
  void want_symbol_tables();

  ElfImage& image_;
  std::map<std::int64_t, std::uint64_t> tags_;  // the last of each that counts once
  std::vector<std::uint64_t> starts_;           // file offsets of the tables, ascending
  std::optional<ElfTable> strings_;
  std::optional<ElfTable> symtab_;
  std::optional<ElfTable> versym_;
  std::vector<Version> versions_;  // by index; an empty name is none
  std::set<std::string, std::less<>> nodes_;
  bool dynamic_known_ = true;
  bool versions_known_ = true;
  std::optional<GnuHash> gnu_;
};

}  // namespace ocilint
