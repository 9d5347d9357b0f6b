// Every name of an image once: (parent, component) pairs interned to a number, for all layers and both views.
//
// A PathId stands for a normal path; 0 is the root, and a parent's id is smaller than its children's. Whether
// something is at a path is the business of the trees that use the table. Components are views into the layer
// indexes, which must outlive the table. The hash is keyed (SipHash-1-3, a fresh key a table), because the
// names are the image's to choose. Built by one thread, then read by any. Cost: one probe a component, about
// 50 bytes a name. intern() throws Error{limit} beyond `most_names`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tree/components.h"

namespace ocilint {

using PathId = std::uint32_t;

class NameTable {
 public:
  static constexpr PathId root = 0;
  static constexpr PathId none = ~0u;
  /// Names of one image. Real images have below two million; deep implied folders could make far more.
  static constexpr std::size_t most_names = 16'000'000;

  NameTable();

  PathId intern(PathId parent, std::string_view component);
  /// A normal path. The walk is skipped when the parent is the last call's path or its parent.
  PathId intern_path(std::string_view path);

  std::optional<PathId> find(PathId parent, std::string_view component) const;
  std::optional<PathId> find_path(std::string_view path) const;

  std::size_t size() const { return names_.size(); }
  PathId parent(PathId id) const { return names_[id].parent; }  // of the root: the root
  std::string_view name(PathId id) const { return {names_[id].text, names_[id].length}; }
  std::string path(PathId id) const;
  unsigned depth(PathId id) const;
  /// Children in no order: first_child(), then next_sibling() until `none`.
  PathId first_child(PathId id) const { return names_[id].first_child; }
  PathId next_sibling(PathId id) const { return names_[id].next_sibling; }

  /// Shared by all that build with this table.
  LinkBudget& links() { return links_; }

 private:
  struct Name {
    const char* text;
    std::uint32_t length;
    PathId parent, first_child, next_sibling;
  };
  struct Bucket {
    std::uint32_t hash = 0;
    PathId id = none;
  };

  std::uint32_t hash(PathId parent, std::string_view component) const;
  /// The bucket that holds the pair, or the free one where it belongs.
  std::size_t bucket_of(std::uint32_t hash, PathId parent, std::string_view component) const;
  void grow();

  std::array<std::uint64_t, 2> key_;
  std::vector<Name> names_;
  std::vector<Bucket> buckets_;  // a power of two, at most half full
  std::string_view last_parent_;
  PathId last_parent_id_ = root;
  std::string_view last_path_;
  PathId last_id_ = root;
  LinkBudget links_;
};

}  // namespace ocilint
