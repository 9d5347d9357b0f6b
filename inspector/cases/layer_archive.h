// A layer's archive, written in memory by libarchive: POSIX ustar, with PAX headers where a name or an attribute
// needs one. Bytes of names are kept as they are.
//
// Names have no slash in front. One object an archive, one thread; finish() ends it. Error{internal} when libarchive
// refuses.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct archive;
struct archive_entry;

namespace ocilint {

struct FileMeta {
  std::uint32_t mode = 0644;
  std::uint32_t uid = 0, gid = 0;
  std::vector<std::pair<std::string, std::string>> attributes = {};  // extended ones
};

class LayerArchive {
 public:
  LayerArchive();
  ~LayerArchive();
  LayerArchive(const LayerArchive&) = delete;
  LayerArchive& operator=(const LayerArchive&) = delete;

  void file(const std::string& name, std::string_view content, const FileMeta& meta = {});
  void directory(const std::string& name);
  void symlink(const std::string& name, const std::string& target);
  void hard_link(const std::string& name, const std::string& target);
  /// The markers of the specification (layer.md, "Whiteouts").
  void whiteout(const std::string& name);
  void opaque(const std::string& name);

  std::string finish();

 private:
  struct FreeEntry {
    void operator()(archive_entry* entry) const;
  };
  using Entry = std::unique_ptr<archive_entry, FreeEntry>;

  Entry entry(const std::string& name, unsigned type, std::uint32_t mode);
  void write(const Entry& entry, std::string_view content);
  void check(int result);

  std::string bytes_;
  archive* archive_ = nullptr;
};

}  // namespace ocilint
