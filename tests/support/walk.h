// Drives a Walker over an archive in memory as the layer pass does, and writes down what it says.
//
// Record is the same for every way of cutting the archive into chunks: contents are kept as one digest.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "tar/walker.h"

namespace ocilint::test {

struct WalkedEntry {
  std::string name, link;
  EntryType type;
  char flag;
  std::uint32_t mode;
  std::uint64_t uid, gid, size, stored, offset;
  std::int64_t mtime;
  std::uint32_t device_major, device_minor;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::uint64_t handed_out = 0;
  bool complete = false;  // `last` was seen
  Digest digest = Digest::sha256_of(std::string_view());

  bool operator==(const WalkedEntry&) const = default;
};

struct Walk {
  std::vector<WalkedEntry> entries;
  Oddities oddities;
  std::optional<ErrorKind> error;
  std::string error_text;

  bool odd(std::string_view id) const {
    return std::ranges::any_of(oddities, [&](const Oddity& oddity) { return oddity.id == id; });
  }
};

class RecordingSink final : public TarSink {
 public:
  using Choice = std::function<Body(const Entry&)>;

  RecordingSink(Walk& walk, Choice choice) : walk_(walk), choice_(std::move(choice)) {}

  Body entry(const Entry& entry) override {
    hasher_ = Hasher(Algorithm::sha256);
    WalkedEntry& out = walk_.entries.emplace_back(WalkedEntry{std::string(entry.name),
                                                              std::string(entry.link_target),
                                                              entry.type,
                                                              entry.type_flag,
                                                              entry.mode,
                                                              entry.uid,
                                                              entry.gid,
                                                              entry.size,
                                                              entry.stored,
                                                              entry.offset,
                                                              entry.mtime,
                                                              entry.device_major,
                                                              entry.device_minor,
                                                              {}});
    for (const auto& [key, value] : entry.attributes) out.attributes.emplace_back(key, value);
    return choice_(entry);
  }
  void body(std::uint64_t offset, Bytes bytes, bool last) override {
    WalkedEntry& out = walk_.entries.back();
    if (bytes.empty() || offset != out.handed_out || out.complete)
      throw std::logic_error("the walker hands out pieces that do not follow each other");
    hasher_.update(bytes);
    out.handed_out += bytes.size();
    out.complete = last;
    if (last != (out.handed_out == out.size)) throw std::logic_error("`last` does not mean the end");
    if (last) out.digest = hasher_.finish();
  }

 private:
  Walk& walk_;
  Choice choice_;
  Hasher hasher_{Algorithm::sha256};
};

inline Body in_pieces(const Entry&) { return Body::pieces; }

/// `next_read`: how many bytes arrive at a time; at most what fits the chunk of `capacity` bytes.
inline Walk walk_tar(std::string_view archive, std::size_t capacity = 1 << 20,
                     const std::function<std::size_t()>& next_read = {}, RecordingSink::Choice choice = in_pieces) {
  Walk walk;
  RecordingSink sink(walk, std::move(choice));
  Walker walker(sink, walk.oddities, capacity);
  std::vector<std::uint8_t> chunk(capacity);
  std::size_t filled = 0;
  try {
    for (bool final = false; !final;) {
      std::size_t count = next_read ? std::max<std::size_t>(next_read(), 1) : capacity;
      count = std::min({count, capacity - filled, archive.size()});
      if (count > 0) std::memcpy(chunk.data() + filled, archive.data(), count);
      archive.remove_prefix(count);
      filled += count;
      final = archive.empty();
      const std::size_t used = walker.push({chunk.data(), filled}, final);
      if (used == 0 && filled == capacity && !final) throw std::logic_error("the walker is stuck on a full chunk");
      std::memmove(chunk.data(), chunk.data() + used, filled - used);
      filled -= used;
    }
    walker.finish();
  } catch (const Error& error) {
    walk.error = error.kind();
    walk.error_text = error.what();
  }
  return walk;
}

}  // namespace ocilint::test
