#include <catch2/catch.hpp>

#include <algorithm>

#include "base/base64.h"
#include "base/json.h"
#include "check/rule.h"

using namespace ocilint;
using Lines = std::vector<std::string>;
using Texts = std::vector<std::string>;

namespace {

// Made here, so that the source holds nothing that looks like a credential.
const std::string secret = std::string("Kx9") + "vT2" + "qLm7Rw" + "Zp4Ds";
const std::string leaky = "https://ci:" + secret + "@h.invalid/a";

/// An image of documents only.
struct Documents {
  Image image;

  explicit Documents(const Json& config) {
    image.config = Config::parse(config.dump());
    add(Document::Kind::config, image.config.raw);
  }
  Documents& add(Document::Kind kind, std::string text) {
    image.documents.push_back({kind, "sha256:made", std::move(text)});
    return *this;
  }

  Answer check(const Texts& never = {}, const Texts& allow = {}) const {
    const Rule& rule = *find_rule(all_rules(), "history-secrets");
    Params with(rule.doc.params);
    if (!never.empty()) with.set("never", never);
    if (!allow.empty()) with.set("allow", allow);
    Demand demand;
    Plan plan(demand);
    rule.plan(with, plan);
    REQUIRE_FALSE(plan.needs_layers());
    FactStore facts{std::deque<LayerIndex>{}};
    Scanned scanned{image, {}, nullptr, nullptr, image.oddities, facts, nullptr};
    scanned.layers.resize(image.config.diff_ids.size());
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
  const Documents image = documents(history({{{"created_by", "ADD rootfs /"}},
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
  CHECK(lines(documents({{"moby.buildkit.buildinfo.v1", encode_base64(build.dump())}}).check()) == Lines{"secret NPM_TOKEN"});
  const auto beside = [](Document::Kind kind, const Json& document) {
    return lines(Documents(Json::object()).add(kind, document.dump()).check({"SCCACHE_DOWNLOAD_URL"}));
  };
  CHECK(beside(Document::Kind::manifest, {{"annotations", {{"org.x.token", secret}}}}) == Lines{"secret org.x.token"});
  CHECK(beside(Document::Kind::index, {{"annotations", {{"from", leaky}}}}) == Lines{"secret from"});
  const std::string dockerfile = "FROM x\nARG A=1 \\\n    DB_PASSWORD=" + secret + "\n";
  CHECK(beside(Document::Kind::attestation, {{"source", {{"infos", {{{"data", encode_base64(dockerfile)}}}}}}}) ==
        Lines{"secret DB_PASSWORD"});
  const std::string statement = Json{{"args", {{"build-arg:SCCACHE_DOWNLOAD_URL", "https://h.invalid/x"}}}}.dump();
  CHECK(beside(Document::Kind::attestation, {{"payload", encode_base64(statement)}}) == Lines{"never SCCACHE_DOWNLOAD_URL"});
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
  const Documents image = documents({{"config", {{"Env", {"SCCACHE_DOWNLOAD_URL=https://h.invalid/x", "A_TOKEN=" + secret}}}}});
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
  REQUIRE(answer.coverage().size() == 1);
  CHECK(answer.coverage()[0].listed == 2);
  CHECK(answer.coverage()[0].done == 1);
  CHECK_FALSE(holds(whole(answer), secret));

  CHECK(documents({{"moby.buildkit.buildinfo.v1", "no base64!"}}).check().outcome() == Outcome::error);
  CHECK(documents({{"moby.buildkit.buildinfo.v1", encode_base64("no JSON")}}).check().outcome() == Outcome::error);

  Documents lost(Json::object());
  lost.image.oddities.push_back({"attestation-unreadable", "sha256:x", "it is not there"});
  CHECK(lost.check().outcome() == Outcome::error);
}
