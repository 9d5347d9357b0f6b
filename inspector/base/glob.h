// Globs over paths of an image (base/path.h, normal form), as policies write them.
//
// `*` and `?` stay within a component, `[a-z]` and `[!a-z]` match one byte (never '/'), `\x` is x. `**` as a
// whole component spans any number of directories, also none: `/a/**/b` matches /a/b. `/x/**` is everything
// below /x, not /x. A pattern is absolute or begins with `**/`. Bytes, case-sensitive; dot files are ordinary.
// parse() throws Error{policy} with the position for anything else: `**` within a component, `{`, an empty,
// `.` or `..` component, a slash at the end. Matching takes at most length × length steps and no memory.
// A GlobSet is built by one thread; after freeze() any thread may match.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ocilint {

class Glob {
 public:
  static Glob parse(std::string_view text);

  bool matches(std::string_view path) const;
  /// Every path that matches begins with these bytes; of `/usr/lib/*.so` it is "/usr/lib/", of `**/x` "/".
  std::string_view literal_prefix() const { return prefix_; }
  /// No wildcard: it names literal_prefix() and nothing else.
  bool is_literal() const { return literal_; }
  const std::string& text() const { return text_; }
  /// The bytes of the last component when that has no wildcard, else empty.
  std::string_view literal_name() const;
  /// Every path that matches ends with these bytes, which are of the last component; of `/a/*.so` ".so".
  std::string_view literal_suffix() const;
  /// `/x/**` with no other wildcard: all that begins with literal_prefix() and is longer.
  bool is_subtree() const { return subtree_; }

  static constexpr std::size_t longest = 4096;  // bytes of a pattern: PATH_MAX

 private:
  struct Atom {  // one byte of a path
    enum class Kind : std::uint8_t { byte, any, set } kind;
    std::uint8_t value = 0;  // kind byte
    std::uint32_t set = 0;   // kind set: index in sets_
  };
  struct Run {  // atoms between two stars
    std::uint32_t first, count;
    std::uint32_t text;  // kind of all atoms is byte: where they stand in literals_, else `mixed`
  };
  struct Component {
    bool spanning;               // `**`
    std::uint32_t first, count;  // runs; the stars stand between them
  };
  static constexpr std::uint32_t mixed = UINT32_MAX;

  Glob() = default;
  void add_component(std::string_view component, std::size_t position);
  std::size_t add_set(std::string_view component, std::size_t open, std::size_t position);
  void set_prefix();
  bool matches_run(const Run& run, const char* at) const;
  bool matches_component(const Component& component, std::string_view name) const;

  std::string text_;
  std::string prefix_;
  std::string literals_;
  std::vector<Atom> atoms_;
  std::vector<Run> runs_;
  std::vector<Component> components_;
  std::vector<std::bitset<256>> sets_;
  bool literal_ = false;
  bool subtree_ = false;
};

class GlobSet {
 public:
  void add(Glob glob, std::uint32_t id);
  /// After the last add(), before the first match().
  void freeze();
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }

  /// Calls found(id) for every pattern that matches; an id that was added with two such patterns comes twice.
  /// The order is unspecified.
  template <typename Found>
  void match(std::string_view path, Found&& found) const;
  bool any(std::string_view path) const;

 private:
  struct Entry {
    Glob glob;
    std::uint32_t id;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  using Index = std::unordered_map<std::string, std::vector<std::uint32_t>, Hash, std::equal_to<>>;
  struct Ends {  // what is compared before a pattern is run
    std::string prefix;
    std::string suffix;
    std::uint32_t entry;
  };
  // The last byte first: it differs for most, and spares the call.
  static bool begins(std::string_view path, const std::string& prefix) {
    return path.size() >= prefix.size() && path[prefix.size() - 1] == prefix.back() && path.starts_with(prefix);
  }
  static bool ends(std::string_view path, const std::string& suffix) {
    return suffix.empty() || (path.back() == suffix.back() && path.ends_with(suffix));
  }

  std::vector<Entry> entries_;
  Index exact_;
  Index by_name_;
  std::vector<Ends> subtrees_;
  std::vector<Ends> others_;
};

template <typename Found>
void GlobSet::match(std::string_view path, Found&& found) const {
  if (!exact_.empty()) {
    if (const auto hit = exact_.find(path); hit != exact_.end())
      for (const std::uint32_t entry : hit->second) found(entries_[entry].id);
  }
  if (!by_name_.empty()) {
    const auto name = path.substr(path.rfind('/') + 1);
    if (const auto hit = by_name_.find(name); hit != by_name_.end())
      for (const std::uint32_t entry : hit->second)
        if (entries_[entry].glob.matches(path)) found(entries_[entry].id);
  }
  for (const Ends& subtree : subtrees_)
    if (path.size() > subtree.prefix.size() && begins(path, subtree.prefix)) found(entries_[subtree.entry].id);
  for (const Ends& other : others_)
    if (begins(path, other.prefix) && ends(path, other.suffix) && entries_[other.entry].glob.matches(path))
      found(entries_[other.entry].id);
}

}  // namespace ocilint
