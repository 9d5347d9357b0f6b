// Tokens, realms and credential helpers. Every registry here is made up; no secret stands in this file.
#include <sys/stat.h>

#include "base/base64.h"
#include "registry_kit.h"
#include "source/challenge.h"
#include "source/credential_helper.h"
#include "source/url.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

const std::string manifest_type = "application/vnd.oci.image.manifest.v1+json";

/// A registry of one image in memory that wants the token it names.
struct TokenRegistry {
  TempDir dir;
  std::string layout, manifest_digest, realm;
  std::atomic<bool> ended{false};  // the token is no more good
  mutable std::mutex mutex;
  std::string good_token = made_secret();
  HttpServer server;

  std::string token() const {
    const std::lock_guard lock(mutex);
    return good_token;
  }
  std::string new_token() {
    const std::lock_guard lock(mutex);
    return good_token = made_secret();
  }

  TokenRegistry()
      : layout((write_oci_layout(image_of({"a"}), dir / "image"), dir / "image")),
        manifest_digest(resolve("oci:" + layout).manifest_digest),
        server([this](const HttpServer::Request& request) { return answer(request); }) {}

  HttpServer::Reply answer(const HttpServer::Request& request) {
    if (ended || request.header("authorization") != "Bearer " + token())
      return {401,
              {{"WWW-Authenticate",
                "Bearer realm=\"" + realm + "\",service=\"made up\",scope=\"repository:demo:pull,push\""}},
              ""};
    const std::string last = request.target.substr(request.target.rfind('/') + 1);
    const std::string digest = last == "1" ? manifest_digest : last;
    const std::string file = layout + "/blobs/sha256/" + (digest.size() > 7 ? digest.substr(7) : "none");
    if (request.target.find("/referrers/") != std::string::npos || !std::filesystem::exists(file)) return {404, {}, ""};
    const bool manifest = request.target.find("/manifests/") != std::string::npos;
    return {200, {{"Content-Type", manifest ? manifest_type : "application/octet-stream"}}, slurp(file)};
  }
  std::string reference() const { return "docker://" + server.address() + "/demo:1"; }
};

HttpServer::Reply gives(const std::string& token) { return {200, {}, Json{{"token", token}}.dump()}; }

RegistryOptions somebody(const std::string& password) {
  RegistryOptions out = quick();
  out.credentials.given = Credentials{"somebody", password, {}};
  return out;
}

}  // namespace

TEST_CASE("registry auth: a token for pulling, got once and used for everything") {
  TokenRegistry registry;
  const std::string password = made_secret();
  const HttpServer realm([&](const HttpServer::Request&) { return gives(registry.token()); });
  registry.realm = "http://" + realm.address() + "/token?a=b";
  const ReadBack got = read_back(registry.reference(), somebody(password));
  if (got.refused) FAIL(got.refused->text);
  CHECK(got.layers.size() == 1);
  REQUIRE(realm.requests().size() == 1);
  const HttpServer::Request asked = realm.requests()[0];
  CHECK(asked.header("authorization") == "Basic " + encode_base64("somebody:" + password));
  // Never more than reading, whatever the registry suggests.
  CHECK(contains(asked.target, "scope=repository%3Ademo%3Apull&"));
  CHECK_FALSE(contains(asked.target, "push"));
  CHECK(contains(asked.target, "a=b&"));
  CHECK(contains(asked.target, "service=made%20up"));
  for (const auto& request : registry.server.requests())
    CHECK_FALSE(request.header("authorization").starts_with("Basic"));
  // Without credentials the same realm may still give one.
  CHECK_FALSE(read_back(registry.reference()).refused);
  CHECK(realm.requests()[1].header("authorization").empty());
}

TEST_CASE("registry auth: a token that ends meanwhile is renewed") {
  TokenRegistry registry;
  const HttpServer realm([&](const HttpServer::Request&) { return gives(registry.new_token()); });
  registry.realm = "http://" + realm.address() + "/token";
  const auto source = open_source(Reference::parse(registry.reference()), quick());
  const Image image = source->resolve({});
  (void)registry.new_token();
  CHECK_FALSE(bytes_of(*source, image.layers.at(0)).empty());
  CHECK(realm.requests().size() == 2);
  registry.ended = true;
  CHECK_THROWS_AS(bytes_of(*source, image.layers.at(0)), Error);
  CHECK(realm.requests().size() <= 5);
}

TEST_CASE("registry auth: a realm of somebody else is not told the password") {
  TokenRegistry registry;
  const std::string password = made_secret();
  const HttpServer thief([&](const HttpServer::Request&) { return gives(registry.token()); });
  const std::string port = std::to_string(thief.port());
  for (const std::string& realm :
       {"http://localhost:" + port + "/token", std::string("https://auth.example.org/token"),
        std::string("http://auth.example.org/token"), std::string("file:///etc/passwd"), std::string("")}) {
    INFO(realm);
    registry.realm = realm;
    const ReadBack got = read_back(registry.reference(), somebody(password));
    REQUIRE(got.refused);
    CHECK(got.refused->kind == ErrorKind::auth);
    CHECK_FALSE(contains(got.refused->text, password));
  }
  CHECK(thief.requests().empty());
  RegistryOptions allowed = somebody(password);
  allowed.token_hosts = {"localhost"};
  registry.realm = "http://localhost:" + port + "/token";
  CHECK_FALSE(read_back(registry.reference(), allowed).refused);
}

TEST_CASE("registry auth: answers that are no token") {
  TokenRegistry registry;
  const std::string password = made_secret();
  HttpServer::Reply answer;
  const HttpServer realm([&](const HttpServer::Request&) { return answer; });
  registry.realm = "http://" + realm.address() + "/token";
  const auto refused = [&](HttpServer::Reply reply, ErrorKind kind) {
    answer = std::move(reply);
    const ReadBack got = read_back(registry.reference(), somebody(password));
    REQUIRE(got.refused);
    INFO(got.refused->text);
    CHECK(std::string(to_string(got.refused->kind)) == std::string(to_string(kind)));
    CHECK_FALSE(contains(got.refused->text, password));
    CHECK_FALSE(contains(got.refused->text, encode_base64("somebody:" + password)));
  };
  refused({401, {}, "no"}, ErrorKind::auth);
  refused(gives("a\r\nX-Other: b"), ErrorKind::auth);
  refused(gives(""), ErrorKind::auth);
  refused({200, {}, "[]"}, ErrorKind::auth);
  refused({200, {}, "<html>"}, ErrorKind::auth);
  refused({404, {}, ""}, ErrorKind::network);
  refused({.status = 200, .body = std::string(4096, ' '), .endless = true}, ErrorKind::limit);
  // A token that the registry does not take is not asked for for ever.
  refused(gives("another"), ErrorKind::auth);
}

TEST_CASE("registry auth: an identity token is exchanged, not shown to the registry") {
  TokenRegistry registry;
  const std::string refresh = made_secret() + "+/=";
  const HttpServer realm([&](const HttpServer::Request&) {
    return HttpServer::Reply{200, {}, Json{{"access_token", registry.token()}}.dump()};
  });
  registry.realm = "http://" + realm.address() + "/token";
  RegistryOptions options = quick();
  options.credentials.given = Credentials{"", "", refresh};
  CHECK_FALSE(read_back(registry.reference(), options).refused);
  REQUIRE(realm.requests().size() == 1);
  CHECK(realm.requests()[0].method == "POST");
  CHECK(contains(realm.requests()[0].body, "grant_type=refresh_token"));
  CHECK(contains(realm.requests()[0].body, "%2B%2F%3D"));
  for (const auto& request : registry.server.requests())
    CHECK_FALSE(contains(request.header("authorization"), refresh));
}

namespace {

struct Helpers {
  TempDir dir;
  CredentialSettings settings;
  Helpers() {
    settings.helper_folders = {"relative", dir.path()};
    settings.helper_environment = {"PATH=/usr/bin:/bin"};
    settings.helper_time = std::chrono::milliseconds(1500);
    settings.files = {dir / "config.json"};
  }
  void helper(const std::string& name, const std::string& script) const {
    const std::string file = dir / ("docker-credential-" + name);
    write_file(file, "#!/bin/sh\n" + script + "\n");
    ::chmod(file.c_str(), 0700);
  }
  void config(const Json& json) const { write_file(dir / "config.json", json.dump()); }
  std::optional<Credentials> find(const std::string& host = "registry.example.org") const {
    return find_credentials(settings, host, "team/demo");
  }
};

}  // namespace

TEST_CASE("credential helpers: asked by name, for the host, without a shell") {
  Helpers helpers;
  const std::string secret = made_secret();
  helpers.helper("good",
                 "host=$(cat); [ \"$1\" = get ] && printf '{\"ServerURL\":\"%s\",\"Username\":\"u\",\"Secret\":\"" +
                     secret + "\"}' \"$host\"");
  helpers.config({{"credHelpers", {{"registry.example.org", "good"}}}, {"credsStore", "absent"}});
  const auto found = helpers.find();
  REQUIRE(found);
  CHECK(found->user == "u");
  CHECK(found->password == secret);
  helpers.config({{"credsStore", "good"}});
  CHECK(helpers.find()->password == secret);
  CHECK(helpers.find("docker.io")->password == secret);
  helpers.helper("token", "printf '{\"Username\":\"<token>\",\"Secret\":\"" + secret + "\"}'");
  helpers.config({{"credsStore", "token"}});
  CHECK(helpers.find()->identity_token == secret);
  CHECK(helpers.find()->password.empty());
  // It knows nobody: the entries below are asked then.
  helpers.helper("nobody", "echo credentials not found in native keychain; exit 1");
  helpers.config(
      {{"credsStore", "nobody"}, {"auths", {{"registry.example.org", {{"username", "v"}, {"password", secret}}}}}});
  CHECK(helpers.find()->user == "v");
  CHECK_FALSE(helpers.find("other.example.org"));
}

TEST_CASE("credential helpers: what they do wrong is an error, without what they say") {
  Helpers helpers;
  const std::string secret = made_secret();
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"crash", "kill -9 $$"},
      {"fails", "echo " + secret + " >&2; echo " + secret + "; exit 3"},
      {"slow", "exec sleep 30"},
      {"endless", "exec yes"},
      {"text", "echo " + secret},
      {"other", "printf '{\"ServerURL\":\"evil.example.org\",\"Username\":\"u\",\"Secret\":\"" + secret + "\"}'"},
  };
  for (const auto& [name, script] : bad) {
    INFO(name);
    helpers.helper(name, script);
    helpers.config({{"credsStore", name}});
    try {
      (void)helpers.find();
      FAIL_CHECK("was accepted");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::auth);
      CHECK_FALSE(contains(error.what(), secret));
    }
  }
  for (const char* name : {"../docker-credential-crash", "absent", "a b", "a;b"}) {
    INFO(name);
    helpers.config({{"credsStore", name}});
    CHECK_THROWS_AS(helpers.find(), Error);
  }
}

TEST_CASE("auth files: order, keys as engines write them, and files that are none") {
  Helpers helpers;
  const std::string secret = made_secret();
  helpers.config({{"auths",
                   {{"https://index.docker.io/v1/", {{"auth", encode_base64("hub:" + secret)}}},
                    {"https://registry.example.org", {{"auth", encode_base64("u:a:b")}}}}}});
  CHECK(helpers.find("docker.io")->user == "hub");
  CHECK(helpers.find()->password == "a:b");  // only the first colon divides
  CHECK_FALSE(helpers.find("registry.example.org:5000"));
  helpers.config({{"auths", {{"registry.example.org", Json::object()}}}});
  CHECK_FALSE(helpers.find());
  for (const std::string& text :
       {"{\"auths\": {\"registry.example.org\": {\"auth\": \"" + secret + "!\"}}}", "{ \"" + secret, std::string("[]"),
        std::string("{\"auths\": {\"registry.example.org\": {\"auth\": 7}}}")}) {
    write_file(helpers.dir / "config.json", text);
    try {
      (void)helpers.find();
      FAIL_CHECK("was accepted: " << text);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::auth);
      CHECK_FALSE(contains(error.what(), secret));
    }
  }
  helpers.settings.named_file = helpers.dir / "absent.json";
  CHECK_THROWS_AS(helpers.find(), Error);
}

TEST_CASE("challenges are taken apart") {
  const auto two = parse_challenges("Basic realm=\"a, b\\\"c\", Bearer realm=\"https://x/y\",service=s");
  REQUIRE(two.size() == 2);
  CHECK(two[0].scheme == "basic");
  CHECK(two[0].parameters.at("realm") == "a, b\"c");
  CHECK(two[1].parameters.at("realm") == "https://x/y");
  CHECK(two[1].parameters.at("service") == "s");
  CHECK(parse_challenges("").empty());
  CHECK(parse_challenges("realm=\"x\"").empty());
  CHECK(parse_challenges("\x01\x02").empty());
  CHECK(parse_challenges("Bearer realm=\"unended").at(0).parameters.at("realm") == "unended");
}

TEST_CASE("addresses: what is one, where it leads, how far it reaches") {
  const Url url = Url::parse("https://Registry.Example.org/v2/a?x=secret");
  CHECK(url.origin() == "https://registry.example.org:443");
  CHECK(url.shown() == "https://registry.example.org:443/v2/a");
  CHECK(url.at("/b").text() == "https://registry.example.org:443/b");
  CHECK(url.at("//other.example.org:8443/c?d").text() == "https://other.example.org:8443/c?d");
  for (const char* bad :
       {"", "x", "ftp://a/", "https://u:p@a/", "https://a/\r\nb", "https:///", "https://a b/", "javascript:x"}) {
    INFO(bad);
    CHECK_THROWS_AS(Url::parse(bad), Error);
  }
  for (const char* here : {"127.0.0.1", "127.9.9.9", "localhost", "a.localhost", "::1", "::ffff:127.0.0.1", "0.0.0.0"})
    CHECK(reach_of(here) == Reach::machine);
  for (const char* near : {"10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "fe80::1", "fd00::1"})
    CHECK(reach_of(near) == Reach::network);
  for (const char* far : {"8.8.8.8", "172.32.0.1", "example.org", "notlocalhost", "2001:db8::1"})
    CHECK(reach_of(far) == Reach::world);
  // Other spellings of this machine are the same to the one who connects, and to us.
  CHECK(reach_of(Url::parse("http://2130706433/").host) == Reach::machine);
  CHECK(reach_of(Url::parse("http://0x7f.1/").host) == Reach::machine);
}
