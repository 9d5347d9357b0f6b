#include <archive.h>

#include <thread>

#include "base/json.h"
#include "source/archive_index.h"
#include "support.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

struct DockerFiles {
  TestImage image = image_of({"a", "b"});
  std::string config = config_of(image);
  std::string config_name = Digest::sha256_of(config).hex() + ".json";

  std::string manifest(const Json& layers, const Json& tags = nullptr) const {
    return Json::array({{{"Config", config_name}, {"RepoTags", tags}, {"Layers", layers}}}).dump();
  }
};

std::string archive_at(const TempDir& dir, const std::string& tar) {
  write_file(dir / "image.tar", tar + tar_end());
  return dir / "image.tar";
}

std::string repaired(std::string header) {  // with a right checksum
  header.replace(148, 8, "        ");
  unsigned sum = 0;
  for (std::size_t i = 0; i < 512; ++i) sum += static_cast<std::uint8_t>(header[i]);
  char text[8];
  std::snprintf(text, sizeof text, "%06o", sum);
  header.replace(148, 7, text, 7);
  return header;
}

}  // namespace

TEST_CASE("docker-archive: the classic form") {
  const TempDir dir;
  TestImage written = image_of({"a", "b"});
  written.ref_name = "demo/a:1";
  const std::string reference = write_docker_archive(written, dir / "image.tar");
  const auto source = open_source(Reference::parse(dir / "image.tar"));
  const Image image = source->resolve({});
  CHECK(image.reference == reference);
  CHECK(image.manifest_digest == Digest::sha256_of(config_of(written)).text());
  REQUIRE(image.layers.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(bytes_of(*source, image.layers[i]) == written.layer_tars[i]);
    CHECK_FALSE(image.layers[i].digest);
    CHECK(image.layers[i].diff_id == Digest::sha256_of(written.layer_tars[i]));
  }
  CHECK(image.oddities.empty());
  CHECK(source->spooled() == 0);
  for (const char* name : {":demo/a:1", ":1", ":@0"}) CHECK(resolve(reference + name).layers.size() == 2);
  CHECK(refusal(reference + ":demo/b:1").kind == ErrorKind::not_found);
  CHECK(refusal("oci-archive:" + (dir / "image.tar")).kind == ErrorKind::usage);
}

TEST_CASE("docker-archive: links inside the archive are followed, and only there") {
  const TempDir dir;
  const DockerFiles files;
  const std::string head = tar_entry(files.config_name, files.config);
  const auto with = [&](const std::string& tail) {
    return archive_at(dir,
                      head + tail + tar_entry("manifest.json", files.manifest({"one/layer.tar", "two/layer.tar"})));
  };
  const std::string second = tar_entry("two/layer.tar", files.image.layer_tars[1]);
  SECTION("a symbolic link, before its target") {
    const auto source = open_source(Reference::parse(with(tar_entry("one/layer.tar", "", '2', "../x.tar") + second +
                                                          tar_entry("x.tar", files.image.layer_tars[0]))));
    const Image image = source->resolve({});
    CHECK(bytes_of(*source, image.layers.at(0)) == files.image.layer_tars[0]);
  }
  SECTION("a hard link") {
    const auto source = open_source(Reference::parse(
        with(tar_entry("x.tar", files.image.layer_tars[0]) + tar_entry("one/layer.tar", "", '1', "x.tar") + second)));
    CHECK(bytes_of(*source, source->resolve({}).layers.at(0)) == files.image.layer_tars[0]);
  }
  SECTION("out of the archive, to nothing, in circles") {
    const char* target = GENERATE("../../../../../etc/hostname", "/etc/hostname", "nothing", "layer.tar");
    CHECK(refusal(with(tar_entry("one/layer.tar", "", '2', target) + second)).kind == ErrorKind::corrupt);
  }
  SECTION("a missing layer is named") {
    const Refusal refused = refusal(with(second));
    CHECK(refused.kind == ErrorKind::not_found);
    CHECK(contains(refused.text, "one/layer.tar"));
  }
  SECTION("two contents under one name") {
    const std::string one = tar_entry("one/layer.tar", files.image.layer_tars[0]);
    CHECK(resolve(with(one + one + second)).layers.size() == 2);
    CHECK(refusal(with(one + tar_entry("one/layer.tar", "other") + second)).kind == ErrorKind::corrupt);
  }
}

TEST_CASE("docker-archive: digests that paths state") {
  const TempDir dir;
  const DockerFiles files;
  const std::string zipped = gzip_stored(files.image.layer_tars[0]);
  const std::string kaniko = Digest::sha256_of(zipped).hex() + ".tar.gz";
  const std::string blob = "blobs/sha256/" + Digest::sha256_of(files.image.layer_tars[1]).hex();
  const std::string head = tar_entry("./" + files.config_name, files.config) + tar_entry("./" + kaniko, zipped) +
                           tar_entry(blob, files.image.layer_tars[1]);
  const Image image = resolve(archive_at(dir, head + tar_entry("./manifest.json", files.manifest({kaniko, blob}))));
  CHECK(image.layers.at(0).digest == Digest::sha256_of(zipped));
  CHECK(image.layers.at(1).digest == Digest::sha256_of(files.image.layer_tars[1]));

  SECTION("lower-case keys") {
    Json item{{"config", files.config_name}, {"repoTags", {"a:b"}}, {"layers", {kaniko, blob}}};
    const std::string reference = archive_at(dir, head + tar_entry("manifest.json", Json::array({item}).dump()));
    CHECK(resolve("docker-archive:" + reference + ":a:b").layers.size() == 2);
  }
  SECTION("LayerSources state media types, and are held to") {
    Json source{{"mediaType", "application/vnd.oci.image.layer.v1.tar"},
                {"digest", Digest::sha256_of(files.image.layer_tars[1]).text()},
                {"size", files.image.layer_tars[1].size()}};
    const auto with = [&] {
      Json item{{"Config", files.config_name}, {"RepoTags", Json::array()}, {"Layers", {kaniko, blob}}};
      item["LayerSources"] = {{Digest::sha256_of(files.image.layer_tars[1]).text(), source}};
      return archive_at(dir, head + tar_entry("manifest.json", Json::array({item}).dump()));
    };
    CHECK(resolve(with()).layers.at(1).media_type == "application/vnd.oci.image.layer.v1.tar");
    source["size"] = 1;
    CHECK(refusal(with()).kind == ErrorKind::corrupt);
  }
}

TEST_CASE("docker-archive: the config is held to its name where the name is a digest") {
  const TempDir dir;
  DockerFiles files;
  const std::string hex = Digest::sha256_of("another").hex();
  const auto with = [&](const std::string& name) {
    files.config_name = name;
    files.image.layer_tars.clear();
    return archive_at(dir,
                      tar_entry(name, R"({"os":"linux"})") + tar_entry("manifest.json", files.manifest(Json::array())));
  };
  CHECK(refusal(with("sha256:" + hex)).kind == ErrorKind::corrupt);
  CHECK(refusal(with("blobs/sha256/" + hex)).kind == ErrorKind::corrupt);
  CHECK(has_oddity(resolve(with(hex + ".json")), "config-misnamed"));
  CHECK(resolve(with("config.json")).oddities.empty());
}

TEST_CASE("docker-archive: before 1.10 the parents are followed") {
  const TempDir dir;
  const auto entry = [](const std::string& id, const std::string& parent, const std::string& layer) {
    Json json{
        {"id", id}, {"os", "linux"}, {"architecture", "amd64"}, {"container_config", {{"Cmd", {"/bin/sh", "-c", id}}}}};
    if (!parent.empty()) json["parent"] = parent;
    return tar_entry(id + "/json", json.dump()) + tar_entry(id + "/layer.tar", layer);
  };
  const std::string top = entry("bb", "aa", "second");
  const std::string base = entry("aa", "", "first");
  const std::string repositories = tar_entry("repositories", R"({"demo":{"1":"bb"}})");
  SECTION("by name, or by what is nobody's parent") {
    const bool named = GENERATE(true, false);
    const std::string path = archive_at(dir, top + base + (named ? repositories : ""));
    const auto source = open_source(Reference::parse("docker-archive:" + path + (named ? ":demo:1" : "")));
    const Image image = source->resolve({});
    REQUIRE(image.layers.size() == 2);
    CHECK(bytes_of(*source, image.layers[0]) == "first");
    CHECK(bytes_of(*source, image.layers[1]) == "second");
    CHECK(image.config.history.at(0).created_by == "/bin/sh -c aa");
    CHECK(count(image, Document::Kind::legacy_config) == 1);
    CHECK(has_oddity(image, "layers-without-digest"));
  }
  SECTION("in circles, and to nowhere") {
    CHECK(refusal(archive_at(dir, top + entry("aa", "bb", "x") + repositories)).kind == ErrorKind::corrupt);
    CHECK(refusal(archive_at(dir, top + repositories)).kind == ErrorKind::not_found);
  }
}

TEST_CASE("hybrid: the list that knows the layers is believed") {
  const TempDir dir;
  const TestImage written = image_of({"a"});
  const std::string layout = dir / "layout";
  const auto add_manifest_json = [&] {
    const std::string config = config_of(written);
    const Json item{{"Config", "blobs/sha256/" + Digest::sha256_of(config).hex()},
                    {"RepoTags", {"demo:1"}},
                    {"Layers", {"blobs/sha256/" + Digest::sha256_of(written.layer_tars[0]).hex()}}};
    write_file(layout + "/manifest.json", Json::array({item}).dump());
    write_file(dir / "image.tar", tar_of_folder(layout));
  };
  SECTION("both are good: OCI, known by both names") {
    Json descriptor = put_image(written, layout);
    descriptor["annotations"] = {{"org.opencontainers.image.ref.name", "1"}};
    write_index(layout, {descriptor});
    add_manifest_json();
    const Image image = resolve(dir / "image.tar");
    CHECK(image.reference.starts_with("oci-archive:"));
    CHECK(image.manifest_digest == descriptor["digest"]);
    CHECK(resolve("docker-archive:" + (dir / "image.tar") + ":demo:1").reference.starts_with("docker-archive:"));
  }
  SECTION("an index without manifests") {
    put_image(written, layout);
    write_index(layout, {});
    write_file(layout + "/index.json", R"({"schemaVersion":2,"manifests":null})");
    add_manifest_json();
    const Image image = resolve(dir / "image.tar");
    CHECK(image.reference.starts_with("docker-archive:"));
    CHECK(image.layers.size() == 1);
    CHECK(refusal("oci-archive:" + (dir / "image.tar")).kind == ErrorKind::not_found);
  }
  SECTION("an OCI manifest without layers") {
    put_image(written, layout);
    TestImage hollow = written;
    hollow.manifest_extra = {{"layers", Json::array()}};
    write_index(layout, {put_image(hollow, layout)});
    add_manifest_json();
    CHECK(resolve(dir / "image.tar").layers.size() == 1);
    CHECK(refusal("oci-archive:" + (dir / "image.tar")).kind == ErrorKind::corrupt);
  }
}

TEST_CASE("archive: compressed outside") {
  const TempDir dir;
  write_docker_archive(image_of({"a"}), dir / "plain.tar");
  const std::string plain = slurp(dir / "plain.tar");
  const std::string packed = GENERATE_COPY(gzip_stored(plain), zstd_stored(plain));
  write_file(dir / "image", packed);
  const auto source = open_source(Reference::parse(dir / "image"));
  CHECK(source->resolve({}).layers.size() == 1);
  CHECK(source->spooled() == plain.size());

  write_file(dir / "image", packed.substr(0, packed.size() / 2));
  CHECK(refusal(dir / "image").kind == ErrorKind::corrupt);
  write_file(dir / "image", gzip_stored(gzip_stored(plain)));
  CHECK(refusal(dir / "image").kind == ErrorKind::corrupt);
  write_file(dir / "image", gzip_stored(plain) + "tail");
  CHECK(has_oddity(resolve(dir / "image"), "data-after-archive-end"));
}

TEST_CASE("archive: what follows the end is told") {
  const TempDir dir;
  write_docker_archive(image_of({"a"}), dir / "image.tar");
  const std::string good = slurp(dir / "image.tar");
  write_file(dir / "image.tar", good + std::string(9000, '\0'));
  CHECK(resolve(dir / "image.tar").oddities.empty());
  write_file(dir / "image.tar", good + std::string(512, '\0') + "x");
  CHECK(has_oddity(resolve(dir / "image.tar"), "data-after-archive-end"));
  write_file(dir / "image.tar", good + good);
  CHECK(has_oddity(resolve(dir / "image.tar"), "data-after-archive-end"));
  write_file(dir / "image.tar", good.substr(0, good.size() - 1024));
  CHECK(has_oddity(resolve(dir / "image.tar"), "archive-end-missing"));
  for (const std::size_t size : {std::size_t{1}, std::size_t{511}, std::size_t{700}, good.size() - 1500}) {
    write_file(dir / "image.tar", good.substr(0, size));
    CHECK(refusal(dir / "image.tar").kind == ErrorKind::corrupt);
  }
}

TEST_CASE("archive: damaged headers that libarchive takes are refused") {
  const TempDir dir;
  const std::string entry = tar_entry("manifest.json", "[]");
  const auto with = [&](std::size_t at, const std::string& bytes) {
    std::string header = entry;
    header.replace(at, bytes.size(), bytes);
    return archive_at(dir, repaired(header));
  };
  CHECK(refusal(with(124, "text size..")).kind == ErrorKind::corrupt);
  CHECK(refusal(with(124, "00000000009")).kind == ErrorKind::corrupt);
  CHECK(refusal(with(124, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")).kind == ErrorKind::corrupt);
  CHECK(refusal(with(124, "77777777777")).kind == ErrorKind::corrupt);
  CHECK(refusal(with(156, "Q")).kind == ErrorKind::corrupt);
  std::string damaged = entry;
  damaged[0] = 'M';
  CHECK(refusal(archive_at(dir, damaged)).kind == ErrorKind::corrupt);
  write_file(dir / "empty", "");
  CHECK(refusal(dir / "empty").kind == ErrorKind::corrupt);
  write_file(dir / "zeros", std::string(10240, '\0'));
  CHECK(refusal(dir / "zeros").kind == ErrorKind::corrupt);
  write_file(dir / "text", std::string(3000, 'x'));
  CHECK(refusal(dir / "text").kind == ErrorKind::corrupt);
}

TEST_CASE("archive: documents of docker archives are malformed") {
  const TempDir dir;
  const char* text = GENERATE("{}", "[1]", "[{}]", R"([{"Config":"c","Layers":"x"}])",
                              R"([{"Config":"c","config":"c"}])", "[]x", R"([{"Config":1}])");
  CHECK(refusal(archive_at(dir, tar_entry("manifest.json", text))).kind == ErrorKind::corrupt);
}

TEST_CASE("archive: an empty list is no image") {
  const TempDir dir;
  CHECK(refusal(archive_at(dir, tar_entry("manifest.json", "[]"))).kind == ErrorKind::not_found);
}

TEST_CASE("archive: layers are read from many threads at once") {
  const TempDir dir;
  TestImage written;
  for (int i = 0; i < 8; ++i) written.layer_tars.push_back(std::string(200'000, static_cast<char>('a' + i)));
  write_docker_archive(written, dir / "image.tar");
  const auto source = open_source(Reference::parse(dir / "image.tar"));
  const Image image = source->resolve({});
  std::vector<std::string> read(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 8; ++i) threads.emplace_back([&, i] { read[i] = bytes_of(*source, image.layers[i]); });
  for (std::thread& thread : threads) thread.join();
  CHECK(read == written.layer_tars);
}

TEST_CASE("archive index: names are normalised, and what leaves the archive is no name of it") {
  const TempDir dir;
  const std::string path = archive_at(dir, tar_entry("./a/b", "1") + tar_entry("../c", "2") + tar_entry("d/", "", '5'));
  const ArchiveIndex index(File::open(path));
  CHECK(index.has("a/b"));
  CHECK(index.find("/a/./b")->text(10) == "1");
  CHECK_FALSE(index.find("c"));
  CHECK(index.oddities().at(0).id == "archive-entry-escapes");
  CHECK_THROWS_AS(index.find("d"), Error);
}
