// A name of the merged tree as verbs show it: what `ls -l` says, and which layer it is of.
//
// Values: raw bytes of the image without secrets. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "look/open_image.h"

namespace ocilint {

struct FileRow {
  std::string path;
  EntryType type = EntryType::directory;
  std::uint32_t mode = 0, uid = 0, gid = 0;
  std::uint64_t size = 0;
  std::int64_t mtime = 0;
  std::string link;  // of a symbolic link, as recorded
  std::uint32_t device_major = 0, device_minor = 0;
  std::optional<std::uint32_t> layer;  // whose entry made the inode; unset: a folder that no entry tells of
  std::size_t names = 1;               // of the inode
};

FileRow describe_file(const MergedTree& tree, NodeId node, const RedactText& redact);

/// What a list of files is: `ls` and `find` give it.
struct FileList {
  LookedAt image;
  std::vector<FileRow> rows;
};

}  // namespace ocilint
