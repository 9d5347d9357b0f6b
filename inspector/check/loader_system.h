// What the image's own dynamic loaders are and where they look: kind, version, default directories, cache.
//
// glibc's default directories and version are read from the bytes of the image's ld.so; without one, from the
// layout of the image. musl has /etc/ld-musl-ARCH.path. Nothing throws: what cannot be read is said in
// `problem`. One thread; the view must outlive it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "check/loader.h"
#include "facts/ld_so_cache.h"

namespace ocilint {

/// One processor architecture as loaders name it.
struct LoaderMachine {
  std::uint16_t machine = 0;
  ElfClass elf_class = ElfClass::none;
  std::string_view triplet;              // Debian's directory name
  std::string_view interpreter;          // of glibc
  std::string_view musl;                 // of ld-musl-ARCH.so.1
  std::int32_t cache_flags = 0;          // of entries in ld.so.cache
  std::string_view platform;             // $PLATFORM of the plainest processor
  std::vector<std::string_view> levels;  // of glibc-hwcaps, best first
};

/// nullptr for a machine that no Linux distribution has.
const LoaderMachine* find_machine(std::uint16_t machine, ElfClass elf_class);

struct SystemLoader {
  LoaderKind kind = LoaderKind::glibc;
  std::string path;  // PT_INTERP, or where it usually is
  Resolution at;     // where that leads
  const ElfFacts* facts = nullptr;
  std::string version;                      // of glibc: "2.36"; "" when it does not say
  std::vector<std::string> directories;     // without a slash at the end
  std::string directories_from;             // "read from /lib64/ld-linux-x86-64.so.2"
  std::string lib, platform;                // $LIB, $PLATFORM
  std::vector<std::string> subdirectories;  // of every directory, in order: "glibc-hwcaps/x86-64-v3/", …, ""
  std::string problem;                      // why the default directories are not known
};

class LoaderSystem {
 public:
  LoaderSystem(const ImageView& view, const LoaderOptions& options);

  const SystemLoader& loader_for(const ElfFacts& root);

  /// nullptr when there is none, or it cannot be read: see cache_problem().
  const LdSoCache* cache();
  const std::string& cache_problem() const { return cache_problem_; }
  /// The entry of the cache that this loader takes for a name; nullptr when it takes none.
  const LdSoCache::Entry* cached(std::string_view name, const SystemLoader& loader, const LoaderMachine* machine);

  /// Of the configuration; nullopt when it is not set or not to be used.
  const std::optional<std::string>& library_path() const { return library_path_; }
  const std::string& working_directory() const { return working_directory_; }
  /// Names of LD_PRELOAD, and (glibc alone) of /etc/ld.so.preload.
  const std::vector<std::string>& environment_preloads() const { return environment_preloads_; }
  const std::vector<std::string>& file_preloads();
  const std::string& file_preloads_problem() const { return file_preloads_problem_; }

  std::vector<std::string> basis() const;

 private:
  using Key = std::tuple<LoaderKind, std::string, std::uint16_t, ElfClass>;
  /// The text of a file, links followed. nullopt: none, still to come, or (`problem`) unreadable.
  std::optional<std::string_view> text_of(std::string_view path, std::string& problem) const;
  LoaderKind kind_of(const ElfFacts& root) const;
  SystemLoader make(LoaderKind kind, std::string path, const ElfFacts& root) const;
  void set_glibc(SystemLoader& made, const LoaderMachine& machine) const;
  void set_musl(SystemLoader& made, const LoaderMachine& machine) const;
  bool is_directory(std::string_view path) const;

  const ImageView& view_;
  unsigned cpu_level_;
  std::optional<std::string> library_path_;
  std::string working_directory_;
  std::vector<std::string> environment_preloads_;
  std::optional<std::vector<std::string>> file_preloads_;
  std::string file_preloads_problem_;
  bool use_preloads_;
  std::map<Key, SystemLoader> known_;
  bool cache_read_ = false;
  std::optional<LdSoCache> cache_;
  std::string cache_problem_;
  // By the first of the entries whose names are equal: a hostile cache may have 200,000 of these, for each name that
  // each file asks for.
  std::map<std::tuple<const LdSoCache::Entry*, const SystemLoader*, const LoaderMachine*>, const LdSoCache::Entry*>
      taken_;
};

/// The lists of directories that stand in the bytes of glibc's ld.so; empty when there is none.
std::vector<std::string> directories_in_loader(std::string_view bytes);
/// "2.36" of "… stable release version 2.36."; "" when it does not say.
std::string version_in_loader(std::string_view bytes);

}  // namespace ocilint
