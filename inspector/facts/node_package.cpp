#include "facts/node_package.h"

#include "base/error.h"
#include "base/json.h"
#include "facts/limits.h"

namespace ocilint {
namespace {

std::string license_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object() && value.contains("type") && value["type"].is_string()) return value["type"].get<std::string>();
  return {};
}

/// Not the strict reader: names of dependencies that differ only by case are fine here.
Json read_manifest(std::string_view text) {
  if (text.size() > node_manifest_bytes) throw Error(ErrorKind::limit, "a package.json that is too large");
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // npm takes a byte order mark, too
  Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded()) corrupt("package.json is no JSON");
  if (!document.is_object()) corrupt("package.json is no object");
  return document;
}

}  // namespace

std::vector<NodePackage::Dependency> NodePackage::dependencies_of(std::string_view text) {
  const Json document = read_manifest(text);
  std::vector<Dependency> out;
  for (const char* const field : {"dependencies", "optionalDependencies", "peerDependencies", "devDependencies"}) {
    const auto at = document.find(field);
    if (at == document.end() || !at->is_object()) continue;
    for (const auto& [name, range] : at->items())
      out.push_back({field, name, range.is_string() ? range.get<std::string>() : std::string()});
  }
  return out;
}

std::optional<NodePackage> NodePackage::parse(std::string_view text) {
  const Json document = read_manifest(text);
  const auto exact = [&](const char* key) {
    const auto at = document.find(key);
    if (at == document.end() || at->is_null()) return std::string();
    if (!at->is_string()) corrupt(std::string(key) + " of package.json is no text");
    return at->get<std::string>();
  };
  NodePackage out;
  out.name = exact("name");
  if (out.name.empty()) return std::nullopt;
  out.version = exact("version");
  const auto hidden = document.find("private");
  out.is_private = hidden != document.end() && hidden->is_boolean() && hidden->get<bool>();
  if (const auto at = document.find("license"); at != document.end()) out.license = license_of(*at);
  if (const auto at = document.find("licenses"); out.license.empty() && at != document.end() && at->is_array())
    for (const Json& each : *at)
      if (const std::string one = license_of(each); !one.empty())
        out.license += (out.license.empty() ? "" : " OR ") + one;
  return out;
}

}  // namespace ocilint
