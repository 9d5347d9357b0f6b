#include <sys/stat.h>

#include "base/json.h"
#include "source/image_graph.h"
#include "support.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

const std::string index_type = "application/vnd.oci.image.index.v1+json";
const std::string layer_type = "application/vnd.oci.image.layer.v1.tar";

Json attestation_for(const std::string& dir, const std::string& digest, const Json& blob) {
  const std::string oci = "application/vnd.oci.image.";
  const Json manifest{{"schemaVersion", 2},
                      {"mediaType", oci + "manifest.v1+json"},
                      {"config", put_blob(dir, "{}", oci + "config.v1+json")},
                      {"layers", Json::array({blob})}};
  Json descriptor = put_blob(dir, manifest.dump(), oci + "manifest.v1+json");
  descriptor["platform"] = {{"os", "unknown"}, {"architecture", "unknown"}};
  descriptor["annotations"] = {{"vnd.docker.reference.type", "attestation-manifest"},
                               {"vnd.docker.reference.digest", digest}};
  return descriptor;
}

Json nested(const std::string& dir, const std::vector<Json>& manifests) {
  const Json index{{"schemaVersion", 2}, {"mediaType", index_type}, {"manifests", manifests}};
  return put_blob(dir, index.dump(), index_type);
}

Json named(Json descriptor, const std::string& name) {
  descriptor["annotations"]["org.opencontainers.image.ref.name"] = name;
  return descriptor;
}

std::string blob_path(const TempDir& dir, const std::string& digest) {
  return dir / ("blobs/sha256/" + digest.substr(7));
}

TestImage for_platform(const std::string& architecture, const std::string& file) {
  TestImage image = image_of({file});
  image.architecture = architecture;
  return image;
}

}  // namespace

TEST_CASE("layout: layers and documents of the one image") {
  const TempDir dir;
  const TestImage written = image_of({"a", "b"});
  const std::string reference = write_oci_layout(written, dir.path());
  const auto source = open_source(Reference::parse(dir.path()));  // a bare path is sniffed
  const Image image = source->resolve({});
  CHECK(image.reference == reference);
  CHECK(image.platform.text() == "linux/amd64");
  REQUIRE(image.layers.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(bytes_of(*source, image.layers[i]) == written.layer_tars[i]);
    CHECK(image.layers[i].digest == Digest::sha256_of(written.layer_tars[i]));
    CHECK(image.layers[i].diff_id == image.layers[i].digest);
    CHECK(image.layers[i].size == written.layer_tars[i].size());
  }
  CHECK(count(image, Document::Kind::index) == 1);
  CHECK(count(image, Document::Kind::manifest) == 1);
  CHECK(count(image, Document::Kind::config) == 1);
  CHECK(image.oddities.empty());
  CHECK(image.config.history.at(1).created_by == "COPY b");
}

TEST_CASE("layout: more than one image is an error that lists them") {
  const TempDir dir;
  TestImage one = image_of({"a"});
  one.ref_name = "registry.example/x:1";
  TestImage two = image_of({"b"});
  two.ref_name = "registry.example/x:2";
  const Json a = put_image(one, dir.path());
  const Json b = put_image(two, dir.path());
  const std::string reference = write_index(dir.path(), {a, b});
  const Refusal refused = refusal(reference);
  CHECK(refused.kind == ErrorKind::usage);
  CHECK(contains(refused.text, reference + ":registry.example/x:1  linux/amd64  " + a["digest"].get<std::string>()));
  CHECK(contains(refused.text, reference + ":registry.example/x:2"));

  const auto chosen = [&](const std::string& how) { return resolve(reference + ":" + how).manifest_digest; };
  CHECK(chosen("registry.example/x:2") == b["digest"]);
  CHECK(chosen("2") == b["digest"]);
  CHECK(chosen("@1") == b["digest"]);
  CHECK(chosen(b["digest"]) == b["digest"]);
  CHECK(chosen(b["digest"].get<std::string>().substr(0, 15)) == b["digest"]);
  CHECK(chosen(b["digest"].get<std::string>().substr(7, 8)) == b["digest"]);
  CHECK(refusal(reference + ":3").kind == ErrorKind::not_found);
  CHECK(refusal(reference + ":@2").kind == ErrorKind::not_found);
  CHECK(resolve(reference + ":2").reference == reference + ":2");
}

TEST_CASE("layout: two entries of one name are ambiguous, the same image twice is not") {
  const TempDir dir;
  const Json a = named(put_image(image_of({"a"}), dir.path()), "latest");
  const Json b = named(put_image(image_of({"b"}), dir.path()), "latest");
  const std::string reference = write_index(dir.path(), {a, b});
  const Refusal refused = refusal(reference + ":latest");
  CHECK(refused.kind == ErrorKind::usage);
  CHECK(contains(refused.text, ":@0"));
  CHECK(resolve(reference + ":@0").manifest_digest == a["digest"]);
  write_index(dir.path(), {a, named(a, "other")});
  CHECK(resolve(reference).manifest_digest == a["digest"]);
}

TEST_CASE("layout: platforms") {
  const TempDir dir;
  const Json amd64 = put_image(for_platform("amd64", "a"), dir.path());
  const Json arm64 = put_image(for_platform("arm64", "b"), dir.path());
  const std::string reference = write_index(dir.path(), {nested(dir.path(), {amd64, arm64})});
  CHECK(resolve(reference, "linux/arm64/v8").manifest_digest == arm64["digest"]);
  CHECK(resolve(reference, "linux/x86_64").manifest_digest == amd64["digest"]);
  CHECK(refusal(reference, "linux/s390x").kind == ErrorKind::not_found);

  SECTION("a platform that no host here has is taken when it is the only one") {
    write_index(dir.path(), {put_image(for_platform("mips", "c"), dir.path())});
    CHECK(resolve(reference).platform.text() == "linux/mips");
    CHECK(refusal(reference, "linux/amd64").kind == ErrorKind::not_found);
  }
  SECTION("two foreign platforms are a question") {
    const Json mips = put_image(for_platform("mips", "c"), dir.path());
    const Json s390x = put_image(for_platform("s390x", "d"), dir.path());
    write_index(dir.path(), {mips, s390x});
    const Refusal refused = refusal(reference);
    CHECK(refused.kind == ErrorKind::usage);
    CHECK(contains(refused.text, "linux/mips"));
  }
  SECTION("an index that contradicts the config is refused") {
    Json lying = amd64;
    lying["platform"]["architecture"] = "arm64";
    write_index(dir.path(), {lying});
    CHECK(refusal(reference, "linux/arm64").kind == ErrorKind::corrupt);
  }
  SECTION("an absent image is not replaced by an older variant") {
    TestImage older = for_platform("arm", "e");
    older.config_extra = {{"variant", "v6"}};
    Json v6 = put_image(older, dir.path());
    v6["platform"]["variant"] = "v6";
    Json v7 = put_image(for_platform("arm", "f"), dir.path());
    v7["platform"]["variant"] = "v7";
    write_index(dir.path(), {nested(dir.path(), {v6, v7})});
    CHECK(resolve(reference, "linux/arm/v7").manifest_digest == v7["digest"]);
    std::filesystem::remove(blob_path(dir, v7["digest"]));
    CHECK(refusal(reference, "linux/arm/v7").kind == ErrorKind::not_found);
    CHECK(resolve(reference, "linux/arm/v6").manifest_digest == v6["digest"]);
  }
}

TEST_CASE("layout: what is dangling is odd, what is missing of the image is an error") {
  const TempDir dir;
  const Json amd64 = put_image(for_platform("amd64", "a"), dir.path());
  Json absent = put_image(for_platform("arm64", "b"), dir.path());
  std::filesystem::remove(blob_path(dir, absent["digest"]));
  const std::string reference = write_index(dir.path(), {nested(dir.path(), {absent, amd64})});
  CHECK(has_oddity(resolve(reference, "linux/amd64"), "dangling-descriptor"));
  CHECK(refusal(reference, "linux/arm64").kind == ErrorKind::not_found);

  const Image image = resolve(reference, "linux/amd64");
  const std::string layer = blob_path(dir, image.layers.at(0).name);
  std::filesystem::remove(layer);
  const Refusal refused = refusal(reference, "linux/amd64");
  CHECK(refused.kind == ErrorKind::not_found);
  CHECK(contains(refused.text, image.layers[0].name));
}

TEST_CASE("layout: documents can be had without the layers; whoever opens one is told why not") {
  const TempDir dir;
  TestImage written = image_of({"a", "b", "c"});
  written.media_types = {layer_type, "application/vnd.oci.image.layer.v1.tar+gzip+encrypted", layer_type};
  const std::string reference = write_oci_layout(written, dir.path());
  std::filesystem::remove(blob_path(dir, Digest::sha256_of(written.layer_tars[0]).text()));
  const auto source = open_source(Reference::parse(reference));
  const Image image = source->resolve({});
  CHECK(image.config.history.size() == 3);
  REQUIRE(image.layers.size() == 3);
  REQUIRE(image.layers[0].problem);
  CHECK(image.layers[0].problem->kind() == ErrorKind::not_found);
  REQUIRE(image.layers[1].problem);
  CHECK(image.layers[1].problem->kind() == ErrorKind::unsupported);
  CHECK_THROWS_AS(source->open(image.layers[0]), Error);
  CHECK_THROWS_AS(source->open(image.layers[1]), Error);
  CHECK_FALSE(image.layers[2].problem);
  CHECK(bytes_of(*source, image.layers[2]) == written.layer_tars[2]);
  CHECK(image.layers[0].digest == Digest::sha256_of(written.layer_tars[0]));
  CHECK(image.layers[0].diff_id == image.layers[0].digest);
}

TEST_CASE("layout: documents and sizes are verified") {
  const TempDir dir;
  const std::string reference = write_oci_layout(image_of({"a"}), dir.path());
  const Image image = resolve(reference);
  const auto damage = [&](const std::string& digest, bool same_size) {
    std::string bytes = slurp(blob_path(dir, digest));
    if (same_size)
      bytes[bytes.size() / 2] ^= 1;
    else
      bytes += ' ';
    write_file(blob_path(dir, digest), bytes);
  };
  const bool same_size = GENERATE(true, false);
  SECTION("manifest") {
    damage(image.manifest_digest, same_size);
    CHECK(refusal(reference).kind == ErrorKind::corrupt);
  }
  SECTION("config") {
    damage(parse_json(slurp(blob_path(dir, image.manifest_digest)))["config"]["digest"], same_size);
    CHECK(refusal(reference).kind == ErrorKind::corrupt);
  }
  SECTION("size of a layer") {
    damage(image.layers.at(0).name, false);
    CHECK(refusal(reference).kind == ErrorKind::corrupt);
  }
}

TEST_CASE("layout: as many diff IDs as layers") {
  const TempDir dir;
  TestImage image = image_of({"a", "b"});
  image.config_extra = {{"rootfs", {{"type", "layers"}, {"diff_ids", {Digest::sha256_of("x").text()}}}}};
  const Refusal refused = refusal(write_oci_layout(image, dir.path()));
  CHECK(refused.kind == ErrorKind::corrupt);
  CHECK(contains(refused.text, "2 layers"));
}

TEST_CASE("layout: layers that cannot be read are named") {
  const TempDir dir;
  TestImage image = image_of({"a", "b"});
  image.media_types = {
      layer_type, GENERATE("application/vnd.oci.image.layer.v1.tar+gzip+encrypted", "application/vnd.erofs.layer.v1",
                           "application/vnd.sylabs.image.layer.v1.squashfs")};
  const Refusal refused = refusal(write_oci_layout(image, dir.path()));
  CHECK(refused.kind == ErrorKind::unsupported);
  CHECK(contains(refused.text, Digest::sha256_of(image.layer_tars[1]).text()));
}

TEST_CASE("layout: a foreign layer that is kept elsewhere") {
  const TempDir dir;
  TestImage image = image_of({"a"});
  image.media_types = {"application/vnd.docker.image.rootfs.foreign.diff.tar"};
  const std::string reference = write_oci_layout(image, dir.path());
  CHECK(resolve(reference).layers.size() == 1);  // it is there
  std::filesystem::remove(blob_path(dir, Digest::sha256_of(image.layer_tars[0]).text()));
  CHECK(refusal(reference).kind == ErrorKind::unsupported);
}

TEST_CASE("layout: artifacts are no images") {
  const TempDir dir;
  TestImage artifact = image_of({"a"});
  artifact.media_types = {"application/spdx+json"};
  const std::string reference = write_oci_layout(artifact, dir.path());
  const Refusal refused = refusal(reference);
  CHECK(refused.kind == ErrorKind::unsupported);
  CHECK(contains(refused.text, "artifact"));
  const Json image = put_image(image_of({"b"}), dir.path());
  write_index(dir.path(), {put_image(artifact, dir.path()), image});
  CHECK(resolve(reference).manifest_digest == image["digest"]);
}

TEST_CASE("layout: attestations are documents, never images") {
  const TempDir dir;
  const Json image = put_image(image_of({"a"}), dir.path());
  const Json statement =
      put_blob(dir.path(), R"({"_type":"https://in-toto.io/Statement/v0.1"})", "application/vnd.in-toto+json");
  const Json attestation = attestation_for(dir.path(), image["digest"], statement);
  const Json other = attestation_for(dir.path(), Digest::sha256_of("other").text(),
                                     put_blob(dir.path(), "other", "application/vnd.in-toto+json"));
  const std::string reference = write_index(dir.path(), {nested(dir.path(), {attestation, image, other})});
  const Image good = resolve(reference);
  CHECK(good.manifest_digest == image["digest"]);
  CHECK(count(good, Document::Kind::attestation_manifest) == 1);
  CHECK(count(good, Document::Kind::attestation) == 1);
  CHECK(good.oddities.empty());

  write_file(blob_path(dir, statement["digest"]), "changed");
  CHECK(has_oddity(resolve(reference), "attestation-unreadable"));
  std::filesystem::remove(blob_path(dir, attestation["digest"]));
  CHECK(has_oddity(resolve(reference), "dangling-descriptor"));
}

TEST_CASE("layout: a statement that is listed often is one document") {
  const TempDir dir;
  const Json image = put_image(image_of({"a"}), dir.path());
  const Json statement = put_blob(dir.path(), R"({"_type":"x"})", "application/vnd.in-toto+json");
  const Json manifest{{"schemaVersion", 2},
                      {"mediaType", "application/vnd.oci.image.manifest.v1+json"},
                      {"config", put_blob(dir.path(), "{}", "application/vnd.oci.image.config.v1+json")},
                      {"layers", std::vector<Json>(300, statement)}};
  Json often = attestation_for(dir.path(), image["digest"], statement);
  often.update(put_blob(dir.path(), manifest.dump(), "application/vnd.oci.image.manifest.v1+json"));
  const Image read = resolve(write_index(dir.path(), {nested(dir.path(), {image, often})}));
  CHECK(count(read, Document::Kind::attestation) == 1);
  CHECK(read.oddities.empty());
}

TEST_CASE("layout: an image that is listed twice, once with another size, is refused") {
  for (const bool lie_first : {true, false}) {
    const TempDir dir;
    const Json image = put_image(image_of({"a"}), dir.path());
    Json lie = image;
    lie["size"] = image["size"].get<std::uint64_t>() + 1;
    const std::string reference =
        write_index(dir.path(), lie_first ? std::vector<Json>{lie, image} : std::vector<Json>{image, lie});
    CHECK(refusal(reference).kind == ErrorKind::corrupt);
  }
}

TEST_CASE("layout: an index nests to a depth, and fan-out is limited") {
  const TempDir dir;
  const Json image = put_image(image_of({"a"}), dir.path());
  Json at = image;
  for (std::size_t i = 0; i + 1 < max_index_depth; ++i) at = nested(dir.path(), {at});
  const std::string reference = write_index(dir.path(), {at});
  CHECK(resolve(reference).manifest_digest == image["digest"]);
  CHECK(count(resolve(reference), Document::Kind::index) == max_index_depth);
  write_index(dir.path(), {nested(dir.path(), {at})});
  CHECK(refusal(reference).kind == ErrorKind::limit);
  Json wide = nested(dir.path(), std::vector<Json>(40, image));
  write_index(dir.path(), std::vector<Json>(40, wide));
  CHECK(refusal(reference).kind == ErrorKind::limit);
}

TEST_CASE("layout: hostile files") {
  const TempDir dir;
  const std::string reference = write_oci_layout(image_of({"a"}), dir.path());
  const std::string layer = blob_path(dir, resolve(reference).layers.at(0).name);
  SECTION("a FIFO does not hang") {
    std::filesystem::remove(layer);
    REQUIRE(::mkfifo(layer.c_str(), 0600) == 0);
    CHECK(refusal(reference).kind == ErrorKind::corrupt);
  }
  SECTION("a link is not followed") {
    std::filesystem::rename(layer, dir / "elsewhere");
    std::filesystem::create_symlink(dir / "elsewhere", layer);
    CHECK(refusal(reference).kind == ErrorKind::corrupt);
  }
  SECTION("index.json is a folder") {
    std::filesystem::remove(dir / "index.json");
    std::filesystem::create_directory(dir / "index.json");
    CHECK(refusal(reference).kind == ErrorKind::corrupt);
  }
  SECTION("a document above its limit") {
    write_file(dir / "index.json", std::string(5U << 20, ' '));
    CHECK(refusal(reference).kind == ErrorKind::limit);
  }
  SECTION("index.json is missing") {
    std::filesystem::remove(dir / "index.json");
    CHECK(refusal(reference).kind == ErrorKind::not_found);
  }
  SECTION("the marker is missing or of another version") {
    std::filesystem::remove(dir / "oci-layout");
    CHECK(has_oddity(resolve(reference), "oci-layout-marker"));
    write_file(dir / "oci-layout", R"({"imageLayoutVersion":"9"})");
    CHECK(has_oddity(resolve(reference), "oci-layout-marker"));
  }
}
