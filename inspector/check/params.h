// The `with:` of a check, typed by the table of the rule (policy-language.md section 2).
//
// The loader has checked names and types against the rule's Param table before a rule sees a Params; asking for
// a name that the table lacks, or for another type, is a broken invariant: Error{internal}. The same Params
// type serves both phases. In plan() nothing of the image is known: variables stand as wildcards and paths are
// widened. In check() every value is exact. Values; read-only; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/glob.h"

namespace ocilint {

enum class ParamType : std::uint8_t {
  text,      // a string
  texts,     // a list of strings (one string is a list of one)
  flag,      // true or false
  number,    // a whole number >= 0
  paths,     // globs and set:NAME, resolved through links
  pattern,   // an RE2 regular expression
  patterns,  // a list of them (one is a list of one)
  mode,      // a permission change in symbolic form (o+w) or an octal mode in quotes ('0644')
  records,   // a list of maps, each typed by the table `fields`
};

struct Param {
  std::string_view name;
  ParamType type = ParamType::text;
  std::string_view doc;  // one line
  bool required = false;
  std::span<const std::string_view> choices = {};  // of a text or texts: the allowed values
  std::span<const Param> fields = {};              // of records: what one may hold, no records again
  std::span<const std::string_view> one_of = {};   // of records: exactly one of these fields is in each
  std::string_view beside = {};                    // of a field: another that must stand in the same record
};

/// Globs that together select files of the image.
struct PathSet {
  std::vector<Glob> include;
  std::vector<Glob> exclude;
  std::string text;  // as written in the policy, for messages

  bool empty() const { return include.empty(); }
};

class Params;
using ParamValue =
    std::variant<std::string, std::vector<std::string>, bool, std::uint64_t, PathSet, std::vector<Params>>;

class Params {
 public:
  explicit Params(std::span<const Param> table) : table_(table) {}

  /// Used by the loader; the type must be the table's.
  void set(std::string_view name, ParamValue value);

  bool has(std::string_view name) const;
  /// Does the rule have such a parameter?
  bool declares(std::string_view name) const;
  const std::string& text(std::string_view name) const;                // "" when absent (also pattern and mode)
  const std::vector<std::string>& texts(std::string_view name) const;  // also patterns
  bool flag(std::string_view name, bool otherwise = false) const;
  std::optional<std::uint64_t> number(std::string_view name) const;
  const PathSet& paths(std::string_view name) const;
  const std::vector<Params>& records(std::string_view name) const;

 private:
  const ParamValue* find(std::string_view name, std::span<const ParamType> types) const;

  std::span<const Param> table_;
  std::map<std::string, ParamValue, std::less<>> values_;
};

/// The globs that a path pattern stands for before the image is known. A parent may be a link and a name may be
/// a link to a longer name of the same file, so the last component decides: "/opt/rocm/lib/libx.so.1" becomes
/// "**/libx.so.1*". A last component without three literal characters keeps its folder's name beside it.
std::vector<Glob> widen(std::string_view pattern);

}  // namespace ocilint
