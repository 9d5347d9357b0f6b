// /etc/ld.so.conf of glibc: in which directories ldconfig looks, and in which order.
//
// One directory a line, `#` comments, `include GLOB…` (relative to the file that says it), `hwcap …` ignored,
// a library type behind the path (`/usr/lib=libc6`) ignored. parse() reads one file; read_ld_so_conf() follows
// the includes, and what is there the caller tells, so that it works on an image. The dynamic loader itself
// never reads these files. Error{corrupt}: NUL. Error{limit}: small_text_bytes, and below. Values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/notes.h"

namespace ocilint {

// Limits on hostile files; ldconfig has none and would follow a file that includes itself until it fails.
inline constexpr std::size_t ld_so_conf_depth = 16;       // includes within includes; real: 1
inline constexpr std::size_t ld_so_conf_files = 1000;     // read in all; real: under 20
inline constexpr std::size_t ld_so_conf_includes = 1000;  // globs that are followed in all; real: 1
inline constexpr std::size_t ld_so_conf_directories = 10'000;

struct LdSoConf {
  enum class Kind : std::uint8_t { directory, include };
  struct Line {
    Kind kind = Kind::directory;
    std::string text;  // as written, without a slash at the end; of an include one glob: a line can have several
    std::size_t number = 0;
  };
  std::vector<Line> lines;
  Notes notes;

  static LdSoConf parse(std::string_view text);
};

struct LdSoConfDirectory {
  std::string path;  // as written: may be relative, which is from the root for ldconfig of an image
  std::string file;  // that says it
  std::size_t line = 0;
};

struct LdSoConfSource {
  /// The text of a file; nullopt when there is none.
  std::function<std::optional<std::string>(const std::string& path)> text;
  /// The files that an absolute glob stands for, sorted by name as bytes.
  std::function<std::vector<std::string>(const std::string& glob)> files;
};

struct LdSoConfDirectories {
  std::vector<LdSoConfDirectory> directories;  // in order; one that is said twice is there twice
  std::vector<std::string> files;              // that were read
  Notes notes;
};

/// From the file `path`, includes where they are said.
LdSoConfDirectories read_ld_so_conf(const std::string& path, const LdSoConfSource& source);

}  // namespace ocilint
