// `ocilint packages` as a bill of materials: SPDX 2.3 and CycloneDX 1.5, both as JSON.
//
// The same image gives the same bytes, wherever and whenever it is looked at: time is the image's own, numbers are made
// of its digest, packages are sorted. Each package has a package URL (github.com/package-url/purl-spec), with the
// distribution of os-release as qualifier. What could not be read is said in the document; whoever writes it says so by
// the exit status, too. Texts are valid UTF-8. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "look/packages.h"

namespace ocilint {

std::string write_packages_spdx(const PackagesLook& look);
std::string write_packages_cyclonedx(const PackagesLook& look);

/// A package as both formats need it.
struct SbomPackage {
  std::string manager, name, version, architecture, source, license, vendor, path, owner;
  std::string url;  // "pkg:deb/debian/curl@7.88.1-10?arch=amd64&distro=debian-12"
  std::string id;   // of [a-z0-9.-], of no other package of the image
};

/// Sorted; what is not installed any more is left out.
std::vector<SbomPackage> sbom_packages(const PackagesLook& look);

/// "pkg:oci/…" of the image, "" when it is not one of a registry.
std::string image_url(const PackagesLook& look);
/// Of the image's digest and `purpose`: "9f0c…-…-8…-…-…".
std::string image_uuid(const PackagesLook& look, std::string_view purpose);
/// "2026-06-15T08:00:00Z" of the configuration; "" when it says no such time.
std::string image_time(const PackagesLook& look);

}  // namespace ocilint
