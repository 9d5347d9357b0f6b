// The schema: it is the one that is checked in, and it agrees with the loader.
#include "support/places.h"
#include "policy/schema.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>
#pragma GCC diagnostic pop

#include "policy_kit.h"

using namespace ocilint;
using namespace ocilint::test;

namespace {

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// The document as an editor sees it: numbers and flags by their spelling.
Json json_of(const YamlNode& node) {
  switch (node.kind()) {
    case YamlNode::Kind::null: return nullptr;
    case YamlNode::Kind::list: {
      Json out = Json::array();
      for (const YamlNode& item : node.items()) out.push_back(json_of(item));
      return out;
    }
    case YamlNode::Kind::map: {
      Json out = Json::object();
      for (const auto& member : node.members()) out[member.key] = json_of(*member.value);
      return out;
    }
    case YamlNode::Kind::scalar: break;
  }
  try {
    return node.text();
  } catch (const Error&) {
  }
  if (node.quoted()) return "";
  try {
    return node.flag();
  } catch (const Error&) {
  }
  try {
    return node.number();
  } catch (const Error&) {
    return 0.5;  // some number that is not whole, or a word that YAML takes for something
  }
}

bool validates(const Json& schema, std::string_view policy) {
  valijson::Schema compiled;
  valijson::SchemaParser parser;
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema), compiled);
  const Json document = json_of(YamlNode::parse(policy, "p.yaml"));
  return valijson::Validator().validate(compiled, valijson::adapters::NlohmannJsonAdapter(document), nullptr);
}

bool loads(std::string_view policy) {
  try {
    (void)load_policy(policy, "p.yaml", context());
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

TEST_CASE("the checked-in schema is the one that the rules make", "[schema]") {
  const std::string path = std::string(test::source_dir) + "/policies/schema/policy-1.json";
  const std::string made = policy_schema(all_rules()).dump(2) + "\n";
  if (std::getenv("OCILINT_APPROVE")) std::ofstream(path, std::ios::binary) << made;
  INFO("renew it with: OCILINT_APPROVE=1 ./test_policy '[schema]'  (in the tests folder of the build)");
  CHECK((slurp(path) == made));
}

TEST_CASE("every shipped policy loads and fits the schema", "[shipped]") {
  LoadContext real = context();
  real.rules = all_rules();
  real.shipped = shipped_policies();
  const Json schema = policy_schema(all_rules());
  CHECK(shipped_policies().size() >= 4);
  for (const ShippedPolicy& policy : shipped_policies()) {
    INFO(policy.name);
    CHECK(validates(schema, policy.text));
    CHECK_NOTHROW(load_named(std::string(policy.name), real));
    CHECK(load_named(std::string(policy.name), real).name == policy.name);
    CHECK_FALSE(load_named(std::string(policy.name), real).checks.empty());
  }
}

TEST_CASE("schema and loader agree on good and bad policies") {
  const Json schema = policy_schema(rules);
  const std::vector<std::pair<std::string, bool>> cases = {
      {"", true},
      {"summary: x\n", true},
      {"sumary: x\n", false},
      {"checks: []\n", true},
      {"checks: {}\n", false},
      {"checks: [{id: a, rule: same-file, with: {files: /x}}]\n", true},
      {"checks: [{id: a, rule: same-file, with: {files: [/x, '**/y', '$$(x)']}}]\n", false},
      {"checks: [{id: a, rule: same-file, with: {files: [/x, '**/y']}}]\n", true},
      {"checks: [{id: a, rule: same-file, with: {files: x}}]\n", false},
      {"checks: [{id: a, rule: same-file}]\n", false},
      {"checks: [{id: a, rule: same-file, with: {}}]\n", false},
      {"checks: [{id: a, rule: samefile, with: {files: /x}}]\n", false},
      {"checks: [{id: a, rule: image-integrity}]\n", false},
      {"checks: [{id: a, rule: same-file, with: {file: /x}}]\n", false},
      {"checks: [{id: a, rule: same-file, with: {files: /x, identity: inode}}]\n", true},
      {"checks: [{id: a, rule: same-file, with: {files: /x, identity: name}}]\n", false},
      {"checks: [{id: a, rule: same-file, with: {files: /x, at_least: 2}}]\n", true},
      {"checks: [{id: a, rule: same-file, with: {files: /x, at_least: '2'}}]\n", false},
      {"checks: [{id: a, rule: same-file, with: {files: /x, allow_empty: true}}]\n", true},
      {"checks: [{id: a, rule: same-file, with: {files: /x, allow_empty: yes}}]\n", false},
      {"checks: [{id: a, rule: same-file, with: {files: []}}]\n", false},
      {"checks: [{id: a, rule: word, with: {words: [a, b], word: c, content: 'x+'}}]\n", true},
      {"checks: [{id: a, rule: word, with: {word: [a]}}]\n", false},
      {"checks: [{id: a, rule: word, with: {word: 7.10}}]\n", false},
      {"checks: [{id: a, rule: word, with: {contents: [x, 'y+']}}]\n", true},
      {"checks: [{id: a, rule: word, with: {contents: []}}]\n", false},
      {"checks: [{id: a, rule: word, with: {sources: [{label: a}, {file: /x, key: K, pattern: '(.)', first: 3}]}}]\n",
       true},
      {"checks: [{id: a, rule: word, with: {sources: [{label: $(v), how: [lower], optional: true}]}}]\nvariables: {v: "
       "{env: X}}\n",
       true},
      {"checks: [{id: a, rule: word, with: {sources: []}}]\n", false},
      {"checks: [{id: a, rule: word, with: {sources: {label: a}}}]\n", false},
      {"checks: [{id: a, rule: word, with: {sources: [a]}}]\n", false},
      {"checks: [{id: a, rule: word, with: {sources: [{lable: a}]}}]\n", false},
      {"checks: [{id: a, rule: word, with: {sources: [{key: K}]}}]\n", false},
      {"checks: [{id: a, rule: word, with: {sources: [{label: a, key: K}]}}]\n", false},
      {"checks: [{id: a, rule: word, with: {sources: [{label: a, file: /x}]}}]\n", false},
      {"checks: [{id: a, rule: word, with: {sources: [{label: a, how: upper}]}}]\n", false},
      {"checks: [{id: a, rule: word, with: {sources: [{label: a, how: [lower, digits]}]}}]\n", true},
      {"checks: [{id: a, rule: word, with: {sources: [{label: a, first: '3'}]}}]\n", false},
      {"checks: [{id: a, rule: word, with: {sources: [{file: x}]}}]\n", false},
      {"checks: [{id: a, rule: word, with: {deny: 'o+w,g-rx,u='}}]\n", true},
      {"checks: [{id: a, rule: word, with: {deny: '0644'}}]\n", true},
      {"checks: [{id: a, rule: word, with: {deny: 0644}}]\n", false},
      {"checks: [{id: a, rule: word, with: {deny: 'o+'}}]\n", false},
      {"checks: [{id: a, rule: word, severity: critical}]\n", false},
      {"checks: [{id: 'a b', rule: word}]\n", false},
      {"checks: [{rule: word}]\n", false},
      {"checks: [{id: a, rule: word, why: $(x)}]\n", false},
      {"variables: {v: {env: X}}\nchecks: [{id: a, rule: word, with: {word: $(v)}}]\n", true},
      {"variables: {v: {file: /x, key: K, default: d}}\n", true},
      {"variables: {v: {file: /x, env: X}}\n", false},
      {"variables: {v: {default: X}}\n", false},
      {"variables: {v: {env: X, key: K}}\n", false},
      {"variables: {v: {file: /x, each: a, key: K}}\n", false},
      {"variables: {v: {env: X}, w: {from: v}}\n", false},
      {"variables: {v: {env: X}, w: {from: v, pattern: x}}\n", true},
      {"gates: {g: {detect: {file: /x, matches: v}, mode: required}, any_of: g}\n", true},
      {"gates: {g: {detect: {file: /x}, mode: maybe}}\n", false},
      {"gates: {g: {mode: auto}}\n", false},
      {"gates: {g: {detect: {file: /x, env: X}}}\n", false},
      {"gates: {g: {detect: {package: x, matches: y}}}\n", false},
      {"files: {s: {include: [/x], exclude: /x/y}, t: set:s}\n", true},
      {"files: {s: {exclude: /x}}\n", false},
      {"extends: [base]\n", true},
      {"extends: []\n", false},
      {"checks: [{id: a, rule: word}]\nwaivers: [{check: a, reason: r, owner: o, expires: '2026-12-31'}]\n", true},
      {"checks: [{id: a, rule: word}]\nwaivers: [{check: a, reason: r, owner: o}]\n", false},
      {"checks: [{id: a, rule: word}]\nwaivers: [{check: a, reason: r, owner: o, expires: soon}]\n", false},
  };
  for (const auto& [body, good] : cases) {
    INFO(body);
    CHECK(loads(head + body) == good);
    CHECK(validates(schema, head + body) == good);
  }
  CHECK_FALSE(validates(schema, "policy: p\nlanguage: 2\n"));
  CHECK_FALSE(validates(schema, "language: 1\n"));
}
