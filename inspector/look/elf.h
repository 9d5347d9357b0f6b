// `ocilint elf`: what a program or library asks of the loader, and the file of the image that answers each name.
//
// The closure is check/loader.h's (docs/loader.md), without anything run. What cannot be told stands in `unread`; a
// name that nothing answers is an answer, with every place that was looked at. Symbols only of the file itself, and
// only those that a pattern asks for. Throws what reading throws, Error{usage} for a path that names no file,
// Error{policy} for a pattern that is no regular expression. Strings are raw bytes without secrets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "look/open_image.h"

namespace ocilint {

struct ElfQuestion {
  std::string path;
  std::vector<std::string> symbols;  // RE2, the whole name
  unsigned cpu_level = 1;            // check/loader.h
};

struct ElfObject {
  std::string path;       // as the loader opens it
  std::string canonical;  // where the file stands
  std::optional<std::uint32_t> layer;
};

struct ElfName {
  std::size_t requester = 0;  // in ElfLook::objects
  std::string kind;           // NEEDED, FILTER, AUXILIARY, preload
  std::string name;
  std::string state;  // resolved, missing, fatal, unknown
  bool resolved = false, may_be_missing = false;
  bool brings = false;                                  // the object was not there before
  std::optional<std::size_t> provider;                  // in ElfLook::objects
  std::string place;                                    // where it was found: RUNPATH, ld.so.cache
  std::string reason;                                   // why it is not
  std::vector<std::string> searched;                    // unless it is resolved
  std::vector<std::string> versions, versions_missing;  // that the requester needs of it
};

struct ElfSymbolRow {
  std::string text;  // name@@VERSION
  std::string name, version;
  std::string type, binding;
  bool defined = false, exported = false;
  std::string version_file;  // of a reference: the SONAME that it is expected from
};

struct ElfLook {
  LookedAt image;
  std::string path;                // as asked for
  std::vector<std::string> links;  // "/lib/libx.so.1 -> libx.so.1.2"
  std::string file;                // canonical
  std::uint64_t bytes = 0;
  std::optional<std::uint32_t> layer;
  std::string created_by;  // history line of that layer
  std::string what;        // "shared object, 64-bit x86-64"
  bool elf = false, loadable = false;
  std::string problem;  // why it is not
  std::string loader;   // glibc, musl
  std::string soname, interpreter, interpreter_problem, rpath, runpath, build_id;
  bool secure = false;
  std::vector<std::string> versions_defined;
  std::vector<ElfObject> objects;  // in the loader's order, the file itself first
  std::vector<ElfName> names;
  std::vector<std::string>
      version_faults;  // "libx.so needs LIBY_2 of liby.so.1, which /usr/lib/liby.so.1 does not define"
  std::size_t versions_checked = 0;
  bool symbols_asked = false;
  std::vector<ElfSymbolRow> symbols;
  std::vector<std::string> basis;      // what the search rests on
  std::vector<unsigned> other_levels;  // of processors, on which other files may be loaded
  std::vector<std::string> unread;     // what cannot be told

  std::size_t missing() const;  // names that must be there and are not
};

ElfLook look_at_elf(const RunOptions& options, const ElfQuestion& question);

}  // namespace ocilint
