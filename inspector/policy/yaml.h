// YAML as policies use it: one document of maps, lists and scalars, each with its line and column.
//
// parse() throws Error{policy}, its text begins with "file:line:column: ", for: invalid UTF-8, a byte order
// mark, NUL, directives, anchors, aliases, tags, merge keys, equal keys, keys that are no scalars, a second
// document, more than yaml_bytes, yaml_depth or yaml_nodes. YAML's guessing of types is refused too: who asks
// for text and finds 7.10 or `yes` without quotes throws with a hint. Values; read-only; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ocilint {

inline constexpr std::size_t yaml_bytes = 1u << 20;  // policies have a few kilobytes
inline constexpr std::size_t yaml_depth = 32;        // a policy needs seven
inline constexpr std::size_t yaml_nodes = 100'000;

/// Where something stands in a policy file. Lines and columns count from 1; 0: the whole file.
struct Place {
  std::shared_ptr<const std::string> file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  std::string text() const;  // "policies/rocm.yaml:12:5"
  /// Throws Error{policy} with "file:line:column: message".
  [[noreturn]] void fail(std::string_view message) const;
};

class YamlNode {
 public:
  enum class Kind : std::uint8_t { null, scalar, list, map };
  struct Member {
    std::string key;
    Place key_place;
    std::unique_ptr<YamlNode> value;
  };

  static YamlNode parse(std::string_view text, const std::string& file);

  Kind kind() const { return kind_; }
  const Place& place() const { return place_; }
  bool quoted() const { return quoted_; }
  /// The key that this is the value of, or of the list that this stands in; "" at the top.
  const std::string& key() const { return key_; }

  const std::vector<YamlNode>& items() const;        // throws unless a list
  const std::vector<Member>& members() const;        // in order of the file; throws unless a map
  const YamlNode* find(std::string_view key) const;  // throws unless a map

  /// The scalar as it stands, whatever it looks like; "" for anything else.
  const std::string& raw() const { return scalar_; }
  const std::string& text() const;             // never empty
  bool flag() const;                           // true or false, nothing else
  std::uint64_t number() const;                // decimal digits
  std::vector<const YamlNode*> texts() const;  // a list of texts, or one text: a list of one

  /// Throws Error{policy}: "file:line:column: key: message".
  [[noreturn]] void fail(std::string_view message) const;

 private:
  friend class YamlBuilder;
  YamlNode() = default;
  std::string_view kind_name() const;

  Kind kind_ = Kind::null;
  bool quoted_ = false;
  Place place_;
  std::string key_;
  std::string scalar_;
  std::vector<YamlNode> items_;
  std::vector<Member> members_;
};

}  // namespace ocilint
