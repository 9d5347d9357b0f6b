// Findings about what is not there any more name the layer that took it away.
#include <catch2/catch.hpp>

#include "support/check_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

const std::string site = "/usr/lib/python3/dist-packages";

/// "kind subject in layer N" of the only finding.
std::string only_finding(const std::string& rule, const std::string& with, const std::string& image) {
  const ImageResult result = run_on(describe_image(image), run_options(policy_of(rule, with)));
  const CheckResult* const check = find_check(result, "tested");
  REQUIRE(check != nullptr);
  REQUIRE(check->findings.size() == 1);
  const Finding& finding = check->findings.front().finding;
  return finding.kind + " " + finding.subject + " in layer " + (finding.layer ? std::to_string(*finding.layer) : "-");
}

std::string dist(const std::string& name, const std::string& more = "") {
  return site + "/" + name + "-1.dist-info/METADATA: \"Metadata-Version: 2.1\\nName: " + name + "\\nVersion: 1\\n" +
         more + "\"";
}

}  // namespace

TEST_CASE("a pattern that matches nothing any more: the last layer that removed a match") {
  const std::string image =
      "layers: [{files: {/opt/x-1/lib/a.gfx90a: a, /opt/x-1/lib/b.gfx90a: b, /opt/x-1/lib/b.gfx942: c}, links: {/opt/x: x-1}}, "
      "{remove: [/opt/x-1/lib/a.gfx90a]}, {remove: [/opt/x-1/lib/b.gfx90a]}, {files: {/etc/y: y}}]";
  CHECK(only_finding("file", "{files: ['/opt/x/lib/*gfx90a', '/opt/x/lib/*gfx942'], each: true}", image) ==
        "missing /opt/x/lib/*gfx90a in layer 2");
  CHECK(only_finding("file", "{files: ['/opt/x/lib/*gfx90a']}", image) == "missing /opt/x/lib/*gfx90a in layer 2");
  CHECK(only_finding("file", "{files: ['/opt/x/lib/*gfx950']}", image) == "missing /opt/x/lib/*gfx950 in layer -");
  CHECK(only_finding("file", "{files: ['/nowhere/*']}", image) == "missing /nowhere/* in layer -");
  CHECK(only_finding("file", "{files: ['/gone*']}",
                     "layers: [{files: {/gone.txt: a, /b: b}}, {remove: [/gone.txt]}]") == "missing /gone* in layer 1");
}

TEST_CASE("a distribution that another needs: the layer that removed it, or that of the other one") {
  const std::string both = "{files: {" + dist("app", "Requires-Dist: lib\\n") + ", " + dist("lib") + "}}";
  const std::string removed = "layers: [{files: {/a: a}}, " + both + ", {remove: [" + site + "/lib-1.dist-info]}]";
  const std::string never =
      "layers: [{files: {/a: a}}, {files: {" + dist("app", "Requires-Dist: lib\\n") + "}}, {files: {/b: b}}]";
  for (const char* const with : {"{implied: ['app -> lib']}", "{requires_satisfied: true}"}) {
    CHECK(only_finding("python-dists", with, removed).ends_with(" lib in layer 2"));
    CHECK(only_finding("python-dists", with, never).ends_with(" lib in layer 1"));
  }
}

TEST_CASE("what the config names: the layer that removed it") {
  const std::string layers =
      "layers: [{files: {/usr/bin/serve: {content: x, mode: '755'}, /etc/x.conf: y}}, "
      "{remove: [/usr/bin/serve, /etc/x.conf]}]";
  CHECK(only_finding("image-config", "{programs_exist: true}",
                     "config: {env: [PATH=/usr/sbin:/usr/bin], cmd: [serve]}\n" + layers) ==
        "no-program serve in layer 1");
  CHECK(only_finding("image-config", "{env_paths: [CONF]}", "config: {env: [CONF=/etc/x.conf]}\n" + layers) ==
        "no-path CONF in layer 1");
}
