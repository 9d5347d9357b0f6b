// Many images of one call: lists, tags, platforms; baselines and waivers; one verdict each and the worst of them.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "program.h"
#include "support/real_registry.h"

using namespace ocilint;
using namespace ocilint::testing;
namespace fs = std::filesystem;

namespace {

std::string slurp_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// An image for several platforms, as builders push it: the one entry of index.json is an index of its own.
std::string write_nested_index(const std::string& dir, const std::vector<Json>& manifests) {
  const std::string type = "application/vnd.oci.image.index.v1+json";
  const Json index{{"schemaVersion", 2}, {"mediaType", type}, {"manifests", manifests}};
  return write_index(dir, {put_blob(dir, index.dump(), type)});
}

struct Many : Program {
  std::string good = image("good", good_image), bad = image("bad", bad_image);
  Many() { file("p.yaml", mode_policy); }

  Finished check(std::vector<std::string> words) const {
    words.insert(words.begin(), "check");
    words.insert(words.end(), {"-p", "p.yaml"});
    return (*this)(words);
  }
};

std::vector<int> statuses(const Json& report) {
  std::vector<int> out;
  for (const Json& image : report["images"]) out.push_back(image["exit_status"]);
  return out;
}

}  // namespace

TEST_CASE_METHOD(Many, "several images: one verdict each, the worst is the run's") {
  const Finished both = check({good, bad});
  INFO(both.out << both.err);
  CHECK(both.status == 1);
  CHECK(contains(both.out, "2 images: 1 pass, 1 fail\n"));
  CHECK(contains(both.out, "verdict of all: fail (exit status 1)"));
  const Finished three =
      check({good, "oci:" + path("none"), bad, "-o", "json=r.json", "-o", "junit=r.xml", "-o", "sarif=r.sarif", "-o",
             "markdown=r.md", "-o", "github=r.txt", "-o", "gitlab=r.gl", "-o", "text"});
  CHECK(three.status == 3);
  CHECK(contains(three.out, "3 images: 1 pass, 1 fail, 1 unreadable\n"));
  const Json json = parse_json(slurp_file(path("work/r.json")));
  CHECK(statuses(json) == std::vector<int>{0, 3, 1});
  CHECK(json["summary"]["images"] == 3);
  CHECK(json["summary"]["unreadable"] == 1);
  CHECK(json["summary"]["exit_status"] == 3);
  CHECK(parse_json(slurp_file(path("work/r.sarif")))["runs"].size() == 3);
  const std::string xml = slurp_file(path("work/r.xml"));
  CHECK(contains(xml, "<testsuites name=\"ocilint\" tests=\"7\" failures=\"1\" errors=\"1\">"));
  CHECK(contains(slurp_file(path("work/r.md")), "3 images: 1 pass, 1 fail, 1 unreadable"));
  CHECK(contains(slurp_file(path("work/r.txt")), "ocilint: 3 images: 1 pass, 1 fail, 1 unreadable"));
  CHECK(parse_json(slurp_file(path("work/r.gl"))).size() == 2);
  CHECK(check({good, good}).status == 0);
}

TEST_CASE_METHOD(Many, "--images-from: a list, from a file or standard input") {
  file("list", "# nightly\n\n  " + good + "\r\n" + bad + "  \n   # no more\n");
  CHECK(check({"--images-from", "list"}).status == 1);
  CHECK(statuses(parse_json(check({good, "--images-from", "list", "-o", "json"}).out)) == std::vector<int>{0, 0, 1});
  input = good + "\n" + good;
  const Finished piped = check({"--images-from", "-"});
  INFO(piped.out << piped.err);
  CHECK(piped.status == 0);
  CHECK(contains(piped.out, "2 images: 2 pass"));
  // Standard input is an image or the list, once.
  CHECK(check({"-", "--images-from", "-"}).status == 2);
  input = good + "\n-\n";
  CHECK(check({"--images-from", "-"}).status == 2);
  input.clear();
  // A list of nothing is no pass.
  CHECK(check({"--images-from", "-"}).status == 2);
  file("empty", "# none\n\n");
  CHECK(check({"--images-from", "empty"}).status == 2);
  CHECK(check({"--images-from", "absent"}).status == 2);
  CHECK(check({"--images-from", "."}).status == 2);
  file("wrong", good + "\noci:" + path("none") + "\n");
  CHECK(check({"--images-from", "wrong"}).status == 3);
  CHECK(check({}).status == 2);
}

TEST_CASE_METHOD(Many, "--platform all: a verdict each, with its platform") {
  TestImage amd = describe_image(good_image), arm = describe_image(bad_image);
  arm.architecture = "arm64";
  const std::string both =
      write_index(path("index"), {put_image(amd, path("index"), "gzip"), put_image(arm, path("index"), "gzip")});
  const Finished all = check({both, "--platform", "all", "--digest-file", "digests"});
  INFO(all.out << all.err);
  CHECK(all.status == 1);
  CHECK(contains(all.out, "linux/amd64: "));
  CHECK(contains(all.out, "linux/arm64: "));
  CHECK_FALSE(fs::exists(path("work/digests")));
  CHECK(check({both, "--platform", "linux/amd64"}).status == 0);
  const Json json = parse_json(check({both, "--platform", "all", "-o", "json"}).out);
  CHECK(json["images"][0]["platform"] == "linux/amd64");
  CHECK(json["images"][1]["platform"] == "linux/arm64");
  CHECK(json["images"][0]["manifest_digest"] != json["images"][1]["manifest_digest"]);
  for (const char* const format : {"junit", "sarif", "markdown", "github", "gitlab"})
    CHECK(contains(check({both, "--platform", "all", "-o", format}).out,
                   format == std::string("markdown") ? "linux/arm64" : "arm64"));
  CHECK(check({good, "--platform", "all", "--digest-file", "digests"}).status == 0);
  CHECK(slurp_file(path("work/digests")).size() == 72);
}

TEST_CASE_METHOD(Many, "--platform all over a registry: what is bad, missing or damaged hides no other platform") {
  if (!RealRegistry::is_there()) {
    WARN("skipped: docker-registry, skopeo, htpasswd and openssl are needed (scripts/setup test)");
    return;
  }
  RealRegistry registry;
  const auto pushed = [&](const std::string& name, const std::map<std::string, const char*>& platforms) {
    std::map<std::string, Json> out;
    std::vector<Json> listed;
    for (const auto& [architecture, yaml] : platforms) {
      TestImage image = describe_image(yaml);
      image.architecture = architecture;
      listed.push_back(out[architecture] = put_image(image, path(name), "gzip"));
    }
    registry.push(write_nested_index(path(name), listed), "team/" + name + ":1", {"--all"});
    return out;
  };
  const auto digest = [](const Json& descriptor) { return descriptor["digest"].get<std::string>(); };
  const std::string host = "docker://" + registry.address() + "/team/";
  const std::vector<std::string> more = {"--platform", "all", "--digest-file", "digests", "--retry-times", "0"};
  const auto check_all = [&](const std::string& name, const std::string& format) {
    std::vector<std::string> words = {host + name + ":1", "-o", format};
    words.insert(words.end(), more.begin(), more.end());
    return check(words);
  };

  const std::map<std::string, Json> whole = pushed("whole", {{"amd64", good_image}, {"arm64", good_image}});
  CHECK(check_all("whole", "text").status == 0);
  CHECK(slurp_file(path("work/digests")) == digest(whole.at("amd64")) + "\n" + digest(whole.at("arm64")) + "\n");

  const char* const other = "layers:\n- files: {/app/other: 'of its own'}\n";
  std::map<std::string, Json> mixed = pushed("mixed", {{"amd64", good_image},
                                                       {"arm64", bad_image},
                                                       {"ppc64le", other},
                                                       {"riscv64", good_image},
                                                       {"s390x", good_image}});
  // One is taken away as a registry's owner would, of another the only layer rots on the disk.
  REQUIRE(run_program({"curl", "-sf", "-X", "DELETE",
                       "http://" + registry.address() + "/v2/team/mixed/manifests/" + digest(mixed["riscv64"])}) == 0);
  const Json manifest = parse_json(slurp_file(registry.stored(digest(mixed["ppc64le"]))));
  const std::string layer = registry.stored(digest(manifest["layers"][0]));
  std::string bytes = slurp_file(layer);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_file(layer, bytes);

  const Finished got = check_all("mixed", "json");
  INFO(got.out << got.err);
  CHECK(got.status == 3);
  CHECK_FALSE(fs::exists(path("work/digests")));
  const Json images = parse_json(got.out)["images"];
  REQUIRE(images.size() == 5);
  const std::map<std::string, int> expected = {
      {"amd64", 0}, {"arm64", 1}, {"ppc64le", 3}, {"riscv64", 3}, {"s390x", 0}};
  for (const Json& image : images) {
    const std::string architecture = image["platform"].get<std::string>().substr(6);
    INFO(architecture);
    CHECK(image["exit_status"] == expected.at(architecture));
    CHECK(image.contains("error") == (expected.at(architecture) == 3));
    // Whoever mends it must know which one it is, also of one that is not there.
    CHECK(contains(image.dump(), digest(mixed[architecture])));
    if (expected.at(architecture) == 3) CHECK(contains(got.err, "linux/" + architecture + ": "));
  }
  const Finished text = check_all("mixed", "text");
  CHECK(contains(text.out, "5 images: 2 pass, 1 fail, 2 unreadable"));
  CHECK(text.status == 3);
  // An image that is there is not held up by its neighbours.
  CHECK(check({host + "mixed:1", "--platform", "linux/s390x"}).status == 0);
  CHECK(check({host + "mixed:1", "--platform", "linux/riscv64", "--retry-times", "0"}).status == 3);
}

TEST_CASE_METHOD(Many, "--tags: every tag that matches, or an error") {
  if (!RealRegistry::is_there()) {
    WARN("skipped: docker-registry, skopeo, htpasswd and openssl are needed (scripts/setup test)");
    return;
  }
  RealRegistry registry;
  for (const char* const tag : {"7.9", "7.10", "nightly"}) registry.push(good, std::string("team/app:") + tag);
  registry.push(bad, "team/app:old");
  const std::string name = "docker://" + registry.address() + "/team/app";
  const Finished some = check({"--tags", name, "--match", "7[.].*", "-o", "json"});
  CHECK(some.status == 0);
  const Json json = parse_json(some.out);
  REQUIRE(json["images"].size() == 2);
  CHECK(json["images"][0]["reference"] == name + ":7.9");
  CHECK(json["images"][1]["reference"] == name + ":7.10");
  CHECK(json["images"][1]["ledger"]["layers_shared"] == 1);
  CHECK(json["images"][1]["layers"][0]["shared_with"].get<std::string>().starts_with(name + ":7.9@sha256:"));
  CHECK(check({"--tags", name}).status == 1);
  // From end to end: "7" is not a tag.
  const Finished none = check({"--tags", name, "--match", "7"});
  CHECK(none.status == 2);
  CHECK(contains(none.out, "none of 4 tags matches --match 7"));
  CHECK(check({good, "--tags", name, "--match", "7"}).status == 2);
  const Finished absent = check({good, "--tags", name + "x", "--retry-times", "0"});
  CHECK(absent.status == 3);
  CHECK(contains(absent.out, "2 images: 1 pass, 1 unreadable"));
  CHECK(check({"--tags", name, "--match", "("}).status == 2);
  CHECK(check({"--tags", name, "--match", "a)|(b"}).status == 2);
  CHECK(check({good, "--match", "7"}).status == 2);
  CHECK(check({"--tags", name + ":7.9"}).status == 2);
}

TEST_CASE_METHOD(Many, "--timeout: lists and repositories that are not answered are unreadable") {
  stalled = true;
  input = good + "\n";
  const Finished got = check({good, "--images-from", "-", "--timeout", "1"});
  INFO(got.out << got.err);
  CHECK(got.status == 3);
  CHECK(contains(got.out, "--images-from -"));
}

TEST_CASE_METHOD(Many, "--baseline: adopted, shrinking, never grown by itself") {
  const Finished adopted = check({bad, "--write-baseline", "known"});
  CHECK(adopted.status == 1);  // what is wrong is said once more
  const std::string before = slurp_file(path("work/known"));
  CHECK(before.starts_with("# ocilint baseline 1"));
  CHECK(std::ranges::count(before, '\n') == 2);
  const Finished known = check({bad, "--baseline", "known"});
  INFO(known.out << known.err);
  CHECK(known.status == 0);
  CHECK(contains(known.out, "1 finding of the baseline: /app/run"));
  CHECK(contains(known.out, "1 known"));

  const std::string more =
      image("more", "layers:\n- files: {/app/run: {content: x, mode: '0666'}, /app/new: {content: x, mode: '0666'}}\n");
  const Finished worse = check({more, "--baseline", "known", "--write-baseline", "known"});
  CHECK(worse.status == 1);
  CHECK(slurp_file(path("work/known")) == before);
  const Finished fixed = check({good, "--baseline", "known"});
  CHECK(fixed.status == 0);
  CHECK(contains(fixed.out, "1 known finding of known is gone, --write-baseline takes it out: " +
                                before.substr(before.size() - 17, 16)));
  CHECK(check({good, "--baseline", "known", "--write-baseline", "known"}).status == 0);
  CHECK(std::ranges::count(slurp_file(path("work/known")), '\n') == 1);
}

TEST_CASE_METHOD(Many, "--baseline in every format") {
  check({bad, "--write-baseline", "known"});
  const std::string more =
      image("more", "layers:\n- files: {/app/run: {content: x, mode: '0666'}, /app/new: {content: x, mode: '0666'}}\n");
  const auto report = [&](const std::string& of, const char* format) {
    return check({of, "--baseline", "known", "-o", format}).out;
  };
  const Json json = parse_json(report(more, "json"));
  CHECK(json["baseline"]["file"] == "known");
  std::size_t known = 0, open = 0;
  for (const Json& one : json["images"][0]["checks"])
    for (const Json& found : one["findings"]) ++(found.contains("known") ? known : open);
  CHECK((known == 1 && open == 1));
  const Json results = parse_json(report(more, "sarif"))["runs"][0]["results"];
  REQUIRE(results.size() == 2);
  std::set<std::string> states;
  for (const Json& result : results) states.insert(result["baselineState"]);
  CHECK(states == std::set<std::string>{"new", "unchanged"});
  CHECK_FALSE(contains(check({bad, "-o", "sarif"}).out, "baselineState"));
  for (const std::string& of : {bad, more})
    CHECK(contains(report(of, "junit"), "known, of the baseline: mode: /app/run"));
  CHECK(contains(report(bad, "junit"), "failures=\"0\""));
  CHECK(contains(report(bad, "markdown"), "known, of the baseline"));
  CHECK(contains(report(bad, "github"), "1 of its findings are known"));
  CHECK_FALSE(contains(report(bad, "github"), "::error"));
  const Json quality = parse_json(report(bad, "gitlab"));
  REQUIRE(quality.size() == 1);
  CHECK(quality[0]["severity"] == "info");
  CHECK(contains(report(good, "json"), "\"fixed\": ["));
}

TEST_CASE_METHOD(Many, "--baseline: malformed or absent is 2, and nothing that failed is written") {
  file("wrong", "0123456789abcdef\n");
  CHECK(check({good, "--baseline", "wrong"}).status == 2);
  CHECK(check({good, "--baseline", "absent"}).status == 2);
  file("kept", "# ocilint baseline 1: ours\n");
  const Finished unread = check({bad, "oci:" + path("none"), "--write-baseline", "kept"});
  CHECK(unread.status == 3);
  CHECK(contains(unread.err, "the baseline kept is not written"));
  CHECK(slurp_file(path("work/kept")) == "# ocilint baseline 1: ours\n");
  CHECK(check({good, "--write-baseline", path("none/known")}).status == 2);
  CHECK(check({good, "--write-baseline", "kept", "--only", "modes"}).status == 2);
  // A run of a part cannot tell what is gone.
  check({bad, "--write-baseline", "known"});
  file("p.yaml", two_checks);
  CHECK_FALSE(contains(check({good, "--baseline", "known", "--only", "there"}).out, "is gone"));
}

TEST_CASE_METHOD(Many, "--strict-waivers: unused and expired ones are errors, in every format") {
  file("p.yaml",
       std::string(mode_policy) + "waivers:\n- {check: modes, reason: r, owner: '@o', expires: '2020-01-01'}\n");
  CHECK(check({good}).status == 0);
  const Finished unused = check({good, "--strict-waivers"});
  CHECK(unused.status == 1);
  CHECK(contains(unused.out, "error    unused waiver"));
  const Finished expired = check({bad, "--strict-waivers"});
  CHECK(expired.status == 1);
  CHECK(contains(expired.out, "expired waiver: p.yaml:"));
  CHECK(contains(check({good, "--strict-waivers", "-o", "junit"}).out, "<failure message=\"unused waiver"));
  CHECK(contains(check({good, "--strict-waivers", "-o", "github"}).out, "::error file="));
  CHECK(contains(check({good, "-o", "github"}).out, "::warning file="));
  CHECK(contains(check({good, "--strict-waivers", "-o", "sarif"}).out, "ocilint/unused-waiver"));
}
