// ocilint check docker://…: flags, the environment, --digest-file and the exit status.
#include <catch2/catch.hpp>

#include "base/base64.h"
#include "program.h"
#include "support/real_registry.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

std::string slurp_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("check docker://: verdicts, the digest that may be promoted, and who is asked for") {
  if (!RealRegistry::is_there()) {
    WARN("skipped: docker-registry, skopeo, htpasswd and openssl are needed (scripts/setup test)");
    return;
  }
  Program run;
  run.file("p.yaml", mode_policy);
  RealRegistry registry({.users = true, .tls = false});
  registry.push(run.image("good", good_image), "team/good:1");
  registry.push(run.image("bad", bad_image), "team/bad:1");
  const std::string good = "docker://" + registry.address() + "/team/good:1",
                    bad = "docker://" + registry.address() + "/team/bad:1";
  const std::string digest_file = run.path("work/digest");
  const std::string creds = "somebody:" + registry.password();
  const auto check = [&](const std::string& reference, std::vector<std::string> more) {
    std::vector<std::string> words = {"check", reference,       "-p",    "p.yaml", "--retry-times",
                                      "0",     "--digest-file", "digest"};
    words.insert(words.end(), more.begin(), more.end());
    Finished got = run(words);
    INFO(got.out << got.err);
    CHECK_FALSE(contains(got.out + got.err, registry.password()));
    return got;
  };
  CHECK(check(good, {"--creds", creds, "-o", "json=report.json", "-o", "text"}).status == 0);
  const std::string digest = slurp_file(digest_file);
  CHECK(digest.size() == 72);
  const Json report = parse_json(slurp_file(run.path("work/report.json")));
  CHECK(contains(report.dump(), digest.substr(0, 71)));
  // What may not be promoted leaves no digest behind, not even an old one.
  CHECK(check(bad, {"--creds", creds}).status == 1);
  CHECK_FALSE(std::filesystem::exists(digest_file));
  CHECK(check(good, {}).status == 3);
  CHECK(check(good, {"--creds", "somebody:else"}).status == 3);
  CHECK(check(good, {"--creds", "nobody"}).status == 2);
  CHECK(check(good, {"--creds", creds, "--no-creds"}).status == 2);
  CHECK(check(good + "x", {"--creds", creds}).status == 3);
  CHECK_FALSE(std::filesystem::exists(digest_file));
  // The reference by digest is the same image.
  CHECK(check(good.substr(0, good.rfind(':')) + "@" + digest.substr(0, 71), {"--creds", creds}).status == 0);
  CHECK(slurp_file(digest_file) == digest);

  const Json auths{{"auths", {{registry.address(), {{"auth", encode_base64(creds)}}}}}};
  run.file(run.path("home/.docker/config.json"), auths.dump());
  CHECK(check(good, {}).status == 0);
  CHECK(check(good, {"--authfile", run.path("absent")}).status == 2);
  run.environment["REGISTRY_AUTH_FILE"] = run.path("home/.docker/config.json");
  run.environment["HOME"] = run.path("nowhere");
  CHECK(check(good, {}).status == 0);
  CHECK(check(good, {"--no-creds"}).status == 3);
}
