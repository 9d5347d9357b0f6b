// `ocilint packages` of apk, rpm, Python and Node: which there are, what differs, and what cannot be read.
#include "base/base64.h"
#include "look/packages.h"
#include "look_kit.h"
#include "report/packages.h"
#include "support/rpm_maker.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string sha1(std::string_view text) {
  Hasher hasher(Algorithm::sha1);
  hasher.update(as_bytes(text));
  return "Q1" + encode_base64(as_text(hasher.finish().raw()));
}

const std::string site = "usr/lib/python3.12/site-packages/";

TestImage mixed_image() {
  test::TarWriter first, second;
  first.file("etc/os-release", "ID=alpine\nVERSION_ID=3.20.1\nPRETTY_NAME=\"Alpine Linux v3.20\"\n");
  first.file("lib/apk/db/installed",
             "P:musl\nV:1.2.5-r0\nA:x86_64\nL:MIT\no:musl\nF:lib\nR:ld-musl.so.1\na:0:0:755\nZ:" + sha1("loader") +
                 "\n\nP:curl\nV:8.1-r0\nA:x86_64\nL:curl license\nF:usr/bin\nR:curl\na:0:0:755\nZ:" + sha1("curl") +
                 "\n\n");
  first.file("etc/apk/world", "curl\n");
  first.file("lib/ld-musl.so.1", "loader").file("usr/bin/curl", "curl");
  first.file(site + "Foo_Bar-1.0.dist-info/METADATA", "Name: Foo_Bar\nVersion: 1.0\nLicense: MIT\n\n");
  first.file(site + "Foo_Bar-1.0.dist-info/INSTALLER", "pip\n").file(site + "Foo_Bar-1.0.dist-info/REQUESTED", "");
  first.file(
      site + "Foo_Bar-1.0.dist-info/RECORD",
      "foo.py,sha256=" + encode_base64(as_text(Digest::sha256_of("x").raw())) + ",1\nFoo_Bar-1.0.dist-info/RECORD,,\n");
  first.file(site + "foo.py", "x");
  first.file("app/node_modules/@scope/left/package.json",
             R"({"name":"@scope/left","version":"2.0.0","license":"ISC"})");
  first.file("app/node_modules/right/package.json", R"({"name":"right","version":"1.1.1"})");
  first.file("app/node_modules/right/lib/package.json", R"({"type":"module"})");
  second.file("usr/bin/curl", "mine");
  TestImage image;
  image.layer_tars = {first.finish(), second.finish()};
  image.created_by = {"RUN apk add curl", "COPY curl /usr/bin/"};
  return image;
}

PackagesLook packages_of(const TestImage& image, const PackagesQuestion& question = {}) {
  return look_at(image, [&](const RunOptions& options) { return look_at_packages(options, question); });
}

const ManagerLook& manager(const PackagesLook& look, const std::string& name) {
  const auto found = std::ranges::find(look.others, name, &ManagerLook::manager);
  REQUIRE(found != look.others.end());
  return *found;
}

}  // namespace

TEST_CASE("packages: every manager of the image, with what differs from its records") {
  const PackagesLook look = packages_of(mixed_image());
  CHECK(look.unread.empty());
  CHECK_FALSE(look.found);
  CHECK(look.os_id == "alpine");
  REQUIRE(look.others.size() == 3);
  const ManagerLook& apk = manager(look, "apk");
  CHECK(apk.database == "/lib/apk/db/installed");
  REQUIRE(apk.packages.size() == 2);
  CHECK(apk.packages[0].mark == "automatic");
  CHECK(apk.packages[1].mark == "manual");
  CHECK(apk.packages[0].differing.empty());
  REQUIRE(apk.packages[1].differing.size() == 1);
  CHECK(apk.packages[1].differing[0].path == "/usr/bin/curl");
  CHECK(apk.packages[1].differing[0].state == "modified");
  CHECK(apk.packages[1].differing[0].layer == 1u);
  const ManagerLook& python = manager(look, "python");
  REQUIRE(python.packages.size() == 1);
  CHECK(python.packages[0].mark == "manual");
  CHECK(python.packages[0].compared == 1);
  CHECK(python.packages[0].differing.empty());
  const ManagerLook& node = manager(look, "node");
  REQUIRE(node.packages.size() == 2);
  CHECK(node.packages[0].name == "@scope/left");
  CHECK(node.packages[0].license == "ISC");
  CHECK_FALSE(node.compared);
  const std::string text = write_packages_text(look, looked_at(110));
  for (const char* const part :
       {"apk  /lib/apk/db/installed", "2 packages: 1 manual, 1 automatic; 2 files, 2 compared: 1 differ, 0 missing",
        "modified  /usr/bin/curl", "@scope/left"})
    CHECK(holds(text, part));
  const Json json = parse_json(write_packages_json(look));
  CHECK(json["managers"].size() == 3);
  CHECK(json["managers"][0]["packages"][1]["differing"][0]["path"] == "/usr/bin/curl");
  const PackagesLook files = packages_of(mixed_image(), {.why = {}, .files = "curl"});
  CHECK(holds(write_packages_text(files, looked_at(110)), "modified"));
  CHECK_THROWS_AS(packages_of(mixed_image(), {.why = {}, .files = "absent"}), Error);
}

TEST_CASE("packages: rpm's, and what cannot be read is said") {
  test::TarWriter tar;
  const test::ToyRpm toy{.name = "toy", .files = {{"/usr/bin/toy", "x"}}};
  tar.file("var/lib/rpm/rpmdb.sqlite", test::rpm_sqlite({toy})).file("usr/bin/toy", "x");
  TestImage image;
  image.layer_tars = {tar.finish()};
  image.created_by = {"RUN dnf"};
  const PackagesLook look = packages_of(image);
  CHECK(look.unread.empty());
  const ManagerLook& rpm = manager(look, "rpm");
  REQUIRE(rpm.packages.size() == 1);
  CHECK(rpm.packages[0].version == "1.0-1");
  CHECK(rpm.packages[0].compared == 1);

  test::TarWriter broken;
  broken.file("var/lib/rpm/Packages", "what is this")
      .file("app/node_modules/a/package.json", "{")
      .file("lib/apk/db/installed", "nonsense\n");
  image.layer_tars = {broken.finish()};
  const PackagesLook unread = packages_of(image);
  CHECK(unread.unread.size() == 3);
  CHECK(holds(write_packages_text(unread, looked_at()), "not to be trusted"));
}

TEST_CASE("packages: the Alpine image of the fixtures is as apk left it, but for the locked password of root") {
  const std::string file = fixtures + "/trivy__alpine-310.tar.gz";
  if (!std::filesystem::exists(file)) {
    WARN("skipped: no " << file);
    return;
  }
  const PackagesLook look = look_at_packages(look_options(file), {});
  CHECK(look.unread.empty());
  const ManagerLook& apk = manager(look, "apk");
  CHECK(apk.packages.size() == 14);
  std::size_t files = 0, compared = 0;
  std::vector<std::string> differing;
  for (const PackageRow& row : apk.packages) {
    files += row.files;
    compared += row.compared;
    for (const PackageFileRow& file : row.differing) differing.push_back(file.state + " " + file.path);
  }
  CHECK(files == 78);
  CHECK(compared == 78);
  CHECK(differing == std::vector<std::string>{"configuration, modified /etc/shadow"});
}
