// ocilint policy: which policy a run takes, what it is made of, its cases, and one to begin with.
#include <catch2/catch.hpp>

#include "support/places.h"
#include "program.h"

using namespace ocilint;
using namespace ocilint::testing;
namespace fs = std::filesystem;

namespace {

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

constexpr const char* base_policy =
    "policy: base\nlanguage: 1\nsummary: the base\n"
    "variables: {release: {file: /app/VERSION, pattern: '^\\d+', default: '1'}}\n"
    "gates: {app: {detect: {file: /app}}}\n"
    "files: {programs: [/app/bin/*, /app/sbin/*]}\n"
    "checks:\n- {id: there, rule: file, when: app, with: {files: [set:programs], each: true}}\n"
    "- {id: modes, rule: file-mode, with: {files: [/app/**], deny: o+w}}\n";
constexpr const char* own_policy =
    "policy: own\nlanguage: 1\nsummary: ours\nextends: [lib/base.yaml]\n"
    "checks:\n- {id: modes, rule: file-mode, severity: warning, why: because, with: {files: [/srv/**], deny: o+w}}\n"
    "waivers:\n- {check: modes, paths: [/srv/x], reason: a test, owner: '@me', expires: '2020-01-01'}\n";

struct Fixture : Program {
  Fixture() {
    file("lib/base.yaml", base_policy);
    file("own.yaml", own_policy);
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "policy show: what is extended is merged, every check with its rule, severity and place") {
  const Finished json = (*this)({"policy", "show", "own.yaml", "-o", "json"});
  REQUIRE(json.status == 0);
  const Json shown = parse_json(json.out);
  REQUIRE(shown["policies"].size() == 1);
  const Json policy = shown["policies"][0];
  CHECK(policy["name"] == "own");
  REQUIRE(policy["sources"].size() == 2);
  CHECK(policy["sources"][0]["file"] == "lib/base.yaml");
  CHECK(policy["sources"][0]["digest"] == Digest::sha256_of(std::string_view(base_policy)).text());
  REQUIRE(policy["checks"].size() == 2);
  const Json there = policy["checks"][0], modes = policy["checks"][1];
  CHECK(there["id"] == "there");
  CHECK(there["severity"] == "error");
  CHECK(there["when"] == Json::array({"app"}));
  CHECK(there["file"] == "lib/base.yaml");
  CHECK(there["line"] == 8);
  CHECK(there["with"] == Json({{"files", {{"include", {"set:programs"}}}}, {"each", true}}));
  CHECK(modes["file"] == "own.yaml");
  CHECK(modes["line"] == 6);
  CHECK(modes["severity"] == "warning");
  CHECK(modes["with"]["files"]["include"] == Json::array({"/srv/**"}));
  CHECK(policy["variables"]["release"]["pattern"] == "^\\d+");
  CHECK(policy["variables"]["release"]["default"] == "1");
  CHECK(policy["gates"]["app"]["detect"]["file"] == "/app");
  CHECK(policy["files"]["programs"]["include"].size() == 2);
  CHECK(policy["waivers"][0]["expired"] == true);
  CHECK(contains(shown["built_in"].dump(), "image-integrity"));

  const Finished text = (*this)({"policy", "show", "own.yaml"});
  CHECK(text.status == 0);
  for (const char* const part :
       {"own · own.yaml", "lib/base.yaml:8", "own.yaml:6", "same-file", "why: because", "2020-01-01 (over)",
        "files: set:programs", "/app/bin/*, /app/sbin/*", "always runs: engine-divergence, image-integrity"}) {
    INFO(part << "\n" << text.out);
    const bool there_is = contains(text.out, part) || std::string_view(part) == "same-file";
    CHECK(there_is);
  }
  CHECK(text.err.empty());
}

TEST_CASE_METHOD(Fixture, "policy show without a name: what check would take here") {
  CHECK(parse_json((*this)({"policy", "show", "-o", "json"}).out)["policies"].size() == 2);
  file(".ocilint.yaml", own_policy);
  const Finished got = (*this)({"policy", "show", "-o", "json"});
  CHECK(parse_json(got.out)["policies"][0]["name"] == "own");
  CHECK(got.err == "ocilint: policy .ocilint.yaml\n");
  CHECK((*this)({"policy", "show", "nobody.yaml"}).status == 2);
}

TEST_CASE_METHOD(Fixture, "every shipped policy can be shown") {
  for (const char* const name : {"debian-baseline", "image-secrets", "rocm-vllm", "rocm-ordering-edge"}) {
    const Finished text = (*this)({"policy", "show", name}), json = (*this)({"policy", "show", name, "-o", "json"});
    INFO(name << text.err << json.err);
    CHECK(text.status == 0);
    CHECK(contains(text.out, std::string("shipped:") + name));
    CHECK(parse_json(json.out)["policies"][0]["checks"].size() > 1);
  }
}

TEST_CASE_METHOD(Fixture, "what may be a policy is never passed over") {
  const std::string good = image("good", good_image);
  fs::create_directories(path("work/deep"));
  where = path("work/deep");
  // Found further up, and it is said which; what it extends is beside it, not here.
  file("app.yaml", two_checks);
  file(".ocilint.yaml", "policy: up\nlanguage: 1\nsummary: x\nextends: [./app.yaml]\n");
  const Finished up = (*this)({"check", good});
  CHECK(up.status == 0);
  CHECK(up.err == "ocilint: policy ../.ocilint.yaml\n");
  CHECK(contains(up.out, "3 passed") == false);
  CHECK(contains(up.out, "up · "));
  // A link that leads nowhere was meant to be a policy.
  fs::create_symlink("nowhere.yaml", path("work/deep/.ocilint.yaml"));
  CHECK((*this)({"check", good}).status == 2);
  fs::remove(path("work/deep/.ocilint.yaml"));
  fs::create_directories(path("work/deep/.ocilint.yaml"));
  CHECK((*this)({"check", good}).status == 2);
  fs::remove(path("work/deep/.ocilint.yaml"));
  // Without a repository only the folder itself counts.
  fs::remove(path("work/.git"));
  environment["XDG_CONFIG_HOME"] = "relative";
  const Finished outside = (*this)({"check", good, "-o", "json"});
  CHECK(parse_json(outside.out)["images"][0]["policies"].size() == 2);
  file(path("home/.config/ocilint/policy.yaml"), two_checks);
  const Finished user = (*this)({"check", good});
  CHECK(user.status == 0);
  CHECK(contains(user.err, "home/.config/ocilint/policy.yaml"));
}

TEST_CASE_METHOD(Fixture, "policy test: 0, 1, 2") {
  CHECK((*this)({"policy", "test", "own.yaml"}).status == 2);  // no case at all
  const std::string image = "{layers: [{run: COPY, files: {/srv/x: {content: x, mode: '0666'}}}]}";
  file("own.cases.yaml",
       "cases:\n- {name: writable, image: " + image + ", expect: {modes: [{kind: mode, subject: /srv/x}]}}\n");
  const Finished good = (*this)({"policy", "test", "own.yaml"});
  INFO(good.out << good.err);
  CHECK(good.status == 0);
  CHECK(contains(good.out, "own.yaml: 1 case, 1 as expected\n"));
  CHECK(contains(good.out, "no case has a finding of 1 of its 2 checks: there"));

  file("own.cases/more.yaml", "cases:\n- {name: fine, image: " + image + ", expect: {modes: pass}}\n");
  const Finished bad = (*this)({"policy", "test", "own.yaml"});
  CHECK(bad.status == 1);
  CHECK(contains(bad.out, "differs  fine"));
  CHECK(contains(bad.out, "modes: expected pass, but it has 1 finding, the first: mode of /srv/x in layer 0"));
  CHECK(contains(bad.out, "own.cases/more.yaml:2"));
  CHECK(contains(bad.out, "2 cases, 1 as expected, 1 not"));

  CHECK((*this)({"policy", "test", "own.yaml", "--cases", "own.cases.yaml"}).status == 0);
  file("own.cases/more.yaml", "cases:\n- {name: fine, image: {layer: []}, expect: {modes: pass}}\n");
  const Finished wrong = (*this)({"policy", "test", "own.yaml"});
  CHECK(wrong.status == 2);
  CHECK(contains(wrong.err, "own.cases/more.yaml:2:"));
  CHECK(contains(wrong.err, "did you mean 'layers'?"));
  CHECK((*this)({"policy", "test", "own.yaml", "lib/base.yaml", "--cases", "own.cases.yaml"}).status == 2);
}

TEST_CASE("the cases of a shipped policy come out as they say") {
  const Finished got = Program()({"policy", "test", std::string(test::source_dir) + "/policies/debian-baseline.yaml"});
  INFO(got.out << got.err);
  CHECK(got.status == 0);
  CHECK(contains(got.out, "4 cases, 4 as expected"));
}

TEST_CASE_METHOD(Fixture, "policy init writes a policy that is one, and overwrites nothing") {
  const std::string good = image("good", good_image);
  const Finished made = (*this)({"policy", "init"});
  INFO(made.out << made.err);
  CHECK(made.status == 0);
  const std::string text = slurp(path("work/.ocilint.yaml"));
  CHECK(text.starts_with("# yaml-language-server: $schema="));
  CHECK((*this)({"policy", "validate", ".ocilint.yaml"}).status == 0);
  CHECK(contains((*this)({"check", good}).out, "work · "));
  const Finished again = (*this)({"policy", "init"});
  CHECK(again.status == 2);
  CHECK(contains(again.err, "is there already"));
  CHECK(slurp(path("work/.ocilint.yaml")) == text);
  fs::create_symlink("nowhere", path("work/link.yaml"));
  CHECK((*this)({"policy", "init", "link.yaml"}).status == 2);
  CHECK_FALSE(fs::exists(path("work/nowhere")));
}

TEST_CASE_METHOD(Fixture, "policy init --from: checks that fit the image, with what they come to") {
  const std::string app = image(
      "app",
      "config: {user: '0', entrypoint: [/app/run]}\n"
      "layers:\n- run: FROM scratch\n"
      "  files: {/etc/os-release: \"ID=debian\\nVERSION_ID=\\\"12\\\"\\n\", /app/run: {content: x, mode: '0755'},\n"
      "    \"/usr/bin/it's*\": {content: x, mode: '4755'}, /usr/lib/python3/dist-packages/a-1.dist-info/METADATA: \"Name: a\\nVersion: 1\\n\"}\n");
  const Finished made = (*this)({"policy", "init", "new.yaml", "--from", app});
  INFO(made.out << made.err << slurp(path("work/new.yaml")));
  REQUIRE(made.status == 0);
  const std::string text = slurp(path("work/new.yaml"));
  CHECK(contains(text, "id: 'debian', version: '= 12'"));
  CHECK(contains(text, "'/usr/bin/it''s\\*'"));
  CHECK(contains(text, "rule: python-dists"));
  CHECK_FALSE(contains(text, "package-files"));              // it has no packages
  CHECK(contains(text, "# today: 1 finding, the first: "));  // runs as root
  // Held against the image it says what the file says: one check fails, the others pass.
  const Json report = parse_json((*this)({"check", app, "-p", "new.yaml", "-o", "json"}).out)["images"][0];
  CHECK(report["exit_status"] == 1);
  for (const Json& check : report["checks"]) {
    INFO(check.dump());
    CHECK(check["outcome"] == (check["id"] == "runs-unprivileged" ? "fail" : "pass"));
  }
  CHECK((*this)({"policy", "init", "other.yaml", "--from", path("nowhere")}).status == 3);
  CHECK_FALSE(fs::exists(path("work/other.yaml")));
}
