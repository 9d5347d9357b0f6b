// The names that layer.md gives a meaning: whiteouts, the opaque mark, and what AUFS left behind.
//
// By base name alone: type, size and link target of a marker mean nothing. Pure functions.
#pragma once

#include <string_view>

namespace ocilint {

inline constexpr std::string_view whiteout_prefix = ".wh.";
inline constexpr std::string_view opaque_name = ".wh..wh..opq";

inline bool is_marker(std::string_view base_name) { return base_name.starts_with(whiteout_prefix); }

/// What a marker removes; of `.wh.`, `.wh..` and `.wh...` there is nothing that it could be.
inline std::string_view whiteout_target(std::string_view base_name) { return base_name.substr(whiteout_prefix.size()); }
inline bool is_invalid_target(std::string_view target) { return target.empty() || target == "." || target == ".."; }

/// AUFS keeps its own files at the root of every branch; some old images carry them.
inline bool is_aufs_leftover(std::string_view path) {
  for (const std::string_view name : {"/.wh..wh.plnk", "/.wh..wh.aufs", "/.wh..wh.orph"})
    if (path.starts_with(name) && (path.size() == name.size() || path[name.size()] == '/')) return true;
  return false;
}

}  // namespace ocilint
