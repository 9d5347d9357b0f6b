// What one read of one layer leaves behind: every header in archive order, and the facts that were demanded.
//
// A value: it depends on the layer's bytes and the demand only, and holds no pointer into another stage, so
// that a cache could keep it (all but the values of secrets, which must not be stored). Entries are numbered from 0 in
// archive order (the ordinal); (layer, ordinal) names an inode for the rest of the program. Paths are normal
// (base/path.h). Views live as long as the index. Built by read_layer() in one thread, then read by any. Cost: about
// 150 bytes an entry and its path.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/digest.h"
#include "base/md5_lanes.h"
#include "base/oddity.h"
#include "facts/elf.h"
#include "facts/extra_detector.h"
#include "facts/file_secret.h"
#include "tar/entry.h"

namespace ocilint {

using Ordinal = std::uint32_t;

struct LayerEntry {
  std::string_view path;  // normal form
  std::string_view link;  // symbolic link: as recorded; hard link: the target's normal path
  std::uint64_t size = 0;
  std::int64_t mtime = 0;
  std::uint32_t mode = 0;  // 07777
  std::uint32_t uid = 0, gid = 0;
  std::uint32_t device_major = 0, device_minor = 0;
  EntryType type = EntryType::file;
  bool target_escaped = false;  // a hard link target with `..` above the root
};

/// Extended attributes that matter to a tree: overlay's own (smuggled) and file capabilities.
struct EntryAttribute {
  Ordinal ordinal;
  std::string name, value;
};

/// Counts of one read, for the coverage ledger and --stats.
struct LayerCounts {
  std::uint64_t stored_bytes = 0;    // of the blob, hashed
  std::uint64_t unpacked_bytes = 0;  // of the archive, hashed
  std::uint64_t hashed_files = 0, hashed_bytes = 0;
  std::uint64_t kept_files = 0, kept_bytes = 0;  // contents
  std::uint64_t elf_files = 0;
  std::uint64_t scanned_files = 0, scanned_bytes = 0;  // for secrets
  bool verified = false;                               // blob digest and size where stated, and the diff ID
  bool parsed = false;                                 // to the end of the archive
};

class LayerIndex {
 public:
  LayerIndex() = default;
  LayerIndex(LayerIndex&&) = default;
  LayerIndex& operator=(LayerIndex&&) = default;

  std::vector<LayerEntry> entries;
  std::vector<EntryAttribute> attributes;
  Oddities oddities;
  LayerCounts counts;
  Digest diff_id;
  std::string compression;  // "gzip", "zstd", "none"

  // Demanded facts by ordinal. Absent: not demanded in this read (never "the file has none").
  std::unordered_map<Ordinal, std::string> contents;
  std::unordered_map<Ordinal, Md5> md5;
  std::unordered_map<Ordinal, Digest> sha1;
  std::unordered_map<Ordinal, Digest> sha256;
  std::unordered_map<Ordinal, std::shared_ptr<const ElfFacts>> elf;
  std::unordered_map<Ordinal, FileSecrets> secrets;  // of scanned files that hold some
  std::vector<bool> scanned;                         // may be shorter than `entries`
  std::vector<ExtraDetector> detectors;              // that the search had beside its table

  bool was_scanned(Ordinal ordinal) const { return ordinal < scanned.size() && scanned[ordinal]; }
  void mark_scanned(Ordinal ordinal) {
    if (scanned.size() <= ordinal) scanned.resize(ordinal + std::size_t{1});
    scanned[ordinal] = true;
  }

  /// Copies `text` into the arena; the view lives as long as the index.
  std::string_view keep(std::string_view text);

 private:
  std::deque<std::unique_ptr<char[]>> arena_;
  std::size_t arena_used_ = 0, arena_size_ = 0;
};

}  // namespace ocilint
