// One member of a layer archive, as the walker reports it: POSIX.1-2001 pax, ustar and GNU headers already
// combined (format.md "1.7 Tar dialect": PAX wins over ustar, GNU long names win over PAX).
//
// All views point into the walker or the chunk and live until the sink's callback returns.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace ocilint {

enum class EntryType : std::uint8_t { file, hard_link, symlink, directory, character, block, fifo, unsupported };

std::string_view to_string(EntryType);

struct Entry {
  std::string_view name;         // as recorded, not normalised
  std::string_view link_target;  // as recorded; hard links and symbolic links
  EntryType type = EntryType::file;
  char type_flag = '0';
  std::uint32_t mode = 0;  // 07777 bits only
  std::uint64_t uid = 0, gid = 0;
  std::uint64_t size = 0;    // of the content as a reader of the file sees it (sparse files: expanded)
  std::uint64_t stored = 0;  // bytes of body in the archive
  std::int64_t mtime = 0;    // seconds
  std::uint32_t device_major = 0, device_minor = 0;
  std::uint64_t offset = 0;                                               // of the header, in the archive
  std::vector<std::pair<std::string_view, std::string_view>> attributes;  // SCHILY.xattr.*: name, raw value
};

}  // namespace ocilint
