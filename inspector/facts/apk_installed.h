// lib/apk/db/installed: the packages that apk knows to be installed, and etc/apk/world: those that were asked for.
//
// One line a field, "X:value"; an empty line ends a package. After F: (a folder, "" the root) come its M: and the
// files in it, R: each with a: (owner and mode, 0:0:644 when absent) and Z: (digest; of a symbolic link that of its
// target's text). Digests: Q1 and base64 (SHA-1; SHA-256 by its length, or cut to 160 bits when the package has
// f:S), Q2 (SHA-256), X1 and X2 with hex. A digest of no such form leaves the file without one, with a note.
// Error{corrupt} with the line: NUL, no "X:", a package without P or V, an R before its F, a path with "..", an owner
// or mode that is none. Error{limit}: limits.h. Values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/notes.h"
#include "facts/recorded_digest.h"

namespace ocilint {

struct ApkFile {
  std::string path;  // normal form
  std::uint32_t uid = 0, gid = 0, mode = 0644;
  std::optional<RecordedDigest> digest;
};

struct ApkPackage {
  std::string name, version, architecture;
  std::string origin, license, maintainer, url, commit;  // as recorded, "" when absent
  std::string dependencies, provides;                    // D: and p:, words apart by blanks
  std::string install_if;                                // i: installed by itself when all of these are
  bool broken = false;                                   // f: says that apk could not finish it
  std::vector<std::string> folders;                      // normal form
  std::vector<ApkFile> files;
  std::size_t line = 0;
};

struct ApkInstalled {
  std::vector<ApkPackage> packages;
  Notes notes;

  static ApkInstalled parse(std::string_view text);
};

/// "so:libssl.so.3>=3.1" is so:libssl.so.3; "!nginx", a conflict, is empty.
std::string_view apk_name_of(std::string_view word);

/// The names of etc/apk/world: "curl>8 !nginx .virtual" asks for curl and .virtual. What begins with "!" is a
/// conflict.
std::vector<std::string> parse_apk_world(std::string_view text);

}  // namespace ocilint
