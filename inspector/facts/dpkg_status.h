// var/lib/dpkg/status, its journal files in updates/, and var/lib/dpkg/status.d/NAME of distroless images.
//
// Facts are copies and live by themselves. Error{corrupt} with the line: what deb822.h refuses, a stanza
// without Package, a Status that is not the three known words, an installed package without Version, a
// Conffiles line without digest. Error{limit}: limits.h. Values that dpkg refuses but that do no harm here
// (an odd version, an unknown Multi-Arch) are notes. Cost: one pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "facts/notes.h"

namespace ocilint {

enum class DpkgWant : std::uint8_t { unknown, install, hold, deinstall, purge };
enum class DpkgFlag : std::uint8_t { ok, reinstreq, hold, hold_reinstreq };
enum class DpkgState : std::uint8_t {
  not_installed,
  config_files,
  half_installed,
  unpacked,
  half_configured,
  triggers_awaited,
  triggers_pending,
  installed,
};
enum class MultiArch : std::uint8_t { no, same, foreign, allowed };

std::string_view to_string(DpkgWant);  // the words of the Status field
std::string_view to_string(DpkgFlag);
std::string_view to_string(DpkgState);

struct Conffile {
  std::string path;  // normal form
  Digest digest;     // md5; empty while the package is unpacked but not configured ("newconffile")
  bool newconffile = false;
  bool obsolete = false;
  bool remove_on_upgrade = false;
};

struct DpkgPackage {
  std::string name;
  std::string architecture;
  std::string version;         // may be empty for a package that is not installed
  std::string source;          // name only; the package's own name when the field is absent
  std::string source_version;  // the package's version when the field does not tell another
  MultiArch multi_arch = MultiArch::no;
  DpkgWant want = DpkgWant::unknown;
  DpkgFlag flag = DpkgFlag::ok;
  DpkgState state = DpkgState::not_installed;
  bool essential = false;
  bool important = false;  // Important: yes (apt's own)
  bool is_protected = false;
  std::string priority;
  std::string section;
  std::string depends, pre_depends, recommends, suggests, provides, replaces, conflicts, breaks, enhances;
  std::vector<Conffile> conffiles;
  std::size_t line = 0;  // of the stanza

  /// The third word is "installed"; the first says nothing about it ("deinstall ok installed" is installed).
  bool installed() const { return state == DpkgState::installed; }
  /// Files of it may be on disk: any state but not-installed and config-files. apt's universe.
  bool unpacked() const { return state > DpkgState::config_files; }
  std::string status_text() const;  // "install ok installed"
};

struct DpkgStatus {
  /// status: a stanza without Status is not installed. status_d: the file is there, so it is installed; the
  /// last newline may be missing.
  enum class Variant { status, status_d };

  std::vector<DpkgPackage> packages;
  Notes notes;

  static DpkgStatus parse(std::string_view text, Variant variant = Variant::status);
};

}  // namespace ocilint
