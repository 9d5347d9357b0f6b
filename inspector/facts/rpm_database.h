// rpm's database of installed packages: rpmdb.sqlite with its write-ahead log, Packages.db of rpm's own format (ndb),
// or Packages of Berkeley DB, which rpm before release 4.16 writes.
//
// The kind is told by the content, not by the name. A header that cannot be read is a problem of its own, the others
// stay; keys are left out. Error{corrupt}: none of these, or a database that cannot be read to its end.
// Error{unsupported}: a form of one that rpm does not write. Error{limit}: limits.h. Values; any thread.
#pragma once

#include <string>
#include <vector>

#include "facts/rpm_header.h"

namespace ocilint {

struct RpmDatabase {
  std::vector<RpmPackage> packages;   // in order of the database
  std::vector<std::string> problems;  // "header 12: …"

  /// `log`: rpmdb.sqlite-wal, empty when there is none.
  static RpmDatabase parse(Bytes database, Bytes log = {});
};

}  // namespace ocilint
