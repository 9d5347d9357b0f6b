#include "check/params.h"

#include <algorithm>
#include <type_traits>

#include "base/error.h"
#include "base/path.h"

namespace ocilint {
namespace {

constexpr ParamType text_types[] = {ParamType::text, ParamType::pattern, ParamType::mode};
constexpr ParamType list_types[] = {ParamType::texts, ParamType::patterns};
constexpr ParamType flag_types[] = {ParamType::flag};
constexpr ParamType number_types[] = {ParamType::number};
constexpr ParamType path_types[] = {ParamType::paths};
constexpr ParamType record_types[] = {ParamType::records};

std::span<const ParamType> types_of(const ParamValue& value) {
  switch (value.index()) {
    case 0: return text_types;
    case 1: return list_types;
    case 2: return flag_types;
    case 3: return number_types;
    case 4: return path_types;
    default: return record_types;
  }
}

/// Bytes that a wildcard cannot stand for.
std::size_t literal_bytes(std::string_view component) {
  std::size_t count = 0;
  for (const char c : component)
    if (c != '*' && c != '?' && c != '[' && c != ']' && c != '\\') ++count;
  return count;
}

}  // namespace

const ParamValue* Params::find(std::string_view name, std::span<const ParamType> types) const {
  const auto known = std::ranges::find(table_, name, &Param::name);
  if (known == table_.end() || std::ranges::find(types, known->type) == types.end())
    throw Error(ErrorKind::internal, "the rule has no parameter '" + std::string(name) + "' of that type");
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

void Params::set(std::string_view name, ParamValue value) {
  (void)find(name, types_of(value));
  values_.insert_or_assign(std::string(name), std::move(value));
}

bool Params::declares(std::string_view name) const {
  return std::ranges::find(table_, name, &Param::name) != table_.end();
}

bool Params::has(std::string_view name) const { return values_.contains(name); }

const std::string& Params::text(std::string_view name) const {
  static const std::string none;
  const ParamValue* const value = find(name, text_types);
  return value == nullptr ? none : std::get<std::string>(*value);
}

const std::vector<std::string>& Params::texts(std::string_view name) const {
  static const std::vector<std::string> none;
  const ParamValue* const value = find(name, list_types);
  return value == nullptr ? none : std::get<std::vector<std::string>>(*value);
}

bool Params::flag(std::string_view name, bool otherwise) const {
  const ParamValue* const value = find(name, flag_types);
  return value == nullptr ? otherwise : std::get<bool>(*value);
}

std::optional<std::uint64_t> Params::number(std::string_view name) const {
  const ParamValue* const value = find(name, number_types);
  if (value == nullptr) return std::nullopt;
  return std::get<std::uint64_t>(*value);
}

const PathSet& Params::paths(std::string_view name) const {
  static const PathSet none;
  const ParamValue* const value = find(name, path_types);
  return value == nullptr ? none : std::get<PathSet>(*value);
}

const std::vector<Params>& Params::records(std::string_view name) const {
  static const std::vector<Params> none;
  const ParamValue* const value = find(name, record_types);
  return value == nullptr ? none : std::get<std::vector<Params>>(*value);
}

std::vector<Glob> widen(std::string_view pattern) {
  constexpr std::size_t telling = 3;  // fewer literal bytes would select most of an image
  std::vector<Glob> out;
  // The pattern itself is cheap to match and right whenever no link is in the way.
  out.push_back(Glob::parse(pattern));
  const std::string_view name = base_name(pattern);
  if (name == "**") return out;
  std::string wide = "**/";
  if (literal_bytes(name) >= telling) {
    wide += name;
    // libx.so.1 is often a link to libx.so.1.2.3 beside it.
    if (name.find(".so") != std::string_view::npos && !name.ends_with('*')) wide += '*';
  } else {
    const std::string_view folder = base_name(parent_path(pattern));
    if (folder == "**" || literal_bytes(folder) < telling) return out;
    wide += std::string(folder) + "/" + std::string(name);
  }
  if (wide != pattern) out.push_back(Glob::parse(wide));
  return out;
}

}  // namespace ocilint
