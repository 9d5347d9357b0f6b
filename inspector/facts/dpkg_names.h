// How files in var/lib/dpkg/info are named. `NAME:ARCH.ext` only if the package is `Multi-Arch: same` and
// info/format is 1, else `NAME.ext`. Pure functions; nothing is thrown but by parse_info_format.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "facts/dpkg_status.h"

namespace ocilint {

/// info/format: 0 or 1. Error{corrupt} for anything else. An absent file means 0.
int parse_info_format(std::string_view text);

/// The file name without ".ext": "libdw1:amd64" or "libhsa-runtime64-1".
std::string info_base_name(const DpkgPackage& package, int info_format);
std::string info_base_name(std::string_view name, std::string_view architecture, MultiArch multi_arch, int info_format);

struct InfoFileName {
  std::string_view name;
  std::string_view architecture;  // empty if the name has none
  std::string_view extension;     // "list"
};
/// Empty if it is not of this form (a name without extension, like "format").
std::optional<InfoFileName> split_info_file_name(std::string_view file_name);

/// Debian Policy 5.6.1, as dpkg checks it: begins with a letter or digit; letters, digits and -+._ follow.
bool is_package_name(std::string_view text);

}  // namespace ocilint
