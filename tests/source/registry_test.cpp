// Images of a real registry on loopback.
#include "base/base64.h"
#include "oci/registry_name.h"
#include "registry_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

TEST_CASE("docker://: an image of a registry is the image that was pushed") {
  OCILINT_NEEDS_REGISTRY();
  const TempDir dir;
  const TestImage written = large_image();
  const std::string layout = write_oci_layout(written, dir / "image", "gzip");
  RealRegistry registry;
  registry.push(layout, "some/demo:1");
  const Image local = resolve(layout);
  const ReadBack got = read_back("docker://" + registry.address() + "/some/demo:1");
  REQUIRE_FALSE(got.refused);
  CHECK(got.image.manifest_digest == local.manifest_digest);
  CHECK(got.image.reference == "docker://" + registry.address() + "/some/demo:1@" + local.manifest_digest);
  CHECK(got.image.config.raw == local.config.raw);
  REQUIRE(got.layers.size() == 2);
  CHECK(got.layers[0] == compressed(written.layer_tars[0], "gzip"));
  CHECK(got.layers[1] == compressed(written.layer_tars[1], "gzip"));
  // A bare name that begins with a host means the same; a digest does too.
  CHECK(read_back(registry.address() + "/some/demo:1").image.manifest_digest == local.manifest_digest);
  CHECK(read_back("docker://" + registry.address() + "/some/demo@" + local.manifest_digest).image.manifest_digest ==
        local.manifest_digest);
  CHECK(read_back("docker://" + registry.address() + "/some/demo:2").refused->kind == ErrorKind::not_found);
  CHECK(read_back("docker://" + registry.address() + "/other:1").refused->kind == ErrorKind::not_found);
  CHECK(read_back("docker://" + registry.address() + "/some/demo:1", quick(), "linux/s390x").refused->kind ==
        ErrorKind::not_found);
}

TEST_CASE("docker://: of an index the image for the platform is read, and no other") {
  OCILINT_NEEDS_REGISTRY();
  const TempDir dir;
  TestImage amd = image_of({"amd"}), arm = image_of({"arm"});
  arm.architecture = "arm64";
  const std::string layout = dir / "both";
  const Json first = put_image(amd, layout, "gzip"), second = put_image(arm, layout, "gzip");
  const std::string reference = write_index(layout, {first, second});
  RealRegistry registry;
  // skopeo takes the only entry of an index as the image: the index goes one deeper.
  const std::string inner = slurp(layout + "/index.json");
  write_index(layout, {put_blob(layout, inner, "application/vnd.oci.image.index.v1+json")});
  registry.push(reference, "both:1", {"--all"});
  HttpServer proxy([&](const HttpServer::Request& request) { return HttpServer::forward(request, registry.port()); });
  const ReadBack got = read_back("docker://" + proxy.address() + "/both:1", quick(), "linux/arm64");
  REQUIRE_FALSE(got.refused);
  CHECK(got.image.manifest_digest == second["digest"]);
  CHECK(got.image.platform.architecture == "arm64");
  CHECK(count(got.image, Document::Kind::index) == 1);
  CHECK(proxy.count(second["digest"]) > 0);
  CHECK(proxy.count(first["digest"]) == 0);
  CHECK(contains(got.image.reference, "both:1@" + Digest::sha256_of(inner).text()));
}

TEST_CASE("docker://: only documents are fetched until a layer is opened") {
  OCILINT_NEEDS_REGISTRY();
  const TempDir dir;
  RealRegistry registry;
  registry.push(write_oci_layout(large_image(), dir / "image", "gzip"), "demo:1");
  HttpServer proxy([&](const HttpServer::Request& request) { return HttpServer::forward(request, registry.port()); });
  const auto source = open_source(Reference::parse("docker://" + proxy.address() + "/demo:1"), quick());
  const Image image = source->resolve({});
  REQUIRE(image.layers.size() == 2);
  for (const LayerSource& layer : image.layers) CHECK(proxy.count(layer.name) == 0);
  CHECK(proxy.count("/blobs/") == 1);  // the config
  (void)bytes_of(*source, image.layers[1]);
  CHECK(proxy.count(image.layers[0].name) == 0);
  CHECK(proxy.count(image.layers[1].name) == 1);
}

TEST_CASE("docker://: a tag that moves meanwhile does not matter") {
  OCILINT_NEEDS_REGISTRY();
  const TempDir dir;
  const TestImage first = image_of({"first"}), second = image_of({"second"});
  RealRegistry registry;
  registry.push(write_oci_layout(first, dir / "first", "gzip"), "demo:1");
  const auto source = open_source(Reference::parse("docker://" + registry.address() + "/demo:1"), quick());
  const std::string before = resolve("oci:" + (dir / "first")).manifest_digest;
  registry.push(write_oci_layout(second, dir / "second", "gzip"), "demo:1");
  const Image image = source->resolve({});
  CHECK(image.manifest_digest == before);
  CHECK(contains(image.reference, "demo:1@" + before));
  CHECK(image.config.history.at(0).created_by == "COPY first");
  CHECK(bytes_of(*source, image.layers.at(0)) == gzip_stored(first.layer_tars[0]));
}

TEST_CASE("docker://: users, passwords and auth files") {
  OCILINT_NEEDS_REGISTRY();
  const TempDir dir;
  RealRegistry registry({.users = true, .tls = false});
  registry.push(write_oci_layout(image_of({"a"}), dir / "image"), "team/demo:1");
  const std::string reference = "docker://" + registry.address() + "/team/demo:1";
  const auto refused = [&](const RegistryOptions& options) {
    const ReadBack got = read_back(reference, options);
    REQUIRE(got.refused);
    CHECK_FALSE(contains(got.refused->text, registry.password()));
    return *got.refused;
  };
  CHECK(refused(quick()).kind == ErrorKind::auth);
  CHECK(contains(refused(quick()).text, "no credentials"));

  RegistryOptions given = quick();
  given.credentials.given = Credentials{"somebody", registry.password(), {}};
  CHECK_FALSE(read_back(reference, given).refused);
  given.credentials.nobody = true;
  CHECK(refused(given).kind == ErrorKind::auth);
  RegistryOptions wrong = quick();
  wrong.credentials.given = Credentials{"somebody", "not " + registry.password(), {}};
  CHECK(refused(wrong).kind == ErrorKind::auth);

  const auto file = [&](const Json& auths) {
    write_file(dir / "auth.json", Json{{"auths", auths}}.dump());
    RegistryOptions out = quick();
    out.credentials.files = {dir / "absent.json", dir / "auth.json"};
    return out;
  };
  const std::string good = encode_base64("somebody:" + registry.password()), bad = encode_base64("somebody:other");
  const std::string host = registry.address();
  CHECK_FALSE(read_back(reference, file({{host, {{"auth", good}}}})).refused);
  // The most specific name decides.
  CHECK_FALSE(read_back(reference, file({{host, {{"auth", bad}}}, {host + "/team", {{"auth", good}}}})).refused);
  CHECK(refused(file({{host, {{"auth", good}}}, {host + "/team", {{"auth", bad}}}})).kind == ErrorKind::auth);
  CHECK_FALSE(read_back(reference, file({{host, {{"auth", good}}}, {host + "/tea", {{"auth", bad}}}})).refused);
}

TEST_CASE("docker://: certificates are verified, unless the user says otherwise") {
  OCILINT_NEEDS_REGISTRY();
  const TempDir dir;
  RealRegistry registry({.users = false, .tls = true});
  registry.push(write_oci_layout(image_of({"a"}), dir / "image"), "demo:1");
  const std::string reference = "docker://" + registry.address() + "/demo:1";
  const ReadBack unknown = read_back(reference);
  REQUIRE(unknown.refused);
  CHECK(unknown.refused->kind == ErrorKind::network);
  RegistryOptions trusting = quick();
  trusting.http.certificates = registry.certificates();
  CHECK_FALSE(read_back(reference, trusting).refused);
  // The certificate is for an address, not for this name of it.
  const ReadBack other_name = read_back("docker://localhost:" + std::to_string(registry.port()) + "/demo:1", trusting);
  REQUIRE(other_name.refused);
  CHECK(other_name.refused->kind == ErrorKind::network);
  RegistryOptions careless = quick();
  careless.http.verify_tls = false;
  CHECK_FALSE(read_back(reference, careless).refused);
}

TEST_CASE("docker-daemon: what the engine saves is read through its socket") {
  const TempDir dir;
  TestImage image = image_of({"a", "b"});
  image.ref_name = "demo:1";
  write_docker_archive(image, dir / "image.tar");
  const std::string archive = slurp(dir / "image.tar");
  std::atomic<bool> cut{false};
  const HttpServer engine(
      [&](const HttpServer::Request& request) {
        if (request.target == "/images/team/demo:1/get") {
          HttpServer::Reply reply{200, {{"Content-Type", "application/x-tar"}}, archive};
          if (cut) reply.cut_after = archive.size() / 2;
          return reply;
        }
        return HttpServer::Reply{404, {}, "{\"message\":\"no such image\"}"};
      },
      dir / "docker.sock");
  RegistryOptions options = quick();
  options.engine = dir / "docker.sock";
  const ReadBack got = read_back("docker-daemon:team/demo:1", options);
  if (got.refused) FAIL(got.refused->text);
  CHECK(got.image.reference == "docker-daemon:team/demo:1");
  CHECK(got.layers == image.layer_tars);
  CHECK(read_back("docker-daemon:absent", options).refused->kind == ErrorKind::not_found);
  CHECK(read_back("docker-daemon:../x", options).refused->kind == ErrorKind::usage);
  cut = true;
  CHECK(read_back("docker-daemon:team/demo:1", options).refused->kind == ErrorKind::network);
  options.engine = dir / "absent.sock";
  CHECK(read_back("docker-daemon:team/demo:1", options).refused->kind == ErrorKind::network);
  options.engine = "tcp://127.0.0.1:2375";
  CHECK(read_back("docker-daemon:team/demo:1", options).refused->kind == ErrorKind::unsupported);
  CHECK(contains(refusal("containers-storage:demo").text, "skopeo copy containers-storage:demo oci:DIR"));
}

TEST_CASE("docker://: what refers to the image is one of its documents") {
  const TempDir dir;
  const std::string layout = dir / "image";
  const Json image = put_image(image_of({"a"}), layout);
  const std::string oci = "application/vnd.oci.image.";
  const std::string statement = R"({"predicate": {"note": "attached"}})";
  const Json blob = put_blob(layout, statement, "application/vnd.in-toto+json"),
             empty = put_blob(layout, "{}", "application/vnd.oci.empty.v1+json");
  const auto attach = [&](const std::string& subject) {
    return put_blob(
        layout,
        Json{{"schemaVersion", 2},
             {"mediaType", oci + "manifest.v1+json"},
             {"artifactType", "application/x"},
             {"config", empty},
             {"layers", {blob}},
             {"subject", {{"mediaType", oci + "manifest.v1+json"}, {"digest", subject}, {"size", image["size"]}}}}
            .dump(),
        oci + "manifest.v1+json");
  };
  const Json index{{"schemaVersion", 2},
                   {"mediaType", oci + "index.v1+json"},
                   {"manifests", {attach(image["digest"]), attach(Digest::sha256_of("other").text())}}};
  enum class How { api, tag, none, broken };
  std::atomic<How> how{How::api};
  const HttpServer registry([&](const HttpServer::Request& request) {
    std::string last = request.target.substr(request.target.rfind('/') + 1);
    const bool api = request.target.find("/referrers/") != std::string::npos;
    if (api ? how == How::api : last.starts_with("sha256-") && how == How::tag)
      return HttpServer::Reply{200, {{"Content-Type", oci + "index.v1+json"}}, index.dump()};
    if (api && how == How::broken) return HttpServer::Reply{200, {{"Content-Type", oci + "index.v1+json"}}, "{"};
    if (last == "1") last = image["digest"];
    const std::string file = layout + "/blobs/sha256/" + (last.size() > 7 ? last.substr(7) : "none");
    if (api || !std::filesystem::exists(file)) return HttpServer::Reply{404, {}, ""};
    return HttpServer::Reply{200, {}, slurp(file)};
  });
  const auto read = [&](How now) {
    how = now;
    ReadBack got = read_back("docker://" + registry.address() + "/demo:1");
    if (got.refused) FAIL(got.refused->text);
    return got.image;
  };
  for (const How now : {How::api, How::tag}) {
    const Image with = read(now);
    CHECK(count(with, Document::Kind::attestation_manifest) == 1);
    CHECK(count(with, Document::Kind::attestation) == 1);
    CHECK(with.documents.back().text == statement);
  }
  CHECK(count(read(How::none), Document::Kind::attestation) == 0);
  CHECK_FALSE(has_oddity(read(How::none), "attestation-unreadable"));
  CHECK(has_oddity(read(How::broken), "attestation-unreadable"));
}
