// Bills of materials: package URLs, the same bytes each time, and the schemas and readers of their authors, which
// scripts/setup brings where npm and pip are.
#include "support/places.h"
#include "report/sbom.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>
#pragma GCC diagnostic pop

#include "report/license_text.h"
#include "report_kit.h"
#include "support/oci_writer.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

PackageRow row(std::string name, std::string version, std::string architecture = "") {
  PackageRow out;
  out.name = std::move(name);
  out.version = std::move(version);
  out.architecture = std::move(architecture);
  out.status = "installed";
  return out;
}

PackagesLook look_of(const std::string& system = "debian", const std::string& release = "12") {
  PackagesLook look;
  look.image = {"docker://registry.example:5000/team/App:1.0",
                "docker://registry.example:5000/team/App:1.0",
                "sha256:" + std::string(64, 'a'),
                "linux/amd64",
                2,
                1000};
  look.os_id = system;
  look.os_version = release;
  look.os_name = "A System";
  look.created = "2026-05-04T12:00:00.123+02:00";
  look.found = true;
  look.packages = {row("libstdc++6:amd64", "1:12.2.0-14+b1", "amd64"), row("gone", "1", "amd64")};
  look.packages[0].source = "gcc-12";
  look.packages[0].source_version = "12.2.0-14";
  look.packages[1].status = "config-files";
  ManagerLook apk{"apk", "/lib/apk/db/installed", false, {row("musl", "1.2.5-r0", "x86_64")}};
  apk.packages[0].license = "MIT";
  ManagerLook rpm{"rpm", "/var/lib/rpm/rpmdb.sqlite", false, {row("bash", "2:5.1-6.el9", "x86_64")}};
  rpm.packages[0].license = "GPLv3+";
  rpm.packages[0].vendor = "A (Vendor)";
  ManagerLook python{"python", "/p", false, {row("Foo_Bar", "1.0"), row("Foo_Bar", "1.0"), row("odd\xff", "")}};
  python.packages[0].path = "/a/METADATA";
  python.packages[1].path = "/b/METADATA";
  python.packages[1].license = "MIT OR Apache-2.0";
  python.packages[1].owner = "python3-foo 1.0";
  ManagerLook node{"node", "/n", false, {row("@Scope/left", "2.0.0"), row("right", "1.0"), row("right", "1.0")}};
  node.packages[0].license = "see \x01 LICENSE";
  look.others = {apk, rpm, python, node};
  return look;
}

std::string schema_folder() {
  const char* const named = std::getenv("OCILINT_CYCLONEDX_SCHEMAS");
  return named != nullptr ? named : std::string(test::source_dir) + "/build/schemas/cyclonedx";
}

std::string violations(const Json& schema, const Json& document) {
  valijson::Schema compiled;
  valijson::SchemaParser parser;
  std::vector<std::unique_ptr<Json>> fetched;
  const auto fetch = [&](const std::string& uri) -> const Json* {
    const std::string name = uri.substr(uri.rfind('/') + 1);
    fetched.push_back(std::make_unique<Json>(
        Json::parse(read_file(schema_folder() + "/" + name.substr(0, name.find('#')), file_most))));
    return fetched.back().get();
  };
  using Adapter = valijson::adapters::NlohmannJsonAdapter;
  parser.populateSchema<Adapter>(Adapter(schema), compiled, fetch, [](const Json*) {});
  valijson::ValidationResults found;
  valijson::Validator().validate(compiled, Adapter(document), &found);
  std::string out;
  for (valijson::ValidationResults::Error error; found.popError(error);) {
    for (const std::string& step : error.context) out += step;
    out += ": " + error.description + "\n";
  }
  return out;
}

std::set<std::string> urls(const PackagesLook& look) {
  std::set<std::string> out;
  for (const SbomPackage& package : sbom_packages(look)) out.insert(package.url);
  return out;
}

}  // namespace

TEST_CASE("bills of materials: package URLs of every kind") {
  CHECK(urls(look_of()).contains("pkg:deb/debian/libstdc%2B%2B6@1:12.2.0-14%2Bb1?arch=amd64&distro=debian-12"));
  CHECK(urls(look_of("alpine", "3.20.1")).contains("pkg:apk/alpine/musl@1.2.5-r0?arch=x86_64&distro=alpine-3.20.1"));
  CHECK(urls(look_of("rhel", "9.4")).contains("pkg:rpm/rhel/bash@5.1-6.el9?arch=x86_64&distro=rhel-9.4&epoch=2"));
  CHECK(urls(look_of()).contains("pkg:pypi/foo-bar@1.0"));
  CHECK(urls(look_of()).contains("pkg:npm/%40scope/left@2.0.0"));
  CHECK(urls(look_of("", "")).contains("pkg:apk/alpine/musl@1.2.5-r0?arch=x86_64"));
  CHECK(image_url(look_of()) ==
        "pkg:oci/app@sha256:" + std::string(64, 'a') + "?arch=amd64&repository_url=registry.example:5000%2Fteam%2FApp");
  PackagesLook local = look_of();
  local.image.full_reference = "oci:folder";
  CHECK(image_url(local).empty());
}

TEST_CASE("bills of materials: what is gone is left out, ids are unique, the same image gives the same bytes") {
  const PackagesLook look = look_of();
  std::set<std::string> ids;
  for (const SbomPackage& package : sbom_packages(look)) {
    CHECK(package.name != "gone");
    CHECK(ids.insert(package.id).second);
    CHECK(package.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-") == std::string::npos);
  }
  CHECK(ids.size() == 9);
  CHECK(write_packages_spdx(look) == write_packages_spdx(look_of()));
  PackagesLook shuffled = look_of();
  std::ranges::reverse(shuffled.others);
  CHECK(write_packages_cyclonedx(shuffled) == write_packages_cyclonedx(look));
  CHECK(image_time(look) == "2026-05-04T10:00:00Z");
  CHECK(image_uuid(look, "a") != image_uuid(look, "b"));
  CHECK(image_uuid(look, "a")[14] == '8');
  PackagesLook other = look_of();
  other.image.manifest_digest = "sha256:" + std::string(64, 'b');
  CHECK(image_uuid(other, "a") != image_uuid(look, "a"));
}

TEST_CASE("bills of materials: licences are expressions only where they are") {
  for (const char* const text :
       {"MIT", "MIT OR Apache-2.0", "(MIT AND ISC) OR GPL-2.0-only WITH Classpath-exception-2.0", "((MIT))"})
    CHECK(is_license_expression(text));
  for (const char* const text : {"", "GPLv2+", "MIT License", "MIT OR", "OR MIT", "(MIT", "MIT)", "MIT MIT", "MIT WITH",
                                 "MIT WITH MIT", "(MIT) WITH Classpath-exception-2.0", "mit and isc"}) {
    INFO(text);
    CHECK_FALSE(is_license_expression(text));
  }
  const Json spdx = parse_json(write_packages_spdx(look_of()));
  std::set<std::string> named;
  for (const Json& package : spdx["packages"]) named.insert(package["licenseDeclared"].get<std::string>());
  CHECK(named.contains("MIT"));
  CHECK(named.contains("NOASSERTION"));
  CHECK(spdx["hasExtractedLicensingInfos"].size() == 2);
  CHECK(spdx["hasExtractedLicensingInfos"].dump().find("GPLv3+") != std::string::npos);
}

TEST_CASE("bills of materials: what could not be read is said") {
  PackagesLook look = look_of();
  look.unread = {"/var/lib/rpm/Packages: a Berkeley DB"};
  CHECK(write_packages_spdx(look).find("Could not be read: /var/lib/rpm/Packages") != std::string::npos);
  const Json bom = parse_json(write_packages_cyclonedx(look));
  CHECK(bom["compositions"][0]["aggregate"] == "incomplete");
  CHECK(bom["properties"][0]["value"] == "/var/lib/rpm/Packages: a Berkeley DB");
}

TEST_CASE("bills of materials: CycloneDX fits its schema") {
  const std::string file = schema_folder() + "/bom-1.5.SNAPSHOT.schema.json";
  if (!std::filesystem::exists(file)) {
    WARN("skipped: no " << file << "; `scripts/setup test` brings it where npm is installed");
    return;
  }
  const Json schema = Json::parse(read_file(file, file_most));
  PackagesLook unread = look_of(), bare;
  unread.unread = {"x"};
  bare.image.manifest_digest = "sha256:" + std::string(64, 'c');
  for (const PackagesLook& look : {look_of(), unread, bare})
    CHECK(violations(schema, parse_json(write_packages_cyclonedx(look))) == "");
  Json damaged = parse_json(write_packages_cyclonedx(look_of()));
  damaged["components"][0]["type"] = "thing";
  CHECK(violations(schema, damaged) != "");
  damaged = parse_json(write_packages_cyclonedx(look_of()));
  damaged["serialNumber"] = "1";
  CHECK(violations(schema, damaged) != "");
  damaged = parse_json(write_packages_cyclonedx(look_of()));
  damaged["components"][1]["licenses"] = Json::array({{{"license", {{"id", "not a licence"}}}}});
  CHECK(violations(schema, damaged) != "");
}

TEST_CASE("bills of materials: SPDX is what SPDX's own reader takes for valid") {
  const std::string library = std::string(test::source_dir) + "/build/schemas/spdx-tools";
  if (!std::filesystem::exists(library)) {
    WARN("skipped: no " << library << "; `scripts/setup test` brings it where pip is installed");
    return;
  }
  const TempDir dir;
  const auto valid = [&](const std::string& text) {
    write_file(dir / "bom.spdx.json", text);
    return std::system(("PYTHONPATH=" + library + " python3 -B -m spdx_tools.spdx.clitools.pyspdxtools -i " +
                        (dir / "bom.spdx.json") + " --version SPDX-2.3 >" + (dir / "log") + " 2>&1")
                           .c_str()) == 0;
  };
  PackagesLook bare;
  bare.image.reference = "x";
  bare.image.manifest_digest = "sha256:" + std::string(64, 'c');
  for (const PackagesLook& look : {look_of(), bare}) {
    const bool good = valid(write_packages_spdx(look));
    INFO(read_file(dir / "log", file_most));
    CHECK(good);
  }
  Json damaged = parse_json(write_packages_spdx(look_of()));
  damaged["packages"][1]["licenseDeclared"] = "GPLv3+ or so";
  CHECK_FALSE(valid(damaged.dump()));
}
