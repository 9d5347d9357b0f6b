// Layer indexes for tests, made without any tar: what read_layer() would leave behind of such a layer.
//
//   LayerIndex lower = LayerBuilder().dir("/etc").file("/etc/passwd", "root", {.mode = 0600}).build();
//   LayerIndex upper = LayerBuilder().whiteout("/etc/passwd").opaque("/opt").hardlink("/b", "/a").build();
//   MergedTree tree = MergedTree::build(pointers_to(lower, upper), View::overlay);
//
// Every call appends one entry, so ordinals count calls from 0. Paths are taken as normal ones. A file's
// content, MD5 and SHA-256 are all there as if they had been demanded; erase from the index what shall be
// missing, or use elf() and last_index() to add more.
#pragma once

#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/digest.h"
#include "base/path.h"
#include "layer/layer_index.h"

namespace ocilint::test {

struct EntryMeta {
  std::uint32_t mode = 0644;
  std::uint32_t uid = 0, gid = 0;
  std::int64_t mtime = 0;
};

class LayerBuilder {
 public:
  LayerBuilder& file(std::string_view path, std::string_view content = {}, EntryMeta meta = {}) {
    LayerEntry& entry = add(path, EntryType::file, meta);
    entry.size = content.size();
    const Ordinal ordinal = last();
    index_.contents[ordinal] = std::string(content);
    index_.sha256[ordinal] = Digest::sha256_of(content);
    Hasher sha1(Algorithm::sha1);
    sha1.update(as_bytes(content));
    index_.sha1[ordinal] = sha1.finish();
    Hasher hasher(Algorithm::md5);
    hasher.update(as_bytes(content));
    const Digest md5 = hasher.peek();
    for (std::size_t i = 0; i < md5.raw().size(); ++i) index_.md5[ordinal][i] = md5.raw()[i];
    return *this;
  }
  LayerBuilder& dir(std::string_view path, EntryMeta meta = {.mode = 0755}) {
    add(path, EntryType::directory, meta);
    return *this;
  }
  LayerBuilder& symlink(std::string_view path, std::string_view target, EntryMeta meta = {.mode = 0777}) {
    add(path, EntryType::symlink, meta).link = index_.keep(target);
    return *this;
  }
  /// The target as a tar would record it; normalised here as the layer pass does.
  LayerBuilder& hardlink(std::string_view path, std::string_view target, EntryMeta meta = {}) {
    LayerEntry& entry = add(path, EntryType::hard_link, meta);
    const NormalPath normal = normalise(target);
    entry.link = index_.keep(normal.path);
    entry.target_escaped = normal.escaped;
    return *this;
  }
  LayerBuilder& device(std::string_view path, EntryType type, std::uint32_t major, std::uint32_t minor,
                       EntryMeta meta = {}) {
    LayerEntry& entry = add(path, type, meta);
    entry.device_major = major;
    entry.device_minor = minor;
    return *this;
  }
  /// The marker that removes `path` from lower layers.
  LayerBuilder& whiteout(std::string_view path) {
    return file(join(parent_path(path), ".wh." + std::string(base_name(path))));
  }
  /// The marker that makes the directory opaque.
  LayerBuilder& opaque(std::string_view directory) { return file(join(directory, ".wh..wh..opq")); }
  /// What overlayfs itself takes for a whiteout.
  LayerBuilder& char00(std::string_view path) { return device(path, EntryType::character, 0, 0); }
  /// Any other kind of entry: fifo, unsupported.
  LayerBuilder& other(std::string_view path, EntryType type, EntryMeta meta = {}) {
    add(path, type, meta);
    return *this;
  }

  /// An extended attribute of the last entry.
  LayerBuilder& xattr(std::string_view name, std::string_view value) {
    index_.attributes.push_back({last(), std::string(name), std::string(value)});
    return *this;
  }
  /// Facts of the last entry, as the ELF parser would give them.
  LayerBuilder& elf(std::shared_ptr<const ElfFacts> facts) {
    index_.elf[last()] = std::move(facts);
    return *this;
  }

  Ordinal last() const { return static_cast<Ordinal>(index_.entries.size() - 1); }
  /// The index being built, to change what the calls above do not reach.
  LayerIndex& last_index() { return index_; }
  LayerIndex build() {
    index_.counts.verified = index_.counts.parsed = true;
    return std::move(index_);
  }

 private:
  LayerEntry& add(std::string_view path, EntryType type, EntryMeta meta) {
    LayerEntry& entry = index_.entries.emplace_back();
    entry.path = index_.keep(path);
    entry.type = type;
    entry.mode = meta.mode;
    entry.uid = meta.uid;
    entry.gid = meta.gid;
    entry.mtime = meta.mtime;
    return entry;
  }

  LayerIndex index_;
};

template <class... Layers>
std::vector<const LayerIndex*> pointers_to(const Layers&... layers) {
  return {&layers...};
}

inline std::vector<const LayerIndex*> pointers_to(const std::vector<LayerIndex>& layers) {
  std::vector<const LayerIndex*> out;
  for (const LayerIndex& layer : layers) out.push_back(&layer);
  return out;
}

}  // namespace ocilint::test
