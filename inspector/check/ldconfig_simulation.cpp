#include "check/ldconfig_simulation.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "base/path.h"
#include "tree/components.h"

namespace ocilint {
namespace {

constexpr std::uint64_t smallest_library = 64;  // an ELF header: what is shorter ldconfig does not look at
constexpr std::int32_t libc6 = 3;

/// Names of the dynamic linker whose links Debian's ldconfig leaves alone.
constexpr std::string_view linker_sonames[] = {"ld-linux-aarch64.so.1",
                                               "ld-linux-aarch64_be.so.1",
                                               "ld-linux-armhf.so.3",
                                               "ld-linux-ia64.so.2",
                                               "ld-linux-mipsn8.so.1",
                                               "ld-linux-x32.so.2",
                                               "ld-linux-x86-64.so.2",
                                               "ld-linux.so.2",
                                               "ld-linux.so.3",
                                               "ld.so.1",
                                               "ld64.so.1",
                                               "ld64.so.2"};

struct ProcessorFolder {
  std::string_view name;
  unsigned bit;
};
constexpr ProcessorFolder x86_folders[] = {{"sse2", 0},  {"x86_64", 1},   {"avx512_1", 2}, {"i586", 48},
                                           {"i686", 49}, {"haswell", 50}, {"xeon_phi", 51}};
constexpr ProcessorFolder tls_folder = {"tls", 63};

std::optional<unsigned> processor_bit(std::string_view name, const LdconfigOptions& options) {
  if (name == tls_folder.name) return tls_folder.bit;
  if (options.architecture == "amd64" || options.architecture == "386")
    for (const ProcessorFolder& folder : x86_folders)
      if (folder.name == name) return folder.bit;
  return std::nullopt;
}

/// The processor folders at the end of a path, as bits: also of a configured directory of such a name.
std::uint64_t processor_bits(std::string_view path, const LdconfigOptions& options) {
  std::uint64_t bits = 0;
  if (!options.processor_folders) return 0;
  for (std::size_t slash = path.rfind('/'); slash != path.npos; slash = path.rfind('/')) {
    const auto bit = processor_bit(path.substr(slash + 1), options);
    if (!bit) break;
    bits += 1ULL << *bit;
    path = path.substr(0, slash);
  }
  return bits;
}

bool looks_like_library(std::string_view name) {
  const bool start = name.starts_with("lib") || name.starts_with("ld-");
  return (start && name.find(".so") != name.npos) || name.starts_with("ld.so.") || name.starts_with("ld64.so.");
}

/// Temporary files of prelink.
bool is_temporary(std::string_view name) {
  constexpr std::string_view mark = ".#prelink#", shape = ".#prelink#.XXXXXX";
  return name.ends_with(mark) ||
         (name.size() >= shape.size() && name.substr(name.size() - shape.size()).starts_with(".#prelink#."));
}

struct Machine {
  std::string_view architecture;
  std::uint16_t machine;
  ElfClass elf_class;
  std::int32_t abi;  // beside libc6 in the flags of the cache
};
constexpr Machine machines[] = {
    {"amd64", EM_X86_64, ElfClass::elf64, 0x300},  {"amd64", EM_X86_64, ElfClass::elf32, 0x800},
    {"amd64", EM_386, ElfClass::elf32, 0},         {"386", EM_X86_64, ElfClass::elf64, 0x300},
    {"386", EM_X86_64, ElfClass::elf32, 0x800},    {"386", EM_386, ElfClass::elf32, 0},
    {"arm64", EM_AARCH64, ElfClass::elf64, 0xa00}, {"arm64", EM_ARM, ElfClass::elf32, 0},
    {"arm", EM_ARM, ElfClass::elf32, 0},           {"arm", EM_AARCH64, ElfClass::elf64, 0xa00},
    {"ppc64le", EM_PPC64, ElfClass::elf64, 0x500}, {"ppc64", EM_PPC64, ElfClass::elf64, 0x500},
    {"ppc64", EM_PPC, ElfClass::elf32, 0},         {"s390x", EM_S390, ElfClass::elf64, 0x400},
    {"s390x", EM_S390, ElfClass::elf32, 0},        {"riscv64", EM_RISCV, ElfClass::elf64, 0},
};

/// The flags of a file in the cache; nullopt when ldconfig of this architecture passes it over.
std::optional<std::int32_t> flags_of(const ElfFacts& facts, const LdconfigOptions& options) {
  bool known = false;
  for (const Machine& machine : machines) {
    if (machine.architecture != options.architecture) continue;
    known = true;
    if (machine.machine != facts.machine || machine.elf_class != facts.elf_class) continue;
    std::int32_t abi = machine.abi;
    if (machine.machine == EM_ARM)
      abi = (facts.header_flags & EF_ARM_ABI_FLOAT_HARD) != 0   ? 0x900
            : (facts.header_flags & EF_ARM_ABI_FLOAT_SOFT) != 0 ? 0xb00
                                                                : 0;
    if (machine.machine == EM_RISCV) {
      const std::uint32_t floats = facts.header_flags & EF_RISCV_FLOAT_ABI;
      if (floats == EF_RISCV_FLOAT_ABI_DOUBLE) abi = 0x1000;
      if (floats == EF_RISCV_FLOAT_ABI_SOFT) abi = 0xf00;
    }
    return libc6 | abi;
  }
  return known ? std::nullopt : std::optional(libc6);
}

/// The tree, with the links that were set and removed so far.
class ChangingTree {
 public:
  explicit ChangingTree(const MergedTree& tree) : tree_(tree) {}

  struct Place {
    NodeId node;
    std::string path;  // canonical
  };

  void set_link(const std::string& path, std::string target) { changes_[path] = std::move(target); }
  void remove(const std::string& path) { changes_[path] = std::nullopt; }

  bool is_link(const std::string& path) const {
    if (const auto change = changes_.find(path); change != changes_.end()) return change->second.has_value();
    const auto node = tree_.find(path);
    return node && tree_[*node].type == EntryType::symlink;
  }

  /// Links followed; nullopt when it leads nowhere.
  std::optional<Place> follow(const std::string& path) const {
    Components components(path);
    Place at{MergedTree::root, "/"};
    while (const auto component = components.next()) {
      if (*component == "..") {
        at.path = std::string(parent_path(at.path));
        at.node = tree_.parent(at.node);
        continue;
      }
      if (tree_[at.node].type != EntryType::directory) return std::nullopt;
      std::string next = join(at.path, *component);
      if (const auto change = changes_.find(next); change != changes_.end()) {
        if (!change->second || !step(*change->second, components, at)) return std::nullopt;
        continue;
      }
      const auto child = tree_.child(at.node, *component);
      if (!child) return std::nullopt;
      if (tree_[*child].type == EntryType::symlink) {
        if (!step(tree_[*child].link, components, at)) return std::nullopt;
        continue;
      }
      at = {*child, std::move(next)};
    }
    return at;
  }

 private:
  static bool step(std::string_view target, Components& components, Place& at) {
    if (!components.follow(target)) return false;
    if (target.starts_with('/')) at = {MergedTree::root, "/"};
    return true;
  }

  const MergedTree& tree_;
  std::map<std::string, std::optional<std::string>, std::less<>> changes_;  // a new target, or removed
};

struct Candidate {
  LdconfigFile file;
  std::int32_t flags;
};

/// Of two files of one SONAME: does ldconfig take the first, whatever the order of the directory?
bool goes_before(const Candidate& one, const Candidate& other) {
  if (one.file.as_link != other.file.as_link) return other.file.as_link;
  return compare_library_names(one.file.name, other.file.name) > 0;
}

bool may_wrap(std::string_view name) {
  constexpr std::size_t digits_of_32_bits = 10;
  std::size_t run = 0;
  for (const char c : name) {
    run = c >= '0' && c <= '9' ? run + 1 : 0;
    if (run == digits_of_32_bits) return true;
  }
  return false;
}

class Simulation {
 public:
  Simulation(const MergedTree& tree, const LdconfigOptions& options, const std::function<const ElfFacts&(InodeId)>& elf)
      : tree_(tree), now_(tree), options_(options), elf_(elf) {}

  LdconfigSimulation run(std::span<const LdSoConfDirectory> directories) {
    for (const LdSoConfDirectory& directory : directories) configure(directory);
    // Processor folders are found on the way and come last.
    for (std::size_t i = 0; i < out_.directories.size(); ++i) visit(i);
    std::stable_sort(out_.cache.begin(), out_.cache.end(), cached_before);
    for (std::size_t i = 0; i < out_.directories.size(); ++i) out_.places.emplace(out_.directories[i].canonical, i);
    return std::move(out_);
  }

 private:
  /// A directory counts once, by the first name that leads to it.
  bool add(const std::string& path, std::string base, std::string from, std::string hwcaps) {
    const auto place = now_.follow(path);
    if (!place || tree_[place->node].type != EntryType::directory) return false;
    if (!seen_.insert(place->node).second) return false;
    LdconfigDirectory directory;
    directory.path = path;
    directory.canonical = place->path;
    directory.base = base.empty() ? place->path : std::move(base);
    directory.from = std::move(from);
    directory.hwcap = hwcaps.empty() ? processor_bits(path, options_) : 0;
    directory.hwcaps = std::move(hwcaps);
    out_.directories.push_back(std::move(directory));
    nodes_.push_back(place->node);
    return true;
  }

  void configure(const LdSoConfDirectory& configured) {
    const std::string from =
        configured.line == 0 ? configured.file : fmt::format("{}:{}", configured.file, configured.line);
    if (!add(configured.path, "", from, "")) return;
    const std::string base = out_.directories.back().canonical;
    const auto folder = now_.follow(join(base, "glibc-hwcaps"));
    if (!folder || tree_[folder->node].type != EntryType::directory) return;
    for (const NodeId child : tree_.children(folder->node)) {
      const std::string name(tree_.name(child));
      if (name.front() == '.' || name.find(':') != name.npos) continue;
      add(configured.path + "/glibc-hwcaps/" + name, base, from, name);
    }
  }

  void visit(std::size_t index) {
    std::map<std::string, std::vector<Candidate>> by_soname;
    for (const NodeId child : tree_.children(nodes_[index])) look_at(index, child, by_soname);
    for (auto& [soname, candidates] : by_soname) choose(index, soname, candidates);
  }

  void look_at(std::size_t index, NodeId child, std::map<std::string, std::vector<Candidate>>& by_soname) {
    const EntryType type = tree_[child].type;
    if (type != EntryType::symlink && type != EntryType::file && type != EntryType::directory) return;
    const std::string name(tree_.name(child));
    const LdconfigDirectory& directory = out_.directories[index];
    const bool folder = options_.processor_folders && directory.hwcaps.empty() && type != EntryType::file &&
                        processor_bit(name, options_);
    if ((!folder && !looks_like_library(name)) || is_temporary(name)) return;
    const std::string path = join(directory.canonical, name);
    const auto place = now_.follow(path);
    if (!place) {
      if (name.find(".so.") == name.npos) return;
      now_.remove(path);
      out_.directories[index].removed.push_back(name);
      return;
    }
    const Node& node = tree_[place->node];
    if (node.type == EntryType::directory) {
      if (folder) add(directory.path + "/" + name, directory.base, directory.from, "");
      return;
    }
    if (node.type != EntryType::file) return;
    const bool is_link = type == EntryType::symlink;
    Candidate candidate{{name, place->path, node.inode, is_link, is_link}, 0};
    std::string soname;
    LdconfigSkipped skipped = read(node, candidate, soname);
    if (!skipped.why.empty()) {
      skipped.name = name;
      skipped.path = place->path;
      out_.directories[index].skipped.push_back(std::move(skipped));
      return;
    }
    // A link of any other name than its SONAME, or a shorter one that ends in .so, is a file to ldconfig.
    const bool for_linking = name.ends_with(".so") && soname.starts_with(name);
    if (candidate.file.is_link && name != soname && !for_linking) candidate.file.as_link = false;
    if (candidate.file.as_link) soname = name;
    by_soname[soname].push_back(std::move(candidate));
  }

  /// The SONAME that a file counts for, or why it does not count.
  LdconfigSkipped read(const Node& node, Candidate& candidate, std::string& soname) const {
    LdconfigSkipped skipped;
    if (node.size == 0) {
      skipped.why = "an empty file";
      return skipped;
    }
    const ElfFacts& facts = elf_(node.inode);
    if (facts.kind != ElfKind::elf) {
      skipped.why = fmt::format("no ELF file: {}", to_string(facts.kind));
    } else if (node.size < smallest_library) {
      skipped.why = "shorter than an ELF header";
    } else if (!facts.malformed.empty()) {
      skipped.why = "a malformed ELF file: " + facts.malformed;
      skipped.unread = true;
    } else if (!facts.was_read(ElfPart::headers)) {
      skipped.why = "its ELF headers could not be read";
      skipped.unread = true;
    } else if (facts.type != ET_DYN) {
      skipped.why = "an ELF file, and no shared object";
    } else if (const auto flags = flags_of(facts, options_); !flags) {
      skipped.why = fmt::format("for another machine (ELF machine {})", facts.machine);
    } else if (!facts.has_dynamic) {
      skipped.why = "an ELF file without a dynamic section";
    } else if (!facts.was_read(ElfPart::dynamic)) {
      skipped.why = "its dynamic section could not be read";
      skipped.unread = true;
    } else {
      candidate.flags = *flags;
      soname = facts.soname.value_or(candidate.file.name);
      if (soname.empty() || soname.find('/') != soname.npos) skipped.why = "its SONAME is no file name: " + soname;
    }
    return skipped;
  }

  void choose(std::size_t index, const std::string& soname, std::vector<Candidate>& candidates) {
    LdconfigDirectory& directory = out_.directories[index];
    LdconfigChoice choice;
    choice.soname = soname;
    // As ldconfig does it, one after the other: names whose numbers wrap have no order to sort by.
    auto best = candidates.begin();
    for (auto at = candidates.begin(); at != candidates.end(); ++at)
      if (goes_before(*at, *best)) best = at;
    std::rotate(candidates.begin(), best, best + 1);
    const auto ties = [&](const Candidate& other) { return !goes_before(candidates.front(), other); };
    const auto tie_end = std::stable_partition(candidates.begin() + 1, candidates.end(), ties);
    choice.tied = static_cast<std::size_t>(tie_end - candidates.begin()) - 1;
    std::stable_partition(tie_end, candidates.end(), [](const Candidate& other) { return !other.file.as_link; });
    choice.flags = candidates.front().flags;
    for (Candidate& candidate : candidates) choice.files.push_back(std::move(candidate.file));
    const LdconfigFile& chosen = choice.files.front();
    const std::string path = join(directory.canonical, soname);
    const auto before = now_.follow(path);
    if (before && tree_[before->node].type == EntryType::file) {
      choice.before = tree_[before->node].inode;
      choice.before_path = before->path;
    }
    if (directory.hwcaps.empty() && !chosen.as_link) {
      choice.deed = deed(path, soname, chosen, before.has_value(), choice.before);
      if (choice.deed == LdconfigDeed::create || choice.deed == LdconfigDeed::repoint) now_.set_link(path, chosen.name);
    }
    LdSoCache::Entry entry;
    entry.name = soname;
    // Behind hwcaps there are no links, so the cache names the file itself.
    entry.path = directory.path + "/" + (directory.hwcaps.empty() ? soname : chosen.name);
    entry.flags = choice.flags;
    entry.hwcap = directory.hwcap;
    entry.hwcaps = directory.hwcaps;
    out_.cache.push_back(std::move(entry));
    directory.choices.push_back(std::move(choice));
  }

  LdconfigDeed deed(const std::string& path, const std::string& soname, const LdconfigFile& chosen, bool exists,
                    const std::optional<InodeId>& before) const {
    if (!exists) return LdconfigDeed::create;
    if (before == chosen.inode) return LdconfigDeed::none;
    if (!now_.is_link(path)) return LdconfigDeed::blocked;
    if (options_.keeps_dynamic_linker && std::ranges::find(linker_sonames, soname) != std::end(linker_sonames))
      return LdconfigDeed::linker;
    return LdconfigDeed::repoint;
  }

  static bool cached_before(const LdSoCache::Entry& one, const LdSoCache::Entry& other) {
    // Numbers that wrap have no order: such names come last.
    const bool one_wraps = may_wrap(one.name), other_wraps = may_wrap(other.name);
    if (one_wraps != other_wraps) return other_wraps;
    const int order = one_wraps ? one.name.compare(other.name) : compare_library_names(one.name, other.name);
    if (order != 0) return order > 0;
    if (one.flags != other.flags) return one.flags > other.flags;
    if (one.hwcaps.empty() != other.hwcaps.empty()) return !one.hwcaps.empty();
    if (one.hwcaps != other.hwcaps) return one.hwcaps < other.hwcaps;
    if (std::popcount(one.hwcap) != std::popcount(other.hwcap))
      return std::popcount(one.hwcap) > std::popcount(other.hwcap);
    return one.hwcap > other.hwcap;
  }

  const MergedTree& tree_;
  ChangingTree now_;
  const LdconfigOptions& options_;
  const std::function<const ElfFacts&(InodeId)>& elf_;
  LdconfigSimulation out_;
  std::vector<NodeId> nodes_;  // of out_.directories
  std::set<NodeId> seen_;
};

}  // namespace

const LdconfigDirectory* LdconfigSimulation::find(std::string_view canonical) const {
  const auto at = places.find(canonical);
  return at == places.end() ? nullptr : &directories[at->second];
}

LdconfigSimulation simulate_ldconfig(const MergedTree& tree, std::span<const LdSoConfDirectory> directories,
                                     const LdconfigOptions& options,
                                     const std::function<const ElfFacts&(InodeId)>& elf) {
  return Simulation(tree, options, elf).run(directories);
}

}  // namespace ocilint
