// What stands where in an outer archive (oci-archive, docker-archive): one pass over its tar headers.
//
// libarchive walks the headers and skips the bodies; since a tar stores a body in one piece, the bodies are
// later read straight from the file, from any thread. Each header is read a second time by our own strict
// check (checksum, size field, type), because libarchive takes damaged sizes for 0. Throws Error{corrupt,
// limit, unsupported}. Cost: one read of 512 bytes or a little more for each entry.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/oddity.h"
#include "source/stored_blob.h"

namespace ocilint {

inline constexpr std::size_t max_archive_entries = 1'000'000;  // 500 layers of 3 files, 600 times
inline constexpr int max_archive_links = 40;                   // as many as Linux follows

class ArchiveIndex {
 public:
  explicit ArchiveIndex(std::shared_ptr<const File> file);

  /// The regular file of that name, links inside the archive followed; nullopt when there is none.
  /// Error{corrupt} for a link that leads nowhere or in circles and for a name with two different contents.
  std::optional<StoredBlob> find(std::string_view name) const;
  /// The name that find() ends at, normalised.
  std::optional<std::string> resolve(std::string_view name) const;
  bool has(std::string_view name) const { return entries_.count(normal(name)) != 0; }
  /// Names (normalised, "/a/b") that end in `suffix`.
  std::vector<std::string> ending_in(std::string_view suffix) const;

  const Oddities& oddities() const { return oddities_; }
  const std::string& file_name() const { return file_->name(); }

 private:
  struct Entry {
    enum class Kind { file, symbolic_link, hard_link, other };
    Kind kind = Kind::other;
    std::uint64_t offset = 0, size = 0;
    std::string target;
  };
  static std::string normal(std::string_view name);
  void scan();
  void check_tail(std::uint64_t end);
  StoredBlob blob_of(const std::string& name, const Entry& entry) const;

  std::shared_ptr<const File> file_;
  std::map<std::string, std::vector<Entry>> entries_;
  Oddities oddities_;
};

}  // namespace ocilint
