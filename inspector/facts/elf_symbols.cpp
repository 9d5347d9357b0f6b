#include <elf.h>
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "base/error.h"
#include "facts/elf_capture.h"
#include "facts/elf_tables.h"

namespace ocilint {

namespace {

constexpr std::uint64_t word_size = 4;

std::uint32_t gnu_hash_of(std::string_view name) {
  std::uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<std::uint8_t>(c);
  return hash;
}

SymbolType type_of(unsigned char info) {
  switch (ELF64_ST_TYPE(info)) {
    case STT_NOTYPE: return SymbolType::notype;
    case STT_OBJECT: return SymbolType::object;
    case STT_FUNC: return SymbolType::func;
    case STT_COMMON: return SymbolType::common;
    case STT_TLS: return SymbolType::tls;
    case STT_GNU_IFUNC: return SymbolType::ifunc;
    default: return SymbolType::other;
  }
}

SymbolBinding binding_of(unsigned char info) {
  switch (ELF64_ST_BIND(info)) {
    case STB_LOCAL: return SymbolBinding::local;
    case STB_GLOBAL: return SymbolBinding::global;
    case STB_WEAK: return SymbolBinding::weak;
    case STB_GNU_UNIQUE: return SymbolBinding::unique;
    default: return SymbolBinding::other;
  }
}

SymbolVisibility visibility_of(unsigned char other) {
  switch (ELF64_ST_VISIBILITY(other)) {
    case STV_INTERNAL: return SymbolVisibility::internal;
    case STV_HIDDEN: return SymbolVisibility::hidden;
    case STV_PROTECTED: return SymbolVisibility::protected_;
    default: return SymbolVisibility::normal;
  }
}

/// As the loader sees it: an address of zero is no definition, but for thread-local and absolute symbols.
bool is_definition(const GElf_Sym& raw) {
  if (raw.st_shndx == SHN_UNDEF) return false;
  return raw.st_value != 0 || raw.st_shndx == SHN_ABS || ELF64_ST_TYPE(raw.st_info) == STT_TLS;
}

bool matches_any(std::string_view name, const ElfPatterns& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [name](const auto& pattern) {
    return re2::RE2::FullMatch({name.data(), name.size()}, *pattern);
  });
}

}  // namespace

// --- one symbol -------------------------------------------------------------------------------------------

std::optional<GElf_Sym> ElfTables::raw_symbol(std::uint64_t index) {
  if (!symtab_) corrupt("there are symbols, but no DT_SYMTAB");
  const auto bytes = image_.element(*symtab_, index, image_.sym_size(), "DT_SYMTAB");
  if (!bytes) return std::nullopt;
  return image_.sym(*bytes);
}

std::optional<std::string_view> ElfTables::symbol_name(const GElf_Sym& raw) {
  if (!strings_) corrupt("symbols have names, but there is no DT_STRTAB");
  return image_.text(*strings_, raw.st_name, elf_symbol_name_limit, "DT_STRTAB");
}

std::optional<ElfSymbol> ElfTables::symbol(std::uint64_t index, const GElf_Sym& raw, std::string_view name) {
  bool hidden = false;
  const auto version = version_of(index, hidden);
  if (!version) return std::nullopt;
  ElfSymbol result;
  result.name = name;
  result.version = version->name;
  result.version_file = version->file;
  result.defined = is_definition(raw);
  result.is_default = result.defined && !hidden;
  result.version_node = raw.st_shndx == SHN_ABS && nodes_.contains(name);
  result.type = type_of(raw.st_info);
  result.binding = binding_of(raw.st_info);
  result.visibility = visibility_of(raw.st_other);
  return result;
}

// --- by name, through a hash table ------------------------------------------------------------------------

std::optional<ElfTables::GnuHash> ElfTables::gnu_hash() {
  if (gnu_) return gnu_;
  constexpr std::string_view what = "DT_GNU_HASH";
  const auto table = this->table(DT_GNU_HASH, what);
  const auto header = image_.element(*table, 0, 4 * word_size, what);
  if (!header) return std::nullopt;
  Cursor cursor(*header, image_.endian());
  GnuHash hash;
  hash.buckets = cursor.u32();
  hash.first = cursor.u32();
  hash.words = cursor.u32();
  hash.shift = cursor.u32();
  if (hash.words == 0 || (hash.words & (hash.words - 1)) != 0) corrupt("DT_GNU_HASH has a broken Bloom filter");
  if (hash.shift >= 32) corrupt("DT_GNU_HASH shifts by too many bits");
  hash.bloom = ElfImage::behind(*table, 4 * word_size, what);
  hash.bucket = ElfImage::behind(hash.bloom, hash.words * (image_.is64() ? 8 : 4), what);
  hash.chain = ElfImage::behind(hash.bucket, hash.buckets * word_size, what);
  gnu_ = hash;
  return gnu_;
}

std::optional<std::vector<std::uint64_t>> ElfTables::gnu_candidates(std::string_view name) {
  constexpr std::string_view what = "DT_GNU_HASH";
  std::vector<std::uint64_t> result;
  const auto table = gnu_hash();
  if (!table) return std::nullopt;
  if (table->buckets == 0) return result;
  const std::uint32_t hash = gnu_hash_of(name);
  const unsigned width = image_.is64() ? 8 : 4;
  const unsigned bits = width * 8;
  const auto bloom = image_.word(table->bloom, (hash / bits & (table->words - 1)) * width, width, what);
  if (!bloom) return std::nullopt;
  const auto has = [&](std::uint32_t bit) { return (*bloom >> (bit % bits) & 1U) != 0; };
  if (!has(hash) || !has(hash >> table->shift)) return result;
  const auto bucket = image_.word(table->bucket, hash % table->buckets * word_size, word_size, what);
  if (!bucket) return std::nullopt;
  if (*bucket == 0) return result;
  if (*bucket < table->first) corrupt("DT_GNU_HASH leads to a symbol that it does not hash");
  for (std::uint64_t index = *bucket;; ++index) {
    const auto link = image_.word(table->chain, (index - table->first) * word_size, word_size, what);
    if (!link) return std::nullopt;
    if ((*link | 1U) == (hash | 1U)) result.push_back(index);
    if ((*link & 1U) != 0) return result;
  }
}

unsigned ElfTables::sysv_width() const {
  const bool wide = image_.is64() && (image_.header().e_machine == EM_S390 || image_.header().e_machine == EM_ALPHA);
  return wide ? 8 : word_size;
}

std::optional<std::vector<std::uint64_t>> ElfTables::sysv_candidates(std::string_view name) {
  constexpr std::string_view what = "DT_HASH";
  const auto table = this->table(DT_HASH, what);
  const unsigned width = sysv_width();
  const auto buckets = image_.word(*table, 0, width, what);
  const auto symbols = image_.word(*table, width, width, what);
  if (!buckets || !symbols) return std::nullopt;
  std::vector<std::uint64_t> result;
  if (*buckets == 0) return result;
  if (*buckets > table->most / width || *symbols > table->most / width) corrupt("DT_HASH leaves its segment");
  const std::uint32_t hash = static_cast<std::uint32_t>(elf_hash(std::string(name).c_str()));
  auto index = image_.word(*table, (2 + hash % *buckets) * width, width, what);
  for (std::uint64_t steps = 0; index && *index != 0; ++steps) {
    if (*index >= *symbols) corrupt("DT_HASH leads to a symbol that it does not count");
    if (steps == *symbols) corrupt("DT_HASH goes in a circle");
    result.push_back(*index);
    index = image_.word(*table, (2 + *buckets + *index) * width, width, what);
  }
  if (!index) return std::nullopt;
  return result;
}

std::optional<std::vector<std::uint64_t>> ElfTables::candidates(std::string_view name) {
  if (value(DT_GNU_HASH) != 0) return gnu_candidates(name);
  if (value(DT_HASH) != 0) return sysv_candidates(name);
  return std::vector<std::uint64_t>{};
}

std::optional<SymbolAnswer> ElfTables::definitions(std::string_view name) {
  const auto indices = candidates(name);
  if (!indices) return std::nullopt;
  SymbolAnswer answer;
  answer.state = SymbolState::absent;
  for (const std::uint64_t index : *indices) {
    const auto raw = raw_symbol(index);
    if (!raw) return std::nullopt;
    if (!is_definition(*raw)) continue;
    const auto its_name = symbol_name(*raw);
    if (!its_name) return std::nullopt;
    if (*its_name != name) continue;
    auto found = symbol(index, *raw, name);
    if (!found) return std::nullopt;
    if (found->exported()) answer.state = SymbolState::defined;
    answer.found.push_back(std::move(*found));
  }
  return answer;
}

// --- all of them ------------------------------------------------------------------------------------------

/// The end of the symbols that DT_GNU_HASH leads to; 0 when it leads to none.
std::optional<std::uint64_t> ElfTables::hashed_end() {
  constexpr std::string_view what = "DT_GNU_HASH";
  const auto table = gnu_hash();
  if (!table) return std::nullopt;
  const auto buckets = image_.read(table->bucket.offset, table->buckets * word_size, what);
  if (!buckets) return std::nullopt;
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < table->buckets; ++i) {
    last = std::max(last, image_.number(buckets->subspan(i * word_size, word_size)));
  }
  if (last == 0) return 0;
  if (last < table->first) corrupt("DT_GNU_HASH leads to a symbol that it does not hash");
  for (;; ++last) {
    const auto link = image_.word(table->chain, (last - table->first) * word_size, word_size, what);
    if (!link) return std::nullopt;
    if ((*link & 1U) != 0) return last + 1;
  }
}

/// Undefined symbols stand before the hashed ones. A file that defines nothing has to be asked otherwise.
std::optional<std::uint64_t> ElfTables::undefined_end() {
  if (value(DT_GNU_HASH) == 0) return end_without_hash();
  const auto table = gnu_hash();
  if (!table) return std::nullopt;
  if (table->first > 1) return table->first;
  const auto end = hashed_end();
  if (!end) return std::nullopt;
  return *end == 0 ? end_without_hash() : std::uint64_t{1};
}

std::optional<std::uint64_t> ElfTables::end_without_hash() {
  if (!symtab_) return 0;
  if (const auto table = this->table(DT_HASH, "DT_HASH")) {
    return image_.word(*table, sysv_width(), sysv_width(), "DT_HASH");
  }
  // The highest index that a relocation names.
  std::uint64_t end = 0;
  const auto look_at = [&](std::int64_t tag, std::uint64_t size, bool addends) {
    const auto table = this->table(tag, "a relocation table");
    if (!table || size == 0) return true;
    if (size > table->most) corrupt("a relocation table leaves its segment");
    const std::uint64_t word = image_.is64() ? 8 : 4;
    const std::uint64_t entry = word * (addends ? 3 : 2);
    const auto bytes = image_.read(table->offset, size, "a relocation table");
    if (!bytes) return false;
    for (std::uint64_t at = 0; at + entry <= size; at += entry) {
      const std::uint64_t info = image_.number(bytes->subspan(at + word, word));
      const std::uint64_t index = image_.is64() ? info >> 32U : info >> 8U;
      if (index != 0) end = std::max(end, index + 1);
    }
    return true;
  };
  const bool known = look_at(DT_RELA, value(DT_RELASZ), true) && look_at(DT_REL, value(DT_RELSZ), false) &&
                     look_at(DT_JMPREL, value(DT_PLTRELSZ), value(DT_PLTREL) == DT_RELA);
  if (!known) return std::nullopt;
  if (end != 0) return end;
  // Linkers put the strings behind the symbols; nothing else tells the size of the table.
  if (!strings_ || strings_->offset < symtab_->offset) return 0;
  return bound(*symtab_).size / image_.sym_size();
}

bool ElfTables::scan(Scan what, const ElfSymbolFilter& wanted, const Take& take) {
  auto end = undefined_end();
  if (what == Scan::all && value(DT_GNU_HASH) != 0) {
    const auto hashed = hashed_end();
    if (!hashed || !end) return false;
    end = std::max(*end, *hashed);
  }
  if (!end) return false;
  for (std::uint64_t index = 1; index < *end; ++index) {
    const auto raw = raw_symbol(index);
    if (!raw) return false;
    const bool defined = is_definition(*raw);
    if (what == Scan::undefined && defined) continue;
    const auto name = symbol_name(*raw);
    if (!name) return false;
    if (name->empty() || !wanted(*name, defined)) continue;
    auto found = symbol(index, *raw, *name);
    if (!found) return false;
    take(std::move(*found));
  }
  return true;
}

/// For the second pass: all of the tables that a lookup goes through, since one leads to the next.
void ElfTables::want_symbol_tables() {
  std::uint64_t left = elf_tail_budget;
  const auto want = [&](const std::optional<ElfTable>& table, std::string_view what) {
    if (!table) return;
    const Range range = bound(*table);
    if (range.size > left || image_.is_captured(range)) return;
    left -= range.size;
    image_.report_unread(range, what);
  };
  want(table(DT_GNU_HASH, "DT_GNU_HASH"), "DT_GNU_HASH");
  want(table(DT_HASH, "DT_HASH"), "DT_HASH");
  want(symtab_, "DT_SYMTAB");
  want(versym_, "DT_VERSYM");
  want(strings_, "DT_STRTAB");
}

void ElfTables::read_symbols(const ElfRequest& request, const ElfPatterns& defined, const ElfPatterns& undefined,
                             ElfFacts& facts) {
  image_.set_part(ElfPart::symbols);
  bool unread = false;
  std::vector<std::string_view> missing;  // sorted, as the request is
  for (const std::string& name : request.symbols) {
    auto answer = dynamic_known_ ? definitions(name) : std::nullopt;
    if (!answer) {
      unread = true;
      facts.symbols[name] = {SymbolState::unread, "its tables were not captured", {}};
      continue;
    }
    if (answer->state != SymbolState::defined) missing.push_back(name);
    facts.symbols[name] = std::move(*answer);
  }
  if (!missing.empty()) {
    const bool known = scan(
        Scan::undefined,
        [&](std::string_view name, bool) { return std::binary_search(missing.begin(), missing.end(), name); },
        [&](ElfSymbol found) {
          SymbolAnswer& answer = facts.symbols.find(found.name)->second;
          answer.state = SymbolState::undefined;
          answer.found.push_back(std::move(found));
        });
    if (!known) {
      unread = true;
      for (const std::string_view name : missing) {
        facts.symbols.find(name)->second = {SymbolState::unread, "the references were not captured", {}};
      }
    }
  }
  if ((!defined.empty() || !undefined.empty()) && dynamic_known_) {
    std::uint64_t bytes = 0;
    const bool known = scan(
        defined.empty() ? Scan::undefined : Scan::all,
        [&](std::string_view name, bool is_defined) { return matches_any(name, is_defined ? defined : undefined); },
        [&](ElfSymbol found) {
          bytes += sizeof found + found.name.size() + found.version.size();
          if (bytes > elf_matches_limit) corrupt("the patterns match too many symbols to keep");
          facts.matches.push_back(std::move(found));
        });
    if (!known) {
      unread = true;
      facts.matches.clear();
    }
  }
  if (unread) want_symbol_tables();
}

std::vector<ElfSymbol> ElfTables::all_symbols(const ElfSymbolFilter& wanted) {
  image_.set_part(ElfPart::symbols);
  std::vector<ElfSymbol> result;
  scan(Scan::all, wanted, [&](ElfSymbol found) { result.push_back(std::move(found)); });
  return result;
}

}  // namespace ocilint
