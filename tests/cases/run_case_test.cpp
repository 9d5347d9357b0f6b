// The cases of a policy: what they may say, and that nothing which differs from it goes by.
#include <catch2/catch.hpp>

#include "base/error.h"
#include "cases/memory_image.h"
#include "cases/run_case.h"
#include "run/verdict.h"
#include "support/check_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

constexpr const char* stack_policy =
    "policy: stack\nlanguage: 1\nsummary: The runtime is one file.\n"
    "variables:\n  release: {file: /opt/stack/release, default: '1'}\n"
    "gates:\n  stack: {detect: {file: /opt/stack}}\n"
    "checks:\n"
    "- {id: one-file, rule: same-file, when: stack, with: {files: ['/opt/stack/lib*'], at_least: 2}}\n"
    "- {id: modes, rule: file-mode, with: {files: [/opt/**], deny: o+w, allow_empty: true}}\n"
    "- {id: release, rule: file, when: stack, with: {file: '/opt/stack/$(release)'}}\n"
    "waivers:\n"
    "- {check: modes, paths: [/opt/known], reason: a test, owner: '@me', expires: '2027-06-30'}\n";

constexpr const char* good =
    "- name: good\n"
    "  image:\n"
    "    layers:\n"
    "    - run: COPY stack\n"
    "      files: {/opt/stack/liba: x, /opt/stack/1: ''}\n"
    "      hardlinks: {/opt/stack/libb: /opt/stack/liba}\n";

Policy policy() { return load_policy(stack_policy, "stack.yaml", test_context()); }

std::vector<PolicyCase> load(const std::string& text) {
  return load_cases("cases:\n" + text, "stack.cases.yaml", policy(), all_rules());
}

/// What differs in the last case.
std::vector<std::string> differences(const std::string& text) {
  const CaseResult result = run_case(policy(), load(text).back(), all_rules(), test_context().today);
  CHECK(result.evaluated);
  return result.differences;
}

std::string good_and(const std::string& text) { return std::string(good) + "  expect: pass\n" + text; }

constexpr const char* split =
    "- name: split\n  from: good\n  image: {layers: [{run: RUN touch, files: {/opt/stack/liba: x}}]}\n";

std::string refusal(const std::string& text) {
  try {
    load(text);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::policy);
    return error.what();
  }
  return "accepted";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("cases that come out as expected") {
  CHECK(differences(std::string(good) + "  expect: pass\n") == Texts{});
  CHECK(differences(std::string(good) + "  expect: {one-file: pass, modes: pass}\n") == Texts{});
  CHECK(differences(good_and(std::string(split) +
                             "  expect:\n    one-file: [{kind: split, subject: /opt/stack/libb, layer: 1}]\n")) ==
        Texts{});
  CHECK(differences(good_and(std::string(split) + "  expect: {one-file: fail, release: pass}\n")) == Texts{});
  CHECK(differences("- {name: other, image: {layers: [{files: {/etc/a: x}}]}, expect: {one-file: not-applicable}}\n") ==
        Texts{});
  // A check that is not named does not run.
  CHECK(differences(good_and(std::string(split) + "  expect: {modes: pass}\n")) == Texts{});
}

TEST_CASE("whatever differs is said") {
  const Texts missing = differences(std::string(good) + "  expect: {one-file: [{kind: split}]}\n");
  REQUIRE(missing.size() == 1);
  CHECK(has(missing[0], "one-file: expected split, but it passes"));

  const Texts unclaimed = differences(good_and(std::string(split) + "  expect: pass\n"));
  REQUIRE(unclaimed.size() == 1);
  CHECK(has(unclaimed[0],
            "one-file: nothing was expected, but it has 1 finding, the first: split of /opt/stack/libb in layer 1"));

  // Right kind, wrong layer: the expected one is missing, and the one that is there was not expected.
  const Texts layer = differences(good_and(std::string(split) + "  expect: {one-file: [{kind: split, layer: 0}]}\n"));
  REQUIRE(layer.size() == 2);
  CHECK(has(layer[0], "expected split in layer 0, which was not found"));
  CHECK(has(layer[1], "not expected: split of /opt/stack/libb in layer 1"));

  const Texts off = differences("- {name: other, image: {layers: [{files: {/etc/a: x}}]}, expect: {one-file: pass}}\n");
  REQUIRE(off.size() == 1);
  CHECK(has(off[0], "expected pass, but it does not apply: gate stack: no /opt/stack"));
}

TEST_CASE("one expectation takes one finding, the exact ones first") {
  const std::string two =
      "- name: two\n  image: {layers: [{files: {/opt/a: {content: x, mode: '0666'}, /opt/b: {content: x, mode: '0666'}}}]}\n";
  CHECK(differences(two + "  expect: {modes: [{kind: mode}, {kind: mode}]}\n") == Texts{});
  CHECK(differences(two + "  expect: {modes: [{kind: mode}, {kind: mode, subject: /opt/a}]}\n") == Texts{});
  const Texts one = differences(two + "  expect: {modes: [{kind: mode, subject: /opt/a}]}\n");
  REQUIRE(one.size() == 1);
  CHECK(has(one[0], "not expected: mode of /opt/b"));
  CHECK(differences(two + "  expect: {modes: [{kind: mode}, {kind: mode}, {kind: mode}]}\n").size() == 1);
}

TEST_CASE("waivers, gates, variables and the day are those of the case") {
  const std::string known = "- name: known\n  image: {layers: [{files: {/opt/known: {content: x, mode: '0666'}}}]}\n";
  CHECK(differences(known + "  expect: {modes: [{kind: mode, waived: true}]}\n") == Texts{});
  CHECK(differences(known + "  expect: {modes: [{kind: mode}]}\n").size() == 2);
  CHECK(differences(known + "  today: '2027-07-01'\n  expect: {modes: [{kind: mode}]}\n") == Texts{});
  // What gates demand is always asked.
  const std::string bare = "- name: bare\n  image: {layers: [{files: {/etc/a: x}}]}\n  gates: {stack: required}\n";
  CHECK(differences(bare + "  expect: {'gate:stack': [{kind: not-detected}]}\n") == Texts{});
  const Texts gate = differences(bare + "  expect: {modes: pass}\n");
  REQUIRE(gate.size() == 1);
  CHECK(has(gate[0], "gate:stack: nothing was expected"));
  CHECK(differences(std::string(good) + "  set: {release: '2'}\n  expect: {release: [{kind: missing}]}\n") == Texts{});
}

TEST_CASE("a case in which nothing is proven is no success") {
  const Policy gated = load_policy(
      "policy: gated\nlanguage: 1\nsummary: x\ngates: {g: {detect: {file: /g}}}\n"
      "checks: [{id: c, rule: file, when: g, with: {file: /g/x}}]\n",
      "g.yaml", test_context());
  const auto cases = load_cases("cases: [{name: n, image: {layers: [{files: {/a: x}}]}, expect: pass}]", "g.cases.yaml",
                                gated, all_rules());
  const CaseResult result = run_case(gated, cases.front(), all_rules(), test_context().today);
  CHECK_FALSE(result.as_expected());
  CHECK(never_failed(gated, std::vector{result}) == Texts{"c"});
}

TEST_CASE("images to compare with are described too") {
  const Policy compared = load_policy(
      "policy: compared\nlanguage: 1\nsummary: x\n"
      "checks: [{id: same, rule: compare-files, with: {other: base, equal: [/a]}}]\n",
      "c.yaml", test_context());
  const std::string head =
      "cases:\n- name: n\n  image:\n    layers: [{files: {/a: x}}]\n    others: {base: {layers: [{files: {/a: ";
  const auto judged = [&](const std::string& content, const std::string& expect) {
    const auto cases =
        load_cases(head + content + "}}]}}\n  expect: {same: " + expect + "}\n", "c.cases.yaml", compared, all_rules());
    return run_case(compared, cases.front(), all_rules(), test_context().today).differences;
  };
  CHECK(judged("x", "pass") == Texts{});
  CHECK(judged("y", "fail") == Texts{});
  CHECK(judged("y", "pass").size() == 1);
}

TEST_CASE("what is wrong with a file of cases is said with its place") {
  CHECK(has(refusal("- {name: n, image: {layers: []}}\n"), "stack.cases.yaml:2:"));
  CHECK(has(refusal("- {name: n, image: {layers: []}}\n"), "stack.cases.yaml:2:"));
  CHECK(has(refusal("- {name: n, expect: pass}\n"), "needs 'image' or 'from'"));
  CHECK(has(refusal("- {name: n, image: {}, expect: {one-fil: pass}}\n"), "did you mean 'one-file'?"));
  CHECK(has(refusal("- {name: n, image: {}, expect: {one-file: passes}}\n"), "did you mean 'pass'?"));
  CHECK(has(refusal("- {name: n, image: {}, expect: {one-file: [{kind: splt}]}}\n"), "did you mean 'split'?"));
  CHECK(has(refusal("- {name: n, image: {}, expect: {one-file: []}}\n"), "write 'pass'"));
  CHECK(has(refusal("- {name: n, image: {}, expect: {}}\n"), "nothing is expected"));
  CHECK(has(refusal("- {name: n, from: goo, expect: pass}\n"), "no earlier case is named 'goo'"));
  CHECK(has(refusal("- {name: n, image: {}, gates: {x: auto}, expect: pass}\n"), "no gate 'x'"));
  CHECK(has(refusal("- {name: n, image: {}, set: {x: y}, expect: pass}\n"), "no variable 'x'"));
  CHECK(has(refusal(good_and("- {name: good, image: {}, expect: pass}\n")), "two cases 'good'"));
  CHECK(has(refusal("- {name: n, image: {layers: [{files: {a: x}}]}, expect: pass}\n"), "'a' is no absolute path"));
  CHECK(has(refusal("- {name: n, image: {layers: [{files: {/a: {mode: '0999'}}}]}, expect: pass}\n"),
            "a mode in octal digits"));
  CHECK(
      has(refusal("- {name: n, image: {layers: [{files: {/a: {owner: root}}}]}, expect: pass}\n"), "must be numbers"));
  CHECK(has(refusal("- {name: n, image: {layers: [{file: {/a: x}}]}, expect: pass}\n"), "did you mean 'files'?"));
  CHECK_THROWS_AS(load_cases("cases: []", "c.yaml", policy(), all_rules()), Error);
}

TEST_CASE("a described image is read like any other") {
  const DescribedImage described = read_description(YamlNode::parse(
      "config: {user: app, labels: {k: v}}\n"
      "layers:\n- run: COPY\n  files: {/bin/x: {base64: AAECAw==, mode: '4755', owner: '7:8', xattr: {user.a: b}}, \"/\\u00fc\": u}\n"
      "  links: {/l: bin/x}\n- remove: [/l]\n",
      "image"));
  const auto source = make_memory_source(described, "an image");
  const Image image = source->resolve({});
  CHECK(image.reference == "an image");
  CHECK(image.config.user == "app");
  CHECK(image.manifest_digest.starts_with("sha256:"));
  REQUIRE(image.layers.size() == 2);
  RunOptions options = run_options(policy_of("file", "{file: /bin/x, mode: '4755'}"));
  options.reference = "an image";
  options.open = [&](const std::string& name) { return make_memory_source(described, name); };
  const ImageResult result = check_image(options, all_rules());
  CHECK_FALSE(result.unreadable);
  CHECK(verdict(result, Severity::note) == ExitStatus::good);
  CHECK(result.layers[1].entries == 1);
}
