#include "tar/entry.h"

namespace ocilint {

std::string_view to_string(EntryType type) {
  switch (type) {
    case EntryType::file: return "file";
    case EntryType::hard_link: return "hard link";
    case EntryType::symlink: return "symbolic link";
    case EntryType::directory: return "directory";
    case EntryType::character: return "character device";
    case EntryType::block: return "block device";
    case EntryType::fifo: return "FIFO";
    case EntryType::unsupported: return "unsupported";
  }
  return "";
}

}  // namespace ocilint
