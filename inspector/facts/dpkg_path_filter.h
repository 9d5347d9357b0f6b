// path-exclude and path-include of dpkg(1): which files of packages were left out when they were unpacked.
//
// Rules stand in dpkg.cfg files, as `path-exclude X` or `path-exclude=X`; other options are skipped. Patterns
// are fnmatch(3) without flags: `*`, `?` and `[…]` cross '/', so `*` also matches what begins with a dot. The
// last rule that matches wins. dpkg reads the files of etc/dpkg/dpkg.cfg.d in the order of their names, then
// etc/dpkg/dpkg.cfg: parse each and append() in that order. Matching takes length × length steps at most.
// Error{corrupt}: NUL, unbalanced quotes around a pattern. Error{limit}: small_text_bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "facts/notes.h"

namespace ocilint {

struct DpkgPathFilter {
  struct Rule {
    bool include = false;
    std::string pattern;
  };
  std::vector<Rule> rules;
  Notes notes;

  static DpkgPathFilter parse(std::string_view text);
  /// Does dpkg read a file of this name in dpkg.cfg.d? Letters, digits, `_` and `-` only.
  static bool counts(std::string_view file_name);
  void append(DpkgPathFilter later);

  /// Is a file of this (normal) path left out?
  bool excluded(std::string_view path) const;
  /// The same for a directory or symbolic link, which stays when an include rule may need it.
  bool excluded_directory(std::string_view path) const;
};

/// fnmatch(3) without flags, C locale, without recursion.
bool fnmatch_plain(std::string_view pattern, std::string_view text);

}  // namespace ocilint
