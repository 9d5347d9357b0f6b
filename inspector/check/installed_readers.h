// The readers behind read_installed(), one a manager. Each gives nullopt where the image never had such a database.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/installed_packages.h"

namespace ocilint {

/// The package that owns a canonical path, "" for none.
using OwnerOf = std::function<std::string(std::string_view canonical)>;

/// What was asked for by name, of apk.
inline constexpr std::string_view apk_world = "/etc/apk/world";

enum class Relations : std::uint8_t { leave, read };

std::optional<InstalledPackages> read_apk(const ImageView& image, Relations relations = Relations::leave);
std::optional<InstalledPackages> read_rpm(const ImageView& image, Relations relations = Relations::leave);
std::optional<InstalledPackages> read_pacman(const ImageView& image);
std::optional<InstalledPackages> read_python(const ImageView& image, const OwnerOf& owner);
std::optional<InstalledPackages> read_node(const ImageView& image);

void plan_apk(Plan& plan);
void plan_rpm(Plan& plan);
void plan_node(Plan& plan);

struct FoundDatabase {
  std::string path;  // canonical
  InodeId inode;
};
/// Those of the paths that lead to a regular file, each file once. What is there and is none, and the layer that took
/// away what no longer is, becomes a problem.
std::vector<FoundDatabase> find_databases(const ImageView& image, std::span<const std::string_view> paths,
                                          std::vector<std::string>& problems);

}  // namespace ocilint
