// What glibc's ldconfig would do to a merged tree: which links it would set, and which cache it would write.
//
// Follows ldconfig of glibc 2.36, and compared with the real one in tests: candidates by name, SONAME from the
// file, of one SONAME the file whose name compares highest, files before links, links only where the name
// leads to another file, regular files of a SONAME's name left alone, dangling links removed, glibc-hwcaps and
// the older processor folders. Links that it sets in one directory count for the next. Not modelled: the
// auxiliary cache, a.out, and in which order a directory lists two names that compare equal (`tied`).
// Pure; the tree must outlive the result's NodeIds only. Throws what `elf` throws. Cost: a look at each name
// of the visited directories.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "facts/elf.h"
#include "facts/ld_so_cache.h"
#include "facts/ld_so_conf.h"
#include "tree/merged_tree.h"

namespace ocilint {

struct LdconfigOptions {
  std::string architecture;          // of the image ("amd64"): what ldconfig takes; "" takes every machine
  bool processor_folders = true;     // tls, haswell, x86_64 …: until glibc 2.36
  bool keeps_dynamic_linker = true;  // Debian's never re-points the link to ld.so itself
};

/// A name in a visited directory that stands for a SONAME.
struct LdconfigFile {
  std::string name;
  std::string path;      // canonical, of the regular file behind the name
  InodeId inode;         // of that file
  bool is_link = false;  // a symbolic link to it
  bool as_link = false;  // and one that ldconfig takes for a link to the SONAME: any file goes before it
};

enum class LdconfigDeed : std::uint8_t {
  none,     // the name leads to the chosen file
  create,   // it leads nowhere
  repoint,  // it is a link to another file
  blocked,  // another file, no link: left alone
  linker,   // it names the dynamic linker: left alone
};

struct LdconfigChoice {
  std::string soname;
  std::vector<LdconfigFile> files;  // the chosen one first, then those that tie, links last
  LdconfigDeed deed = LdconfigDeed::none;
  std::int32_t flags = 0;         // for the cache
  std::size_t tied = 0;           // how many files behind the first compare equal: the directory's order decides
  std::optional<InodeId> before;  // of the regular file that the name leads to
  std::string before_path;        // canonical
};

struct LdconfigSkipped {
  std::string name;
  std::string path;     // canonical, of what is behind the name
  std::string why;      // "an empty file"
  bool unread = false;  // it may be a library: its facts could not be read
};

struct LdconfigDirectory {
  std::string path;  // as configured: what stands in the cache
  std::string canonical;
  std::string base;                      // canonical, of the configured directory that this one belongs to
  std::string from;                      // "/etc/ld.so.conf.d/a.conf:3", "default"
  std::string hwcaps;                    // a glibc-hwcaps folder, by name
  std::uint64_t hwcap = 0;               // an older processor folder, by bits
  std::vector<LdconfigChoice> choices;   // sorted by SONAME
  std::vector<LdconfigSkipped> skipped;  // names that look like a library's
  std::vector<std::string> removed;      // dangling links
};

struct LdconfigSimulation {
  std::vector<LdconfigDirectory> directories;  // in the order of the visit
  std::vector<LdSoCache::Entry> cache;         // in the order of the file

  /// The first one of that path; nullptr when it was not visited.
  const LdconfigDirectory* find(std::string_view canonical) const;

  std::map<std::string, std::size_t, std::less<>> places = {};  // of `directories`, by canonical path
};

LdconfigSimulation simulate_ldconfig(const MergedTree& tree, std::span<const LdSoConfDirectory> directories,
                                     const LdconfigOptions& options,
                                     const std::function<const ElfFacts&(InodeId)>& elf);

}  // namespace ocilint
