// What the loader would see in a file: the facts of its ELF headers, PT_DYNAMIC and the tables that lead from
// there (System V gABI, chapters 4 and 5; GNU hash and symbol versions). Sections are never looked at.
//
// ElfFacts is a value without views. *Unread* (not captured) and *absent* are two answers: see was_read() and
// lookup(). A file that contradicts itself is a fact too: `malformed` says why, and nothing else is trusted.
// ElfReader::read throws nothing but bad_alloc; const and thread safe. Constructing it throws Error{policy}
// for a bad pattern. Cost: microseconds for a usual library; work is bounded by the bytes captured.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/elf_ranges.h"

namespace re2 {
class RE2;
}

namespace ocilint {

// Limits on hostile files. One that is hit makes the file malformed, never a symbol absent.
inline constexpr std::uint64_t elf_segments_limit = 4096;          // real files: fewer than 20
inline constexpr std::uint64_t elf_dynamic_limit = 65'536;         // entries of PT_DYNAMIC; real: under 200
inline constexpr std::uint64_t elf_name_limit = 4096;              // SONAME, NEEDED, version: a path at most
inline constexpr std::uint64_t elf_symbol_name_limit = 1U << 16U;  // C++ names of 20 kB exist
inline constexpr std::uint64_t elf_path_limit = 1U << 16U;         // RPATH is a list of paths
inline constexpr std::uint64_t elf_notes_limit = 1U << 20U;        // one PT_NOTE; real: under 1 kB
inline constexpr std::uint64_t elf_versions_limit = 32'768;        // versym has 15 bits
inline constexpr std::uint64_t elf_work_base = 4U << 20U;          // bytes looked at, again and again counted,
inline constexpr std::uint64_t elf_work_factor = 16;               // … plus this many for each byte captured
inline constexpr std::uint64_t elf_matches_limit = 8U << 20U;      // bytes of what the patterns match

enum class ElfKind : std::uint8_t { elf, not_elf, text_script, ar_archive, mach_o, empty };
enum class ElfClass : std::uint8_t { none, elf32, elf64 };
enum class ElfStack : std::uint8_t { unstated, not_executable, executable };  // PT_GNU_STACK
enum class SymbolType : std::uint8_t { notype, object, func, common, tls, ifunc, other };
enum class SymbolBinding : std::uint8_t { local, global, weak, unique, other };
enum class SymbolVisibility : std::uint8_t { normal, internal, hidden, protected_ };

std::string_view to_string(ElfKind);
std::string_view to_string(SymbolType);

struct ElfSymbol {
  std::string name;
  std::string version;       // "" when it has none
  std::string version_file;  // undefined only: the SONAME that verneed expects it from
  bool is_default = false;   // name@@version, or defined without a version: what dlsym() returns
  bool defined = false;
  bool version_node = false;  // the absolute symbol that only names a version: dlsym() does not find it
  SymbolType type = SymbolType::notype;
  SymbolBinding binding = SymbolBinding::global;
  SymbolVisibility visibility = SymbolVisibility::normal;

  /// A definition that the loader binds references to: not a version node, not local, not hidden.
  bool exported() const;
  /// As nm writes it: name@@V, name@V, or name (without a version, and of version nodes).
  std::string text() const;
  friend bool operator==(const ElfSymbol&, const ElfSymbol&) = default;
};

/// What a symbol rule wants to know, said before the pass so that no table is kept.
struct ElfRequest {
  std::vector<std::string> symbols;             // names, without version; any order
  std::vector<std::string> defined_patterns;    // RE2, the whole name: every definition that matches
  std::vector<std::string> undefined_patterns;  // RE2, the whole name: every reference that matches
};

/// Parts of a file that can be unread on their own.
enum class ElfPart : std::uint8_t {
  headers,      // everything: without program headers nothing is known
  interpreter,  // interp
  notes,        // build_id
  dynamic,      // soname, needed, rpath, runpath, filter, auxiliary, flags, has_textrel, bind_now
  versions,     // verdef, verneed, and the versions of symbols
  symbols,      // lookup() for some names; some matches
};

std::string_view to_string(ElfPart);

struct ElfUnread {
  Range range;  // what to capture on a second pass; never empty
  ElfPart part;
  std::string_view what;  // a literal: "DT_STRTAB"
};

enum class SymbolState : std::uint8_t {
  defined,    // at least one exported() definition
  undefined,  // only references to it
  absent,     // neither: the tables were read
  unread,     // cannot be told: see `why`
};

struct SymbolAnswer {
  SymbolState state = SymbolState::unread;
  std::string why;               // for unread only
  std::vector<ElfSymbol> found;  // all definitions (also version nodes, hidden ones), then references
  /// Would dlsym() find it: an exported() definition that is the default?
  bool found_by_default() const;
};

struct ElfFacts {
  ElfKind kind = ElfKind::not_elf;
  std::string malformed;  // not empty: why; only kind to flags of the file header may be right
  std::vector<ElfUnread> unread;
  std::vector<Range> led_there;  // what was read on the way; only kept when something is unread

  // The file header.
  ElfClass elf_class = ElfClass::none;
  Endian endian = Endian::little;
  std::uint16_t machine = 0;  // EM_*
  std::uint8_t osabi = 0;     // ELFOSABI_*
  std::uint16_t type = 0;     // ET_*
  std::uint32_t header_flags = 0;

  // Program headers.
  std::optional<std::string> interp;
  bool has_dynamic = false;
  ElfStack stack = ElfStack::unstated;
  bool relro = false;
  std::string build_id;  // hex, "" when there is none

  // PT_DYNAMIC. Of two equal tags the last counts, as in the loader.
  std::optional<std::string> soname;
  std::vector<std::string> needed;  // in order, twice if twice
  std::optional<std::string> rpath;
  std::optional<std::string> runpath;
  std::vector<std::string> filter;     // DT_FILTER: must be found
  std::vector<std::string> auxiliary;  // DT_AUXILIARY: may be missing
  std::uint64_t flags = 0;             // DF_*
  std::uint64_t flags_1 = 0;           // DF_1_*
  bool has_textrel = false;
  bool bind_now = false;

  // Versions.
  std::vector<std::string> verdef;                               // defined nodes without the base, in order
  std::map<std::string, std::vector<std::string>> verneed;       // file -> versions needed from it
  std::map<std::string, std::vector<std::string>> verneed_weak;  // of these, what may be missing

  // Symbols.
  std::map<std::string, SymbolAnswer, std::less<>> symbols;  // one for each requested name
  std::vector<ElfSymbol> matches;                            // of the patterns, in table order

  bool complete() const { return malformed.empty() && unread.empty(); }
  /// May the fields of `part` be believed? False when malformed or (partly) unread.
  bool was_read(ElfPart part) const;
  /// Something that a dynamic loader maps: an executable or shared object for a CPU (no .o, core, GPU or
  /// BPF).
  bool is_loadable() const;
  /// The answer for a name of the request. `unread` when malformed or not ELF. Error{internal} for others.
  SymbolAnswer lookup(std::string_view name) const;
  /// What a targeted ElfCapture needs so that the next read is complete: `unread`, and what led there.
  std::vector<Range> unread_ranges() const;
};

class ElfReader {
 public:
  explicit ElfReader(ElfRequest request);
  const ElfRequest& request() const { return request_; }
  ElfFacts read(const CapturedFile& file) const;
  ElfFacts read(Bytes whole) const { return read(CapturedFile::whole(whole)); }

 private:
  ElfRequest request_;  // symbols sorted and unique
  std::vector<std::shared_ptr<const re2::RE2>> defined_patterns_;
  std::vector<std::shared_ptr<const re2::RE2>> undefined_patterns_;
};

/// For one file: ElfReader(request).read(whole).
ElfFacts read_elf(Bytes whole, ElfRequest request);

/// Every entry of the dynamic symbol table that the loader can reach and `wanted(name, defined)` likes, for
/// what needs all names of one file at hand. Throws Error{corrupt} when malformed or not captured.
using ElfSymbolFilter = std::function<bool(std::string_view name, bool defined)>;
std::vector<ElfSymbol> dynamic_symbols(const CapturedFile& file, const ElfSymbolFilter& wanted);

}  // namespace ocilint
