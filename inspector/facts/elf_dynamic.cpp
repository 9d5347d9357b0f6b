#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "facts/elf_capture.h"
#include "facts/elf_tables.h"

namespace ocilint {

namespace {

// Tags whose value is an address in the file, and where a table starts: each bounds the one before it.
constexpr std::array<std::int64_t, 10> address_tags = {DT_STRTAB, DT_SYMTAB,  DT_HASH, DT_GNU_HASH, DT_VERSYM,
                                                       DT_VERDEF, DT_VERNEED, DT_RELA, DT_REL,      DT_JMPREL};

}  // namespace

std::vector<GElf_Dyn> ElfTables::dynamic_entries(const GElf_Phdr& segment) {
  std::vector<GElf_Dyn> entries;
  const std::uint64_t size = image_.dyn_size();
  const std::uint64_t count = segment.p_filesz / size;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i == elf_dynamic_limit) corrupt(fmt::format("more than {} entries in PT_DYNAMIC", elf_dynamic_limit));
    const std::uint64_t offset = segment.p_offset + i * size;
    const auto bytes = image_.read(offset, size, dynamic_name);
    if (!bytes) {
      const std::uint64_t left = std::min(count, elf_dynamic_limit) - i;
      image_.report_unread({offset, left * size}, dynamic_name);
      dynamic_known_ = false;
      return {};
    }
    const GElf_Dyn entry = image_.dyn(*bytes);
    if (entry.d_tag == DT_NULL) return entries;
    entries.push_back(entry);
  }
  corrupt("PT_DYNAMIC has no end");
}

void ElfTables::place_tables(const std::vector<GElf_Dyn>& entries) {
  for (const GElf_Dyn& entry : entries) tags_[entry.d_tag] = entry.d_un.d_val;
  for (const std::int64_t tag : address_tags) {
    const auto found = tags_.find(tag);
    // Some linkers write zero for a table that is not there; an empty relocation table may be anywhere.
    if (found == tags_.end() || found->second == 0) continue;
    const bool relocations = tag == DT_RELA || tag == DT_REL || tag == DT_JMPREL;
    if (relocations && value(tag == DT_RELA ? DT_RELASZ : tag == DT_REL ? DT_RELSZ : DT_PLTRELSZ) == 0) continue;
    starts_.push_back(image_.locate(found->second, "a table of PT_DYNAMIC").offset);
  }
  std::sort(starts_.begin(), starts_.end());
  strings_ = table(DT_STRTAB, "DT_STRTAB");
  symtab_ = table(DT_SYMTAB, "DT_SYMTAB");
  versym_ = table(DT_VERSYM, "DT_VERSYM");
  if (strings_) {
    const std::uint64_t size = value(DT_STRSZ);
    if (size > strings_->most) corrupt("DT_STRTAB leaves its segment");
    strings_->most = size;
  }
}

std::optional<ElfTable> ElfTables::table(std::int64_t tag, std::string_view what) const {
  const auto found = tags_.find(tag);
  if (found == tags_.end() || found->second == 0) return std::nullopt;
  return image_.locate(found->second, what);
}

std::uint64_t ElfTables::value(std::int64_t tag) const {
  const auto found = tags_.find(tag);
  return found == tags_.end() ? 0 : found->second;
}

Range ElfTables::bound(const ElfTable& table) const {
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), table.offset);
  std::uint64_t size = std::min(table.most, elf_tail_budget);
  if (next != starts_.end()) size = std::min(size, *next - table.offset);
  return {table.offset, size};
}

std::optional<std::string> ElfTables::string(std::uint64_t index, std::uint64_t longest) {
  if (!strings_) corrupt("PT_DYNAMIC names strings, but there is no DT_STRTAB");
  const auto text = image_.text(*strings_, index, longest, "DT_STRTAB");
  if (!text) return std::nullopt;
  return std::string(*text);
}

void ElfTables::read_dynamic(ElfFacts& facts) {
  image_.set_part(ElfPart::dynamic);
  const auto& segments = image_.segments();
  const auto is_dynamic = [](const GElf_Phdr& segment) { return segment.p_type == PT_DYNAMIC; };
  const auto segment = std::find_if(segments.begin(), segments.end(), is_dynamic);
  if (segment == segments.end()) return;
  if (std::count_if(segments.begin(), segments.end(), is_dynamic) > 1) corrupt("more than one PT_DYNAMIC");
  facts.has_dynamic = true;
  // The loader goes by the address, other readers by the offset: where they differ, they see different files.
  if (image_.locate(segment->p_vaddr, dynamic_name).offset != segment->p_offset) {
    corrupt("PT_DYNAMIC: address and offset lead to different places");
  }
  const std::vector<GElf_Dyn> entries = dynamic_entries(*segment);
  place_tables(entries);
  for (const GElf_Dyn& entry : entries) {
    const std::uint64_t content = entry.d_un.d_val;
    switch (entry.d_tag) {
      case DT_SONAME: facts.soname = string(content, elf_name_limit); break;
      case DT_NEEDED:
        if (auto name = string(content, elf_name_limit)) facts.needed.push_back(std::move(*name));
        break;
      case DT_RPATH: facts.rpath = string(content, elf_path_limit); break;
      case DT_RUNPATH: facts.runpath = string(content, elf_path_limit); break;
      case DT_FILTER:
        if (auto name = string(content, elf_name_limit)) facts.filter.push_back(std::move(*name));
        break;
      case DT_AUXILIARY:
        if (auto name = string(content, elf_name_limit)) facts.auxiliary.push_back(std::move(*name));
        break;
      case DT_TEXTREL: facts.has_textrel = true; break;
      case DT_BIND_NOW: facts.bind_now = true; break;
      default: break;
    }
  }
  facts.flags = value(DT_FLAGS);
  facts.flags_1 = value(DT_FLAGS_1);
  facts.has_textrel = facts.has_textrel || (facts.flags & DF_TEXTREL) != 0;
  facts.bind_now = facts.bind_now || (facts.flags & DF_BIND_NOW) != 0 || (facts.flags_1 & DF_1_NOW) != 0;
}

}  // namespace ocilint
