#include "oci/platform.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>

#include "base/error.h"

namespace ocilint {
namespace {

struct Alias {
  std::string_view name, architecture, variant;
};

// Names that uname, Debian and container tools use for what the specification calls by Go's GOARCH.
constexpr std::array aliases{
    Alias{"x86_64", "amd64", ""},   Alias{"x86-64", "amd64", ""},      Alias{"i386", "386", ""},
    Alias{"i486", "386", ""},       Alias{"i586", "386", ""},          Alias{"i686", "386", ""},
    Alias{"aarch64", "arm64", ""},  Alias{"armhf", "arm", "v7"},       Alias{"armel", "arm", "v6"},
    Alias{"armv8l", "arm", "v8"},   Alias{"armv7l", "arm", "v7"},      Alias{"armv6l", "arm", "v6"},
    Alias{"armv5tel", "arm", "v5"}, Alias{"mips64el", "mips64le", ""}, Alias{"loongarch64", "loong64", ""},
};

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// "v7" -> 7, "" -> what the architecture means without one; nullopt where variants are no series.
std::optional<int> rank(const Platform& platform) {
  const std::string& variant = platform.variant;
  if (variant.empty()) {
    if (platform.architecture == "amd64") return 1;
    if (platform.architecture == "arm64") return 8;
    return std::nullopt;
  }
  if (variant.size() == 2 && variant[0] == 'v' && variant[1] >= '0' && variant[1] <= '9') return variant[1] - '0';
  return std::nullopt;
}

}  // namespace

Platform Platform::parse(std::string_view text) {
  std::array<std::string, 3> parts;
  std::size_t count = 0;
  std::size_t at = 0;
  bool good = true;
  while (good && at <= text.size()) {
    const std::size_t slash = std::min(text.find('/', at), text.size());
    good = count < parts.size() && slash > at;
    if (good) parts[count++] = text.substr(at, slash - at);
    at = slash + 1;
  }
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  };
  for (const std::string& part : parts) good = good && std::all_of(part.begin(), part.end(), allowed);
  if (!good || count < 2)
    throw Error(ErrorKind::usage,
                fmt::format("'{}' is not a platform: os/architecture[/variant], as in linux/amd64", text));
  Platform out;
  out.os = parts[0];
  out.architecture = parts[1];
  out.variant = parts[2];
  return out;
}

Platform Platform::host() {
  Platform out;
  out.os = "linux";  // container images for Linux are what is run, whatever this runs on
  struct utsname name {};
  if (::uname(&name) == 0) out.architecture = name.machine;
  return out.normalised();
}

std::string Platform::text() const {
  if (empty()) return {};
  std::string out = (os.empty() ? "unknown" : os) + "/" + (architecture.empty() ? "unknown" : architecture);
  if (!variant.empty()) out += "/" + variant;
  return out;
}

Platform Platform::normalised() const {
  Platform out{lower(os), lower(architecture), lower(variant), os_version};
  if (out.os == "macos") out.os = "darwin";
  for (const Alias& alias : aliases) {
    if (out.architecture != alias.name) continue;
    out.architecture = alias.architecture;
    if (out.variant.empty()) out.variant = alias.variant;
    break;
  }
  if (out.variant.size() == 1 && out.variant[0] >= '0' && out.variant[0] <= '9') out.variant.insert(0, "v");
  if (out.architecture == "arm" && out.variant.empty()) out.variant = "v7";
  if (out.architecture == "arm64" && out.variant == "v8") out.variant.clear();
  if (out.architecture == "amd64" && out.variant == "v1") out.variant.clear();
  return out;
}

std::optional<int> distance(const Platform& wanted, const Platform& offered) {
  const Platform want = wanted.normalised();
  const Platform have = offered.normalised();
  // amd64 also runs 386 and arm64 runs arm, but another architecture is never what somebody asked for.
  if (want.os != have.os || want.architecture != have.architecture) return std::nullopt;
  if (want.os == "windows" && !want.os_version.empty() && want.os_version != have.os_version) return std::nullopt;
  if (want.variant == have.variant) return 0;
  const auto newest = rank(want);
  const auto older = rank(have);
  if (!newest || !older || *older > *newest) return std::nullopt;
  return *newest - *older;
}

}  // namespace ocilint
