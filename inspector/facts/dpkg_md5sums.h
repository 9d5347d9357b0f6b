// var/lib/dpkg/info/NAME.md5sums and status.d/NAME.md5sums: the digests of a package's regular files.
//
// Read as leniently as can be without doubt, because third-party packages are sloppy and dpkg gives up on all
// of them: one blank or two, `./` or `/` before the path, either case of hex, SHA-256 (64 digits), blank lines,
// a missing last newline, md5sum's `\` escapes. ` *path` and a CR at the end are taken as marks only if the
// path without them is listed. A line with `..` or of no such form is refused and counted. Each is noted.
// parse() throws nothing: a file that is unusable as a whole says why in `malformed` and has no entries.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "facts/notes.h"

namespace ocilint {

struct DpkgMd5sums {
  struct Entry {
    std::string path;  // normal form
    Digest digest;     // md5, or sha256 by its length
    std::size_t line = 0;
  };
  /// Does the package's .list name this normal path?
  using Listed = std::function<bool(std::string_view path)>;

  std::vector<Entry> entries;  // in order of the file, each path once: of two lines the later holds
  std::size_t refused = 0;     // lines that say nothing usable; their files are not covered
  std::string malformed;       // not empty: too large, NUL bytes, or no line of it is usable
  Notes notes;

  /// Without a list (distroless, or the .list is lost) ` *` is taken as the mark that md5sum writes, and CRs
  /// are removed if every line has one.
  static DpkgMd5sums parse(std::string_view text, const Listed& listed = {});

  /// Nothing to compare with: no digests at all, or malformed.
  bool unverifiable() const { return entries.empty(); }
};

}  // namespace ocilint
