#include <catch2/catch.hpp>

#include "check/config_term.h"
#include "check/environment.h"
#include "support/check_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

using Lines = std::vector<std::string>;

CheckResult checked(const std::string& with, const std::string& config,
                    const std::string& layers = "[{files: {/a: x}}]") {
  const ImageResult result = run_on(describe_image("{config: " + config + ", layers: " + layers + "}"),
                                    run_options(policy_of("image-config", with)));
  const CheckResult* const check = find_check(result, "tested");
  REQUIRE(check != nullptr);
  return *check;
}

Lines found(const std::string& with, const std::string& config, const std::string& layers = "[{files: {/a: x}}]") {
  return lines_of(checked(with, config, layers));
}

bool says(const CheckResult& check, std::string_view part) {
  for (const Evidence& evidence : check.evidence)
    if (evidence.text.find(part) != std::string::npos) return true;
  for (const ReportedFinding& reported : check.findings)
    for (const std::string& detail : reported.finding.details)
      if (detail.find(part) != std::string::npos) return true;
  return false;
}

const Lines pass{"pass"};

}  // namespace

TEST_CASE("config terms: NAME, NAME=VALUE, NAME~REGEX") {
  const auto fits = [](std::string_view term, std::string_view value) { return ConfigTerm::parse(term).fits(value); };
  CHECK(fits("A", "x"));
  CHECK_FALSE(fits("A", ""));
  CHECK(fits("A=", ""));
  CHECK_FALSE(fits("A=", "x"));
  CHECK(fits("A=b=c~d", "b=c~d"));
  CHECK(fits("A~^b.$", "bc"));
  CHECK(fits("A~", ""));
  CHECK_FALSE(fits("A~^b$", "bb"));
  // A line of a value is not the value.
  CHECK_FALSE(fits("A~^b$", "b\nc"));
  CHECK_FALSE(fits("A~^b$", "c\nb"));
  CHECK_FALSE(fits("A~^(b|d)$", "b\nd"));

  const auto names = [](std::string_view term, std::string_view name) { return ConfigTerm::parse(term).names(name); };
  CHECK(names("A", "A"));
  CHECK_FALSE(names("A", "AB"));
  CHECK(names("A*", "A"));
  CHECK(names("A*", "AB"));
  CHECK(names("*_TOKEN", "X_TOKEN"));
  CHECK_FALSE(names("*_TOKEN", "X_TOKENS"));
  CHECK(names("*A*B*", "xAyAzBw"));
  CHECK_FALSE(names("*A*B*", "xBxA"));
  for (const char* const text : {"", "=x", "~x", "A~("}) CHECK_THROWS_AS(ConfigTerm::parse(text), Error);
}

TEST_CASE("environment: the last of several entries counts, an entry without = has no value") {
  Config config;
  config.env = {"A=1", "B=x=y", "A=2", "C", "=odd"};
  const Environment environment(config);
  CHECK(environment.find("A")->value == "2");
  CHECK(environment.find("A")->entries == 2);
  CHECK(environment.find("B")->value == "x=y");
  CHECK(environment.find("C")->value.empty());
  CHECK(environment.find("D") == nullptr);
}

TEST_CASE("image-config: required variables") {
  CHECK(found("{env: [A, B=2, 'C~^x', D=]}", "{env: [A=1, B=2, C=xy, D=]}") == pass);
  CHECK(found("{env: [A]}", "{env: [A=]}") == Lines{"value A"});
  CHECK(found("{env: [A]}", "{env: [B=1]}") == Lines{"unset A"});
  CHECK(found("{env: [B=2]}", "{env: [B=3]}") == Lines{"value B"});
  CHECK(found("{env: ['B~^[0-9]$']}", "{env: [B=33]}") == Lines{"value B"});
  CHECK(found("{env: ['X_*=1']}", "{env: [X_A=0, X_B=1]}") == pass);
  CHECK(found("{env: ['X_*=1']}", "{env: [X_A=0, X_B=2]}") == Lines{"value X_B"});
  // An earlier entry does not count, whatever it says.
  CHECK(found("{env: [A=1]}", "{env: [A=1, A=2]}") == Lines{"value A"});
  const CheckResult last = checked("{env: [A=2]}", "{env: [A=1, A=2]}");
  CHECK(lines_of(last) == pass);
  CHECK(says(last, "the last of 2 entries"));
}

TEST_CASE("image-config: forbidden variables, and those that must be empty") {
  CHECK(found("{env_forbidden: [A]}", "{env: [B=1]}") == pass);
  CHECK(found("{env_forbidden: [A]}", "{env: [A=]}") == Lines{"forbidden A"});
  CHECK(found("{env_forbidden: [A]}", "{env: [A]}") == Lines{"forbidden A"});
  CHECK(found("{env_forbidden: [A=1]}", "{env: [A=2]}") == pass);
  CHECK(found("{env_forbidden: ['A~x']}", "{env: [A=axb]}") == Lines{"forbidden A"});
  CHECK(found("{env_forbidden: [AWS_*]}", "{env: [AWS_A=1, B=1, AWS_B=]}") ==
        Lines{"forbidden AWS_A", "forbidden AWS_B"});
  CHECK(found("{env_empty_or_absent: [SCCACHE_*]}", "{env: [SCCACHE_A=, B=1]}") == pass);
  CHECK(found("{env_empty_or_absent: [SCCACHE_*]}", "{env: [SCCACHE_A=1, SCCACHE_B=2]}") ==
        Lines{"not-empty SCCACHE_A", "not-empty SCCACHE_B"});
  CHECK(found("{env_empty_or_absent: [A=1]}", "{env: [B=1]}").front().starts_with("error"));
}

TEST_CASE("image-config: a finding quotes the history line that set the variable, and no value that is forbidden") {
  const ImageResult result =
      run_on(describe_image("{config: {env: [A=hidden]}, layers: [{run: 'ENV A=old', files: {/a: x}}, "
                            "{run: 'ENV B=1 A=hidden', files: {/b: x}}]}"),
             run_options(policy_of("image-config", "{env: [A=wanted]}")));
  CHECK(says(*find_check(result, "tested"), "history entry 1: ENV B=1 A=hidden"));
  CHECK_FALSE(says(checked("{env_forbidden: [A]}", "{env: [A=hidden]}"), "hidden"));
}

TEST_CASE("image-config: lists of folders") {
  const auto list = [](const std::string& entry, const std::string& more = "") {
    return found("{path_lists: [" + entry.substr(0, entry.find('=')) + "]" + more + "}", "{env: ['" + entry + "']}",
                 "[{directories: [/d], files: {/d/f: x, /z.zip: x}, links: {/l: d, /broken: no}}]");
  };
  CHECK(list("PATH=/usr/bin:/bin") == pass);
  CHECK(list("OTHER_NAME") == pass);  // set without a value
  CHECK(list("LD_LIBRARY_PATH=") == pass);
  CHECK(list("PATH=") == Lines{"empty-element PATH"});
  for (const char* const value : {":/d", "/d:", "/d::/e", ":"})
    for (const std::string name : {"PATH", "LD_LIBRARY_PATH", "PYTHONPATH"})
      CHECK(list(name + "=" + value) == Lines{"empty-element " + name});
  CHECK(list("LD_LIBRARY_PATH=/d;") == Lines{"empty-element LD_LIBRARY_PATH"});
  CHECK(list("PATH=/d;") == pass);
  CHECK(list("PATH=/d:bin:.") == Lines{"relative-element PATH", "relative-element PATH"});
  const std::string there = ", directories_exist: true";
  CHECK(list("PATH=/d:/l", there) == pass);
  CHECK(list("PATH=/d:/no", there) == Lines{"no-directory PATH"});
  CHECK(list("PATH=/broken", there) == Lines{"no-directory PATH"});
  CHECK(list("PATH=/z.zip", there) == Lines{"no-directory PATH"});
  CHECK(list("PYTHONPATH=/z.zip:/d", there) == pass);
  CHECK(found("{path_lists: [PATH]}", "{}") == pass);
  CHECK(found("{directories_exist: true}", "{}").front().starts_with("error"));
}

TEST_CASE("image-config: paths that variables name") {
  const std::string layers = "[{files: {/etc/k.conf: x}, links: {/etc/l.conf: gone}}]";
  CHECK(found("{env_paths: [K]}", "{env: [K=/etc/k.conf]}", layers) == pass);
  CHECK(found("{env_paths: [K]}", "{}", layers) == pass);
  CHECK(found("{env_paths: [K]}", "{env: [K=/etc/none]}", layers) == Lines{"no-path K"});
  CHECK(found("{env_paths: [K]}", "{env: [K=/etc/l.conf]}", layers) == Lines{"no-path K"});
  CHECK(found("{env_paths: [K]}", "{env: [K=k.conf]}", layers) == Lines{"no-path K"});
}

TEST_CASE("image-config: labels") {
  CHECK(found("{labels: [v, r=1, 's~^[0-9a-f]+$']}", "{labels: {v: x, r: '1', s: beef}}") == pass);
  CHECK(found("{labels: [v]}", "{labels: {v: ''}}") == Lines{"value v"});
  CHECK(found("{labels: [v]}", "{}") == Lines{"unset v"});
  CHECK(found("{labels: [r=1]}", "{labels: {r: '2'}}") == Lines{"value r"});
  CHECK(found("{labels_forbidden: ['internal.*']}", "{labels: {internal.a: '', b: x}}") ==
        Lines{"forbidden internal.a"});
  CHECK(found("{labels_forbidden: ['internal.*']}", "{labels: {b: x}}") == pass);
}

TEST_CASE("image-config: what is started, ports, volumes, health check") {
  const std::string config =
      "{user: app, entrypoint: [/bin/sh, -c], cmd: [serve], working_dir: /srv, stop_signal: SIGQUIT, "
      "ports: [80/tcp, 53/udp], volumes: [/data], healthcheck: [CMD, true]}";
  CHECK(
      found("{user: '^app$', entrypoint: '^/bin/sh -c$', cmd: serve, working_dir: '^/srv$', stop_signal: '^SIGQUIT$', "
            "ports: ['80', 53/udp], volumes: [/data], healthcheck: required}",
            config) == pass);
  CHECK(found("{user: '^web$', cmd: '^$', ports: ['53', '80'], volumes: [none], healthcheck: forbidden}", config) ==
        Lines{"value User", "value Cmd", "forbidden 53/udp", "forbidden /data", "forbidden Healthcheck"});
  CHECK(found("{entrypoint: '.', healthcheck: required}", "{}") == Lines{"unset Entrypoint", "unset Healthcheck"});
  CHECK(found("{healthcheck: required}", "{healthcheck: [NONE]}") == Lines{"unset Healthcheck"});
  CHECK(found("{healthcheck: forbidden, ports: [none], volumes: [none], cmd: '^$'}", "{healthcheck: [NONE]}") == pass);
}

TEST_CASE("image-config: programs, the working directory and the user exist") {
  const std::string layers =
      "[{directories: [/srv], files: {/usr/bin/tool: {content: x, mode: '755'}, /usr/bin/plain: x, /srv/run: {content: x, mode: "
      "'755'}, /etc/passwd: \"root:x:0:0::/:/bin/sh\\napp:x:7:7::/:/bin/sh\\n\", /etc/group: \"app:x:7:\\n\"}, "
      "links: {/bin: usr/bin, /usr/bin/alias: tool, /usr/bin/loose: gone}}]";
  const auto started = [&](const std::string& config) { return found("{programs_exist: true}", config, layers); };
  CHECK(started("{}") == pass);
  CHECK(started("{cmd: [tool], env: [PATH=/bin]}") == pass);
  CHECK(started("{cmd: [tool]}") == pass);  // the PATH of engines
  CHECK(started("{cmd: [alias, x]}") == pass);
  CHECK(started("{entrypoint: [/bin/tool], cmd: [none]}") == pass);
  CHECK(started("{cmd: [./run], working_dir: /srv}") == pass);
  CHECK(started("{cmd: [./run]}") == Lines{"no-program ./run"});
  CHECK(started("{cmd: [run], env: ['PATH=:srv:/bin'], working_dir: /srv}") == Lines{"no-program run"});
  CHECK(started("{cmd: [tool], env: [PATH=/sbin]}") == Lines{"no-program tool"});
  CHECK(started("{cmd: [plain]}") == Lines{"no-program plain"});
  CHECK(started("{cmd: [loose]}") == Lines{"no-program loose"});
  CHECK(started("{entrypoint: [/srv]}") == Lines{"no-program /srv"});
  CHECK(started("{cmd: ['']}") != pass);
  CHECK(started("{working_dir: /none}") == Lines{"no-directory WorkingDir"});
  CHECK(started("{working_dir: /usr/bin/tool}") == Lines{"no-directory WorkingDir"});
  CHECK(started("{user: app}") == pass);
  CHECK(started("{user: 'app:app'}") == pass);
  CHECK(started("{user: '12:34'}") == pass);
  CHECK(started("{user: web}") == Lines{"no-user web"});
  CHECK(started("{user: 'app:web'}") == Lines{"no-user web"});
  CHECK(says(checked("{programs_exist: true}", "{cmd: [plain], env: [PATH=/usr/bin]}", layers),
             "/usr/bin/plain: mode 0644, nobody may execute it"));
}

TEST_CASE("image-config: what only the config says reads no layer, and a check that states nothing proves nothing") {
  const ImageResult result = run_on(describe_image("{config: {env: [A=1]}, layers: [{files: {/a: x}}]}"),
                                    run_options(policy_of("image-config", "{env: [A=1], path_lists: [PATH]}")));
  CHECK_FALSE(result.ledger.layers_needed);
  CHECK(find_check(result, "tested")->outcome == Outcome::pass);
  CHECK(checked("{}", "{env: [A=1]}").outcome == Outcome::error);
}

TEST_CASE("image-config: a variable that must go with a state of the image is said with a gate") {
  const std::string policy =
      "policy: test\nlanguage: 1\nsummary: a test\ngates: {patched: {detect: {file: /opt/patched}}}\n"
      "checks:\n- {id: tested, rule: image-config, when: patched, with: {env: [MODE=1]}}\n"
      "- {id: always, rule: image-config, with: {env_forbidden: [X]}}\n";
  const auto outcome = [&](const std::string& image) {
    return find_check(run_on(describe_image(image), run_options(policy)), "tested")->outcome;
  };
  CHECK(outcome("{layers: [{files: {/opt/stock: x}}]}") == Outcome::not_applicable);
  CHECK(outcome("{layers: [{files: {/opt/patched: x}}]}") == Outcome::fail);
  CHECK(outcome("{config: {env: [MODE=1]}, layers: [{files: {/opt/patched: x}}]}") == Outcome::pass);
}

TEST_CASE("image-config: path_lists and env_paths take names, and a pattern is no name that is not set") {
  const std::string config = "{env: ['MY_PATH=relative', 'A=/none']}";
  for (const char* const with : {"{path_lists: ['*_PATH']}", "{path_lists: ['MY_PATH=x']}", "{env_paths: ['A*']}"}) {
    const CheckResult check = checked(with, config);
    CHECK(check.outcome == Outcome::error);
    REQUIRE_FALSE(check.errors.empty());
    CHECK(check.errors.front().find("is no name of a variable") != std::string::npos);
  }
}

TEST_CASE("image-config: of a secret that was cut for the report nothing is left") {
  std::string secret;
  for (int i = 0; secret.size() < 300; ++i) secret += "Kx9v" + std::to_string(i * 7919 + 17) + "Tq";
  const auto shown = [&](const std::string& rule, const std::string& with) {
    const ImageResult result =
        run_on(describe_image("{config: {env: ['API_TOKEN=" + secret + "'], labels: {api_token: '" + secret +
                              "'}}, layers: [{run: 'RUN API_TOKEN=" + secret + " make', files: {/a: x}}]}"),
               run_options(policy_of(rule, with)));
    const CheckResult* const check = find_check(result, "tested");
    REQUIRE(check != nullptr);
    std::string out;
    for (const Evidence& evidence : check->evidence) out += evidence.text + "\n";
    for (const ReportedFinding& reported : check->findings) {
      out += reported.finding.subject + "\n" + reported.finding.message + "\n";
      for (const std::string& detail : reported.finding.details) out += detail + "\n";
    }
    REQUIRE_FALSE(out.empty());
    return out;
  };
  const std::string start = secret.substr(0, 8);
  CHECK(shown("image-config", "{env: [API_TOKEN], labels: [api_token]}").find(start) == std::string::npos);
  CHECK(shown("image-config", "{env: [API_TOKEN=x], labels: [api_token=x]}").find(start) == std::string::npos);
  CHECK(shown("values-agree", "{values: [{env: API_TOKEN}, {label: api_token}]}").find(start) == std::string::npos);
  CHECK(shown("values-agree", "{values: [{env: API_TOKEN, pattern: '^no'}, {label: api_token}]}").find(start) ==
        std::string::npos);
  CHECK(shown("history-lines", "{required: [make], forbidden: [make]}").find(start) == std::string::npos);
}
