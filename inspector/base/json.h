// JSON through a strict gate. nlohmann-json alone takes the last of two equal keys, a byte order mark, and
// "{}" followed by NUL and anything; this does not.
//
// parse_json() throws Error{corrupt} with the byte offset for: invalid UTF-8, a byte order mark, NUL,
// anything after the document, keys of one object that are equal or differ only by case, more than json_depth
// levels, more than json_keys keys, numbers out of range. Numbers keep their form: whole numbers are whole
// numbers. Cost: one pass, the document is held.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ocilint {

using Json = nlohmann::json;

inline constexpr std::size_t json_depth = 64;      // real documents need fewer than 12
inline constexpr std::size_t json_keys = 200'000;  // of one document

Json parse_json(std::string_view text);

/// Member `key` of an object, or nullptr. Other spellings by case are found too (jib writes lower-case keys).
const Json* member(const Json& object, std::string_view key);

/// Typed members. Absent or null: empty. The wrong type: Error{corrupt} with the key's name.
std::string json_string(const Json& object, std::string_view key);
std::optional<std::uint64_t> json_size(const Json& object, std::string_view key);  // 0 … 2^53
bool json_flag(const Json& object, std::string_view key);
std::vector<std::string> json_strings(const Json& object, std::string_view key);

}  // namespace ocilint
