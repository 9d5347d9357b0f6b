#include "base/path.h"

namespace ocilint {
namespace {

void append(NormalPath& out, std::string_view raw) {
  std::size_t at = 0;
  while (at <= raw.size()) {
    std::size_t slash = raw.find('/', at);
    if (slash == std::string_view::npos) slash = raw.size();
    const std::string_view part = raw.substr(at, slash - at);
    at = slash + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      const std::size_t last = out.path.rfind('/');
      if (last == std::string::npos)
        out.escaped = true;
      else
        out.path.resize(last);
      continue;
    }
    out.path += '/';
    out.path += part;
  }
}

}  // namespace

NormalPath normalise(std::string_view raw) {
  NormalPath out;
  out.path.reserve(raw.size() + 1);
  append(out, raw);
  if (out.path.empty()) out.path = "/";
  return out;
}

NormalPath resolve_lexically(std::string_view from, std::string_view target) {
  NormalPath out;
  if (!target.starts_with('/')) append(out, parent_path(from));
  append(out, target);
  if (out.path.empty()) out.path = "/";
  return out;
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view parent_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return "/";
  return path.substr(0, slash);
}

std::string join(std::string_view directory, std::string_view name) {
  std::string out(directory);
  if (!out.ends_with('/')) out += '/';
  return out.append(name);
}

bool is_within(std::string_view path, std::string_view directory) {
  if (directory == "/") return true;
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace ocilint
