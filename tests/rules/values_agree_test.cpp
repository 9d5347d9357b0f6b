#include <catch2/catch.hpp>

#include "support/check_kit.h"

using namespace ocilint;
using namespace ocilint::testing;
using Lines = std::vector<std::string>;

namespace {

CheckResult run(const std::string& values, const std::string& more = "", const std::string& equal = "") {
  const std::string image =
      "{config: {env: ['BASE=reg.invalid/x:rocm7.2.4-1', 'EMPTY='], labels: {version: V7.2.4, rev: B539BF7A0112}}, layers: [" +
      more +
      "{run: 'RUN |1 ROCM=7.2.4 make', files: {/v: \"7.2.4-42\\n\", /two: \"a\\nb\\n\", "
      "/rec: \"COMMIT: b539bf7a0112\\nEMPTY:\\n\", /opt/r-7.2.4/f: x, /l/a.so.7.2.53211-b539bf7: x, /packed: '70204', "
      "/var/lib/dpkg/status: \"Package: core\\nStatus: install ok installed\\nArchitecture: amd64\\nVersion: 7.2.4.1-9\\n\\n\"}, "
      "links: {/l/a.so.7: a.so.7.2.53211-b539bf7, /opt/r: r-7.2.4, /broken: gone}}]}";
  const std::string with = "{" + (equal.empty() ? "" : "equal: " + equal + ", ") + "values: [" + values + "]}";
  const ImageResult result = run_on(describe_image(image), run_options(policy_of("values-agree", with)));
  const CheckResult* const check = find_check(result, "tested");
  REQUIRE(check != nullptr);
  return *check;
}

const std::string version = "{file: /v, pattern: '^[0-9.]+'}, ";

}  // namespace

TEST_CASE("values-agree: every kind of source can say one version") {
  const CheckResult good =
      run(version +
          "{label: version, normalise: [lower, strip-v]}, {env: BASE, pattern: 'rocm([0-9.]+)'}, "
          "{text: '7.2.4'}, {path: '/opt/r-*', pattern: 'r-(.+)'}, {link: /opt/r, pattern: 'r-(.+)'}, "
          "{package: core, pattern: '^\\d+\\.\\d+\\.\\d+'}, {history: 'ROCM=([0-9.]+)'}, "
          "{file: /packed, normalise: packed}");
  CHECK(lines_of(good) == Lines{"pass"});
  CHECK(good.evidence.size() == 9);
}

TEST_CASE("values-agree: commits, short and whole") {
  const std::string commits =
      "{label: rev, normalise: lower}, {file: /rec, key: COMMIT}, "
      "{link: /l/a.so.7, pattern: '-([0-9a-f]{7,})$'}";
  CHECK(lines_of(run(commits, "", "prefix")) == Lines{"pass"});
  CHECK(lines_of(run(commits)) == Lines{"differs /l/a.so.7"});
  CHECK(lines_of(run("{label: rev, normalise: lower, prefix: 7}, {link: /l/a.so.7, pattern: '-(.+)$'}")) ==
        Lines{"pass"});
  CHECK(lines_of(run("{file: /rec, key: COMMIT}, {text: b539c}", "", "prefix")) == Lines{"differs the policy's text"});
}

TEST_CASE("values-agree: what differs says both values") {
  const CheckResult bad = run(version + "{path: '/opt/r-*', pattern: 'r-(.+)'}", "{files: {/opt/r-7.2.3/f: x}}, ");
  REQUIRE(lines_of(bad) == Lines{"differs /opt/r-7.2.3"});
  CHECK(bad.findings[0].finding.message == "says 7.2.3, but /v says 7.2.4");
}

TEST_CASE("values-agree: absent sources") {
  CHECK(lines_of(run(version + "{label: none}")) == Lines{"absent label none"});
  CHECK(lines_of(run(version + "{env: EMPTY}")) == Lines{"absent env EMPTY"});
  CHECK(lines_of(run(version + "{package: gone}")) == Lines{"absent package gone"});
  CHECK(lines_of(run(version + "{file: /gone}, {history: nothing}")) == Lines{"absent /gone", "absent history"});
  CHECK(lines_of(run(version + "{file: /rec, key: OTHER}")) == Lines{"absent /rec OTHER"});
  const CheckResult allowed = run(version + "{label: none, optional: true}");
  CHECK(allowed.outcome == Outcome::pass);
  CHECK(allowed.evidence.size() == 3);
  CHECK(run("{label: none, optional: true}, {env: NONE, optional: true}").outcome == Outcome::error);
}

TEST_CASE("values-agree: a source of another form is a finding, optional or not") {
  CHECK(lines_of(run(version + "{label: rev, pattern: '^\\d+$', optional: true}")) == Lines{"form label rev"});
  CHECK(lines_of(run(version + "{file: /two}")) == Lines{"form /two"});
  CHECK(lines_of(run(version + "{file: /broken}")) == Lines{"form /broken"});
  CHECK(lines_of(run(version + "{file: /opt/r-7.2.4}")) == Lines{"form /opt/r-7.2.4"});
  CHECK(lines_of(run(version + "{text: v, normalise: digits}")) == Lines{"form the policy's text"});
}

TEST_CASE("values-agree: a recorded digest is that of the file") {
  const std::string digest = Digest::sha256_of("7.2.4-42\n").hex();
  CHECK(lines_of(run("{text: " + digest + "}, {sha256: /v}")) == Lines{"pass"});
  CHECK(lines_of(run("{text: " + digest + "}, {sha256: /two}")) == Lines{"differs sha256 of /two"});
}

TEST_CASE("values-agree: one source is none") { CHECK(run("{file: /v}").outcome == Outcome::error); }

TEST_CASE("values-agree: texts of the policy alone say nothing of the image") {
  const CheckResult check = run("{text: a}, {text: a}");
  CHECK(check.outcome == Outcome::error);
}

TEST_CASE("values-agree: a beginning of one byte agrees with too much") {
  const std::string commits = "{file: /rec, key: COMMIT}, {text: b}";
  CHECK(lines_of(run(commits, "", "prefix")) == Lines{"form the policy's text"});
  CHECK(lines_of(run(commits, "", "prefix, shortest: 1")) == Lines{"pass"});
  CHECK(lines_of(run("{file: /rec, key: COMMIT}, {text: b539b}", "", "prefix, shortest: 7")) ==
        Lines{"form the policy's text"});
}

TEST_CASE("values-agree: no form of a secret is shown") {
  // Made here, so that nobody takes it for one.
  const std::string secret = std::string("Kx9") + "77vT26" + "qLm7Rw" + "Zp4D";
  const std::string small = "kx977vt26qlm7rwzp4d", digits = "9772674";
  const std::string image = "{config: {env: ['DB_PASSWORD=" + secret + "', 'COPY_OF=x-" + secret +
                            "-1.2.3'], "
                            "labels: {v: '1.2.4'}}, layers: [{files: {/v: x}}]}";
  for (const std::string how :
       {"normalise: lower", "normalise: digits", "prefix: 3", "pattern: 'qL.*', normalise: lower"}) {
    for (const std::string name : {"DB_PASSWORD", "COPY_OF"}) {
      const std::string with = "{values: [{label: v}, {env: " + name + ", " + how + "}]}";
      const ImageResult result = run_on(describe_image(image), run_options(policy_of("values-agree", with)));
      const CheckResult* const check = find_check(result, "tested");
      REQUIRE(check != nullptr);
      REQUIRE(check->findings.size() == 1);
      const Finding& finding = check->findings[0].finding;
      const std::string all = finding.message + " " + (finding.details.empty() ? "" : finding.details[0]);
      INFO(how << ", " << name << ": " << all);
      if (how == "prefix: 3" && name == "COPY_OF") continue;  // "x-K": what stands before it is shown
      for (const std::string& form : {secret, small, digits, std::string("kx9"), std::string("qlm7rwzp4d")})
        CHECK(all.find(form) == std::string::npos);
      CHECK(all.find("[secret, ") != std::string::npos);
    }
  }
  // What stands beside a secret is no secret.
  const std::string with = "{values: [{label: v}, {env: COPY_OF, pattern: '-([0-9.]+)$', normalise: lower}]}";
  const ImageResult result = run_on(describe_image(image), run_options(policy_of("values-agree", with)));
  CHECK(find_check(result, "tested")->findings.at(0).finding.message == "says 1.2.3, but label v says 1.2.4");
}
