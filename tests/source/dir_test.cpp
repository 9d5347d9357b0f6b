#include "support.h"
#include "base/json.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

/// What skopeo's dir: transport writes of a layout.
std::string flatten(const TempDir& dir, const std::string& layout, const std::string& manifest_digest) {
  std::filesystem::create_directory(dir / "flat");
  for (const auto& blob : std::filesystem::directory_iterator(layout + "/blobs/sha256"))
    std::filesystem::copy_file(blob.path(), dir / ("flat/" + blob.path().filename().string()));
  std::filesystem::rename(dir / ("flat/" + manifest_digest.substr(7)), dir / "flat/manifest.json");
  write_file(dir / "flat/version", "Directory Transport Version: 1.1\n");
  return dir / "flat";
}

}  // namespace

TEST_CASE("dir: manifest.json and flat blobs") {
  const TempDir dir;
  const TestImage written = image_of({"a", "b"});
  const Json descriptor = put_image(written, dir / "layout");
  const std::string flat = flatten(dir, dir / "layout", descriptor["digest"]);
  const auto source = open_source(Reference::parse(flat));
  const Image image = source->resolve({});
  CHECK(image.reference == "dir:" + flat);
  CHECK(image.manifest_digest == descriptor["digest"]);
  CHECK(bytes_of(*source, image.layers.at(1)) == written.layer_tars[1]);
  CHECK(refusal("dir:" + flat, "linux/s390x").kind == ErrorKind::not_found);
}

TEST_CASE("dir: a schema 1 manifest is turned round, empty steps dropped") {
  const TempDir dir;
  const std::string base = "base layer";
  const std::string top = "top layer";
  const auto digest = [](const std::string& bytes) { return Digest::sha256_of(bytes); };
  const auto v1 = [](const Json& json) { return Json{{"v1Compatibility", json.dump()}}; };
  const Json json{
      {"schemaVersion", 1},
      {"fsLayers",
       {{{"blobSum", digest(top).text()}}, {{"blobSum", digest("empty").text()}}, {{"blobSum", digest(base).text()}}}},
      {"history",
       {v1({{"os", "linux"}, {"architecture", "amd64"}, {"config", {{"User", "7"}}}}), v1({{"throwaway", true}}),
        v1({{"created", "2014"}})}}};
  write_file(dir / "manifest.json", json.dump());
  write_file(dir / "version", "x");
  write_file(dir / digest(base).hex(), base);
  write_file(dir / digest(top).hex(), top);
  const auto source = open_source(Reference::parse(dir.path()));
  const Image image = source->resolve({});
  REQUIRE(image.layers.size() == 2);
  CHECK(bytes_of(*source, image.layers[0]) == base);
  CHECK(bytes_of(*source, image.layers[1]) == top);
  CHECK(image.layers[0].digest == digest(base));
  CHECK_FALSE(image.layers[0].diff_id);
  CHECK(image.config.user == "7");
  CHECK(pair_history(image.config.history, 2).certain);
  CHECK(count(image, Document::Kind::legacy_config) == 2);
  std::filesystem::remove(dir / digest(top).hex());
  CHECK(refusal("dir:" + dir.path()).kind == ErrorKind::not_found);
}

TEST_CASE("open: what is no image, and what is named wrongly") {
  const TempDir dir;
  CHECK(refusal(dir / "absent").kind == ErrorKind::not_found);
  CHECK(refusal("nginx:latest").kind == ErrorKind::not_found);
  CHECK(refusal(dir.path()).kind == ErrorKind::not_found);
  CHECK(refusal("oci-archive:" + dir.path()).kind == ErrorKind::usage);
  write_file(dir / "file", "x");
  CHECK(refusal("oci:" + (dir / "file")).kind == ErrorKind::usage);
  CHECK(contains(refusal("nginx:latest").text, "docker://nginx:latest"));
  CHECK(refusal("docker://Not A Name").kind == ErrorKind::usage);
}
