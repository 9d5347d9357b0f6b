#include <catch2/catch.hpp>

#include "facts/secret_id.h"
#include "policy_kit.h"

using namespace ocilint;
using namespace ocilint::test;
using Catch::Contains;

namespace {

std::string refusal(const std::string& body, Files files = {}) {
  try {
    (void)load(body, std::move(files));
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::policy);
    return e.what();
  }
  return "accepted";
}

const std::string a_check = "checks: [{id: a, rule: same-file, with: {files: /x}}]\n";
const std::string waiver = "check: a, reason: r, owner: '@o'";

}  // namespace

TEST_CASE("a policy is loaded with its parts and places") {
  const Policy policy = load(R"(summary: Two lines.
variables:
  rocm: {file: /opt/rocm/.info/version, pattern: '^\d+'}
  names: {file: /names, each: '^lib.+$'}
  hsa: {from: names, pattern: '^libhsa'}
  site: {env: SITE, default: /usr/lib/python$(rocm)}
gates:
  apt: {detect: {file: /opt/rocm/.info/version, matches: '^7'}, mode: required}
  wheel: {detect: {package: 'libdw1 (>= 0.188) | libdw1t64'}}
  any_of: [apt, wheel]
files:
  libs: ['/opt/rocm-$(rocm)/lib/*.so', /opt/x]
  all: set:more
  more: {include: '$(site)/x', exclude: ['**/*.py']}
checks:
  - id: one
    rule: same-file
    when: [apt, wheel]
    severity: note
    why: because
    with: {files: ['/opt/lib/$(hsa)'], identity: inode, at_least: 2, allow_empty: false}
  - {id: two, rule: word, with: {words: [$(names), b], content: '^$(rocm)$', deny: '0644'}}
waivers:
  - {check: one, kind: split, paths: [/opt/**], images: ['*/ci:*'], reason: r, owner: '@o', expires: '2026-12-31', ticket: T-1}
)");
  CHECK(policy.name == "p");
  CHECK(policy.summary == "Two lines.");
  CHECK(policy.sources.size() == 1);
  REQUIRE(policy.variables.size() == 4);
  CHECK(policy.variables.at("names").list);
  CHECK(policy.variables.at("site").otherwise->text == "/usr/lib/python$(rocm)");
  CHECK(policy.gates.at("apt").mode == GateMode::required);
  CHECK(policy.gates.at("wheel").mode == GateMode::automatic);
  CHECK(policy.any_of.gates == std::vector<std::string>{"apt", "wheel"});
  REQUIRE(policy.checks.size() == 2);
  const Check& one = policy.checks[0];
  CHECK(one.rule == &same_rule);
  CHECK(one.level() == Severity::note);
  CHECK(one.place.text() == "dir/p.yaml:18:5");
  CHECK(one.with.size() == 4);
  CHECK(policy.checks[1].level() == Severity::warning);
  REQUIRE(policy.waivers.size() == 1);
  CHECK(policy.waivers[0].expires_text() == "2026-12-31");
  CHECK(policy.find_check("two") == &policy.checks[1]);
  CHECK(policy.find_check("three") == nullptr);
}

TEST_CASE("what is wrong is named with its place and the nearest spelling") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"gates: {any_off: [a]}\n",
       "dir/p.yaml:3:9: a list of gates is any_of or one_of, not 'any_off'; did you mean 'any_of'?"},
      {"cheks: []\n", "dir/p.yaml:3:1: unknown key 'cheks'; did you mean 'checks'?"},
      {"checks: [{id: a, rule: smae-file, with: {files: /x}}]\n",
       "dir/p.yaml:3:24: rule: unknown rule 'smae-file'; did you mean 'same-file'?"},
      {"checks: [{id: a, rule: image-integrity}]\n", "always runs and is not listed"},
      {"checks: [{id: a, rule: same-file, with: {file: /x}}]\n",
       "dir/p.yaml:3:42: rule same-file has no parameter 'file'; did you mean 'files'?"},
      {"checks: [{id: a, rule: same-file}]\n", "needs the parameter 'files'"},
      {"checks: [{id: a, rule: same-file, with: {files: []}}]\n", "must not be an empty list"},
      {"checks: [{id: a, rule: same-file, with: {files: x}}]\n", "dir/p.yaml:3:49: 'x'"},
      {"checks: [{id: a, rule: same-file, with: {files: /x/}}]\n", "'/x/'"},
      {"checks: [{id: a, rule: same-file, with: {files: /x, identity: inod}}]\n",
       "must be one of inode, content, is 'inod'; did you mean 'inode'?"},
      {"checks: [{id: a, rule: same-file, with: {files: /x, at_least: two}}]\n", "must be a whole number"},
      {"checks: [{id: a, rule: same-file, with: {files: /x, allow_empty: yes}}]\n", "write true"},
      {"checks: [{id: a, rule: word, with: {word: 7.10}}]\n", "write it in quotes: '7.10'"},
      {"checks: [{id: a, rule: word, with: {deny: 0644}}]\n", "write it in quotes: '0644'"},
      {"checks: [{id: a, rule: word, with: {deny: 'x'}}]\n", "must be a mode"},
      {"checks: [{id: a, rule: word, with: {content: '('}}]\n", "is no regular expression"},
      {"checks: [{id: a, rule: word, with: {word: $(nmae)}}]\nvariables: {name: {env: X}}\n",
       "dir/p.yaml:3:43: unknown variable 'nmae'; did you mean 'name'?"},
      {"checks: [{id: a, rule: word, with: {word: '$(na me)'}}]\n", "is not the name of a variable"},
      {"checks: [{id: a, rule: word, with: {word: '$(name'}}]\n", "without ')'"},
      {"checks: [{id: a, rule: word, when: apd}]\ngates: {apt: {detect: {env: X}}}\n",
       "unknown gate 'apd'; did you mean 'apt'?"},
      {"checks: [{id: a, rule: word, severity: eror}]\n", "did you mean 'error'?"},
      {"checks: [{id: a, rule: word}, {id: a, rule: word}]\n", "dir/p.yaml:3:36: id: there are two checks 'a'"},
      {"checks: [{rule: word}]\n", "a check needs 'id'"},
      {"checks: [{id: a b, rule: word}]\n", "is not a name"},
      {"checks: [{id: a, rule: same-file, with: {files: set:hsb}}]\nfiles: {hsa: /x}\n",
       "dir/p.yaml:3:49: unknown set 'hsb'; did you mean 'hsa'?"},
      {"files: {a: set:b, b: set:a}\n", "leads to itself"},
      {"files: {a: {include: /x, exclude: /x/y}, b: [set:a, /z]}\n", "must stand alone"},
      {"files: {a: {include: /x, exclude: /x/y}, b: [set:c, /z], c: set:a}\n", "must stand alone"},
      {"variables: {a: {env: X, default: $(b)}, b: {env: Y, default: $(a)}}\n", "leads to itself"},
      {"variables: {a: {from: a, pattern: x}}\n", "leads to itself"},
      {"variables: {a: {from: b}}\n", "'from' needs a pattern"},
      {"variables: {a: {env: X, file: /x}}\n", "one of them is enough"},
      {"variables: {a: {default: x}}\n", "needs one of: file, env, label, from"},
      {"variables: {a: {env: X, key: k}}\n", "read from a file"},
      {"variables: {a: {file: x}}\n", "must be an absolute path"},
      {"variables: {a: {file: /x/*}}\n", "not a pattern"},
      {"variables: {a: {file: /x/../y}}\n", "must be an absolute path"},
      {"variables: {a: {file: /x, each: 'a', pattern: 'b'}}\n", "stands alone"},
      {"variables: {a: {file: /x, pattern: '$(b)'}}\n", "variables are not expanded here"},
      {"variables: {l: {file: /x, each: a}, b: {file: /$(l)}}\n", "holds a list"},
      {"variables: {l: {file: /x, each: a}}\nchecks: [{id: a, rule: word, with: {word: $(l)}}]\n", "holds a list"},
      {"variables: {l: {file: /x, each: a}}\nchecks: [{id: a, rule: word, with: {words: $(l)$(l)}}]\n", "two lists"},
      {"gates: {a: {mode: auto}}\n", "needs 'detect'"},
      {"gates: {a: {detect: {env: X}, mode: on}}\n", "mode"},
      {"gates: {a: {detect: {env: X}, mode: requird}}\n", "must be auto or required"},
      {"gates: {a: {detect: {package: 'x (> 1)'}}}\n", "dir/p.yaml:3:31"},
      {"gates: {a: {detect: {variable: v}}}\n", "unknown variable 'v'"},
      {"gates: {a: {detect: {env: X}}, any_of: [a, b]}\n", "unknown gate 'b'"},
      {"gates: {any_of: []}\n", "must not be an empty list"},
      {"extends: nothing\n", "no policy 'nothing' is shipped"},
      {"extends: baze\n", "did you mean 'base'?"},
      {"extends: loop\n", "extends itself"},
      {"extends: outside\n", "a shipped policy extends shipped policies only"},
      {"extends: ./gone.yaml\n", "dir/p.yaml:3:10: extends: dir/gone.yaml: no such file"},
      {"checks: {a: b}\n", "must be a list, is a map"},
      {"checks:\n", "must be a list, is empty"},
  };
  for (const auto& [body, expected] : cases) {
    INFO(body);
    CHECK_THAT(refusal(body), Contains(expected));
    CHECK_THAT(refusal(body), Catch::StartsWith(body.find("loop") != std::string::npos      ? "shipped:loop:3:"
                                                : body.find("outside") != std::string::npos ? "shipped:outside:3:"
                                                                                            : "dir/p.yaml:"));
  }
}

TEST_CASE("the language is stated and known") {
  const auto ask = [](const std::string& text) {
    try {
      (void)load_policy(text, "p.yaml", context());
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  CHECK_THAT(ask("policy: p\n"), Contains("needs 'language: 1'"));
  CHECK_THAT(ask("policy: p\nlanguage: 2\n"), Contains("knows language 1, not 2"));
  CHECK_THAT(ask("policy: p\nlanguage: '1'\n"), Contains("without quotes"));
  CHECK_THAT(ask("language: 1\n"), Contains("needs its name"));
  CHECK_THAT(ask("[a]\n"), Contains("must be a map"));
}

TEST_CASE("extends: bases come first, the same id replaces, cycles are refused") {
  const Policy policy = load("extends: [base, ./org.yaml]\nchecks: [{id: words, rule: word, severity: note}]\n",
                             {{"dir/org.yaml", head + "extends: base\n" + a_check}});
  REQUIRE(policy.checks.size() == 2);
  CHECK(policy.name == "p");
  CHECK(policy.checks[0].id == "words");
  CHECK(policy.checks[0].level() == Severity::note);
  CHECK(policy.checks[0].with.empty());
  CHECK(policy.checks[1].place.text() == "dir/org.yaml:4:10");
  REQUIRE(policy.sources.size() == 3);
  CHECK(policy.sources[0].file == "shipped:base");
  CHECK_THAT(refusal("extends: ./a.yaml\n", {{"dir/a.yaml", head + "extends: ./p.yaml\n"}}),
             Contains("extends itself"));
  CHECK_THAT(refusal("extends: ./a.yaml\n", {{"dir/a.yaml", head + "extends: ../dir/./a.yaml\n"}}),
             Contains("extends itself"));
  CHECK(load_named("base", context()).file == "shipped:base");
  CHECK(load_named("x/y.yaml", context({{"x/y.yaml", head}})).name == "p");
  CHECK_THROWS_WITH(load_named("basse", context()), Contains("did you mean 'base'?"));
}

TEST_CASE("a waiver needs reason, owner and a day within a year") {
  const auto ask = [](const std::string& fields) { return refusal(a_check + "waivers: [{" + fields + "}]\n"); };
  CHECK(ask(waiver + ", expires: '2027-12-02'") == "accepted");  // 366 days ahead
  CHECK(ask(waiver + ", expires: '2020-01-01'") == "accepted");  // expired: for the run to say
  CHECK_THAT(ask(waiver + ", expires: '2027-12-03'"), Contains("at most 366 days, until 2027-12-02"));
  CHECK_THAT(ask(waiver + ", expires: '2026-02-30'"), Contains("no such day"));
  CHECK_THAT(ask(waiver + ", expires: '31.12.2026'"), Contains("must be a date"));
  CHECK_THAT(ask(waiver + ", expires: '2026-1a-01'"), Contains("must be a date"));
  CHECK_THAT(ask(waiver), Contains("needs 'expires'"));
  CHECK_THAT(ask("check: a, owner: o, expires: '2026-12-31'"), Contains("needs 'reason'"));
  CHECK_THAT(ask("check: a, reason: r, expires: '2026-12-31'"), Contains("needs 'owner'"));
  CHECK_THAT(ask("check: b, reason: r, owner: o, expires: '2026-12-31'"), Contains("unknown check 'b'"));
  CHECK_THAT(ask(waiver + ", kind: splitt, expires: '2026-12-31'"), Contains("did you mean 'split'?"));
  CHECK(ask("check: image-integrity, reason: r, owner: o, expires: '2026-12-31'") == "accepted");
}

TEST_CASE("what a waiver covers") {
  Waiver waiver;
  waiver.check = "a";
  Finding finding;
  finding.kind = "split";
  finding.subject = "/opt/rocm-7/share/doc/x";
  CHECK(waiver.covers("a", finding, "oci:x"));
  CHECK_FALSE(waiver.covers("b", finding, "oci:x"));
  waiver.kind = "differs";
  CHECK_FALSE(waiver.covers("a", finding, "oci:x"));
  waiver.kind = "split";
  waiver.paths = {"/opt/rocm-*/share/doc/**"};
  CHECK(waiver.covers("a", finding, "oci:x"));
  waiver.paths = {"/opt/rocm-*"};
  CHECK_FALSE(waiver.covers("a", finding, "oci:x"));
  waiver.paths = {"SCCACHE_*"};
  CHECK_FALSE(waiver.covers("a", finding, "oci:x"));
  finding.subject = "SCCACHE_REDIS";
  CHECK(waiver.covers("a", finding, "oci:x"));
  waiver.images = {"docker://*/ci:?.?"};
  CHECK(waiver.covers("a", finding, "docker://host/a/b/ci:1.2"));
  CHECK_FALSE(waiver.covers("a", finding, "docker://host/a/b/ci:1.22"));
}

TEST_CASE("a waiver of one secret, by the id that its finding showed") {
  const std::string id = secret_id(secret_salt("then"), "value");
  Waiver waiver;
  waiver.check = "a";
  waiver.values = {id};
  Finding finding;
  CHECK_FALSE(waiver.covers("a", finding, "oci:x"));
  finding.content = std::make_shared<const SecretContent>("value");
  CHECK(waiver.covers("a", finding, "oci:x"));
  finding.content = std::make_shared<const SecretContent>("another");
  CHECK_FALSE(waiver.covers("a", finding, "oci:x"));
}
