#include "policy/yaml.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "base/error.h"

using namespace ocilint;
using Catch::Contains;
using Catch::StartsWith;

namespace {

std::string error_of(std::string_view text) {
  try {
    (void)YamlNode::parse(text, "p.yaml");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::policy);
    CHECK_THAT(e.what(), StartsWith("p.yaml:"));
    return e.what();
  }
  return "accepted";
}

template <typename Ask>
std::string refusal(const YamlNode& node, Ask ask) {
  try {
    ask(node);
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("nodes keep order, places and quotes") {
  const YamlNode top = YamlNode::parse("# head\npolicy: rocm\nchecks:\n  - {id: one, n: 3}\n  - id: 'two'\n", "p.yaml");
  REQUIRE(top.members().size() == 2);
  CHECK(top.members()[0].key == "policy");
  CHECK(top.members()[0].key_place.text() == "p.yaml:2:1");
  CHECK(top.find("policy")->text() == "rocm");
  CHECK(top.find("policy")->place().text() == "p.yaml:2:9");
  CHECK(top.find("absent") == nullptr);
  const auto& checks = top.find("checks")->items();
  REQUIRE(checks.size() == 2);
  CHECK(checks[0].find("id")->place().text() == "p.yaml:4:10");
  CHECK(checks[0].find("n")->number() == 3);
  CHECK_FALSE(checks[0].find("id")->quoted());
  CHECK(checks[1].find("id")->quoted());
  CHECK(checks[1].find("id")->key() == "id");
}

TEST_CASE("block scalars and quoted escapes are text") {
  const YamlNode top = YamlNode::parse("a: |\n  one\n  two\nb: \"x\\ty\"\nc: 'it''s'\nd: ''\n", "p.yaml");
  CHECK(top.find("a")->text() == "one\ntwo\n");
  CHECK(top.find("a")->quoted());
  CHECK(top.find("b")->text() == "x\ty");
  CHECK(top.find("c")->text() == "it's");
  CHECK_THROWS_WITH(top.find("d")->text(), "p.yaml:6:4: d: must not be an empty text");
}

TEST_CASE("what YAML would take in silence is refused at its place") {
  CHECK_THAT(error_of(""), Contains("empty"));
  CHECK_THAT(error_of("# only a comment\n"), Contains("empty"));
  CHECK_THAT(error_of("a: &x 1\n"), StartsWith("p.yaml:1:4: anchors"));
  CHECK_THAT(error_of("a: &x [1]\n"), StartsWith("p.yaml:1:4: anchors"));
  CHECK_THAT(error_of("a: &x {b: 1}\n"), StartsWith("p.yaml:1:4: anchors"));
  CHECK_THAT(error_of("a: &x\n"), Contains("anchors"));
  CHECK_THAT(error_of("a: *x\n"), StartsWith("p.yaml:1:4:"));
  CHECK_THAT(error_of("a: &x [*x]\n"), Contains("anchors"));
  CHECK_THAT(error_of("a: !!str 1\n"), StartsWith("p.yaml:1:4: tags"));
  CHECK_THAT(error_of("a: ! 1\n"), StartsWith("p.yaml:1:4: tags"));
  CHECK_THAT(error_of("a: !mine [1]\n"), StartsWith("p.yaml:1:4: tags"));
  CHECK_THAT(error_of("a: !mine {b: 1}\n"), StartsWith("p.yaml:1:4: tags"));
  CHECK_THAT(error_of("a: 1\nb:\n  <<: {c: 1}\n"), StartsWith("p.yaml:3:3: merge keys"));
  CHECK_THAT(error_of("a: 1\nb: 2\na: 3\n"), StartsWith("p.yaml:3:1: the key 'a' stands here twice"));
  CHECK_THAT(error_of("a: 1\n'a': 3\n"), Contains("twice"));
  CHECK_THAT(error_of("a: 1\n---\nb: 2\n"), Contains("second document"));
  CHECK_THAT(error_of("a: 1\n...\nb: 2\n"), Contains("second document"));
  CHECK(error_of("a: 1\n...\n]junk[\n") != "accepted");
  CHECK_THAT(error_of("%YAML 1.2\n---\na: 1\n"), StartsWith("p.yaml:1:1: directives"));
  CHECK_THAT(error_of("? [a, b]\n: 1\n"), Contains("a key must be"));
  CHECK_THAT(error_of("? {a: b}\n: 1\n"), Contains("a key must be"));
  CHECK_THAT(error_of("~: 1\n"), Contains("a key must be"));
  CHECK_THAT(error_of("'': 1\n"), Contains("a key must be"));
  CHECK_THAT(error_of(std::string_view("a: b\0c\n", 7)), StartsWith("p.yaml:1:5: a control character"));
  CHECK_THAT(error_of("\xef\xbb\xbf"
                      "a: 1\n"),
             Contains("byte order mark"));
  CHECK_THAT(error_of("\xff\xfe"
                      "a"),
             Contains("byte order mark"));
  CHECK_THAT(error_of("a: \xff\n"), StartsWith("p.yaml:1:4: not valid UTF-8"));
  CHECK_THAT(error_of("a: [1, 2\n"), Contains("not YAML"));
  CHECK_THAT(error_of("a: ${x}: [\n"), Contains("not YAML"));
  CHECK_THAT(error_of("a:\n\t- b\n"), Contains("not YAML"));
}

TEST_CASE("depth, size and count have limits, and reaching them is quick") {
  const auto start = std::chrono::steady_clock::now();
  CHECK(error_of(std::string(32, '[') + "a" + std::string(32, ']')) == "accepted");
  CHECK_THAT(error_of(std::string(33, '[') + "a" + std::string(33, ']')), Contains("nested deeper than 32"));
  CHECK_THAT(error_of(std::string(100'000, '[')), StartsWith("p.yaml:"));
  CHECK_THAT(error_of(std::string(100'000, '{')), StartsWith("p.yaml:"));
  CHECK_THAT(error_of("a: '" + std::string(yaml_bytes, 'x') + "'"), Contains("larger than"));
  std::string many = "[";
  for (std::size_t i = 0; i < yaml_nodes + 10; ++i) many += "a,";
  CHECK_THAT(error_of(many + "a]"), Contains("more than 100000 values"));
  std::string keys;
  for (int i = 0; i < 20'000; ++i) keys += "k" + std::to_string(i) + ": v\n";
  CHECK(error_of(keys) == "accepted");
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(15));
}

TEST_CASE("a number or a word of YAML where text is wanted needs quotes") {
  const auto ask = [](const std::string& value) {
    return refusal(*YamlNode::parse("v: " + value + "\n", "p.yaml").find("v"),
                   [](const YamlNode& node) { (void)node.text(); });
  };
  for (const char* value : {"7.10", "0644", "12", "-3", "0x1f", "0o17", "1e3", ".5", "1_000", ".inf", "12:30"})
    CHECK_THAT(ask(value), Contains("write it in quotes: '" + std::string(value) + "'"));
  for (const char* value : {"yes", "No", "on", "OFF", "true", "False"})
    CHECK_THAT(ask(value), Contains("write it in quotes"));
  for (const char* value : {"'7.10'", "\"0644\"", "7.2.4", "2026-12-31", "lib*.so", "$(name)", "set:hsa", "o+w",
                            "'>= 1.2'", "v1", "'yes'", "a-1"}) {
    INFO(value);
    CHECK(ask(value) == "accepted");
  }
  CHECK_THAT(ask("[a]"), Contains("must be a text, is a list"));
  CHECK_THAT(ask("{a: b}"), Contains("must be a text, is a map"));
  CHECK_THAT(ask("~"), Contains("must be a text, is empty"));
  CHECK_THAT(ask(""), Contains("must be a text, is empty"));
}

TEST_CASE("flags are true or false and nothing else") {
  const auto ask = [](const std::string& value) {
    return refusal(*YamlNode::parse("v: " + value + "\n", "p.yaml").find("v"),
                   [](const YamlNode& node) { (void)node.flag(); });
  };
  CHECK(YamlNode::parse("v: true", "p").find("v")->flag());
  CHECK_FALSE(YamlNode::parse("v: false", "p").find("v")->flag());
  CHECK(ask("yes") == "p.yaml:1:4: v: must be true or false, is 'yes': write true");
  CHECK_THAT(ask("off"), Contains("write false"));
  for (const char* value : {"'true'", "1", "True", "TRUE", "[true]", "~"}) CHECK(ask(value) != "accepted");
}

TEST_CASE("numbers are whole, without sign, quotes or leading zero") {
  const auto ask = [](const std::string& value) {
    return refusal(*YamlNode::parse("v: " + value + "\n", "p.yaml").find("v"),
                   [](const YamlNode& node) { (void)node.number(); });
  };
  CHECK(YamlNode::parse("v: 0", "p").find("v")->number() == 0);
  CHECK(YamlNode::parse("v: 18446744073709551615", "p").find("v")->number() == UINT64_MAX);
  for (const char* value : {"18446744073709551616", "-1", "+1", "1.0", "1e3", "0x10", "'2'", "007", "two", "[1]"})
    CHECK(ask(value) != "accepted");
}

TEST_CASE("one text is a list of one; an empty list is refused") {
  const YamlNode top = YamlNode::parse("a: x\nb: [x, 'y']\nc: []\nd: [x, [y]]\ne: [1]\n", "p.yaml");
  REQUIRE(top.find("a")->texts().size() == 1);
  REQUIRE(top.find("b")->texts().size() == 2);
  CHECK(top.find("b")->texts()[1]->text() == "y");
  CHECK_THROWS_WITH(top.find("c")->texts(), "p.yaml:3:4: c: must not be an empty list");
  CHECK_THROWS_WITH(top.find("d")->texts(), Contains("p.yaml:4:8: d: must be a text, is a list"));
  CHECK_THROWS_WITH(top.find("e")->texts(), Contains("write it in quotes"));
}
