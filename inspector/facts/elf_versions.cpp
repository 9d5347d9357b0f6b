#include <elf.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "facts/elf_tables.h"

namespace ocilint {

namespace {

// The layouts are the same in both classes; libelf would follow the links itself, so these are read by hand.
constexpr std::uint64_t verdef_size = sizeof(Elf64_Verdef);
constexpr std::uint64_t verdaux_size = sizeof(Elf64_Verdaux);
constexpr std::uint64_t verneed_size = sizeof(Elf64_Verneed);
constexpr std::uint64_t vernaux_size = sizeof(Elf64_Vernaux);

constexpr std::uint16_t version_mask = 0x7fff;
constexpr std::uint16_t version_hidden = 0x8000;

}  // namespace

void ElfTables::read_versions(ElfFacts& facts) {
  image_.set_part(ElfPart::versions);
  const bool defined = read_verdef(facts);
  versions_known_ = read_verneed(facts) && defined;
}

bool ElfTables::read_verdef(ElfFacts& facts) {
  const auto table = this->table(DT_VERDEF, "DT_VERDEF");
  if (!table) return true;
  bool known = true;
  std::uint64_t at = 0;
  for (std::uint64_t count = 0;; ++count) {
    if (count == elf_versions_limit) corrupt(fmt::format("more than {} versions in DT_VERDEF", elf_versions_limit));
    const ElfTable rest = ElfImage::behind(*table, at, "DT_VERDEF");
    const auto bytes = image_.element(rest, 0, verdef_size, "DT_VERDEF");
    if (!bytes) {
      image_.report_unread(bound(*table), "DT_VERDEF");
      return false;
    }
    Cursor entry(*bytes, image_.endian());
    if (const auto revision = entry.u16(); revision != VER_DEF_CURRENT) {
      corrupt(fmt::format("DT_VERDEF of revision {}", revision));
    }
    const std::uint16_t flags = entry.u16();
    const std::uint16_t index = entry.u16() & version_mask;
    const std::uint16_t names = entry.u16();
    entry.skip(4);  // hash of the name
    const std::uint64_t name_at = entry.u32();
    const std::uint64_t next = entry.u32();
    if ((flags & VER_FLG_BASE) == 0) {  // the base is the name of the file, not a version
      if (names == 0) corrupt("a version in DT_VERDEF has no name");
      const auto aux = image_.element(ElfImage::behind(rest, name_at, "DT_VERDEF"), 0, verdaux_size, "DT_VERDEF");
      if (!aux) {
        image_.report_unread(bound(*table), "DT_VERDEF");
        return false;
      }
      // Names after the first are those it inherits from: nothing that a loader looks at.
      if (auto name = string(Cursor(*aux, image_.endian()).u32(), elf_name_limit)) {
        facts.verdef.push_back(*name);
        nodes_.insert(*name);
        add_version(index, {std::move(*name), ""});
      } else {
        known = false;
      }
    }
    if (next == 0) return known;
    at += next;
  }
}

bool ElfTables::read_verneed(ElfFacts& facts) {
  const auto table = this->table(DT_VERNEED, "DT_VERNEED");
  if (!table) return true;
  bool known = true;
  std::uint64_t at = 0;
  std::uint64_t versions = 0;
  for (std::uint64_t count = 0;; ++count) {
    if (count == elf_versions_limit) corrupt(fmt::format("more than {} files in DT_VERNEED", elf_versions_limit));
    const ElfTable rest = ElfImage::behind(*table, at, "DT_VERNEED");
    const auto bytes = image_.element(rest, 0, verneed_size, "DT_VERNEED");
    if (!bytes) {
      image_.report_unread(bound(*table), "DT_VERNEED");
      return false;
    }
    Cursor entry(*bytes, image_.endian());
    if (const auto revision = entry.u16(); revision != VER_NEED_CURRENT) {
      corrupt(fmt::format("DT_VERNEED of revision {}", revision));
    }
    entry.skip(2);  // how many: the links say it too, and the loader goes by them
    const auto file = string(entry.u32(), elf_name_limit);
    known = known && file.has_value();
    std::uint64_t aux_at = entry.u32();
    const std::uint64_t next = entry.u32();
    for (;;) {
      if (++versions > elf_versions_limit) {
        corrupt(fmt::format("more than {} versions in DT_VERNEED", elf_versions_limit));
      }
      const auto aux = image_.element(ElfImage::behind(rest, aux_at, "DT_VERNEED"), 0, vernaux_size, "DT_VERNEED");
      if (!aux) {
        image_.report_unread(bound(*table), "DT_VERNEED");
        return false;
      }
      Cursor need(*aux, image_.endian());
      need.skip(4);  // hash of the name
      const std::uint16_t flags = need.u16();
      const std::uint16_t index = need.u16() & version_mask;
      const auto name = string(need.u32(), elf_name_limit);
      if (name && file) {
        facts.verneed[*file].push_back(*name);
        if ((flags & VER_FLG_WEAK) != 0) facts.verneed_weak[*file].push_back(*name);
        add_version(index, {*name, *file});
      } else {
        known = false;
      }
      const std::uint64_t aux_next = need.u32();
      if (aux_next == 0) break;
      aux_at += aux_next;
    }
    if (next == 0) return known;
    at += next;
  }
}

void ElfTables::add_version(std::uint16_t index, Version version) {
  if (index <= VER_NDX_GLOBAL) return;  // reserved: such an entry names a version that no symbol can have
  if (versions_.size() <= index) versions_.resize(std::size_t{index} + 1);
  Version& slot = versions_[index];
  if (!slot.name.empty() && (slot.name != version.name || slot.file != version.file)) {
    corrupt(fmt::format("version index {} is both {} and {}", index, slot.name, version.name));
  }
  slot = std::move(version);
}

std::optional<ElfTables::Version> ElfTables::version_of(std::uint64_t symbol, bool& hidden) {
  hidden = false;
  if (!versym_) return Version{};
  const auto bytes = image_.element(*versym_, symbol, sizeof(Elf64_Half), "DT_VERSYM");
  if (!bytes) return std::nullopt;
  const auto entry = static_cast<std::uint16_t>(image_.number(*bytes));
  hidden = (entry & version_hidden) != 0;
  const std::uint16_t index = entry & version_mask;
  if (index <= VER_NDX_GLOBAL) return Version{};
  if (!versions_known_) return std::nullopt;
  if (index >= versions_.size() || versions_[index].name.empty()) {
    corrupt(fmt::format("symbol {} has version {}, which nothing defines", symbol, index));
  }
  return versions_[index];
}

}  // namespace ocilint
