#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>

#include "base/json.h"
#include "support/check_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

using Lines = std::vector<std::string>;
const Lines pass{"pass"};

CheckResult checked(const TestImage& image, const std::string& with, std::string_view compression = {}) {
  const ImageResult result = run_on(image, run_options(policy_of("base-image", with)), compression);
  INFO((result.unreadable ? result.unreadable->what() : ""));
  const CheckResult* const check = find_check(result, "tested");
  REQUIRE(check != nullptr);
  return *check;
}

Lines recorded(const std::string& with, const std::string& config) {
  return lines_of(checked(describe_image("{config: " + config + ", layers: [{files: {/a: x}}]}"), with));
}

const std::string digest = "sha256:" + std::string(64, 'a');
const std::string name_key = "org.opencontainers.image.base.name", digest_key = "org.opencontainers.image.base.digest";

}  // namespace

TEST_CASE("base-image: a list of diff IDs or of digests is what the image begins with") {
  const TestImage image = describe_image("layers: [{files: {/a: x}}, {files: {/b: y}}, {files: {/c: z}}]");
  std::vector<std::string> diff_ids, digests;
  for (const std::string& tar : image.layer_tars) {
    diff_ids.push_back(Digest::sha256_of(tar).text());
    digests.push_back(Digest::sha256_of(gzip_stored(tar)).text());
  }
  const auto list = [&](std::vector<std::string> items) {
    std::string text;
    for (const std::string& item : items) text += (text.empty() ? "" : ", ") + ("'" + item + "'");
    return lines_of(checked(image, "{layers: [" + text + "]}", "gzip"));
  };
  CHECK(list({diff_ids[0]}) == pass);
  CHECK(list({diff_ids[0], digests[1]}) == pass);
  CHECK(list({diff_ids[0], diff_ids[1], diff_ids[2]}) == pass);
  CHECK(list({diff_ids[1]}) == Lines{"other-base the list"});
  CHECK(list({diff_ids[0], diff_ids[2]}) == Lines{"other-base the list"});
  CHECK(list({diff_ids[0], diff_ids[1], diff_ids[2], diff_ids[0]}) == Lines{"other-base the list"});
  CHECK(list({"sha256:12"}).front().starts_with("error"));
}

TEST_CASE("base-image: with the base itself; only documents are read") {
  const std::string base = "{files: {/etc/base: x}}, {files: {/etc/more: y}}";
  const auto on = [&](const std::string& layers, const std::string& of_base) {
    return describe_image("{layers: [" + layers + "], others: {base: {layers: [" + of_base + "]}}}");
  };
  CHECK(lines_of(checked(on(base + ", {files: {/app: z}}", base), "{other: base}")) == pass);
  CHECK(lines_of(checked(on(base, base), "{other: base}")) == pass);
  CHECK(lines_of(checked(on("{files: {/app: z}}, " + base, base), "{other: base}")) == Lines{"other-base base"});
  CHECK(lines_of(checked(on("{files: {/etc/base: x}}", base), "{other: base}")) == Lines{"other-base base"});
  const CheckResult changed = checked(on("{files: {/etc/base: x}}, {files: {/etc/more: z}}", base), "{other: base}");
  REQUIRE(changed.findings.size() == 1);
  CHECK(changed.findings[0].finding.layer == 1u);
  CHECK(lines_of(checked(on(base, ""), "{other: base}")).front().starts_with("error"));

  const ImageResult result =
      run_on(on(base + ", {files: {/app: z}}", base), run_options(policy_of("base-image", "{other: base}")));
  CHECK_FALSE(result.ledger.layers_needed);
  REQUIRE(result.others.size() == 1);
  CHECK(result.others[0].layers == 2);
  CHECK(result.others[0].layers_read == 0);
}

TEST_CASE("base-image: a base that is compressed anew is the same base") {
  const TestImage base = describe_image("layers: [{files: {/etc/base: x}}]");
  TestImage image = describe_image("layers: [{files: {/etc/base: x}}, {files: {/app: z}}]");
  const TempDir dir;
  RunOptions options = run_options(policy_of("base-image", "{other: base}"));
  options.reference = write_oci_layout(image, dir / "image", "gzip");
  options.others["base"] = write_docker_archive(base, dir / "base.tar");
  CHECK(lines_of(*find_check(check_image(options, all_rules()), "tested")) == pass);
}

TEST_CASE("base-image: the base is recorded by digest") {
  const auto label = [&](const std::string& name, const std::string& of_digest) {
    std::string out = "{labels: {";
    if (!name.empty()) out += name_key + ": '" + name + "', ";
    if (!of_digest.empty()) out += digest_key + ": '" + of_digest + "'";
    return out + "}}";
  };
  const std::string with = "{recorded: true}";
  CHECK(recorded(with, label("registry.example:5000/dev:1.2", digest)) == pass);
  CHECK(recorded(with, label("registry.example/dev@" + digest, "")) == pass);
  CHECK(recorded(with, label("", digest)) == pass);
  CHECK(recorded(with, label("", "")) == Lines{"unrecorded " + name_key});
  CHECK(recorded(with, label("registry.example/dev:1.2", "")) == Lines{"unpinned " + name_key});
  CHECK(recorded(with, label("registry.example/dev:1.2", "sha256:12")) == Lines{"unpinned " + digest_key});
  CHECK(recorded(with, label("registry.example/dev:1.2", digest + "\\n")).size() == 1);
  CHECK(recorded(with, label("registry.example/dev:latest", digest)) == Lines{"floating " + name_key});
  CHECK(recorded(with, label("registry.example:5000/dev", digest)) == Lines{"floating " + name_key});
  CHECK(recorded("{recorded: true, allow_floating: true}", label("registry.example/dev:latest", digest)) == pass);
  CHECK(recorded("{recorded: true, allow_floating: true}", label("registry.example/dev:latest", "")) ==
        Lines{"unpinned " + name_key, "floating " + name_key});
  CHECK(recorded(with, "{annotations: {" + name_key + ": 'x/y:1', " + digest_key + ": '" + digest + "'}}") == pass);
  // The annotation is what the specification means; the label is inherited from the base.
  CHECK(recorded(with, "{annotations: {" + name_key + ": 'x/y:1'}, labels: {" + name_key + ": 'x/y@" + digest +
                           "'}}") == Lines{"unpinned " + name_key});
}

TEST_CASE("base-image: annotations that contradict each other are no record") {
  const TestImage image = describe_image("{config: {annotations: {" + name_key + ": 'x/y:1', " + digest_key + ": '" +
                                         digest + "'}}, layers: [{files: {/a: x}}]}");
  const std::string other = "sha256:" + std::string(64, 'b');
  const auto with_index = [&](const std::string& index_digest, bool of_entry) {
    const TempDir dir;
    RunOptions options = run_options(policy_of("base-image", "{recorded: true}"));
    options.reference = write_oci_layout(image, dir / "image");
    const std::string file = dir / "image/index.json";
    std::ifstream in(file);
    Json index = Json::parse(in);
    Json& holder = of_entry ? index["manifests"][0] : index;
    holder["annotations"][digest_key] = index_digest;
    write_file(file, index.dump());
    const ImageResult result = check_image(options, all_rules());
    const CheckResult* const check = find_check(result, "tested");
    REQUIRE(check != nullptr);
    return *check;
  };
  CHECK(lines_of(with_index(digest, true)) == pass);
  CHECK(lines_of(with_index(digest, false)) == pass);
  CHECK(lines_of(with_index(other, false)) == Lines{"ambiguous " + digest_key});
  const CheckResult check = with_index(other, true);
  REQUIRE(lines_of(check) == Lines{"ambiguous " + digest_key});
  Lines details = check.findings.front().finding.details;
  std::sort(details.begin(), details.end());
  CHECK(details == Lines{"annotation of its entry in the index: " + other, "annotation of the manifest: " + digest});
}

TEST_CASE("base-image: a label beside an annotation is told, and does not count") {
  const std::string config = "{annotations: {base: 'x/y@" + digest + "'}, labels: {base: 'old/base:1'}}";
  const CheckResult check =
      checked(describe_image("{config: " + config + ", layers: [{files: {/a: x}}]}"), "{labels: [base]}");
  CHECK(lines_of(check) == pass);
  const auto told = [](const Evidence& one) {
    return one.text.find("label base is old/base:1, which does not count") == 0;
  };
  CHECK(std::any_of(check.evidence.begin(), check.evidence.end(), told));
}

TEST_CASE("base-image: further places hold a reference with a digest") {
  const std::string with = "{env: [BASE_IMAGE], labels: [base]}";
  CHECK(recorded(with, "{env: ['BASE_IMAGE=x/y@" + digest + "'], labels: {base: 'x/y:1@" + digest + "'}}") == pass);
  CHECK(recorded(with, "{env: ['BASE_IMAGE=x/y:1'], labels: {base: ''}}") ==
        Lines{"unrecorded base", "unpinned BASE_IMAGE"});
  CHECK(recorded(with, "{}") == Lines{"unrecorded base", "unrecorded BASE_IMAGE"});
  CHECK(recorded("{env: [BASE_IMAGE]}", "{env: ['BASE_IMAGE=x/y']}") ==
        Lines{"unpinned BASE_IMAGE", "floating BASE_IMAGE"});
  CHECK(recorded("{allow_floating: true}", "{}").front().starts_with("error"));
}

TEST_CASE("base-image: a base that was not given is no pass") {
  const TestImage image = describe_image("layers: [{files: {/a: x}}]");
  const CheckResult check = checked(image, "{other: base}");
  REQUIRE(check.outcome == Outcome::error);
  CHECK(check.errors.front().find("--with base=REF") != std::string::npos);
}
