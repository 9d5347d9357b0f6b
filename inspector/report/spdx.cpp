// SPDX 2.3 as JSON (spdx.github.io/spdx-spec/v2.3).
#include <fmt/format.h>

#include <map>

#include "base/digest.h"
#include "base/json.h"
#include "report/escape.h"
#include "report/json_text.h"
#include "report/license_text.h"
#include "report/look_head.h"
#include "report/sbom.h"

namespace ocilint {
namespace {

using Ordered = nlohmann::ordered_json;

constexpr const char* unknown = "NOASSERTION";
constexpr const char* no_time = "1970-01-01T00:00:00Z";  // the format demands one

/// Licences that are no expression of SPDX: a name of their own, with what the package said.
using OtherLicenses = std::map<std::string, std::string>;

std::string declared(const std::string& license, OtherLicenses& others) {
  if (license.empty()) return unknown;
  if (is_license_expression(license)) return license;
  const std::string id = "LicenseRef-" + Digest::sha256_of(license).hex().substr(0, 12);
  others.emplace(id, license);
  return id;
}

/// A name in one line, as "Organization:" takes it.
std::string organization(const std::string& vendor) {
  std::string out;
  for (const char c : vendor) out += static_cast<unsigned char>(c) < ' ' || c == '(' || c == ')' ? ' ' : c;
  return "Organization: " + out;
}

Ordered reference_of(const std::string& url) {
  return {{"referenceCategory", "PACKAGE-MANAGER"}, {"referenceType", "purl"}, {"referenceLocator", url}};
}

Ordered package_of(const SbomPackage& package, OtherLicenses& others) {
  Ordered out;
  out["SPDXID"] = "SPDXRef-" + package.id;
  out["name"] = package.name;
  if (!package.version.empty()) out["versionInfo"] = package.version;
  out["supplier"] = package.manager == "rpm" && !package.vendor.empty() ? organization(package.vendor) : unknown;
  out["downloadLocation"] = unknown;
  out["filesAnalyzed"] = false;
  out["licenseConcluded"] = unknown;
  out["licenseDeclared"] = declared(package.license, others);
  out["copyrightText"] = unknown;
  std::string from = fmt::format("installed by {}", package.manager);
  if (!package.source.empty()) from += fmt::format(", built from {}", package.source);
  if (!package.path.empty()) from += fmt::format(", recorded in {}", package.path);
  if (!package.owner.empty()) from += fmt::format(", which belongs to {}", package.owner);
  out["sourceInfo"] = std::move(from);
  out["externalRefs"] = Ordered::array({reference_of(package.url)});
  return out;
}

Ordered image_of(const PackagesLook& look) {
  Ordered out;
  out["SPDXID"] = "SPDXRef-image";
  out["name"] = for_json(look.image.reference);
  out["versionInfo"] = look.image.manifest_digest;
  out["supplier"] = unknown;
  out["downloadLocation"] = unknown;
  out["filesAnalyzed"] = false;
  constexpr std::string_view algorithm = "sha256:";
  if (look.image.manifest_digest.starts_with(algorithm))
    out["checksums"] = Ordered::array(
        {{{"algorithm", "SHA256"}, {"checksumValue", look.image.manifest_digest.substr(algorithm.size())}}});
  out["licenseConcluded"] = out["licenseDeclared"] = out["copyrightText"] = unknown;
  out["primaryPackagePurpose"] = "CONTAINER";
  if (const std::string url = image_url(look); !url.empty()) out["externalRefs"] = Ordered::array({reference_of(url)});
  return out;
}

Ordered relation(const std::string& from, const char* type, const std::string& to) {
  return {{"spdxElementId", from}, {"relationshipType", type}, {"relatedSpdxElement", to}};
}

}  // namespace

std::string write_packages_spdx(const PackagesLook& look) {
  const Ordered head = look_document("packages", look.image);
  const std::string time = image_time(look);
  Ordered out;
  out["spdxVersion"] = "SPDX-2.3";
  out["dataLicense"] = "CC0-1.0";
  out["SPDXID"] = "SPDXRef-DOCUMENT";
  out["name"] = for_json(look.image.reference);
  out["documentNamespace"] = "urn:uuid:" + image_uuid(look, "SPDX");
  out["creationInfo"]["created"] = time.empty() ? no_time : time;
  out["creationInfo"]["creators"] = Ordered::array({"Tool: ocilint-" + head["tool"]["version"].get<std::string>()});
  std::string comment = "The time is the image's own.";
  for (const std::string& why : look.unread) comment += "\nCould not be read: " + for_json(why);
  out["comment"] = std::move(comment);
  out["packages"] = Ordered::array({image_of(look)});
  Ordered relations = Ordered::array({relation("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-image")});
  OtherLicenses others;
  for (const SbomPackage& package : sbom_packages(look)) {
    out["packages"].push_back(package_of(package, others));
    relations.push_back(relation("SPDXRef-image", "CONTAINS", "SPDXRef-" + package.id));
  }
  if (!others.empty()) {
    out["hasExtractedLicensingInfos"] = Ordered::array();
    for (const auto& [id, text] : others)
      out["hasExtractedLicensingInfos"].push_back({{"licenseId", id}, {"extractedText", text}, {"name", text}});
  }
  out["relationships"] = std::move(relations);
  return json_text(out);
}

}  // namespace ocilint
