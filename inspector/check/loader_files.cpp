#include "check/loader_files.h"

#include <elf.h>
#include <fmt/format.h>

namespace ocilint {
namespace {

constexpr std::size_t header_size_32 = 52, header_size_64 = 64;

std::string unread_reason(const ElfFacts& facts) {
  if (!facts.malformed.empty()) return "malformed: " + facts.malformed;
  for (const ElfUnread& unread : facts.unread)
    if (unread.part == ElfPart::headers || unread.part == ElfPart::dynamic)
      return fmt::format("{} could not be read", unread.what);
  return {};
}

Judgement judge_glibc(const LoaderFile& file, const ElfFacts& facts, const ElfFacts& root) {
  // The order is that of open_verify(): the class before everything else in the header, the machine after it.
  const std::size_t header = root.elf_class == ElfClass::elf32 ? header_size_32 : header_size_64;
  if (file.size < header) return {Tried::fatal, "file too short", true};
  if (facts.kind != ElfKind::elf)
    return {Tried::fatal, fmt::format("invalid ELF header: {}", to_string(facts.kind)), true};
  if (facts.elf_class != ElfClass::none && facts.elf_class != root.elf_class) return {Tried::other_class, {}, true};
  if (const std::string reason = unread_reason(facts); !reason.empty()) return {Tried::unknown, reason, true};
  if (facts.endian != root.endian) return {Tried::fatal, "the other byte order", true};
  if (facts.osabi != ELFOSABI_SYSV && facts.osabi != ELFOSABI_GNU)
    return {Tried::fatal, fmt::format("ELF file OS ABI invalid: {}", facts.osabi), true};
  if (facts.machine != root.machine) return {Tried::other_machine, {}, true};
  if (facts.type != ET_DYN && facts.type != ET_EXEC)
    return {Tried::fatal, "only ET_DYN and ET_EXEC can be loaded", true};
  if (facts.type == ET_EXEC) return {Tried::fatal, "cannot dynamically load executable", false};
  if (!facts.has_dynamic) return {Tried::fatal, "object file has no dynamic section", false};
  if ((facts.flags_1 & DF_1_PIE) != 0)
    return {Tried::fatal, "cannot dynamically load position-independent executable", false};
  return {Tried::taken, {}, true};
}

Judgement judge_musl(const LoaderFile& file, const ElfFacts& facts, const ElfFacts& root) {
  constexpr const char* no = "Exec format error";
  if (file.size < header_size_32 || facts.kind != ElfKind::elf) return {Tried::fatal, no, true};
  if (facts.elf_class != ElfClass::none && facts.elf_class != root.elf_class)
    return {Tried::fatal, std::string(no) + ": another class", true};
  if (const std::string reason = unread_reason(facts); !reason.empty()) return {Tried::unknown, reason, true};
  if (facts.endian != root.endian || (facts.type != ET_DYN && facts.type != ET_EXEC) || !facts.has_dynamic)
    return {Tried::fatal, no, true};
  return {Tried::taken, {}, true};  // neither machine nor OS ABI are looked at
}

}  // namespace

LoaderFile LoaderFiles::look(const std::string& path) const {
  LoaderFile file;
  const Resolution at = view_.resolve(path);
  if (!at.found()) {
    const bool link = view_.resolve(path, Last::keep).found();
    if (link) file.result = at.status == Resolution::Status::loop ? Tried::loop : Tried::dangling;
    if (link) file.why = "leads to " + at.path;
    return file;
  }
  const Node& node = view_.tree()[at.node];
  file.canonical = at.path;
  if (node.type != EntryType::file) {
    file.result = Tried::fatal;
    file.why = node.type == EntryType::directory ? "cannot read file data: Is a directory"
                                                 : fmt::format("a {}, not a regular file", to_string(node.type));
    return file;
  }
  file.result = Tried::taken;
  file.inode = node.inode;
  file.size = node.size;
  file.mode = node.mode;
  return file;
}

const LoaderFile& LoaderFiles::at(const std::string& path) {
  const auto found = files_.find(path);
  if (found != files_.end()) return found->second;
  return files_.emplace(path, look(path)).first->second;
}

bool LoaderFiles::is_directory(const std::string& path) {
  const auto found = directories_.find(path);
  if (found != directories_.end()) return found->second;
  const Resolution at = view_.resolve(path);
  const bool is = at.found() && view_.tree()[at.node].type == EntryType::directory;
  directories_.emplace(path, is);
  return is;
}

const ElfFacts* LoaderFiles::facts_of(InodeId inode) const {
  const ElfFacts& facts = view_.elf(inode);
  return view_.scanned().facts.elf(inode) == nullptr ? nullptr : &facts;
}

Judgement LoaderFiles::judge(const LoaderFile& file, const LoaderTaste& taste) const {
  if (file.result != Tried::taken) return {file.result, file.why, true};
  const ElfFacts* const facts = facts_of(file.inode);
  if (facts == nullptr) return {Tried::unknown, "its ELF header is still to be read", true};
  return taste.kind == LoaderKind::glibc ? judge_glibc(file, *facts, *taste.root)
                                         : judge_musl(file, *facts, *taste.root);
}

}  // namespace ocilint
