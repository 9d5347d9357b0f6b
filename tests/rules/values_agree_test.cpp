#include <catch2/catch.hpp>

#include "support/check_kit.h"

using namespace ocilint;
using namespace ocilint::testing;
using Lines = std::vector<std::string>;

namespace {

CheckResult run(const std::string& values, const std::string& more = "", const std::string& equal = "") {
  const std::string image =
      "{config: {env: ['BASE=reg.invalid/x:rocm7.2.4-1', 'EMPTY='], labels: {version: V7.2.4, rev: B539BF7A0112}}, layers: [" +
      more + "{run: 'RUN |1 ROCM=7.2.4 make', files: {/v: \"7.2.4-42\\n\", /two: \"a\\nb\\n\", "
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
  const CheckResult good = run(version +
                               "{label: version, normalise: [lower, strip-v]}, {env: BASE, pattern: 'rocm([0-9.]+)'}, "
                               "{text: '7.2.4'}, {path: '/opt/r-*', pattern: 'r-(.+)'}, {link: /opt/r, pattern: 'r-(.+)'}, "
                               "{package: core, pattern: '^\\d+\\.\\d+\\.\\d+'}, {history: 'ROCM=([0-9.]+)'}, "
                               "{file: /packed, normalise: packed}");
  CHECK(lines_of(good) == Lines{"pass"});
  CHECK(good.evidence.size() == 9);
}

TEST_CASE("values-agree: commits, short and whole") {
  const std::string commits = "{label: rev, normalise: lower}, {file: /rec, key: COMMIT}, "
                              "{link: /l/a.so.7, pattern: '-([0-9a-f]{7,})$'}";
  CHECK(lines_of(run(commits, "", "prefix")) == Lines{"pass"});
  CHECK(lines_of(run(commits)) == Lines{"differs /l/a.so.7"});
  CHECK(lines_of(run("{label: rev, normalise: lower, prefix: 7}, {link: /l/a.so.7, pattern: '-(.+)$'}")) == Lines{"pass"});
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
