#include "facts/dpkg_names.h"

#include <algorithm>

#include "facts/notes.h"

namespace ocilint {
namespace {

bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

}  // namespace

int parse_info_format(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text == "1") return 1;
  if (text == "0") return 0;
  corrupt_line(1, "the format of the info database is neither 0 nor 1");
}

std::string info_base_name(std::string_view name, std::string_view architecture, MultiArch multi_arch,
                           int info_format) {
  std::string base(name);
  if (multi_arch == MultiArch::same && info_format == 1 && !architecture.empty()) {
    base += ':';
    base += architecture;
  }
  return base;
}

std::string info_base_name(const DpkgPackage& package, int info_format) {
  return info_base_name(package.name, package.architecture, package.multi_arch, info_format);
}

std::optional<InfoFileName> split_info_file_name(std::string_view file_name) {
  // Names of packages have dots, extensions have none.
  const auto dot = file_name.rfind('.');
  if (dot == file_name.npos || dot + 1 == file_name.size()) return std::nullopt;
  InfoFileName result{file_name.substr(0, dot), {}, file_name.substr(dot + 1)};
  if (const auto colon = result.name.find(':'); colon != result.name.npos) {
    result.architecture = result.name.substr(colon + 1);
    result.name = result.name.substr(0, colon);
    if (result.architecture.empty()) return std::nullopt;
  }
  if (!is_package_name(result.name)) return std::nullopt;
  return result;
}

bool is_package_name(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alphanumeric(c) || c == '-' || c == '+' || c == '.' || c == '_';
  });
}

}  // namespace ocilint
