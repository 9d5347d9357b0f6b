// Paths inside an image: byte strings, never folded, never resolved on the host.
//
// The normal form is absolute and has no empty, `.` or `..` component and no trailing slash: "/usr/lib/x"; the
// root is "/". normalise() turns any spelling of a tar name or a link target into it, `..` at the root stays
// at the root (like in a chroot), and says whether that happened. Pure functions; no throw but bad_alloc.
#pragma once

#include <string>
#include <string_view>

namespace ocilint {

struct NormalPath {
  std::string path;
  bool escaped = false;  // some `..` went above the root
};

NormalPath normalise(std::string_view raw);

/// `target` as seen from the directory of `from` (a normal path): where a symbolic link points, lexically.
NormalPath resolve_lexically(std::string_view from, std::string_view target);

std::string_view base_name(std::string_view path);    // "/a/b" -> "b"; "/" -> ""
std::string_view parent_path(std::string_view path);  // "/a/b" -> "/a"; "/a" -> "/"; "/" -> "/"
std::string join(std::string_view directory, std::string_view name);
/// Is `path` equal to `directory` or below it?
bool is_within(std::string_view path, std::string_view directory);

}  // namespace ocilint
