// CycloneDX 1.5 (cyclonedx.org/docs/1.5/json).
#include <fmt/format.h>

#include "base/json.h"
#include "report/escape.h"
#include "report/json_text.h"
#include "report/license_text.h"
#include "report/look_head.h"
#include "report/sbom.h"

namespace ocilint {
namespace {

using Ordered = nlohmann::ordered_json;

void put_property(Ordered& properties, std::string_view name, const std::string& value) {
  if (!value.empty()) properties.push_back({{"name", fmt::format("ocilint:{}", name)}, {"value", value}});
}

Ordered licenses_of(const std::string& license) {
  if (is_license_id(license)) return Ordered::array({{{"license", {{"id", license}}}}});
  if (is_license_expression(license)) return Ordered::array({{{"expression", license}}});
  return Ordered::array({{{"license", {{"name", license}}}}});
}

Ordered component_of(const SbomPackage& package) {
  Ordered out;
  out["type"] = "library";
  out["bom-ref"] = package.id;
  if (!package.vendor.empty()) out["publisher"] = package.vendor;
  out["name"] = package.name;
  out["version"] = package.version;
  if (!package.license.empty()) out["licenses"] = licenses_of(package.license);
  out["purl"] = package.url;
  if (!package.path.empty()) out["evidence"]["occurrences"] = Ordered::array({{{"location", package.path}}});
  Ordered properties = Ordered::array();
  put_property(properties, "manager", package.manager);
  put_property(properties, "architecture", package.architecture);
  put_property(properties, "source", package.source);
  put_property(properties, "owner", package.owner);
  out["properties"] = std::move(properties);
  return out;
}

Ordered image_of(const PackagesLook& look) {
  Ordered out;
  out["type"] = "container";
  out["bom-ref"] = "image";
  out["name"] = for_json(look.image.reference);
  out["version"] = look.image.manifest_digest;
  if (const std::string url = image_url(look); !url.empty()) out["purl"] = url;
  Ordered properties = Ordered::array();
  put_property(properties, "platform", for_json(look.image.platform));
  out["properties"] = std::move(properties);
  return out;
}

}  // namespace

std::string write_packages_cyclonedx(const PackagesLook& look) {
  Ordered out;
  out["bomFormat"] = "CycloneDX";
  out["specVersion"] = "1.5";
  out["serialNumber"] = "urn:uuid:" + image_uuid(look, "CycloneDX");
  out["version"] = 1;
  if (const std::string time = image_time(look); !time.empty()) out["metadata"]["timestamp"] = time;
  const Ordered head = look_document("packages", look.image);
  out["metadata"]["tools"]["components"] =
      Ordered::array({{{"type", "application"}, {"name", "ocilint"}, {"version", head["tool"]["version"]}}});
  out["metadata"]["component"] = image_of(look);
  out["components"] = Ordered::array();
  if (!look.os_id.empty()) {
    Ordered system;
    system["type"] = "operating-system";
    system["bom-ref"] = "operating-system";
    system["name"] = for_json(look.os_id);
    if (!look.os_version.empty()) system["version"] = for_json(look.os_version);
    if (!look.os_name.empty()) system["description"] = for_json(look.os_name);
    out["components"].push_back(std::move(system));
  }
  for (const SbomPackage& package : sbom_packages(look)) out["components"].push_back(component_of(package));
  // Files of no package are not looked for, so it is never known to be complete.
  out["compositions"] = Ordered::array(
      {{{"aggregate", look.unread.empty() ? "unknown" : "incomplete"}, {"assemblies", Ordered::array({"image"})}}});
  if (!look.unread.empty()) {
    Ordered properties = Ordered::array();
    for (const std::string& why : look.unread) put_property(properties, "unread", for_json(why));
    out["properties"] = std::move(properties);
  }
  return json_text(out);
}

}  // namespace ocilint
