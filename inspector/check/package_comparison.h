// One path of the package database against the merged tree.
//
// Decides what the file system shows, not whether that is wanted: expectations of a policy are the rule's. Only
// MD5 (or SHA-256, where a list has these) of regular files is asked of the view. Pure; throws what the view
// throws. Noise was measured before each state was chosen: links count only if they are shared libraries'
// names, folders never.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "check/image_view.h"
#include "check/package_db.h"

namespace ocilint {

enum class FileState : std::uint8_t {
  same,      // a regular file with the recorded digest
  modified,  // with another
  missing,
  type_changed,    // a digest is recorded, and no regular file is there; or a folder became a file
  redirected,      // a link with a library's name leads to a file that no package owns, or nowhere
  without_digest,  // a regular file, listed, but the package recorded no digest: it was a link
  conffile_modified,
  conffile_missing,
  excluded,        // absent, as the image's path-exclude rules say
  link,            // a symbolic link, listed: there is nothing to compare with
  other,           // a folder or device, there or not
  never_stood,     // no layer ever had it, and whether it was more than a folder nothing tells
  not_configured,  // a conffile of a package that is not configured yet
  unverifiable,    // a regular file of a package without usable digests, or of a line that was refused
  unusable,        // a file of a package whose lists cannot be read
};

struct FileVerdict {
  FileState state = FileState::same;
  const PackageFile* file = nullptr;  // whose record decided
  bool other_bytes = false;           // type_changed: what stands there has other bytes too
  Digest expected, actual;
  std::string text;    // "a symbolic link to x, which does not exist"
  std::string target;  // canonical path that a link there finally names; "" when that does not exist
};

class PackageComparison {
 public:
  PackageComparison(const ImageView& image, const PackageDb& db) : image_(image), db_(db) {}

  FileVerdict compare(const OwnedPath& path) const;

 private:
  FileVerdict absent(const OwnedPath& path, FileVerdict verdict) const;
  FileVerdict conffile(const Node& node, std::string_view path, FileVerdict verdict) const;
  FileVerdict with_digest(const OwnedPath& path, const Node& node, FileVerdict verdict) const;
  FileVerdict without_digest(const OwnedPath& path, const Node& node, FileVerdict verdict) const;
  bool is_owned(std::string_view canonical) const;

  const ImageView& image_;
  const PackageDb& db_;
};

/// "libx.so", "libx.so.1", "x.so.1.2.3".
bool is_library_name(std::string_view path);

}  // namespace ocilint
