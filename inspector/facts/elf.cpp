#include "facts/elf.h"

#include <elf.h>
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "facts/elf_capture.h"
#include "facts/elf_image.h"
#include "facts/elf_tables.h"

namespace ocilint {

namespace {

// Machines whose ELF files are data to the CPU: no loader of the image maps them.
constexpr std::array<std::uint16_t, 4> foreign_machines = {EM_AMDGPU, EM_BPF, EM_CUDA, EM_NONE};

std::vector<std::shared_ptr<const re2::RE2>> compile(const std::vector<std::string>& patterns) {
  std::vector<std::shared_ptr<const re2::RE2>> result;
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_encoding(re2::RE2::Options::EncodingLatin1);  // names are bytes
  for (const std::string& pattern : patterns) {
    auto compiled = std::make_shared<const re2::RE2>(pattern, options);
    if (!compiled->ok()) {
      throw Error(ErrorKind::policy, fmt::format("symbol pattern {}: {}", pattern, compiled->error()));
    }
    result.push_back(std::move(compiled));
  }
  return result;
}

bool is_text(Bytes head) {
  return std::all_of(head.begin(), head.end(), [](std::uint8_t byte) {
    return byte >= 0x20 ? byte != 0x7f : byte == '\t' || byte == '\n' || byte == '\r' || byte == '\f';
  });
}

ElfKind kind_of_foreign(Bytes head) {
  const std::string_view text = as_text(head);
  if (text.starts_with("!<arch>\n") || text.starts_with("!<thin>\n")) return ElfKind::ar_archive;
  for (const std::string_view magic :
       {"\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe"}) {
    if (text.starts_with(magic)) return ElfKind::mach_o;
  }
  // A universal binary shares its magic with Java classes, which have a version above 40 in the next word.
  if (text.starts_with("\xca\xfe\xba\xbe") && head.size() >= 8 && Cursor(head.subspan(4), Endian::big).u32() < 40) {
    return ElfKind::mach_o;
  }
  return is_text(head) ? ElfKind::text_script : ElfKind::not_elf;
}

void read_interpreter(ElfImage& image, const GElf_Phdr& segment, ElfFacts& facts) {
  image.set_part(ElfPart::interpreter);
  const auto name = image.text({segment.p_offset, segment.p_filesz}, 0, elf_name_limit, "PT_INTERP");
  if (name) facts.interp = *name;
}

void read_notes(ElfImage& image, const GElf_Phdr& segment, ElfFacts& facts) {
  image.set_part(ElfPart::notes);
  if (segment.p_filesz > elf_notes_limit) {
    corrupt(fmt::format("PT_NOTE of {} bytes; at most {} are read", segment.p_filesz, elf_notes_limit));
  }
  const auto bytes = image.read(segment.p_offset, segment.p_filesz, "PT_NOTE");
  if (!bytes) return;
  const std::uint64_t align = segment.p_align == 8 ? 8 : 4;
  const auto padded = [align](std::uint64_t size) { return (size + align - 1) / align * align; };
  Cursor cursor(*bytes, image.endian());
  while (cursor.left() >= sizeof(Elf64_Nhdr)) {
    const std::uint64_t name_size = cursor.u32();
    const std::uint64_t description_size = cursor.u32();
    const std::uint32_t type = cursor.u32();
    const Bytes name = cursor.take(name_size);
    // Padding counts from the start of the note; the header has 12 bytes.
    cursor.skip(std::min<std::uint64_t>(padded(12 + name_size) - 12 - name_size, cursor.left()));
    const Bytes description = cursor.take(description_size);
    cursor.skip(std::min<std::uint64_t>(padded(description_size) - description_size, cursor.left()));
    if (type == NT_GNU_BUILD_ID && as_text(name) == std::string_view("GNU\0", 4) && facts.build_id.empty()) {
      for (const std::uint8_t byte : description) facts.build_id += fmt::format("{:02x}", byte);
    }
  }
}

void read_segments(ElfImage& image, std::uint64_t file_size, ElfFacts& facts) {
  for (const GElf_Phdr& segment : image.segments()) {
    switch (segment.p_type) {
      case PT_INTERP: read_interpreter(image, segment, facts); break;
      case PT_NOTE:
        if (facts.type != ET_CORE) read_notes(image, segment, facts);
        break;
      case PT_GNU_STACK:
        facts.stack = (segment.p_flags & PF_X) != 0 ? ElfStack::executable : ElfStack::not_executable;
        break;
      case PT_LOAD:
        // The loader would map what is not there and die of it.
        if (facts.type != ET_CORE &&
            (segment.p_offset > file_size || segment.p_filesz > file_size - segment.p_offset)) {
          corrupt("the file ends before its segments do");
        }
        break;
      case PT_GNU_RELRO: facts.relro = true; break;
      default: break;
    }
  }
}

/// The file header. Nothing when the file is not ELF or its headers are unread; `facts` says which.
std::optional<ElfImage> open_image(const CapturedFile& file, ElfFacts& facts) {
  const Bytes head = file.from(0, elf_kind_bytes);
  if (file.file_size() == 0) {
    facts.kind = ElfKind::empty;
    return std::nullopt;
  }
  if (head.size() < std::min<std::uint64_t>(file.file_size(), elf_kind_bytes)) {
    facts.unread.push_back({{0, std::min(file.file_size(), elf_kind_bytes)}, ElfPart::headers, "the ELF header"});
    return std::nullopt;
  }
  if (!as_text(head).starts_with(ELFMAG)) {
    facts.kind = kind_of_foreign(head);
    return std::nullopt;
  }
  facts.kind = ElfKind::elf;
  const auto ident = elf_ident(head);
  facts.elf_class = ident->elf_class;
  facts.endian = ident->endian;
  facts.osabi = head[EI_OSABI];
  return ElfImage(file, ident->elf_class, ident->endian);
}

}  // namespace

ElfReader::ElfReader(ElfRequest request)
    : request_(std::move(request)),
      defined_patterns_(compile(request_.defined_patterns)),
      undefined_patterns_(compile(request_.undefined_patterns)) {
  std::sort(request_.symbols.begin(), request_.symbols.end());
  request_.symbols.erase(std::unique(request_.symbols.begin(), request_.symbols.end()), request_.symbols.end());
}

ElfFacts ElfReader::read(const CapturedFile& file) const {
  ElfFacts facts;
  for (const std::string& name : request_.symbols) facts.symbols[name].why = "not an ELF file";
  std::optional<ElfImage> image;
  try {
    image = open_image(file, facts);
    if (image) {
      for (auto& [name, answer] : facts.symbols) {
        answer.why.clear();
        image->allow_more_work(name.size() + elf_name_limit);
      }
      const bool known = image->read_headers();
      facts.machine = image->header().e_machine;
      facts.type = image->header().e_type;
      facts.header_flags = image->header().e_flags;
      if (known) {
        read_segments(*image, file.file_size(), facts);
        ElfTables tables(*image);
        tables.read_dynamic(facts);
        tables.read_versions(facts);
        tables.read_symbols(request_, defined_patterns_, undefined_patterns_, facts);
      }
    }
  } catch (const Error& error) {
    facts.malformed = error.what();
  }
  if (image) {
    facts.unread = image->unread();
    if (!facts.unread.empty()) facts.led_there = image->touched();
  }
  if (!facts.malformed.empty()) {
    // Half an answer is none.
    facts.matches.clear();
    for (auto& [name, answer] : facts.symbols) answer = {SymbolState::unread, "malformed: " + facts.malformed, {}};
  } else if (!facts.was_read(ElfPart::headers)) {
    for (auto& [name, answer] : facts.symbols) answer = {SymbolState::unread, "the program headers are unread", {}};
  }
  return facts;
}

ElfFacts read_elf(Bytes whole, ElfRequest request) { return ElfReader(std::move(request)).read(whole); }

std::vector<ElfSymbol> dynamic_symbols(const CapturedFile& file, const ElfSymbolFilter& wanted) {
  ElfFacts facts;
  auto image = open_image(file, facts);
  if (!image) corrupt("not an ELF file");
  std::vector<ElfSymbol> result;
  if (image->read_headers()) {
    ElfTables tables(*image);
    tables.read_dynamic(facts);
    tables.read_versions(facts);
    result = tables.all_symbols(wanted);
  }
  if (!image->unread().empty()) corrupt(fmt::format("{} was not captured", image->unread().front().what));
  return result;
}

bool ElfFacts::was_read(ElfPart part) const {
  if (!malformed.empty()) return false;
  return std::none_of(unread.begin(), unread.end(), [part](const ElfUnread& range) {
    if (range.part == part || range.part == ElfPart::headers) return true;
    // Without PT_DYNAMIC there is no table, without versions no symbol is known for sure.
    const bool table = part == ElfPart::versions || part == ElfPart::symbols;
    if (range.part == ElfPart::dynamic) return table && range.what == ElfTables::dynamic_name;
    return range.part == ElfPart::versions && part == ElfPart::symbols;
  });
}

bool ElfFacts::is_loadable() const {
  return kind == ElfKind::elf && (type == ET_EXEC || type == ET_DYN) &&
         std::find(foreign_machines.begin(), foreign_machines.end(), machine) == foreign_machines.end();
}

SymbolAnswer ElfFacts::lookup(std::string_view name) const {
  const auto found = symbols.find(name);
  if (found == symbols.end()) {
    throw Error(ErrorKind::internal, fmt::format("symbol {} was not in the request", name));
  }
  return found->second;
}

std::vector<Range> ElfFacts::unread_ranges() const {
  std::vector<Range> result = led_there;
  for (const ElfUnread& range : unread) result.push_back(range.range);
  // Offsets were checked against the size of the file when they were read.
  return normalise_ranges(std::move(result), ~std::uint64_t{0}, 4096);
}

bool SymbolAnswer::found_by_default() const {
  return std::any_of(found.begin(), found.end(),
                     [](const ElfSymbol& symbol) { return symbol.exported() && symbol.is_default; });
}

bool ElfSymbol::exported() const {
  const bool seen =
      binding == SymbolBinding::global || binding == SymbolBinding::weak || binding == SymbolBinding::unique;
  return defined && !version_node && seen && type != SymbolType::other &&
         (visibility == SymbolVisibility::normal || visibility == SymbolVisibility::protected_);
}

std::string ElfSymbol::text() const {
  if (version.empty() || version_node) return name;
  return name + (is_default && version_file.empty() ? "@@" : "@") + version;
}

std::string_view to_string(ElfKind kind) {
  switch (kind) {
    case ElfKind::elf: return "ELF";
    case ElfKind::not_elf: return "not an ELF file";
    case ElfKind::text_script: return "text";
    case ElfKind::ar_archive: return "ar archive";
    case ElfKind::mach_o: return "Mach-O";
    case ElfKind::empty: return "empty file";
  }
  return "";
}

std::string_view to_string(SymbolType type) {
  switch (type) {
    case SymbolType::notype: return "no type";
    case SymbolType::object: return "object";
    case SymbolType::func: return "function";
    case SymbolType::common: return "common";
    case SymbolType::tls: return "TLS object";
    case SymbolType::ifunc: return "indirect function";
    case SymbolType::other: return "other";
  }
  return "";
}

std::string_view to_string(ElfPart part) {
  switch (part) {
    case ElfPart::headers: return "program headers";
    case ElfPart::interpreter: return "interpreter";
    case ElfPart::notes: return "notes";
    case ElfPart::dynamic: return "dynamic section";
    case ElfPart::versions: return "symbol versions";
    case ElfPart::symbols: return "dynamic symbols";
  }
  return "";
}

}  // namespace ocilint
