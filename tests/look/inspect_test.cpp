// `ocilint inspect`: what an image is, its files that differ, its secrets, and the checks that fail; in one pass.
// To accept new texts: OCILINT_APPROVE=1 ctest -R ^look
#include "report/inspect.h"

#include "look_kit.h"
#include "support/planted_secrets.h"
#include "support/toy_packages.h"

using namespace ocilint;
using namespace ocilint::testing;
using test::Toy;

namespace {

const std::string one_check =
    "policy: house\nlanguage: 1\nsummary: a house's own\nchecks:\n- {id: no-root, rule: image-user, with: {not: [root]}}\n";

RunOptions with_policies(RunOptions options, const std::vector<std::string>& policies) {
  for (const std::string& policy : policies)
    options.policies.push_back(policy.find('\n') == std::string::npos
                                   ? load_named(policy, test_context())
                                   : load_policy(policy, "house.yaml", test_context()));
  options.today = test_context().today;
  return options;
}

Inspection inspect(const TestImage& image,
                   const std::vector<std::string>& policies = {"debian-baseline", "image-secrets"}) {
  return look_at(image, [&](const RunOptions& options) { return inspect_image(with_policies(options, policies)); });
}
Inspection inspect(const std::string& yaml) { return inspect(describe_image(yaml)); }

const Toy core{.name = "rocm-core", .version = "7.2.4-93", .files = {{"/usr/share/core", "c"}}};
const Toy lib{.name = "liba", .files = {{"/usr/lib/liba.so.1", "a"}, {"/usr/lib/libb.so.1", "b"}}, .same = true};

std::string first_layer() {
  test::TarWriter tar;
  std::string status;
  for (const Toy& toy : {core, lib}) {
    status += toy.stanza();
    tar.file("var/lib/dpkg/info/" + toy.info_name() + ".list", toy.list());
    tar.file("var/lib/dpkg/info/" + toy.info_name() + ".md5sums", toy.md5sums());
    for (const auto& [path, content] : toy.files) tar.file(path.substr(1), content);
  }
  tar.file("var/lib/dpkg/status", status);
  tar.file("var/lib/apt/extended_states", "Package: liba\nArchitecture: amd64\nAuto-Installed: 1\n\n");
  tar.file("usr/lib/os-release",
           "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\nVERSION_ID=12\nVERSION_CODENAME=bookworm\n");
  tar.symlink("etc/os-release", "../usr/lib/os-release");
  tar.file("etc/passwd", "root:x:0:0::/root:/bin/sh\napp:x:1000:1000::/w:/bin/sh\n");
  tar.file("opt/rocm-7.2.4/.info/version", "7.2.4-93\nmore\n");
  tar.symlink("opt/rocm", "rocm-7.2.4");
  tar.file("usr/lib/python3/dist-packages/torch-2.9.0+rocm7.2.dist-info/METADATA",
           "Name: torch\nVersion: 2.9.0+rocm7.2\n\n");
  tar.file("usr/lib/python3/dist-packages/six-1.dist-info/METADATA", "Name: six\nVersion: 1\n\n");
  return tar.finish();
}

TestImage usual() {
  TestImage image = describe_image(R"(
config: {user: app, env: ['PATH=/usr/bin', 'ROCM_PATH=/opt/rocm'], entrypoint: [/usr/bin/serve, '--port', '80'],
         labels: {org.opencontainers.image.base.name: 'docker.io/library/debian:12', team: audio}, working_dir: /w,
         ports: [80/tcp]}
layers:
  - {run: 'FROM x', files: {/x: x}}
  - {run: 'COPY liba.so.1 /usr/lib/ # buildkit', files: {/usr/lib/liba.so.1: mine}, remove: [/usr/lib/libb.so.1]}
)");
  image.layer_tars[0] = first_layer();
  image.created_by[0] = "ADD rootfs.tar / # buildkit";
  test::TarWriter secret;
  secret.file("app/.env", "TOKEN=" + test::value_of(test::planted("github-token", 7)) + "\n");
  image.layer_tars.push_back(secret.finish());
  image.created_by.push_back("COPY .env /app/ # buildkit");
  return image;
}

bool has(const std::vector<std::string>& texts, std::string_view part) {
  return std::ranges::any_of(texts, [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

std::vector<std::string> facts_of(const Inspection& look, const std::string& stack) {
  std::vector<std::string> out;
  for (const Stack& one : look.stacks)
    for (const StackFact& fact : one.facts)
      if (one.name == stack) out.push_back(fact.what + " " + fact.name + " " + fact.value);
  return out;
}

}  // namespace

TEST_CASE("a finding in one line names its place once") {
  CHECK(finding_line("/etc/x", "a key stands in /etc/x, line 1") == "a key stands in /etc/x, line 1");
  CHECK(finding_line("/etc/x", "mode 0666") == "/etc/x: mode 0666");
  CHECK(finding_line("root", "so it runs as root") ==
        "root: so it runs as root");  // no path: the word may mean another
}

TEST_CASE("inspect: the approved text and JSON") {
  const Inspection look = inspect(usual());
  check_approved("look/inspect.txt", write_inspect_text(look, looked_at(100), 10));
  check_approved("look/inspect_file.txt", write_inspect_text(look, looked_at(0), 1));
  check_approved("look/inspect.json", without_version(write_inspect_json(look), "version"));
}

TEST_CASE("inspect: what it is, and what an auditor asks first") {
  const Inspection look = inspect(usual());
  INFO((look.unread.empty() ? std::string() : look.unread.front()));
  CHECK(look.unread.empty());
  CHECK(look.base.name == "docker.io/library/debian:12");
  CHECK(look.base.where == "label");
  CHECK(look.system.id == "debian");
  CHECK(look.system.path == "/usr/lib/os-release");
  CHECK(look.config.user == "app");
  REQUIRE(look.pythons.size() == 1);
  CHECK(look.pythons[0].dists == 2);
  CHECK(facts_of(look, "ROCm") == std::vector<std::string>{"release /opt/rocm-7.2.4/.info/version 7.2.4-93",
                                                           "package rocm-core 7.2.4-93", "built for torch rocm7.2",
                                                           "environment ROCM_PATH /opt/rocm"});
  CHECK(facts_of(look, "CUDA").empty());
  CHECK(look.files_differing() == 1);
  CHECK(look.files_missing() == 1);
  REQUIRE(look.secrets.size() == 1);
  CHECK(look.secrets[0].subject == "/app/.env");
  CHECK(look.secrets[0].layer == 2u);
  CHECK(look.searched.size() == 3);
  const auto intact = std::ranges::find(look.checks, "packages-intact", &CheckRow::id);
  REQUIRE(intact != look.checks.end());
  CHECK(intact->outcome == Outcome::fail);
  CHECK(intact->findings == 2);
}

TEST_CASE("inspect: one read of each layer answers everything") {
  const TempDir dir;
  RunOptions options =
      with_policies(look_options(write_oci_layout(usual(), dir / "image")), {"debian-baseline", "image-secrets"});
  std::vector<std::size_t> done;
  options.progress = [&](const LayerProgress& step) {
    if (step.done) done.push_back(step.layer);
  };
  const Inspection look = inspect_image(options);
  std::ranges::sort(done);
  CHECK(done == std::vector<std::size_t>{0, 1, 2});
  CHECK(look.result.stats.refill_rounds == 0);
}

TEST_CASE("inspect: no secret that it found is in what it says") {
  const std::string value = test::value_of(test::planted("github-token", 9));
  TestImage image = usual();
  image.config["Labels"]["API_TOKEN"] = value;
  image.config["Env"].push_back("GH_TOKEN=" + value);
  const Inspection look = inspect(image);
  for (const std::string& text : {write_inspect_text(look, looked_at(100), 0), write_inspect_json(look)})
    CHECK(text.find(value) == std::string::npos);
  CHECK(look.secrets.size() > 1);
}

TEST_CASE("inspect: what could not be told is said, and the rest is told") {
  // A database that cannot be read is no image whose files are as they should be.
  const Inspection broken =
      inspect("layers: [{files: {/var/lib/dpkg/status: 'no stanza at all', /etc/os-release: 'ID=debian'}}]");
  CHECK(has(broken.unread, "packages"));
  CHECK(broken.system.id == "debian");
  CHECK(write_inspect_text(broken, looked_at(), 10).find("not compared") != std::string::npos);

  const Inspection folder = inspect("layers: [{directories: [/opt/rocm/.info/version]}]");
  CHECK(has(folder.unread, "ROCm: "));

  const Inspection metadata = inspect("layers: [{files: {/usr/lib/python3/dist-packages/a-1.dist-info/METADATA: ''}}]");
  CHECK(has(metadata.unread, "a-1.dist-info"));
  REQUIRE(metadata.pythons.size() == 1);
  CHECK(metadata.pythons[0].unreadable == 1);

  // Without a check that looks for secrets there is no "none".
  const Inspection own = inspect(usual(), {one_check});
  CHECK(has(own.unread, "secrets"));
  CHECK(write_inspect_text(own, looked_at(), 10).find("nobody looked") != std::string::npos);
  CHECK(own.checks_passed == 3);  // two are built in

  const Inspection nothing = inspect("layers: [{files: {/a: x}}]");
  const std::string text = write_inspect_text(nothing, looked_at(), 10);
  for (const char* const part : {"no os-release file", "root (none is set)", "base        not recorded"})
    CHECK(text.find(part) != std::string::npos);
}

TEST_CASE("inspect: a layer that is not what its digest says is no image") {
  const TempDir dir;
  const std::string reference = write_oci_layout(usual(), dir / "image");
  const std::string blob = dir / ("image/blobs/sha256/" + Digest::sha256_of(usual().layer_tars[1]).hex());
  std::string bytes = read_file(blob, 1u << 20);
  bytes[600] = static_cast<char>(bytes[600] ^ 1);
  write_file(blob, bytes);
  CHECK_THROWS_AS(inspect_image(with_policies(look_options(reference), {one_check})), Error);
}

TEST_CASE("inspect: the table of known stacks") {
  CHECK_NOTHROW(KnownStacks::shipped());
  const auto why = [](const std::string& yaml) -> std::string {
    try {
      (void)KnownStacks::parse(yaml, "t.yaml");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(why("stacks:\n- {name: x, facts: [{what: a, file: /a}]}\n") == "");
  CHECK(why("stacks:\n- {name: x, facts: [{what: a}]}\n").find("t.yaml:2:") == 0);
  CHECK(why("stacks:\n- {name: x, facts: [{what: a, file: /a, env: A}]}\n").find("one of") != std::string::npos);
  CHECK(why("stacks:\n- {name: x, facts: [{what: a, rpm: b}]}\n").find("rpm") != std::string::npos);
  CHECK(why("stacks:\n- {name: x, facts: [{what: a, file: /a, pattern: '('}]}\n") != "");
}

TEST_CASE("inspect: nothing of an image acts on a terminal or a log") {
  std::string line = hostile_text();
  for (std::size_t bad; (bad = first_invalid_utf8(line)) != std::string::npos;) line.erase(bad, 1);
  TestImage image = usual();
  image.config["Labels"][line] = line;
  image.config["User"] = line;
  image.config["Env"] = {"A=" + line, "HSA_X=" + line};
  image.config["Entrypoint"] = {line, line};
  image.config_extra["created"] = line;
  const Inspection look = inspect(image);
  for (const std::size_t width : {0u, 40u, 100u})
    CHECK(acting(write_inspect_text(look, looked_at(width), 0), true) == "");
  CHECK(acting(write_inspect_json(look), false) == "");
  REQUIRE_NOTHROW(parse_json(write_inspect_json(look)));
}

TEST_CASE("inspect: every fixture is shown, or refused for what it is") {
  std::size_t shown = 0;
  for (const std::string& reference : fixture_references()) {
    INFO(reference);
    try {
      const Inspection look =
          inspect_image(with_policies(look_options(reference), {"debian-baseline", "image-secrets"}));
      ++shown;
      CHECK(acting(write_inspect_text(look, looked_at(), 10), true) == "");
      CHECK(look.checks.size() ==
            look.checks_passed + look.checks_failed + look.checks_not_applicable + look.checks_not_evaluated);
    } catch (const Error& error) {
      CHECK(error.kind() != ErrorKind::internal);
    }
  }
  if (std::filesystem::is_directory(fixtures)) CHECK(shown > 40);
}
