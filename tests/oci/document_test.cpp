#include <catch2/catch.hpp>

#include "base/error.h"
#include "oci/config.h"
#include "oci/legacy.h"
#include "base/json.h"
#include "oci/manifest.h"

using namespace ocilint;

namespace {

const std::string digest = Digest::sha256_of("x").text();

Json blob(const std::string& type) { return {{"mediaType", type}, {"digest", digest}, {"size", 1U}}; }

Json manifest_json() {
  return {{"schemaVersion", 2},
          {"mediaType", "application/vnd.oci.image.manifest.v1+json"},
          {"config", blob("application/vnd.oci.image.config.v1+json")},
          {"layers", {blob("application/vnd.oci.image.layer.v1.tar+gzip")}}};
}

template <typename Document>
std::optional<ErrorKind> refusal(const Json& json, std::string_view type = {}) {
  try {
    (void)Document::parse(json.dump(), type);
  } catch (const Error& e) {
    return e.kind();
  }
  return std::nullopt;
}

Json with(Json json, const char* key, Json value) {
  json[key] = std::move(value);
  return json;
}

}  // namespace

TEST_CASE("manifest: is parsed and keeps its bytes") {
  const std::string raw = manifest_json().dump();
  const Manifest manifest = Manifest::parse(raw, "application/vnd.oci.image.manifest.v1+json");
  CHECK(manifest.raw == raw);
  CHECK(manifest.layers.size() == 1);
  CHECK(manifest.config.digest.text() == digest);
  CHECK(manifest.is_image());
  CHECK_FALSE(manifest.subject);
}

TEST_CASE("manifest: what is two documents at once is refused (CVE-2021-41190)") {
  CHECK(refusal<Manifest>(with(manifest_json(), "manifests", Json::array())) == ErrorKind::corrupt);
  const Json index{{"schemaVersion", 2}, {"manifests", Json::array()}};
  CHECK_FALSE(refusal<Index>(index));
  CHECK(refusal<Index>(with(index, "layers", Json::array())) == ErrorKind::corrupt);
  CHECK(refusal<Index>(with(index, "config", blob("x"))) == ErrorKind::corrupt);
  CHECK(refusal<Index>(with(index, "Layers", Json::array())) == ErrorKind::corrupt);
  CHECK(refusal<Manifest>(manifest_json(), "application/vnd.oci.image.index.v1+json") == ErrorKind::corrupt);
  CHECK(refusal<Index>(with(index, "mediaType", "application/vnd.oci.image.manifest.v1+json")) == ErrorKind::corrupt);
}

TEST_CASE("manifest: malformed descriptors are refused") {
  for (const Json& size : {Json(-1), Json(1.0), Json("1"), Json(true), Json(nullptr), Json(1ULL << 60)}) {
    Json json = manifest_json();
    json["layers"][0]["size"] = size;
    CHECK(refusal<Manifest>(json) == ErrorKind::corrupt);
  }
  for (const char* text : {"", "sha256:..", "md5:00", "sha256:../../etc/passwd"}) {
    Json json = manifest_json();
    json["config"]["digest"] = text;
    CHECK(refusal<Manifest>(json) == ErrorKind::corrupt);
  }
  CHECK(refusal<Manifest>(with(manifest_json(), "config", nullptr)) == ErrorKind::corrupt);
  CHECK(refusal<Manifest>(with(manifest_json(), "layers", {{"a", 1}})) == ErrorKind::corrupt);
  CHECK(refusal<Manifest>(with(manifest_json(), "schemaVersion", 1)) == ErrorKind::unsupported);
  CHECK(refusal<Manifest>(with(manifest_json(), "schemaVersion", 3)) == ErrorKind::corrupt);
  CHECK(refusal<Manifest>(Json::array()) == ErrorKind::corrupt);
}

TEST_CASE("manifest: lists are limited") {
  Json layers = Json::array();
  for (std::size_t i = 0; i <= max_layers; ++i) layers.push_back(blob("x"));
  CHECK(refusal<Manifest>(with(manifest_json(), "layers", layers)) == ErrorKind::limit);
  Json manifests = Json::array();
  for (std::size_t i = 0; i <= max_manifests; ++i) manifests.push_back(blob("x"));
  CHECK(refusal<Index>({{"manifests", manifests}}) == ErrorKind::limit);
}

TEST_CASE("manifest: an artifact is no image") {
  const auto is_image = [](const Json& json) { return Manifest::parse(json.dump()).is_image(); };
  CHECK_FALSE(is_image(with(manifest_json(), "config", blob("application/vnd.oci.empty.v1+json"))));
  Json signature = manifest_json();  // cosign: an image config, but no tar
  signature["layers"].push_back(blob("application/vnd.dev.cosign.simplesigning.v1+json"));
  CHECK_FALSE(is_image(signature));
  CHECK(is_image(with(manifest_json(), "layers", nullptr)));
  CHECK(is_image(with(manifest_json(), "config", blob("application/vnd.docker.container.image.v1+json"))));
}

TEST_CASE("manifest: null lists are empty lists") {
  CHECK(Index::parse(R"({"schemaVersion":2,"manifests":null})").manifests.empty());
}

TEST_CASE("media type: layers") {
  const std::string oci = "application/vnd.oci.image.layer.v1.tar";
  const std::string docker = "application/vnd.docker.image.rootfs.diff.tar";
  CHECK(media_type::compression(oci) == "");
  CHECK(media_type::compression(oci + "+gzip") == "gzip");
  CHECK(media_type::compression(oci + "+zstd") == "zstd");
  CHECK(media_type::compression(docker + ".gzip") == "gzip");
  CHECK(media_type::compression(docker + ".zstd") == "zstd");
  CHECK(media_type::compression(oci + "+gzip+encrypted") == "gzip");
  CHECK_FALSE(media_type::compression("text/plain"));
  CHECK_FALSE(media_type::compression(oci + "+lz4"));
  CHECK(media_type::is_layer("application/vnd.oci.image.layer.nondistributable.v1.tar+gzip"));
  CHECK(media_type::is_foreign_layer("application/vnd.docker.image.rootfs.foreign.diff.tar.gzip"));
  CHECK_FALSE(media_type::is_foreign_layer(oci));
  CHECK(media_type::is_encrypted(oci + "+gzip+encrypted"));
  CHECK_FALSE(media_type::is_layer(oci + "+gzip+encrypted"));
  CHECK_FALSE(media_type::is_layer(oci + "x"));
  CHECK(media_type::is_file_system("application/vnd.erofs.layer.v1"));
  CHECK(media_type::is_file_system("application/vnd.sylabs.image.layer.v1.squashfs"));
}

TEST_CASE("descriptor: an attestation says so twice") {
  Json json = blob("application/vnd.oci.image.manifest.v1+json");
  json["annotations"] = {{"vnd.docker.reference.type", "attestation-manifest"}};
  json["platform"] = {{"os", "linux"}, {"architecture", "amd64"}};
  CHECK_FALSE(Descriptor::parse(json).is_attestation());
  json["platform"] = {{"os", "unknown"}, {"architecture", "unknown"}};
  CHECK(Descriptor::parse(json).is_attestation());
  json.erase("annotations");
  CHECK_FALSE(Descriptor::parse(json).is_attestation());
}

TEST_CASE("config: known fields, in Docker's spellings") {
  const Config config = Config::parse(R"({"os":"linux","architecture":"arm","variant":"v7","created":"2024",
    "config":{"User":"1:2","Env":["A=1","PATH=/bin","A=2","B"],"Entrypoint":["/e"],"Cmd":"one","Labels":{"k":"v"},
      "ExposedPorts":{"80/tcp":{}},"Volumes":{"/v":{}},"WorkingDir":"/w","StopSignal":"TERM","OnBuild":["RUN x"],
      "Shell":["/bin/bash","-c"],"Healthcheck":{"Test":["CMD","true"]}},
    "rootfs":{"type":"layers","diff_ids":[]},"history":[{"created_by":"x","empty_layer":true,"comment":"c"}],"extra":1})");
  CHECK(config.platform.text() == "linux/arm/v7");
  CHECK(config.user == "1:2");
  CHECK(config.env_value("A") == "2");
  CHECK(config.env_value("PATH") == "/bin");
  CHECK_FALSE(config.env_value("B"));
  CHECK_FALSE(config.env_value("PAT"));
  CHECK(config.cmd == std::vector<std::string>{"one"});
  CHECK(config.entrypoint == std::vector<std::string>{"/e"});
  CHECK(config.exposed_ports == std::vector<std::string>{"80/tcp"});
  CHECK(config.volumes == std::vector<std::string>{"/v"});
  CHECK(config.labels.at("k") == "v");
  CHECK(config.healthcheck.size() == 2);
  CHECK(config.history.at(0).empty_layer);
  CHECK((*config.document)["extra"] == 1);
}

TEST_CASE("config: absent fields are empty, malformed ones are errors") {
  CHECK(Config::parse("{}").diff_ids.empty());
  CHECK(Config::parse(R"({"config":null,"rootfs":null,"history":null})").platform.empty());
  for (const char* text : {"[]", R"({"rootfs":{"diff_ids":["x"]}})", R"({"config":{"Env":"A=1"}})",
                           R"({"config":{"Env":[1]}})", R"({"config":{"Labels":{"a":1}}})", R"({"history":{}})",
                           R"({"history":[1]})", R"({"config":[]})", R"({"config":{"User":0}})", R"({"os":1})"})
    CHECK_THROWS_AS(Config::parse(text), Error);
}

TEST_CASE("history: entries without a layer are passed over, other counts are uncertain") {
  const History layer{"", "RUN", "", "", false};
  const History empty{"", "ENV", "", "", true};
  const HistoryPairing good = pair_history({layer, empty, layer}, 2);
  CHECK(good.certain);
  CHECK(good.entry_of_layer == std::vector<std::optional<std::size_t>>{0, 2});
  const HistoryPairing short_one = pair_history({layer}, 2);
  CHECK_FALSE(short_one.certain);
  CHECK(short_one.entry_of_layer == std::vector<std::optional<std::size_t>>{0, std::nullopt});
  CHECK_FALSE(pair_history({layer, layer}, 1).certain);
  CHECK(pair_history({}, 0).certain);
}

TEST_CASE("schema 1: newest first becomes base first") {
  const auto v1 = [](const Json& json) { return Json{{"v1Compatibility", json.dump()}}; };
  const std::string other = Digest::sha256_of("y").text();
  const Json json{{"schemaVersion", 1},
                  {"fsLayers", {{{"blobSum", digest}}, {{"blobSum", other}}}},
                  {"history",
                   {v1({{"os", "linux"}, {"throwaway", true}, {"container_config", {{"Cmd", {"a", "b"}}}}}),
                    v1({{"created", "2014"}})}}};
  const Schema1 schema = Schema1::parse(json.dump());
  REQUIRE(schema.layers.size() == 2);
  CHECK(schema.layers[0].digest.text() == other);
  CHECK_FALSE(schema.layers[0].throwaway);
  CHECK(schema.layers[1].throwaway);
  const Config config = config_of_chain(schema.chain);
  CHECK(config.platform.os == "linux");
  REQUIRE(config.history.size() == 2);
  CHECK(config.history[0].created == "2014");
  CHECK(config.history[1].created_by == "a b");
  CHECK(config.history[1].empty_layer);
  CHECK_THROWS_AS(Schema1::parse(with(json, "history", Json::array()).dump()), Error);
  CHECK_THROWS_AS(Schema1::parse(with(json, "layers", Json::array()).dump()), Error);
}
