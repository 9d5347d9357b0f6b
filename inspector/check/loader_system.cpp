#include "check/loader_system.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/path.h"

namespace ocilint {
namespace {

constexpr std::uint16_t loongarch = 258;  // EM_LOONGARCH; not in the headers of Debian 12

/// ABI tags of ld.so.cache: sysdeps/generic/ldconfig.h; 3 in the low byte is "for libc 6".
const std::vector<LoaderMachine>& machines() {
  static const std::vector<LoaderMachine> table = {
      {EM_X86_64,
       ElfClass::elf64,
       "x86_64-linux-gnu",
       "/lib64/ld-linux-x86-64.so.2",
       "x86_64",
       0x0303,
       "x86_64",
       {"x86-64-v4", "x86-64-v3", "x86-64-v2"}},
      {EM_386, ElfClass::elf32, "i386-linux-gnu", "/lib/ld-linux.so.2", "i386", 0x0003, "i686", {}},
      {EM_X86_64, ElfClass::elf32, "x86_64-linux-gnux32", "/libx32/ld-linux-x32.so.2", "x32", 0x0803, "x86_64", {}},
      {EM_AARCH64,
       ElfClass::elf64,
       "aarch64-linux-gnu",
       "/lib/ld-linux-aarch64.so.1",
       "aarch64",
       0x0a03,
       "aarch64",
       {}},
      {EM_ARM, ElfClass::elf32, "arm-linux-gnueabihf", "/lib/ld-linux-armhf.so.3", "armhf", 0x0903, "v7l", {}},
      {EM_PPC64,
       ElfClass::elf64,
       "powerpc64le-linux-gnu",
       "/lib64/ld64.so.2",
       "powerpc64le",
       0x0503,
       "power8",
       {"power10", "power9"}},
      {EM_S390,
       ElfClass::elf64,
       "s390x-linux-gnu",
       "/lib/ld64.so.1",
       "s390x",
       0x0403,
       "z900",
       {"z16", "z15", "z14", "z13"}},
      {EM_RISCV, ElfClass::elf64, "riscv64-linux-gnu", "/lib/ld-linux-riscv64-lp64d.so.1", "riscv64", 0x1003, "", {}},
      {loongarch,
       ElfClass::elf64,
       "loongarch64-linux-gnu",
       "/lib64/ld-linux-loongarch-lp64d.so.1",
       "loongarch64",
       0x1203,
       "",
       {}},
  };
  return table;
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(separators, at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    out.emplace_back(text.substr(begin, end - begin));
    at = end;
  }
  return out;
}

/// 236 of "2.36"; 0 when unknown. Minor versions have two digits since 2.10.
unsigned number_of(std::string_view version) {
  unsigned major = 0, minor = 0;
  const char* const end = version.data() + version.size();
  const auto first = std::from_chars(version.data(), end, major);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return 0;
  if (std::from_chars(first.ptr + 1, end, minor).ec != std::errc() || major > 9 || minor > 99) return 0;
  return major * 100 + minor;
}

/// Directories of the legacy search (before glibc 2.37): every combination of what the processor has, `tls`
/// first, in the order of _dl_important_hwcaps. At level 3 x86-64 calls itself "haswell", at 4 it has AVX-512.
void add_legacy(std::vector<std::string>& out, const LoaderMachine& machine, unsigned cpu_level) {
  std::vector<std::string> parts;
  if (machine.machine == EM_X86_64 && machine.elf_class == ElfClass::elf64) {
    parts.push_back("x86_64/");
    if (cpu_level >= 4) parts.push_back("avx512_1/");
    if (cpu_level >= 3) parts.push_back("haswell/");
  } else if (!machine.platform.empty()) {
    parts.push_back(std::string(machine.platform) + "/");
  }
  parts.push_back("tls/");
  for (unsigned set = (1U << parts.size()) - 1; set > 0; --set) {
    std::string folder;
    for (std::size_t bit = parts.size(); bit-- > 0;)
      if ((set >> bit & 1U) != 0) folder += parts[bit];
    out.push_back(std::move(folder));
  }
}

}  // namespace

const LoaderMachine* find_machine(std::uint16_t machine, ElfClass elf_class) {
  for (const LoaderMachine& known : machines())
    if (known.machine == machine && known.elf_class == elf_class) return &known;
  return nullptr;
}

std::vector<std::string> directories_in_loader(std::string_view bytes) {
  constexpr std::size_t longest = 200;
  std::vector<std::string> best, now;
  const auto finish = [&] {
    if (now.size() >= best.size() && !now.empty()) best = std::move(now);
    now.clear();
  };
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\0', at), bytes.size());
    const std::string_view text = bytes.substr(at, end - at);
    const bool directory = text.size() > 2 && text.size() <= longest && text.front() == '/' && text.back() == '/' &&
                           text.find("lib") != std::string_view::npos &&
                           std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f && c != '%'; });
    if (directory)
      now.emplace_back(text.substr(0, text.size() - 1));
    else
      finish();
    at = end + 1;
  }
  finish();
  return best;
}

std::string version_in_loader(std::string_view bytes) {
  constexpr std::string_view words = "release version ";
  const std::size_t at = bytes.find(words);
  if (at == std::string_view::npos) return {};
  std::string_view text = bytes.substr(at + words.size(), 8);
  text = text.substr(0, text.find_first_not_of("0123456789."));
  while (text.ends_with('.')) text.remove_suffix(1);
  return std::string(text);
}

LoaderSystem::LoaderSystem(const ImageView& view, const LoaderOptions& options)
    : view_(view), cpu_level_(options.cpu_level), use_preloads_(options.image_preloads) {
  const Config& config = view.config();
  if (options.library_path) library_path_ = config.env_value("LD_LIBRARY_PATH");
  working_directory_ = normalise(config.working_dir).path;
  if (const auto names = config.env_value("LD_PRELOAD"); names && use_preloads_)
    environment_preloads_ = split(*names, " :");
}

std::optional<std::string_view> LoaderSystem::text_of(std::string_view path, std::string& problem) const {
  const Resolution at = view_.resolve(path);
  if (!at.found()) {
    if (view_.resolve(path, Last::keep).found())
      problem = fmt::format("{} leads to {}, which does not exist", path, at.path);
    return std::nullopt;
  }
  const Node& node = view_.tree()[at.node];
  if (node.type != EntryType::file) {
    problem = fmt::format("{} is a {}, not a regular file", path, to_string(node.type));
    return std::nullopt;
  }
  if (node.size > content_limit) {
    problem = fmt::format("{} has {} bytes", path, node.size);
    return std::nullopt;
  }
  const std::string& text = view_.content(node.inode);
  if (view_.scanned().facts.content(node.inode) == nullptr) {
    problem = fmt::format("{} is still to be read", path);
    return std::nullopt;
  }
  return text;
}

bool LoaderSystem::is_directory(std::string_view path) const {
  const Resolution at = view_.resolve(path);
  return at.found() && view_.tree()[at.node].type == EntryType::directory;
}

LoaderKind LoaderSystem::kind_of(const ElfFacts& root) const {
  if (root.interp) return base_name(*root.interp).starts_with("ld-musl-") ? LoaderKind::musl : LoaderKind::glibc;
  for (const std::string& name : root.needed) {
    if (name.starts_with("libc.musl-") || name == "libc.so") return LoaderKind::musl;
    if (name.starts_with("libc.so.")) return LoaderKind::glibc;
  }
  const LoaderMachine* const machine = find_machine(root.machine, root.elf_class);
  if (machine == nullptr || view_.resolve(machine->interpreter).found()) return LoaderKind::glibc;
  const std::string musl = fmt::format("/lib/ld-musl-{}.so.1", machine->musl);
  return view_.resolve(musl).found() ? LoaderKind::musl : LoaderKind::glibc;
}

const SystemLoader& LoaderSystem::loader_for(const ElfFacts& root) {
  const LoaderKind kind = kind_of(root);
  std::string path;
  if (root.interp) {
    path = *root.interp;
  } else if (const LoaderMachine* const machine = find_machine(root.machine, root.elf_class)) {
    path = kind == LoaderKind::musl ? fmt::format("/lib/ld-musl-{}.so.1", machine->musl)
                                    : std::string(machine->interpreter);
  }
  const Key key(kind, path, root.machine, root.elf_class);
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_.emplace(key, make(kind, path, root)).first->second;
}

SystemLoader LoaderSystem::make(LoaderKind kind, std::string path, const ElfFacts& root) const {
  SystemLoader made;
  made.kind = kind;
  made.path = std::move(path);
  made.subdirectories = {""};
  if (!made.path.empty()) {
    const std::string absolute = made.path.starts_with('/') ? made.path : join(working_directory_, made.path);
    made.at = view_.resolve(absolute);
    if (made.at.found() && view_.tree()[made.at.node].type == EntryType::file) {
      const InodeId inode = view_.tree()[made.at.node].inode;
      made.facts = &view_.elf(inode);
      if (view_.scanned().facts.elf(inode) == nullptr) made.facts = nullptr;
    }
  }
  const LoaderMachine* const machine = find_machine(root.machine, root.elf_class);
  if (machine == nullptr) {
    made.problem = fmt::format("the default directories of ELF machine {} are not known", root.machine);
    return made;
  }
  made.platform = machine->platform;
  if (kind == LoaderKind::glibc && machine->machine == EM_X86_64 && cpu_level_ >= 3) made.platform = "haswell";
  if (kind == LoaderKind::glibc)
    set_glibc(made, *machine);
  else
    set_musl(made, *machine);
  return made;
}

void LoaderSystem::set_glibc(SystemLoader& made, const LoaderMachine& machine) const {
  std::string problem;
  std::optional<std::string_view> bytes;
  if (made.facts != nullptr) bytes = text_of(made.at.path, problem);
  if (bytes) {
    made.directories = directories_in_loader(*bytes);
    made.version = version_in_loader(*bytes);
    // Before 2.34 the file itself was called ld-2.31.so.
    const std::string_view name = base_name(made.at.path);
    if (made.version.empty() && name.starts_with("ld-2.") && name.ends_with(".so"))
      made.version = std::string(name.substr(3, name.size() - 6));
    made.directories_from = "read from " + made.path;
  }
  const std::string debian = fmt::format("/usr/lib/{}", machine.triplet);
  if (made.directories.empty()) {
    made.directories_from = "by the folders that exist";
    if (is_directory(debian))
      made.directories = {fmt::format("/lib/{}", machine.triplet), debian, "/lib", "/usr/lib"};
    else if (machine.elf_class == ElfClass::elf64 && is_directory("/usr/lib64"))
      made.directories = {"/lib64", "/usr/lib64"};
    else
      made.directories = {"/lib", "/usr/lib"};
  }
  const auto has = [&](std::string_view directory) {
    return std::ranges::find(made.directories, directory) != made.directories.end();
  };
  made.lib = has(debian) ? fmt::format("lib/{}", machine.triplet) : has("/usr/lib64") ? "lib64" : "lib";
  const unsigned version = number_of(made.version);
  made.subdirectories.clear();
  const bool folders =
      version >= 233 || (version == 0 && bytes && bytes->find("glibc-hwcaps") != std::string_view::npos);
  if (folders || !bytes) {
    const std::size_t levels = machine.levels.size();
    const std::size_t usable = std::min<std::size_t>(cpu_level_ - 1, levels);
    for (std::size_t i = levels - usable; i < levels; ++i)
      made.subdirectories.push_back(fmt::format("glibc-hwcaps/{}/", machine.levels[i]));
  }
  if (version < 237) add_legacy(made.subdirectories, machine, cpu_level_);
  made.subdirectories.push_back("");
}

void LoaderSystem::set_musl(SystemLoader& made, const LoaderMachine& machine) const {
  // The prefix is what the interpreter's path has before its last two components.
  const std::string prefix(made.path.empty() ? "/" : parent_path(parent_path(normalise(made.path).path)));
  std::string_view name = base_name(made.path);
  std::string arch(machine.musl);
  if (name.starts_with("ld-musl-") && name.ends_with(".so.1")) arch = name.substr(8, name.size() - 13);
  const std::string file = join(prefix, fmt::format("etc/ld-musl-{}.path", arch));
  std::string problem;
  if (const auto text = text_of(file, problem)) {
    made.directories = split(*text, ":\n");
    made.directories_from = "of " + file;
  } else if (!problem.empty()) {
    made.problem = problem;
  } else {
    made.directories = {"/lib", "/usr/local/lib", "/usr/lib"};
    made.directories_from = "of musl";
  }
}

const LdSoCache* LoaderSystem::cache() {
  if (!cache_read_) {
    cache_read_ = true;
    if (const auto text = text_of("/etc/ld.so.cache", cache_problem_)) {
      try {
        cache_ = LdSoCache::parse(as_bytes(*text));
      } catch (const Error& error) {
        cache_problem_ = fmt::format("/etc/ld.so.cache: {}", error.what());
      }
    }
  }
  return cache_ ? &*cache_ : nullptr;
}

const LdSoCache::Entry* LoaderSystem::cached(std::string_view name, const SystemLoader& loader,
                                             const LoaderMachine* machine) {
  const LdSoCache* const all = cache();
  const auto entries = all == nullptr ? std::span<const LdSoCache::Entry>() : all->find(name);
  if (entries.empty() || machine == nullptr) return nullptr;
  const auto [taken, fresh] = taken_.try_emplace({entries.data(), &loader, machine}, nullptr);
  if (!fresh) return taken->second;
  const LdSoCache::Entry* best = nullptr;
  std::size_t best_rank = 0;
  for (const LdSoCache::Entry& entry : entries) {
    if (entry.flags != machine->cache_flags && entry.flags != 1) continue;
    if (entry.hwcaps.empty()) {
      // Legacy processor bits: not for the plainest processor.
      if (entry.hwcap != 0 && cpu_level_ < 3) continue;
      if (best == nullptr) best = &entry;
      if (entry.flags == machine->cache_flags) break;
      continue;
    }
    const auto folder = std::ranges::find(loader.subdirectories, "glibc-hwcaps/" + entry.hwcaps + "/");
    if (folder == loader.subdirectories.end()) continue;
    const auto rank = static_cast<std::size_t>(folder - loader.subdirectories.begin());
    if (best != nullptr && rank >= best_rank) continue;
    best = &entry;
    best_rank = rank;
  }
  return taken->second = best;
}

const std::vector<std::string>& LoaderSystem::file_preloads() {
  if (!file_preloads_) {
    file_preloads_.emplace();
    if (const auto text = use_preloads_ ? text_of("/etc/ld.so.preload", file_preloads_problem_) : std::nullopt) {
      std::string plain;
      bool comment = false;
      for (const char c : *text) {
        comment = c != '\n' && (comment || c == '#');
        plain += comment ? ' ' : c;
      }
      file_preloads_ = split(plain, " \t\n:");
    }
  }
  return *file_preloads_;
}

std::vector<std::string> LoaderSystem::basis() const {
  std::vector<std::string> out;
  for (const auto& [key, loader] : known_) {
    std::string line = fmt::format("{}{}{}", to_string(loader.kind), loader.version.empty() ? "" : " ", loader.version);
    if (!loader.path.empty())
      line += fmt::format(" ({}{})", loader.path, loader.at.found() ? "" : ", not in the image");
    line += ", default directories ";
    for (std::size_t i = 0; i < loader.directories.size(); ++i) line += (i == 0 ? "" : ":") + loader.directories[i];
    line += ", " + (loader.problem.empty() ? loader.directories_from : loader.problem);
    out.push_back(std::move(line));
  }
  if (cache_read_) {
    if (cache_)
      out.push_back(fmt::format("/etc/ld.so.cache with {} entries", cache_->entries.size()));
    else
      out.push_back(cache_problem_.empty() ? "no /etc/ld.so.cache" : cache_problem_);
  }
  if (library_path_) out.push_back("LD_LIBRARY_PATH=" + *library_path_ + " of the image configuration");
  for (const std::string& name : environment_preloads_) out.push_back("LD_PRELOAD names " + name);
  if (file_preloads_)
    for (const std::string& name : *file_preloads_) out.push_back("/etc/ld.so.preload names " + name);
  return out;
}

}  // namespace ocilint
