#include "policy/expand.h"

#include <catch2/catch.hpp>

#include "base/json.h"
#include "policy/pattern.h"
#include "policy_kit.h"
#include "support/layer_builder.h"

using namespace ocilint;
using namespace ocilint::test;
using Catch::Contains;
using State = GateState::State;
using Texts = std::vector<std::string>;

namespace {

/// An image of one layer, and a view that may read contents of it.
class Scene {
 public:
  Scene(LayerBuilder& layer, Json config = Json::object())
      : facts_(layers_of(layer)), tree_(MergedTree::build(facts_.indexes(), View::overlay)) {
    image_.config = Config::parse(Json{{"config", std::move(config)}}.dump());
    wants_.add(FactKind::content);
  }
  Scene(LayerBuilder&& layer, Json config = Json::object()) : Scene(layer, std::move(config)) {}

  ImageView view() { return ImageView(scanned_, wants_); }

 private:
  static std::deque<LayerIndex> layers_of(LayerBuilder& layer) {
    std::deque<LayerIndex> out;
    out.push_back(layer.build());
    return out;
  }

  Image image_;
  FactStore facts_;
  MergedTree tree_;
  Wants wants_;
  Scanned scanned_{
      .image = image_, .layers = {}, .tree = &tree_, .other = nullptr, .oddities = {}, .facts = facts_, .packages = {}};
};

/// The values of variable `x`, or the error.
Texts values(const std::string& variables, Scene scene, Overrides overrides = {}) {
  const Policy policy = load("variables:\n" + variables);
  const ImageView view = scene.view();
  Expansion expansion(policy, view, std::move(overrides));
  try {
    return expansion.values("x");
  } catch (const Error& e) {
    return {std::string(to_string(e.kind())), e.what()};
  }
}

GateState gate(const std::string& detect, Scene scene, const std::string& variables = {}) {
  const Policy policy = load(variables + "gates: {g: {detect: {" + detect + "}}}\n");
  const ImageView view = scene.view();
  return Expansion(policy, view).gate("g");
}

Texts texts_of(const std::vector<Glob>& globs) {
  Texts out;
  for (const Glob& glob : globs) out.push_back(glob.text());
  return out;
}

LayerBuilder one(std::string_view path, std::string_view content) {
  LayerBuilder out;
  out.file(path, content);
  return out;
}

const std::string missing(to_string(ErrorKind::not_found));
const std::string damaged(to_string(ErrorKind::corrupt));

}  // namespace

TEST_CASE("variables: files by pattern, key, line, and as they are") {
  CHECK(values("  x: {file: /v, pattern: '^\\d+\\.\\d+'}\n", one("/v", "7.2.4-93\n")) == Texts{"7.2"});
  CHECK(values("  x: {file: /v, pattern: 'rocm=(\\d+)'}\n", one("/v", "a\nrocm=72\n")) == Texts{"72"});
  CHECK(values("  x: {file: /v, pattern: '^[0-9a-f]{4}$'}\n", one("/v", "beef\n")) == Texts{"beef"});
  CHECK(values("  x: {file: /v, key: PY}\n", one("/v", "A: b\nPY: 3.13\n")) == Texts{"3.13"});
  CHECK(values("  x: {file: /v}\n", one("/v", "plain\n")) == Texts{"plain"});
  CHECK(values("  x: {file: /v, each: '^lib.+'}\n", one("/v", "liba.so\nlibb.so\n")) == Texts{"liba.so", "libb.so"});
  CHECK(values("  l: {file: /v, each: '^lib.+'}\n  x: {from: l, pattern: 'lib(b).*'}\n", one("/v", "liba\nlibb\n")) ==
        Texts{"b"});
  CHECK(values("  p: {env: DIR}\n  x: {file: $(p)/v}\n", Scene(one("/a/v", "in\n"), {{"Env", {"DIR=/a"}}})) ==
        Texts{"in"});
}

TEST_CASE("variables: environment, label, default, --set") {
  const Json config{{"Env", {"SITE=/usr/lib", "EMPTY="}}, {"Labels", {{"v", "1.2-x"}}}};
  CHECK(values("  x: {env: SITE}\n", Scene(LayerBuilder(), config)) == Texts{"/usr/lib"});
  CHECK(values("  x: {label: v, pattern: '^[^-]+'}\n", Scene(LayerBuilder(), config)) == Texts{"1.2"});
  CHECK(values("  x: {env: EMPTY, default: d}\n", Scene(LayerBuilder(), config)) == Texts{"d"});
  CHECK(values("  y: {env: SITE}\n  x: {env: NONE, default: $(y)/z}\n", Scene(LayerBuilder(), config)) ==
        Texts{"/usr/lib/z"});
  CHECK(values("  x: {file: /none, default: d}\n", Scene(LayerBuilder())) == Texts{"d"});
  Overrides set;
  set.variables["x"] = "a,b";
  CHECK(values("  x: {env: SITE}\n", Scene(LayerBuilder(), config), set) == Texts{"a,b"});
  CHECK(values("  x: {file: /none, each: a}\n", Scene(LayerBuilder(), config), set) == Texts{"a", "b"});
  set.variables["z"] = "";
  const Policy policy = load("variables: {zz: {env: A}}\n");
  CHECK_THROWS_WITH(verify_overrides(policy, set), Contains("no variable"));
}

TEST_CASE("what the image lacks is not found, what is damaged is an error, even with a default") {
  CHECK(values("  x: {file: /none}\n", Scene(LayerBuilder())) == Texts{missing, "variable 'x': no /none"});
  CHECK(values("  x: {env: NONE}\n", Scene(LayerBuilder()))[0] == missing);
  CHECK(values("  x: {label: none}\n", Scene(LayerBuilder()))[0] == missing);
  CHECK(values("  x: {file: /v, key: K}\n", one("/v", "A=1\n"))[0] == missing);
  CHECK(values("  x: {file: /v, key: K, default: d}\n", one("/v", "A=1\n")) == Texts{"d"});
  CHECK(values("  x: {file: /v, key: K, default: d}\n", one("/v", "<html>\n"))[0] == damaged);
  CHECK(values("  x: {file: /v, key: K, default: d}\n", one("/v", "K=1\nK=2\n"))[0] == damaged);
  CHECK(values("  x: {file: /v, pattern: '^\\d', default: d}\n", one("/v", "x\n"))[0] == damaged);
  CHECK(values("  x: {file: /v, default: d}\n", one("/v", "\n"))[0] == damaged);
  CHECK(values("  x: {file: /v, default: d}\n", one("/v", "a\nb\n"))[0] == damaged);
  CHECK(values("  x: {file: /v, default: d}\n", LayerBuilder().symlink("/v", "/gone"))[0] == damaged);
  CHECK(values("  x: {file: /v, default: d}\n", LayerBuilder().dir("/v"))[0] == damaged);
  CHECK(values("  x: {file: /v, pattern: '(?s).+'}\n", one("/v", std::string_view("a\0b", 3)))[0] == damaged);
  CHECK(values("  x: {file: /v, pattern: '(?s).+'}\n", one("/v", std::string(5000, 'a')))[0] == damaged);
  CHECK_THAT(values("  x: {file: /v, each: '^lib.+'}\n", one("/v", "liba\n\nlibb\n"))[1], Contains("line 2 of /v"));
  CHECK(values("  l: {file: /v, each: a}\n  x: {from: l, pattern: b}\n", one("/v", "a\n"))[0] == missing);
  CHECK_THAT(values("  l: {file: /v, each: a}\n  x: {from: l, pattern: b}\n", Scene(LayerBuilder()))[1],
             Contains("no /v"));
}

TEST_CASE("parameters are exact once the image is known") {
  const Policy policy = load(R"(variables:
  v: {file: /v, pattern: '^[\d.]+'}
  l: {file: /l, each: '^lib.+'}
files:
  s: {include: [/opt/r-$(v)/**], exclude: [/opt/r-$(v)/doc/**]}
checks:
  - {id: a, rule: same-file, with: {files: set:s, at_least: 2, allow_empty: true}}
  - {id: b, rule: same-file, with: {files: [/lib/$(l), /x], identity: inode}}
  - {id: c, rule: word, with: {word: v$(v), words: [$(l), z], content: '^$(v)$', deny: 'o+w'}}
  - {id: d, rule: word, with: {word: '$$(v)'}}
)");
  Scene scene(LayerBuilder().file("/v", "7.2\n").file("/l", "liba\nlibb\n"));
  const ImageView view = scene.view();
  Expansion expansion(policy, view);
  const Params a = expansion.params(policy.checks[0]);
  CHECK(texts_of(a.paths("files").include) == Texts{"/opt/r-7.2/**"});
  CHECK(texts_of(a.paths("files").exclude) == Texts{"/opt/r-7.2/doc/**"});
  CHECK(a.number("at_least") == 2);
  CHECK(a.flag("allow_empty"));
  const Params b = expansion.params(policy.checks[1]);
  CHECK(texts_of(b.paths("files").include) == Texts{"/lib/liba", "/lib/libb", "/x"});
  CHECK(b.text("identity") == "inode");
  const Params c = expansion.params(policy.checks[2]);
  CHECK(c.text("word") == "v7.2");
  CHECK(c.texts("words") == Texts{"liba", "libb", "z"});
  CHECK(c.text("content") == "^7\\.2$");
  CHECK(c.text("deny") == "o+w");
  CHECK(expansion.params(policy.checks[3]).text("word") == "$(v)");
}

TEST_CASE("bytes of the image are no pattern and lead nowhere else") {
  const auto ask = [](const std::string& variable, const std::string& path, std::string_view content) {
    const Policy policy =
        load("variables: {v: {" + variable + "}}\nchecks: [{id: a, rule: same-file, with: {files: '" + path + "'}}]\n");
    Scene scene(one("/v", content));
    const ImageView view = scene.view();
    Expansion expansion(policy, view);
    try {
      return texts_of(expansion.params(policy.checks[0]).paths("files").include)[0];
    } catch (const Error& e) {
      CHECK(e.kind() == ErrorKind::corrupt);
      return std::string("refused");
    }
  };
  CHECK(ask("file: /v", "/opt/r-$(v)/lib", "7*") == "/opt/r-7\\*/lib");
  CHECK(ask("file: /v", "/opt/$(v)/lib", "**") == "/opt/\\*\\*/lib");
  CHECK(ask("file: /v", "/opt/$(v)/lib", "[a]?\\") == "/opt/\\[a\\]\\?\\\\/lib");
  CHECK(ask("file: /v", "/opt/r-$(v)/lib", "7/../../etc") == "refused");
  CHECK(ask("file: /v", "/opt/r-$(v)/lib", "7/8") == "refused");
  CHECK(ask("file: /v", "/opt/$(v)/lib", "..") == "refused");
  CHECK(ask("file: /v", "/opt/$(v)/lib", ".") == "refused");
  CHECK(ask("file: /v", "/opt/$(v)./lib", ".") == "refused");
  CHECK(ask("file: /v", "$(v)/lib", "relative") == "refused");
  CHECK(ask("file: /v", "$(v)/lib", "/a/../b") == "refused");
  CHECK(ask("file: /v", "$(v)/lib", "/") == "refused");
  CHECK(ask("file: /v", "$(v)/lib", "/a//b") == "refused");
  CHECK(ask("file: /v", "$(v)/lib", "/usr/lib/") == "/usr/lib/lib");
  CHECK(ask("file: /v, pattern: '.+'", "/opt/$(v)/lib", "a/b") == "/opt/a/b/lib");
  CHECK(ask("file: /v, pattern: '.+'", "/opt/$(v)/lib", "a/../b") == "refused");
}

TEST_CASE("before the image is known, variables are wildcards and defaults narrow nothing") {
  const Policy policy = load(R"(variables:
  site: {env: SITE, default: /usr/lib}
  v: {file: /opt/rocm/.info/version, pattern: '^\d+'}
  l: {file: /l, each: '^lib[^/]+\.so\.\d+$'}
  g: {file: $(site)/g, pattern: 'x(.)'}
  unused: {file: /unused}
gates: {q: {detect: {file: /etc/q, matches: x}}}
checks:
  - {id: a, rule: same-file, with: {files: [$(site)/torch/lib/libtorch_cpu.so, '/lib/$(l)', '/opt/r-$(v)/**']}}
  - {id: b, rule: word, with: {word: a$(g), words: [$(l)], content: '^$(v)$'}}
  - {id: c, rule: same-file, with: {files: [$(site), '/x/$(v)*', '/y/$(v)$(g)', $(v)a/b]}}
)");
  const Texts a = texts_of(widened_params(policy, policy.checks[0]).paths("files").include);
  const auto has = [](const Texts& all, const std::string& text) {
    return std::find(all.begin(), all.end(), text) != all.end();
  };
  CHECK(has(a, "**/torch/lib/libtorch_cpu.so"));
  CHECK(has(a, "/lib/lib*"));
  CHECK(has(a, "**/lib*"));
  CHECK(has(a, "/opt/r-*/**"));
  const Params b = widened_params(policy, policy.checks[1]);
  CHECK(b.text("word") == "a*");
  CHECK(b.texts("words") == Texts{"lib*"});
  CHECK(b.text("content") == "^.*$");
  const Texts c = texts_of(widened_params(policy, policy.checks[2]).paths("files").include);
  CHECK(has(c, "**/*"));
  CHECK(has(c, "/x/*"));
  CHECK(has(c, "/y/*"));
  CHECK(has(c, "**/*a/b"));

  Demand demand;
  Plan plan(demand);
  plan_variables(policy, plan);
  demand.freeze();
  CHECK(plan.needs_layers());
  CHECK(plan.declared().has(FactKind::content));
  for (const char* path : {"/opt/rocm-7/.info/version", "/l", "/usr/lib/python3/g", "/etc/q"}) {
    INFO(path);
    CHECK(demand.wants_of(path).has(FactKind::content));
  }
  CHECK_FALSE(demand.wants_of("/unused").has(FactKind::content));
}

TEST_CASE("a policy without variables of files plans no layer") {
  Demand demand;
  Plan plan(demand);
  plan_variables(load("variables: {v: {env: X}}\nchecks: [{id: a, rule: word, with: {word: $(v)}}]\n"), plan);
  CHECK_FALSE(plan.needs_layers());
}

TEST_CASE("literal prefixes of patterns") {
  const auto prefix = [](const std::string& text) { return literal_prefix(compile_pattern(text, {})); };
  CHECK(prefix("^lib[^/]+$") == "lib");
  CHECK(prefix("^libhsa-runtime64\\.so\\.\\d+$") == "libhsa-runtime64.so.");
  CHECK(prefix("^\\d+").empty());
  CHECK(prefix("^(lib)x").empty());
  CHECK(prefix("^abc|^xyz").empty());
  CHECK(prefix(".*abc").empty());
  CHECK(prefix("(?i)^lib").empty());
}

TEST_CASE("a gate is on, off or unknown") {
  const std::string file = "file: /opt/rocm/.info/version";
  CHECK(gate(file, one("/opt/rocm/.info/version", "7.2\n")).state == State::on);
  CHECK(gate(file, one("/etc/x", "")).state == State::off);
  CHECK(gate(file, one("/etc/x", "")).text == "no /opt/rocm/.info/version");
  CHECK(gate(file, LayerBuilder().dir("/opt/rocm")).state == State::unknown);
  CHECK(gate(file, LayerBuilder().dir("/opt/other")).state == State::off);
  CHECK(gate(file, LayerBuilder().symlink("/opt/rocm", "/opt/rocm-7")).state == State::unknown);
  CHECK(gate(file, LayerBuilder().symlink("/opt/rocm/.info/version", "gone")).state == State::unknown);
  CHECK(gate(file, one("/opt/rocm", "a file")).state == State::unknown);
  CHECK(gate("file: /usr/lib/p/core", LayerBuilder().dir("/usr/lib/p")).state == State::off);
  CHECK(gate("file: /usr/lib/p", LayerBuilder().dir("/usr/lib/p")).state == State::on);

  const std::string matches = file + ", matches: '^7\\.2\\.4([+-]|$)'";
  const auto says = [&](std::string_view text) { return gate(matches, one("/opt/rocm/.info/version", text)); };
  CHECK(says("7.2.4-93\n").state == State::on);
  CHECK(says("7.2.4\n").state == State::on);
  CHECK(says("7.2.41\n").state == State::off);
  CHECK(says("7.2.41\n").text == "/opt/rocm/.info/version says '7.2.41'");
  CHECK(says("").state == State::unknown);
  CHECK(says("\n\n").state == State::unknown);
  CHECK(says(std::string_view("7.2.4\0x", 7)).state == State::unknown);
  CHECK(gate(matches, LayerBuilder().dir("/opt/rocm/.info/version")).state == State::unknown);
}

TEST_CASE("gates on environment, labels and variables") {
  const Json config{{"Env", {"ROCM=7.2"}}, {"Labels", {{"stack", "apt"}}}};
  CHECK(gate("env: ROCM", Scene(LayerBuilder(), config)).state == State::on);
  CHECK(gate("env: NONE", Scene(LayerBuilder(), config)).state == State::off);
  CHECK(gate("env: ROCM, matches: '^7'", Scene(LayerBuilder(), config)).state == State::on);
  CHECK(gate("env: ROCM, matches: '^8'", Scene(LayerBuilder(), config)).state == State::off);
  CHECK_THAT(gate("env: ROCM, matches: '^8'", Scene(LayerBuilder(), config)).text, !Contains("7.2"));
  CHECK(gate("label: stack, matches: apt", Scene(LayerBuilder(), config)).state == State::on);
  const std::string variable = "variables: {v: {file: /v, pattern: '^\\d+$'}}\n";
  CHECK(gate("variable: v, matches: '^7'", one("/v", "72"), variable).state == State::on);
  CHECK(gate("variable: v", Scene(LayerBuilder()), variable).state == State::off);
  CHECK(gate("variable: v", one("/v", "text"), variable).state == State::unknown);
  CHECK(gate("file: /d/$(v)", one("/v", "text"), variable).state == State::unknown);
  CHECK(gate("file: /d/$(v)", LayerBuilder().file("/v", "1").dir("/d/1"), variable).state == State::on);
}

TEST_CASE("a gate on a package asks dpkg's database") {
  const auto ask = [](const std::string& package, std::string_view status) {
    LayerBuilder layer;
    if (!status.empty()) layer.dir("/var/lib/dpkg/info").file("/var/lib/dpkg/status", status);
    return gate("package: '" + package + "'", std::move(layer)).state;
  };
  const std::string libdw =
      "Package: libdw1\nStatus: install ok installed\nArchitecture: amd64\nVersion: 0.188-2.1\n\n";
  CHECK(ask("libdw1", libdw) == State::on);
  CHECK(ask("libdw1t64 | libdw1", libdw) == State::on);
  CHECK(ask("libdw1 (>= 0.188)", libdw) == State::on);
  CHECK(ask("libdw1 (>= 0.189)", libdw) == State::off);
  CHECK(ask("libdw1:arm64", libdw) == State::off);
  CHECK(ask("libelf1", libdw) == State::off);
  CHECK(ask("libdw1", "Package: libdw1\nStatus: deinstall ok config-files\nVersion: 1\n\n") == State::off);
  CHECK(ask("libdw1", "no stanza at all\n") == State::unknown);
  CHECK(ask("libdw1", "") == State::off);
}

TEST_CASE("checks behind gates, and gates that demand something themselves") {
  const Policy policy = load(R"(gates:
  apt: {detect: {env: A}}
  wheel: {detect: {env: B}}
  odd: {detect: {file: /opt/x/y}}
  any_of: [wheel, odd]
  one_of: [apt, wheel]
checks:
  - {id: free, rule: word}
  - {id: one, rule: word, when: apt}
  - {id: two, rule: word, when: [apt, wheel]}
  - {id: three, rule: word, when: [wheel, odd]}
)");
  Scene scene(LayerBuilder().dir("/opt/x"), {{"Env", {"A=1"}}});
  const ImageView view = scene.view();
  Overrides overrides;
  Expansion plain(policy, view, overrides);
  CHECK(plain.applies(policy.checks[0]).state == State::on);
  CHECK(plain.applies(policy.checks[1]).state == State::on);
  CHECK(plain.applies(policy.checks[2]).state == State::off);
  CHECK(plain.applies(policy.checks[2]).text == "gate wheel: the image sets no environment variable B");
  CHECK(plain.applies(policy.checks[3]).state == State::unknown);
  const auto verdicts = plain.gate_verdicts();
  REQUIRE(verdicts.size() == 2);
  CHECK(verdicts[0].id == "gates:any_of");
  CHECK(verdicts[0].answer.outcome() == Outcome::error);  // the unknown one may be on
  CHECK(verdicts[1].answer.outcome() == Outcome::pass);

  overrides.gates["wheel"] = GateMode::required;
  overrides.gates["apt"] = GateMode::required;
  overrides.gates["odd"] = GateMode::required;
  Expansion strict(policy, view, overrides);
  std::map<std::string, Outcome> outcomes;
  for (const GateVerdict& verdict : strict.gate_verdicts()) outcomes[verdict.id] = verdict.answer.outcome();
  CHECK(outcomes.at("gate:wheel") == Outcome::fail);
  CHECK(outcomes.at("gate:apt") == Outcome::pass);
  CHECK(outcomes.at("gate:odd") == Outcome::error);

  Scene empty{LayerBuilder()};
  const ImageView nothing = empty.view();
  const auto none = Expansion(policy, nothing).gate_verdicts();
  CHECK(none[0].answer.outcome() == Outcome::fail);
  CHECK(none[1].answer.outcome() == Outcome::fail);
  Scene two(LayerBuilder(), {{"Env", {"A=1", "B=2"}}});
  const ImageView both = two.view();
  CHECK(Expansion(policy, both).gate_verdicts()[1].answer.outcome() == Outcome::fail);
}

TEST_CASE("a text that was not read yet leaves the view pending, and expanding again gives the value") {
  const Policy policy = load("variables: {x: {file: /v}}\n");
  LayerBuilder unread = one("/v", "7\n");
  unread.last_index().contents.clear();
  Scene before(unread);
  const ImageView pending = before.view();
  Expansion first(policy, pending);
  CHECK_THROWS(first.values("x"));
  CHECK(pending.pending());
  Scene after(one("/v", "7\n"));
  const ImageView read = after.view();
  CHECK(Expansion(policy, read).values("x") == Texts{"7"});
  CHECK_FALSE(read.pending());
}
