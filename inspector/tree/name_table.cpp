#include "tree/name_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>

#include "base/error.h"
#include "base/path.h"
#include "tree/components.h"

namespace ocilint {
namespace {

/// SipHash-1-3 (Aumasson, Bernstein 2012): short inputs, a secret key, no flooding.
class SipHash {
 public:
  SipHash(std::uint64_t k0, std::uint64_t k1)
      : v0_(k0 ^ 0x736f6d6570736575),
        v1_(k1 ^ 0x646f72616e646f6d),
        v2_(k0 ^ 0x6c7967656e657261),
        v3_(k1 ^ 0x7465646279746573) {}

  void word(std::uint64_t m) {
    v3_ ^= m;
    round();
    v0_ ^= m;
  }
  std::uint64_t finish() {
    v2_ ^= 0xff;
    round();
    round();
    round();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  void round() {
    v0_ += v1_, v1_ = std::rotl(v1_, 13) ^ v0_, v0_ = std::rotl(v0_, 32);
    v2_ += v3_, v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ += v3_, v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ += v1_, v1_ = std::rotl(v1_, 17) ^ v2_, v2_ = std::rotl(v2_, 32);
  }
  std::uint64_t v0_, v1_, v2_, v3_;
};

std::uint64_t random_word() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace

NameTable::NameTable() : key_{random_word(), random_word()}, buckets_(1024) {
  names_.push_back({"", 0, root, none, none});
}

std::uint32_t NameTable::hash(PathId parent, std::string_view component) const {
  SipHash sip(key_[0], key_[1]);
  sip.word(std::uint64_t{parent} << 32 | (component.size() & 0xffffffff));
  while (component.size() >= 8) {
    std::uint64_t word;
    std::memcpy(&word, component.data(), 8);
    sip.word(word);
    component.remove_prefix(8);
  }
  std::uint64_t tail = 0;
  std::memcpy(&tail, component.data(), component.size());
  sip.word(tail);
  return static_cast<std::uint32_t>(sip.finish());
}

std::size_t NameTable::bucket_of(std::uint32_t hash, PathId parent, std::string_view component) const {
  const std::size_t mask = buckets_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Bucket& bucket = buckets_[at];
    if (bucket.id == none) return at;
    if (bucket.hash == hash && names_[bucket.id].parent == parent && name(bucket.id) == component) return at;
  }
}

void NameTable::grow() {
  std::vector<Bucket> old(buckets_.size() * 2);
  old.swap(buckets_);
  const std::size_t mask = buckets_.size() - 1;
  for (const Bucket& bucket : old) {
    if (bucket.id == none) continue;
    std::size_t at = bucket.hash & mask;
    while (buckets_[at].id != none) at = (at + 1) & mask;
    buckets_[at] = bucket;
  }
}

PathId NameTable::intern(PathId parent, std::string_view component) {
  const std::uint32_t code = hash(parent, component);
  std::size_t at = bucket_of(code, parent, component);
  if (buckets_[at].id != none) return buckets_[at].id;
  if (names_.size() >= most_names)
    throw Error(ErrorKind::limit, fmt::format("more than {} different paths in the layers", most_names));
  if (names_.size() * 2 >= buckets_.size()) {
    grow();
    at = bucket_of(code, parent, component);
  }
  const PathId id = static_cast<PathId>(names_.size());
  names_.push_back(
      {component.data(), static_cast<std::uint32_t>(component.size()), parent, none, names_[parent].first_child});
  names_[parent].first_child = id;
  buckets_[at] = {code, id};
  return id;
}

PathId NameTable::intern_path(std::string_view path) {
  if (path.size() <= 1) return root;
  const std::string_view above = parent_path(path);
  PathId parent = root;
  if (above == last_path_) {
    parent = last_id_;
  } else if (above == last_parent_) {
    parent = last_parent_id_;
  } else {
    Components left(above);
    while (const auto component = left.next()) parent = intern(parent, *component);
  }
  last_parent_ = above;
  last_parent_id_ = parent;
  last_path_ = path;
  last_id_ = intern(parent, base_name(path));
  return last_id_;
}

std::optional<PathId> NameTable::find(PathId parent, std::string_view component) const {
  const PathId id = buckets_[bucket_of(hash(parent, component), parent, component)].id;
  if (id == none) return std::nullopt;
  return id;
}

std::optional<PathId> NameTable::find_path(std::string_view path) const {
  PathId at = root;
  Components left(path);
  while (const auto component = left.next()) {
    const auto child = find(at, *component);
    if (!child) return std::nullopt;
    at = *child;
  }
  return at;
}

std::string NameTable::path(PathId id) const {
  if (id == root) return "/";
  std::size_t size = 0;
  for (PathId at = id; at != root; at = parent(at)) size += names_[at].length + 1;
  std::string out(size, '/');
  for (PathId at = id; at != root; at = parent(at)) {
    size -= names_[at].length;
    std::copy_n(names_[at].text, names_[at].length, out.data() + size);
    --size;
  }
  return out;
}

unsigned NameTable::depth(PathId id) const {
  unsigned out = 0;
  for (; id != root; id = parent(id)) ++out;
  return out;
}

}  // namespace ocilint
