// The header of one installed package as rpm's database keeps it: tags and their values, without the lead and without
// the magic number that a header in a file begins with (rpm's documentation, "RPM V4 Package format": Header).
//
// A number of entries and a size, big-endian; an entry is tag, type, offset, count; then the values. Of two entries of
// one tag the later holds. Error{corrupt}: anything that reaches beyond the header, a tag of the wrong type, lists of
// files that do not fit together, no name or no version. Error{limit}: limits.h. Values; any thread. Cost: one pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "facts/recorded_digest.h"

namespace ocilint {

struct RpmFile {
  enum class State : std::uint8_t { normal, replaced, not_installed, net_shared, wrong_color };
  // Of FILEFLAGS.
  static constexpr std::uint32_t config = 1, documentation = 2, missing_ok = 8, ghost = 64, license = 128;
  // Of FILEVERIFYFLAGS.
  static constexpr std::uint32_t verify_digest = 1, verify_link = 4;
  // Of the type in `mode`.
  static constexpr std::uint32_t type_mask = 0170000, regular = 0100000, symlink = 0120000, directory = 0040000;

  std::string path;  // as recorded
  std::uint32_t mode = 0;
  std::uint64_t size = 0;
  std::optional<RecordedDigest> digest;
  std::string link;
  std::uint32_t flags = 0, verify = ~0u;
  State state = State::normal;

  std::uint32_t type() const { return mode & type_mask; }
};

/// One line of what a package asks for, or of what it provides.
struct RpmRelation {
  enum class Field : std::uint8_t { require, recommend, suggest, provide };
  static constexpr std::uint32_t less = 2, greater = 4, equal = 8;  // of `flags`

  Field field = Field::require;
  std::string name;     // "libssl.so.3()(64bit)", "/bin/sh", "(a if b)"
  std::string version;  // "1:2.3-4", "" when any will do
  std::uint32_t flags = 0;

  std::string text() const;  // "bash >= 5.1"
};

struct RpmPackage {
  std::string name, version, release;
  std::optional<std::uint32_t> epoch;
  std::string architecture;  // "" of a key
  std::string source;        // file name of the source package
  std::string license, vendor, packager, url;
  std::vector<RpmFile> files;
  std::vector<RpmRelation> relations;

  std::string evr() const;  // "1:2.3-4"
  /// A key for signatures, which rpm keeps among the packages.
  bool is_key() const { return name == "gpg-pubkey"; }

  static RpmPackage parse(Bytes header);
};

}  // namespace ocilint
