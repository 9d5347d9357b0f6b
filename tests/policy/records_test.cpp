// Parameters that are lists of maps, from the text of a policy to what a rule sees.
#include <catch2/catch.hpp>

#include "base/json.h"
#include "policy_kit.h"
#include "support/layer_builder.h"

using namespace ocilint;
using namespace ocilint::test;
using Texts = std::vector<std::string>;

namespace {

std::string refusal(const std::string& with) {
  try {
    (void)load(
        "variables:\n  v: {env: V}\n  all: {file: /list, each: '.+'}\nchecks:\n  - id: a\n    rule: word\n    with:\n" +
        with);
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::policy);
    return e.what();
  }
  return "accepted";
}

Policy sample() {
  return load(R"(
variables:
  rocm: {label: version}
  all: {file: /list, each: '.+'}
checks:
  - id: a
    rule: word
    with:
      contents: ['^$(rocm)$', 'b+']
      sources:
        - {label: rev-$(rocm), how: [lower, digits], first: 3, optional: true}
        - {file: ['/opt/x-$(rocm)/f', '/l/$(all)'], key: K, pattern: '(\d+)-$(rocm)'}
)");
}

}  // namespace

TEST_CASE("records: what is wrong is said with its place and the nearest spelling") {
  CHECK(refusal("      sources: [{label: a}, {file: /x, key: K}]\n") == "accepted");
  CHECK(refusal("      sources: [{lable: a}]\n") ==
        "dir/p.yaml:10:18: an item of 'sources' has no key 'lable'; did you mean 'label'?");
  CHECK(refusal("      sources: [{key: K}]\n") == "dir/p.yaml:10:17: an item of 'sources' needs one of: label, file");
  CHECK(refusal("      sources: [{label: a, file: /x}]\n") ==
        "dir/p.yaml:10:34: file: stands beside 'label'; one of them is enough");
  CHECK(refusal("      sources: [{label: a, key: K}]\n") == "dir/p.yaml:10:33: key: belongs beside 'file'");
  CHECK(refusal("      sources: [{label: a, how: uper}]\n") ==
        "dir/p.yaml:10:33: how: must be one of lower, digits, is 'uper'");
  CHECK(refusal("      sources: [{label: a, how: [lowr]}]\n") ==
        "dir/p.yaml:10:34: how: must be one of lower, digits, is 'lowr'; did you mean 'lower'?");
  CHECK(refusal("      sources: [{label: a, first: x}]\n").starts_with("dir/p.yaml:10:35: first: "));
  CHECK(refusal("      sources: [{label: 7.2}]\n").starts_with("dir/p.yaml:10:25: label: "));
  CHECK(refusal("      sources: [{file: x}]\n").starts_with("dir/p.yaml:10:24: "));
  CHECK(refusal("      sources: [{label: a, pattern: '('}]\n").starts_with("dir/p.yaml:10:37: "));
  CHECK(refusal("      sources: [a]\n") == "dir/p.yaml:10:17: an item of 'sources' must be a map");
  CHECK(refusal("      sources: []\n").find("must not be an empty list") != std::string::npos);
  CHECK(refusal("      sources: {label: a}\n").starts_with("dir/p.yaml:10:"));
  CHECK(refusal("      sources: [{label: $(w)}]\n") == "dir/p.yaml:10:25: unknown variable 'w'; did you mean 'v'?");
  CHECK(refusal("      sources: [{label: $(all)}]\n") ==
        "dir/p.yaml:10:25: 'all' holds a list; here is room for one text");
  CHECK(refusal("      sources: [{file: [set:none]}]\n").find("unknown set 'none'") != std::string::npos);
  CHECK(refusal("      contents: [a, '(']\n").starts_with("dir/p.yaml:10:21: "));
}

TEST_CASE("records: before the image is known paths are widened and variables are wildcards") {
  const Policy policy = sample();
  const Params with = widened_params(policy, policy.checks.front());
  const std::vector<Params>& records = with.records("sources");
  REQUIRE(records.size() == 2);
  CHECK(records[0].text("label") == "rev-*");
  CHECK(records[0].texts("how") == Texts{"lower", "digits"});
  CHECK(records[0].number("first") == 3u);
  CHECK(records[0].flag("optional"));
  CHECK_FALSE(records[0].has("file"));
  bool found = false;
  for (const Glob& glob : records[1].paths("file").include) found = found || glob.matches("/opt/x-7.2.4/f");
  CHECK(found);
  CHECK(with.texts("contents") == Texts{"^.*$", "b+"});

  Demand demand;
  Plan plan(demand);
  plan_variables(policy, plan);
  CHECK(plan.declared().has(FactKind::content));  // of /list, which only a record names
}

TEST_CASE("records: exact values, and bytes of the image are no pattern") {
  const Policy policy = sample();
  std::deque<LayerIndex> layers;
  layers.push_back(LayerBuilder().file("/list", "one\ntwo\n").build());
  FactStore facts(std::move(layers));
  const MergedTree tree = MergedTree::build(facts.indexes(), View::overlay);
  Image image;
  image.config = Config::parse(Json{{"config", {{"Labels", {{"version", "7.*"}}}}}}.dump());
  const Scanned scanned{
      .image = image, .layers = {}, .tree = &tree, .other = nullptr, .oddities = {}, .facts = facts, .packages = {}};
  Wants wants;
  wants.add(FactKind::content);
  const ImageView view(scanned, wants);
  Expansion expansion(policy, view);
  const Params with = expansion.params(policy.checks.front());
  const std::vector<Params>& records = with.records("sources");
  REQUIRE(records.size() == 2);
  CHECK(records[0].text("label") == "rev-7.*");
  const PathSet& files = records[1].paths("file");
  REQUIRE(files.include.size() == 3);
  CHECK(files.include[0].text() == "/opt/x-7.\\*/f");
  CHECK(files.include[2].text() == "/l/two");
  CHECK(records[1].text("key") == "K");
  CHECK(records[1].text("pattern") == "(\\d+)-7\\.\\*");
  CHECK(with.texts("contents") == Texts{"^7\\.\\*$", "b+"});
}

TEST_CASE("records: another name or type is a broken invariant") {
  const Policy policy = sample();
  const Params with = widened_params(policy, policy.checks.front());
  CHECK_THROWS_AS(with.records("words"), Error);
  CHECK_THROWS_AS(with.texts("sources"), Error);
  CHECK_THROWS_AS(with.records("sources")[0].text("file"), Error);
  Params other(word_params);
  CHECK_THROWS_AS(other.set("words", std::vector<Params>{}), Error);
}
