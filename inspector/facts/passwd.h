// passwd(5), group(5) and shadow(5).
//
// Numbers are decimal digits only and at most 2^32 - 2 (2^32 - 1 is no id); "000" is 0, with a note, as libc
// reads it so. A line that is not of the grammar goes to `malformed` with its reason and is never dropped
// silently; find() gives the first entry of a name, as libc does. Passwords are classified and forgotten.
// Error{corrupt} for NUL bytes, Error{limit} for account_bytes or a line of account_line_bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/notes.h"

namespace ocilint {

/// What a password field allows, without the field.
enum class PasswordKind : std::uint8_t {
  shadowed,  // "x" in passwd or group: see shadow
  empty,     // no password is asked for
  locked,    // begins with "!" or "*": no password matches
  hash,      // a hash of crypt(5); `scheme` tells which
  invalid,   // none of these: nothing matches, but nobody writes that on purpose
};

struct Password {
  PasswordKind kind = PasswordKind::locked;
  std::string_view scheme;        // "yescrypt", "sha512", "sha256", "bcrypt", "md5", "des", "other", or empty
  bool hash_behind_lock = false;  // "!$6$…": a password that unlocking would bring back

  static Password classify(std::string_view field);
};

/// A decimal id as chown and User accept it: digits, 0 … 2^32 - 2.
std::optional<std::uint32_t> parse_id(std::string_view text);

struct PasswdEntry {
  std::string name;
  Password password;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string gecos;
  std::string home;
  std::string shell;
  std::size_t line = 0;
};

struct Passwd {
  std::vector<PasswdEntry> entries;
  Notes malformed;  // lines that give no entry
  Notes notes;      // duplicate names or ids, leading zeros

  static Passwd parse(std::string_view text);
  const PasswdEntry* find(std::string_view name) const;
  const PasswdEntry* find(std::uint32_t uid) const;
};

struct GroupEntry {
  std::string name;
  Password password;
  std::uint32_t gid = 0;
  std::vector<std::string> members;
  std::size_t line = 0;
};

struct Group {
  std::vector<GroupEntry> entries;
  Notes malformed;
  Notes notes;

  static Group parse(std::string_view text);
  const GroupEntry* find(std::string_view name) const;
  const GroupEntry* find(std::uint32_t gid) const;
};

struct ShadowEntry {
  std::string name;
  Password password;
  std::optional<std::int64_t> last_change, minimum, maximum, warning, inactive, expires;  // days
  std::size_t line = 0;
};

struct Shadow {
  std::vector<ShadowEntry> entries;
  Notes malformed;
  Notes notes;

  static Shadow parse(std::string_view text);
  const ShadowEntry* find(std::string_view name) const;
};

}  // namespace ocilint
