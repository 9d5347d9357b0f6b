#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

#include "base/base64.h"
#include "base/error.h"
#include "base/json.h"
#include "check/rule.h"
#include "facts/secret_detectors.h"
#include "facts/secret_example.h"
#include "facts/secret_id.h"
#include "support/planted_secrets.h"

using namespace ocilint;
using test::planted;
using test::value_of;
using Lines = std::vector<std::string>;
using Texts = std::vector<std::string>;

namespace {

// Made here, so that the source holds nothing that looks like a credential.
const std::string secret = std::string("Kx9") + "vT2" + "qLm7Rw" + "Zp4Ds";
const std::string leaky = "https://ci:" + secret + "@h.invalid/a";

/// An image of documents only.
struct Documents {
  Image image;
  unsigned jobs = 1;

  explicit Documents(const Json& config) {
    image.config = Config::parse(config.dump());
    add(Document::Kind::config, image.config.raw);
  }
  Documents& add(Document::Kind kind, std::string text) {
    image.documents.push_back({kind, "sha256:made", std::move(text)});
    return *this;
  }

  Answer check(const Texts& never = {}, const Texts& allow = {}) const {
    std::map<std::string, ParamValue> values;
    if (!never.empty()) values["never"] = never;
    if (!allow.empty()) values["allow"] = allow;
    return check_with(values);
  }

  Answer check_with(const std::map<std::string, ParamValue>& values) const {
    const Rule& rule = *find_rule(all_rules(), "history-secrets");
    Params with(rule.doc.params);
    for (const auto& [name, value] : values) with.set(name, value);
    Demand demand;
    Plan plan(demand);
    rule.plan(with, plan);
    REQUIRE_FALSE(plan.needs_layers());
    FactStore facts{std::deque<LayerIndex>{}};
    Scanned scanned{image, {}, nullptr, nullptr, image.oddities, facts, nullptr};
    scanned.jobs = jobs;
    for (const Digest& diff_id : image.config.diff_ids)
      scanned.layers.push_back({Digest::sha256_of(diff_id.text()).text(), diff_id, "", true, 0});
    Answer answer;
    rule.check(with, ImageView(scanned, plan.declared()), answer);
    return answer;
  }
};

Documents documents(const Json& config) { return Documents(config); }

Lines lines(const Answer& answer) {
  Lines out;
  for (const Finding& finding : answer.findings()) out.push_back(finding.kind + " " + finding.subject);
  std::sort(out.begin(), out.end());
  return out;
}

std::string whole(const Answer& answer) {
  std::string out;
  for (const Finding& finding : answer.findings()) {
    out += finding.kind + "\n" + finding.subject + "\n" + finding.message + "\n" + finding.remedy + "\n";
    for (const std::string& detail : finding.details) out += detail + "\n";
  }
  for (const Evidence& evidence : answer.evidence()) out += evidence.text + "\n";
  for (const std::string& error : answer.errors()) out += error + "\n";
  return out;
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

Json history(const std::vector<Json>& entries) {
  Json config{{"history", entries}, {"rootfs", {{"type", "layers"}, {"diff_ids", Json::array()}}}};
  for (const Json& entry : entries)
    if (!entry.value("empty_layer", false))
      config["rootfs"]["diff_ids"].push_back(Digest::sha256_of(entry.dump()).text());
  return config;
}

}  // namespace

TEST_CASE("history-secrets: the layer of the history entry, and none of an empty one") {
  const Documents image =
      documents(history({{{"created_by", "ADD rootfs /"}},
                         {{"created_by", "ENV A_TOKEN=" + secret + "a"}, {"empty_layer", true}},
                         {{"created_by", "RUN |1 B_TOKEN=" + secret + "b /bin/sh -c make # buildkit"}}}));
  const Answer answer = image.check();
  REQUIRE(lines(answer) == Lines{"secret A_TOKEN", "secret B_TOKEN"});
  CHECK_FALSE(answer.findings()[0].layer);
  CHECK(answer.findings()[1].layer == 1u);
  CHECK(holds(answer.findings()[1].message, "history entry 2"));
  CHECK(holds(answer.findings()[1].remedy, "--mount=type=secret"));
  CHECK(holds(answer.findings()[1].remedy, "rotate"));
}

TEST_CASE("history-secrets: every surface of the config, by decoded strings") {
  const std::vector<std::pair<std::string, Json>> surfaces = {
      {"history entry 0, comment", {{"history", {{{"created_by", "x"}, {"comment", "from " + leaky}}}}}},
      {"history entry 0, author", {{"history", {{{"created_by", "x"}, {"author", leaky}}}}}},
      {"config Env", {{"config", {{"Env", {"A=" + leaky}}}}}},
      {"config Labels.src", {{"config", {{"Labels", {{"src", leaky}}}}}}},
      {"config Cmd", {{"config", {{"Cmd", {"sh", "-c", "curl " + leaky}}}}}},
      {"config Entrypoint", {{"config", {{"Entrypoint", {"curl", leaky}}}}}},
      {"config OnBuild", {{"config", {{"OnBuild", {"RUN curl " + leaky}}}}}},
      {"config Healthcheck.Test", {{"config", {{"Healthcheck", {{"Test", {"CMD", "curl", leaky}}}}}}}},
      {"config Shell", {{"config", {{"Shell", {"sh", leaky}}}}}},
      {"config container_config.Env", {{"container_config", {{"Env", {"A=" + leaky}}}}}},
      {"config author", {{"author", leaky}}},
      {"config unheard.of", {{"unheard", {{"of", {{{"deep", leaky}}}}}}}},
      {"config Labels", {{"config", {{"Labels", {{leaky, "x"}}}}}}},
      {"config Labels.project", {{"config", {{"Labels", {{"project", Json{{"source", {{"url", leaky}}}}.dump()}}}}}}},
  };
  for (const auto& [place, config] : surfaces) {
    INFO(place);
    const Answer answer = Documents(config).check();
    REQUIRE(answer.findings().size() == 1);
    CHECK(answer.findings()[0].kind == "secret");
    CHECK(holds(answer.findings()[0].message, "stands in " + place));
    CHECK_FALSE(holds(whole(answer), secret));
  }
}

TEST_CASE("history-secrets: manifests, indexes, build records and attestations") {
  const Json build = {{"attrs", {{"build-arg:NPM_TOKEN", secret}}}};
  CHECK(lines(documents({{"moby.buildkit.buildinfo.v1", encode_base64(build.dump())}}).check()) ==
        Lines{"secret NPM_TOKEN"});
  const auto beside = [](Document::Kind kind, const Json& document) {
    return lines(Documents(Json::object()).add(kind, document.dump()).check({"SCCACHE_DOWNLOAD_URL"}));
  };
  CHECK(beside(Document::Kind::manifest, {{"annotations", {{"org.x.token", secret}}}}) == Lines{"secret org.x.token"});
  CHECK(beside(Document::Kind::index, {{"annotations", {{"from", leaky}}}}) == Lines{"secret from"});
  const std::string dockerfile = "FROM x\nARG A=1 \\\n    DB_PASSWORD=" + secret + "\n";
  CHECK(beside(Document::Kind::attestation, {{"source", {{"infos", {{{"data", encode_base64(dockerfile)}}}}}}}) ==
        Lines{"secret DB_PASSWORD"});
  const std::string statement = Json{{"args", {{"build-arg:SCCACHE_DOWNLOAD_URL", "https://h.invalid/x"}}}}.dump();
  CHECK(beside(Document::Kind::attestation, {{"payload", encode_base64(statement)}}) ==
        Lines{"never SCCACHE_DOWNLOAD_URL"});
  CHECK(beside(Document::Kind::attestation, {{"meta", {{"env", {"SCCACHE_DOWNLOAD_URL=x"}}}}}) ==
        Lines{"never SCCACHE_DOWNLOAD_URL"});
  CHECK(beside(Document::Kind::attestation, {{"request", {{"secrets", {{{"id", "npm"}}}}}}}).empty());
}

TEST_CASE("history-secrets: one value in several places is one finding that lists them") {
  Json config = history({{{"created_by", "ARG NPM_TOKEN=" + secret}, {"empty_layer", true}},
                         {{"created_by", "|1 NPM_TOKEN=" + secret + " /bin/sh -c npm ci"}}});
  config["config"]["Env"] = {"NPM_TOKEN=" + secret, "OTHER_TOKEN=" + secret + "x"};
  const Answer answer = Documents(config).check();
  REQUIRE(lines(answer) == Lines{"secret NPM_TOKEN", "secret OTHER_TOKEN"});
  const auto found = std::ranges::find(answer.findings(), std::string("NPM_TOKEN"), &Finding::subject);
  CHECK(found->layer == 0u);
  std::string details;
  for (const std::string& detail : found->details) details += detail + "\n";
  CHECK(holds(details, "value: " + std::to_string(secret.size()) + " bytes"));
  CHECK(holds(details, "history entry 0: ARG NPM_TOKEN=[secret, " + std::to_string(secret.size()) + " bytes]"));
  CHECK(holds(details, "history entry 1: |1 NPM_TOKEN=[secret, "));
  CHECK(holds(details, "config Env: NPM_TOKEN=[secret, "));
}

TEST_CASE("history-secrets: a line shows no value that was found elsewhere, not even a part") {
  const std::string line = "RUN curl https://ci:" + secret + "@h.invalid/a " + std::string(30, '.');
  Json config = history({{{"created_by", line + secret + "z9 # " + secret + "z9"}}});
  config["config"]["Env"] = {"DB_PASSWORD=" + secret + "z9"};
  const std::string text = whole(Documents(config).check());
  CHECK_FALSE(holds(text, secret.substr(0, 8)));
}

TEST_CASE("history-secrets: never and allow") {
  const Documents image =
      documents({{"config", {{"Env", {"SCCACHE_DOWNLOAD_URL=https://h.invalid/x", "A_TOKEN=" + secret}}}}});
  CHECK(lines(image.check()) == Lines{"secret A_TOKEN"});
  CHECK(lines(image.check({"SCCACHE_DOWNLOAD_URL"}, {"A_TOKEN"})) == Lines{"never SCCACHE_DOWNLOAD_URL"});
  CHECK(image.check({}, {"A_TOKEN"}).outcome() == Outcome::pass);
  CHECK_FALSE(holds(whole(image.check({"SCCACHE_DOWNLOAD_URL"})), "h.invalid"));
}

TEST_CASE("history-secrets: what cannot be read is an error, whatever else was found") {
  Documents none(Json::object());
  none.image.documents.clear();
  CHECK(none.check().outcome() == Outcome::error);

  Documents broken(Json::object());
  broken.add(Document::Kind::attestation, "{\"a\": \"" + leaky + "\"");
  const Answer answer = broken.check();
  CHECK(answer.outcome() == Outcome::error);
  CHECK(answer.findings().size() == 1);
  REQUIRE(answer.coverage().size() == 2);
  CHECK(answer.coverage()[0].listed == 2);
  CHECK(answer.coverage()[0].done == 1);
  CHECK(answer.coverage()[1].what == "attestations");
  CHECK(answer.coverage()[1].listed == 1);
  CHECK(answer.coverage()[1].done == 0);
  CHECK_FALSE(holds(whole(answer), secret));

  CHECK(documents({{"moby.buildkit.buildinfo.v1", "no base64!"}}).check().outcome() == Outcome::error);
  CHECK(documents({{"moby.buildkit.buildinfo.v1", encode_base64("no JSON")}}).check().outcome() == Outcome::error);

  const Json envelope{
      {"payloadType", "application/vnd.in-toto+json"}, {"payload", "no base64!"}, {"signatures", Json::array()}};
  CHECK(Documents(Json::object()).add(Document::Kind::attestation, envelope.dump()).check().outcome() ==
        Outcome::error);

  Documents lost(Json::object());
  lost.image.oddities.push_back({"attestation-unreadable", "sha256:x", "it is not there"});
  CHECK(lost.check().outcome() == Outcome::error);
}

namespace {

std::string id_in(const Finding& finding) {
  constexpr std::string_view before = "value id: ";
  for (const std::string& detail : finding.details)
    if (detail.starts_with(before)) return detail.substr(before.size());
  return "";
}

}  // namespace

TEST_CASE("history-secrets: every detector of the table, in a history line, a variable and an attestation") {
  std::uint64_t seed = 77;
  for (const Detector& detector : secret_detectors()) {
    INFO(detector.id);
    ExampleRandom random(seed++);
    const SecretExample made = make_example(detector.example, random);
    const std::string value = made.text.substr(made.begin, made.end - made.begin);
    Json config = history({{{"created_by", "RUN /bin/sh -c echo " + made.text + " > /x # buildkit"}}});
    const Json statement{
        {"predicate", {{"invocation", {{"parameters", {{"args", {{"build-arg:NOTE", made.text}}}}}}}}}};
    Json variable;
    variable["config"]["Env"] = {"NOTE=" + made.text};
    for (const Documents& image : {Documents(config), Documents(variable),
                                   Documents(Json::object()).add(Document::Kind::attestation, statement.dump())}) {
      const Answer answer = image.check();
      CHECK(answer.findings().size() >= 1);
      CHECK_FALSE(holds(whole(answer), value));
      for (const Finding& finding : answer.findings()) CHECK(is_secret_id(id_in(finding)));
    }
  }
}

TEST_CASE("history-secrets: an id is equal for equal values, in any spelling, and says nothing without its salt") {
  const Documents image =
      documents({{"config", {{"Env", {"A_TOKEN=" + secret}}, {"Labels", {{"b.token", secret + "x"}}}}}});
  const Answer one = image.check_with({{"salt", std::string("ours")}}),
               two = image.check_with({{"salt", std::string("theirs")}});
  REQUIRE(one.findings().size() == 2);
  CHECK(id_in(one.findings()[0]) != id_in(one.findings()[1]));
  CHECK(id_in(one.findings()[0]) != id_in(two.findings()[0]));
  CHECK(id_in(image.check_with({{"salt", std::string("ours")}}).findings()[0]) == id_in(one.findings()[0]));
  for (const Answer* const answer : {&one, &two})
    for (const Finding& finding : answer->findings()) {
      REQUIRE(finding.content);
      CHECK(finding.content->has_id(id_in(finding)));
      CHECK_FALSE(finding.content->has_id("no id"));
    }
  CHECK(secret_id("0123456789abcdef", "a b%2Fc") == secret_id("0123456789abcdef", "\"ab/c\""));
  CHECK(secret_id("0123456789abcdef", "abc") != secret_id("0123456789abcdef", "abd"));
}

TEST_CASE("history-secrets: several threads make the same ids, and one value has one") {
  Json config;
  for (int i = 0; i < 12; ++i) {
    config["config"]["Env"].push_back("A" + std::to_string(i) + "_TOKEN=" + secret + std::to_string(i));
    config["config"]["Labels"]["b" + std::to_string(i) + ".token"] = secret + std::to_string(i % 3);
  }
  Documents image(config);
  const Answer one = image.check();
  image.jobs = 4;
  const Answer four = image.check();
  REQUIRE(one.findings().size() >= 12);
  REQUIRE(four.findings().size() == one.findings().size());
  for (std::size_t i = 0; i < one.findings().size(); ++i) {
    CHECK(id_in(four.findings()[i]) == id_in(one.findings()[i]));
    CHECK(four.findings()[i].content->has_id(id_in(four.findings()[i])));
  }
}

TEST_CASE("history-secrets: allowed by value, place and layer, but never is stronger") {
  Json config = history({{{"created_by", "RUN |1 B_TOKEN=" + secret + "b /bin/sh -c make # buildkit"}}});
  config["config"]["Env"] = {"A_TOKEN=" + secret};
  const Documents image(config);
  const Answer all = image.check();
  REQUIRE(lines(all) == Lines{"secret A_TOKEN", "secret B_TOKEN"});
  const auto found = std::ranges::find(all.findings(), std::string("A_TOKEN"), &Finding::subject);
  const Texts id{id_in(*found)};
  // The id holds also where other ids are made with another salt now.
  CHECK(lines(image.check_with({{"allow_values", id}, {"salt", std::string("new")}})) == Lines{"secret B_TOKEN"});
  CHECK(lines(image.check_with({{"allow_places", Texts{"config Env"}}})) == Lines{"secret B_TOKEN"});
  const Texts layer{image.image.config.diff_ids[0].text().substr(0, 24)};
  CHECK(lines(image.check_with({{"allow_layers", layer}})) == Lines{"secret A_TOKEN"});
  CHECK(image.check_with({{"allow_layers", layer}, {"allow_values", id}}).outcome() == Outcome::pass);
  CHECK(lines(image.check_with({{"allow_values", id}, {"never", Texts{"A_TOKEN"}}})) ==
        Lines{"never A_TOKEN", "secret B_TOKEN"});
  CHECK_THROWS_AS(image.check_with({{"allow_values", Texts{secret}}}), Error);
  CHECK_THROWS_AS(image.check_with({{"allow_layers", Texts{"sha256:12"}}}), Error);
}

TEST_CASE("history-secrets: detectors of the policy, and what they find is hidden everywhere") {
  const std::string token = "acme_" + std::string("00") + "17ab";
  const Documents image = documents({{"config", {{"Cmd", {"run", "--with", token}}}}});
  CHECK(image.check().outcome() == Outcome::pass);
  const Answer answer = image.check_with({{"known", Texts{"acme; acme_; (acme_[0-9a-f]+)"}}});
  REQUIRE(answer.findings().size() == 1);
  CHECK(holds(answer.findings()[0].subject, "acme"));
  CHECK(answer.hidden() == Texts{token});
  CHECK_FALSE(holds(whole(answer), token));
  CHECK_THROWS_AS(image.check_with({{"known", Texts{"acme; x; y"}}}), Error);
}

TEST_CASE("history-secrets: the name of an option and its value in two words of a command") {
  for (const std::string field : {"Cmd", "Entrypoint", "Shell"}) {
    INFO(field);
    const Json words = {"login", "--password", secret};
    CHECK(lines(documents({{"config", {{field, words}}}}).check()).size() == 1);
  }
  const Json meta{{"exec", {{"meta", {{"args", {"/bin/sh", "-c", "curl -u ci:" + secret + " https://h.invalid"}}}}}}};
  CHECK(lines(Documents(Json::object()).add(Document::Kind::attestation, meta.dump()).check()).size() == 1);
}

TEST_CASE("history-secrets: what is less sure than min_confidence is no finding, and is counted") {
  const Documents image(Json{
      {"config", {{"Env", {"DB_PASSWORD=" + secret, "URL=" + leaky, "CI=" + value_of(planted("github-token", 7))}}}}});
  const Answer all = image.check(), high = image.check_with({{"min_confidence", std::string("high")}});
  REQUIRE(all.findings().size() == 3);
  CHECK(std::ranges::count(all.findings()[0].details, "confidence: medium") == 1);
  CHECK(all.findings()[0].confidence == Confidence::medium);
  REQUIRE(high.findings().size() == 1);
  CHECK(high.findings()[0].subject == "CI");
  CHECK(std::ranges::count(high.findings()[0].details, "confidence: high") == 1);
  REQUIRE(high.evidence().size() == 2);
  CHECK(high.evidence()[1].text == "2 of less than high confidence left out by min_confidence");
  CHECK(all.evidence().size() == 1);
  // A variable that must not be there is certain.
  const Answer never = image.check_with({{"min_confidence", std::string("certain")}, {"never", Texts{"DB_PASSWORD"}}});
  REQUIRE(never.findings().size() == 1);
  CHECK(never.findings()[0].kind == "never");
}

TEST_CASE("history-secrets: what is fine in real images stays silent") {
  const std::string digest = Digest::sha256_of("x").hex();
  const std::vector<std::string> fine = {
      "ARG NPM_TOKEN",
      "/bin/sh -c #(nop)  ARG GITHUB_TOKEN",
      "ENV GITHUB_TOKEN=",
      "RUN |1 GITHUB_TOKEN= /bin/sh -c make",
      "RUN /bin/sh -c --mount=type=secret,id=token,target=/run/secrets/token cat /run/secrets/token",
      "RUN /bin/sh -c curl -H \"Authorization: Bearer ${TOKEN}\" https://h.invalid # buildkit",
      "RUN /bin/sh -c docker login -u ci --password-stdin < /run/secrets/p # buildkit",
      "RUN /bin/sh -c curl -u \"$USER:$PASSWORD\" https://h.invalid # buildkit",
      "RUN /bin/sh -c git clone https://x-access-token:$TOKEN@git.invalid/r.git # buildkit",
      "ENV GPG_KEY=" + digest.substr(0, 40),
      "ENV NODE_SHA256=" + digest,
      "LABEL org.opencontainers.image.revision=" + digest.substr(0, 40),
      "/bin/sh -c #(nop) COPY file:" + digest + " in /etc/x ",
      "ENV SSH_PUBLIC_KEY=ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI",
      "RUN /bin/sh -c apt-get install -y libsecret-1-0=0.20.5-3 python3-keyring=23.9.3-2 libpam-passwdqc=2.0.2-1 # buildkit",
      "RUN /bin/sh -c apk add libcrypto3=3.1.4-r1 # buildkit",
      "ENV AWS_ACCESS_KEY_ID=AKIA" + std::string("IOSFODNN7EXAMPLE"),
      "ENV DB_PASSWORD=changeme",
      "ENV DB_PASSWORD=******",
      "ENV DB_PASSWORD_FILE=/run/secrets/db",
      "ENV TOKEN_TTL=3600",
      "LABEL url=https://user:password@git.invalid/r",
      "LABEL url=https://xxxxx:xxxxx@git.invalid/r",
      "ENV AUTH_TYPE=oauth2-client-7",
      "RUN /bin/sh -c echo \"-----BEGIN RSA PRIVATE KEY-----\" | grep -q KEY # buildkit",
      "ENV SECRET_NAME=projects/7/x-prod-9",
      "bazel build //images:server",
      "ko build ko://git.invalid/cmd/app",
      "jib-maven-plugin:3.4.0",
      "apko",
      "kaniko"};
  for (const std::string& line : fine) {
    INFO(line);
    CHECK(lines(documents(history({{{"created_by", line}, {"comment", line}}})).check()).empty());
  }
}

TEST_CASE("history-secrets: what says until when it is good") {
  ExampleRandom random(40);
  const std::string made = make_example(DetectorSet::standard().find("azure-sas-url")->example, random).text;
  const std::string payload = encode_base64(R"({"sub":"continuous-integration","exp":1700000000})");
  const std::string token = "eyJhbGciOiJIUzI1NiJ9." + payload.substr(0, payload.find('=')) + "." + secret + secret;
  const Json config{{"created", "2026-01-01T00:00:00Z"},
                    {"history",
                     {{{"created_by", "RUN curl -o f '" + made + "' && x # buildkit"}},
                      {{"created_by", "RUN T=" + token + " deploy"}}}}};
  const Answer answer = Documents(config).check();
  REQUIRE(answer.findings().size() == 2);
  const auto says = [&](std::string_view text) {
    return std::ranges::any_of(answer.findings(),
                               [&](const Finding& finding) { return finding.message.ends_with(text); });
  };
  CHECK(says(": good until 2031-01-01T00:00:00Z by its own words"));
  CHECK(says(": expired at 2023-11-14T22:13:20Z by its own words, before the image was made"));
  for (const Finding& finding : answer.findings())
    CHECK((finding.severity == Severity::note) == (finding.message.find(": expired") != std::string::npos));
}
