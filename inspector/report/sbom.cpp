#include "report/sbom.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "base/digest.h"
#include "base/percent.h"
#include "report/age.h"
#include "report/escape.h"

namespace ocilint {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

constexpr std::string_view as_it_is = ":";  // in package URLs

/// "pkg:TYPE/NAMESPACE/NAME@VERSION?QUALIFIERS"; empty parts are left out, qualifiers come sorted.
std::string package_url(std::string_view type, const std::vector<std::string>& names, std::string_view version,
                        const std::map<std::string, std::string>& qualifiers) {
  std::string out = fmt::format("pkg:{}", type);
  for (const std::string& name : names)
    if (!name.empty()) out += "/" + percent_encoded(name, as_it_is);
  if (!version.empty()) out += "@" + percent_encoded(version, as_it_is);
  char before = '?';
  for (const auto& [key, value] : qualifiers) {
    if (value.empty()) continue;
    out += fmt::format("{}{}={}", before, key, percent_encoded(value, as_it_is));
    before = '&';
  }
  return out;
}

std::string url_of(const SbomPackage& package, const PackagesLook& look) {
  const std::string distro = look.os_id.empty()        ? ""
                             : look.os_version.empty() ? look.os_id
                                                       : look.os_id + "-" + look.os_version;
  std::map<std::string, std::string> qualifiers = {{"arch", package.architecture}, {"distro", distro}};
  const std::string system = lower(look.os_id);
  if (package.manager == "dpkg")
    return package_url("deb", {system.empty() ? "debian" : system, lower(package.name)}, package.version, qualifiers);
  if (package.manager == "apk")
    return package_url("apk", {system.empty() ? "alpine" : system, lower(package.name)}, package.version, qualifiers);
  if (package.manager == "rpm") {
    std::string_view version = package.version;
    if (const std::size_t colon = version.find(':'); colon != std::string_view::npos) {
      qualifiers["epoch"] = version.substr(0, colon);
      version.remove_prefix(colon + 1);
    }
    return package_url("rpm", {system, package.name}, version, qualifiers);
  }
  if (package.manager == "python") {
    std::string name = lower(package.name);
    std::ranges::replace(name, '_', '-');
    return package_url("pypi", {name}, package.version, {});
  }
  const std::size_t slash = package.name.find('/');
  if (slash == std::string::npos) return package_url("npm", {lower(package.name)}, package.version, {});
  return package_url("npm", {lower(package.name.substr(0, slash)), lower(package.name.substr(slash + 1))},
                     package.version, {});
}

std::string id_of(const SbomPackage& package) {
  std::string out = package.manager + "-";
  for (const char c : lower(package.name)) out += std::isalnum(static_cast<unsigned char>(c)) || c == '.' ? c : '-';
  return out + "-" + Digest::sha256_of(package.url + '\0' + package.path).hex().substr(0, 12);
}

void add(const std::string& manager, const std::vector<PackageRow>& rows, const PackagesLook& look,
         std::vector<SbomPackage>& out) {
  for (const PackageRow& row : rows) {
    if (row.status == "config-files" || row.status == "not-installed") continue;
    SbomPackage package{manager,
                        for_json(row.name),
                        for_json(row.version),
                        for_json(row.architecture),
                        {},
                        for_json(row.license),
                        for_json(row.vendor),
                        for_json(row.path),
                        for_json(row.owner),
                        {},
                        {}};
    if (manager == "dpkg") {  // co-installable packages are shown with their architecture
      package.name = package.name.substr(0, package.name.find(':'));
      if (row.source != package.name) package.source = for_json(row.source + " " + row.source_version);
    } else if (row.source != row.name) {
      package.source = for_json(row.source);
    }
    package.url = url_of(package, look);
    package.id = id_of(package);
    out.push_back(std::move(package));
  }
}

}  // namespace

std::vector<SbomPackage> sbom_packages(const PackagesLook& look) {
  std::vector<SbomPackage> out;
  add("dpkg", look.packages, look, out);
  for (const ManagerLook& other : look.others) add(other.manager, other.packages, look, out);
  std::ranges::stable_sort(out, {}, [](const SbomPackage& one) { return std::tie(one.url, one.path); });
  std::map<std::string, std::size_t> seen;
  for (SbomPackage& package : out)
    if (const std::size_t times = ++seen[package.id]; times > 1) package.id += fmt::format("-{}", times);
  return out;
}

std::string image_url(const PackagesLook& look) {
  constexpr std::string_view transport = "docker://";
  std::string_view name = look.image.full_reference;
  if (!name.starts_with(transport)) return {};
  name.remove_prefix(transport.size());
  name = name.substr(0, name.find('@'));
  const std::size_t slash = name.rfind('/');
  if (const std::size_t colon = name.rfind(':');
      colon != std::string_view::npos && colon > slash + 1 && slash != std::string_view::npos)
    name = name.substr(0, colon);
  const std::string last(slash == std::string_view::npos ? name : name.substr(slash + 1));
  std::string_view architecture = look.image.platform;
  architecture.remove_prefix(std::min(architecture.find('/') + 1, architecture.size()));
  return package_url(
      "oci", {lower(last)}, look.image.manifest_digest,
      {{"repository_url", std::string(name)}, {"arch", std::string(architecture.substr(0, architecture.find('/')))}});
}

std::string image_uuid(const PackagesLook& look, std::string_view purpose) {
  std::string hex =
      Digest::sha256_of(look.image.manifest_digest + '\0' + look.image.platform + '\0' + std::string(purpose)).hex();
  hex[12] = '8';  // a UUID of its maker's own making (RFC 9562, section 5.8)
  hex[16] = "89ab"[hex[16] % 4];
  return fmt::format("{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4), hex.substr(16, 4),
                     hex.substr(20, 12));
}

std::string image_time(const PackagesLook& look) {
  const auto time = parse_time(look.created);
  return time ? fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", *time) : std::string();
}

}  // namespace ocilint
