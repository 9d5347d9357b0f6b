// `ocilint stat`: everything that the layers say of one name: where its links lead, its inode and all names
// of it, who wrote it, which package owns it, the digest of its content.
//
// Reads every layer, the package database, and in a second read the one content. The digest is that of the
// bytes that are in the layer. Error{usage} for a path that is not there. Throws what reading throws; a
// package database that is not there or cannot be read is said in `packages_problem`.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "look/file_row.h"

namespace ocilint {

struct FileStory {
  LookedAt image;
  std::string asked;                                       // the path as it was asked for
  std::vector<std::pair<std::string, std::string>> links;  // that were followed: where it stands, its target
  FileRow file;                                            // at the end of them
  std::vector<std::string> names;                          // of its inode, sorted
  std::string layer_title;                                 // of the layer that made the inode
  std::string sha256;                                      // of a regular file
  std::vector<std::string> attributes;                     // names of extended attributes that layers keep
  std::vector<std::string> packages;                       // "libc6:amd64 2.36-9"
  std::string packages_problem;                            // why there is nobody to ask for an owner
  bool packages_unread = false;                            // there is a database, and it cannot be read
};

struct StatOptions {
  std::string path;
  bool follow = true;  // the last component, when it is a link
};

FileStory look_at_file(const RunOptions& options, const StatOptions& wanted);

}  // namespace ocilint
