// A real registry behind a proxy that breaks things: the right bytes, or an error of the right kind.
#include "registry_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

/// One image in one registry for all of these tests, and the digests of its parts.
struct Scene {
  TempDir dir;
  RealRegistry registry;
  Image image;
  std::vector<std::string> layers;

  Scene() {
    const std::string layout = write_oci_layout(large_image(), dir / "image", "gzip");
    registry.push(layout, "demo:1");
    const auto source = open_source(Reference::parse(layout));
    image = source->resolve({});
    for (const LayerSource& layer : image.layers) layers.push_back(bytes_of(*source, layer));
  }
  std::string blob() const { return "/blobs/" + image.layers[0].name; }
};

Scene& scene() {
  static Scene out;
  return out;
}

/// Breaks replies to requests whose target has `part` in it; `times`: how often, then it is whole.
using Fault = std::function<void(const HttpServer::Request&, HttpServer::Reply&)>;

class Breaker {
 public:
  Breaker(std::string part, std::size_t times, Fault fault)
      : part_(std::move(part)),
        times_(times),
        fault_(std::move(fault)),
        server_([this](const HttpServer::Request& request) {
          HttpServer::Reply reply = HttpServer::forward(request, scene().registry.port());
          if (request.target.find(part_) != std::string::npos && seen_++ < times_) fault_(request, reply);
          return reply;
        }) {}
  ReadBack read(const RegistryOptions& options = quick()) const {
    return read_back("docker://" + server_.address() + "/demo:1", options);
  }
  const HttpServer& server() const { return server_; }

 private:
  std::string part_;
  std::size_t times_;
  Fault fault_;
  std::atomic<std::size_t> seen_{0};
  HttpServer server_;
};

constexpr std::size_t always = 1'000'000;

void whole(const ReadBack& got) {
  if (got.refused) FAIL_CHECK(got.refused->text);
  CHECK(got.layers == scene().layers);
  CHECK(got.image.manifest_digest == scene().image.manifest_digest);
}

void broken(const ReadBack& got, ErrorKind kind) {
  REQUIRE(got.refused);
  INFO(got.refused->text);
  CHECK(std::string(to_string(got.refused->kind)) == std::string(to_string(kind)));
}

}  // namespace

TEST_CASE("registry faults: connections that break are taken up where they broke") {
  OCILINT_NEEDS_REGISTRY();
  std::vector<std::string> ranges;
  std::mutex mutex;
  const Breaker twice(scene().blob(), 2, [&](const HttpServer::Request& request, HttpServer::Reply& reply) {
    const std::lock_guard lock(mutex);
    ranges.push_back(request.header("range"));
    reply.cut_after = 200'000;
  });
  whole(twice.read());
  REQUIRE(ranges.size() == 2);
  CHECK(ranges[0].empty());
  CHECK(ranges[1].starts_with("bytes="));
  const Breaker ever(scene().blob(), always, [](const auto&, HttpServer::Reply& reply) { reply.cut_after = 0; });
  broken(ever.read(), ErrorKind::network);
  CHECK(ever.server().count(scene().blob()) <= 5);
}

TEST_CASE("registry faults: a server without ranges sends all again") {
  OCILINT_NEEDS_REGISTRY();
  const std::string all = scene().layers[0];
  std::atomic<int> seen{0};
  const Breaker once(scene().blob(), 2, [&](const auto&, HttpServer::Reply& reply) {
    reply.status = 200;
    reply.body = all;
    std::erase_if(reply.headers, [](const auto& header) { return header.first == "content-range"; });
    if (seen++ == 0) reply.cut_after = 300'000;
  });
  whole(once.read());
}

TEST_CASE("registry faults: the rest of something else is not put together") {
  OCILINT_NEEDS_REGISTRY();
  std::atomic<int> seen{0};
  const auto lie = [&](const char* range) {
    seen = 0;
    return [&, range](const auto&, HttpServer::Reply& reply) {
      if (seen++ == 0) {
        reply.cut_after = 300'000;
        return;
      }
      reply.status = 206;
      std::erase_if(reply.headers, [](const auto& header) { return header.first == "content-range"; });
      reply.headers.push_back({"Content-Range", range});
    };
  };
  for (const char* range : {"bytes 0-599999/600000", "bytes */600000", "nonsense", ""}) {
    INFO(range);
    broken(Breaker(scene().blob(), always, lie(range)).read(), ErrorKind::network);
  }
  // Another file of the same length: every answer is right but the bytes are not.
  seen = 0;
  const Breaker other(scene().blob(), always, [&](const auto&, HttpServer::Reply& reply) {
    if (seen++ == 0)
      reply.cut_after = 300'000;
    else
      std::ranges::fill(reply.body, 'x');
  });
  broken(other.read(), ErrorKind::corrupt);
}

TEST_CASE("registry faults: stalls, short and endless bodies") {
  OCILINT_NEEDS_REGISTRY();
  const Breaker stalls(scene().blob(), 1,
                       [](const auto&, HttpServer::Reply& reply) { reply.stall = std::chrono::seconds(20); });
  whole(stalls.read());
  RegistryOptions two = quick();
  two.http.tries = 2;
  const Breaker hangs(scene().blob(), always,
                      [](const auto&, HttpServer::Reply& reply) { reply.stall = std::chrono::seconds(20); });
  broken(hangs.read(two), ErrorKind::network);
  const Breaker silent("/manifests/1", always, [](const auto&, HttpServer::Reply& reply) {
    reply.body.clear();
    reply.declared = 5000;
    reply.stall = std::chrono::seconds(20);
  });
  broken(silent.read(two), ErrorKind::network);
  const Breaker truncated(scene().blob(), always, [](const auto&, HttpServer::Reply& reply) {
    reply.body.resize(reply.body.size() / 2);
    reply.no_length = true;
  });
  broken(truncated.read(), ErrorKind::network);
  const Breaker shorter(scene().blob(), always, [](const auto&, HttpServer::Reply& reply) { reply.body.resize(1000); });
  broken(shorter.read(), ErrorKind::corrupt);
  const Breaker endless(scene().blob(), always, [](const auto&, HttpServer::Reply& reply) { reply.endless = true; });
  broken(endless.read(), ErrorKind::corrupt);
  const Breaker endless_manifest("/manifests/1", always,
                                 [](const auto&, HttpServer::Reply& reply) { reply.endless = true; });
  broken(endless_manifest.read(), ErrorKind::limit);
  const Breaker flood("/manifests/1", always, [](const auto&, HttpServer::Reply& reply) {
    for (int i = 0; i < 300; ++i) reply.headers.push_back({"X-" + std::to_string(i), std::string(1000, 'x')});
  });
  broken(flood.read(), ErrorKind::limit);
}

TEST_CASE("registry faults: bytes, digests and lengths that lie") {
  OCILINT_NEEDS_REGISTRY();
  const auto flip = [](const auto&, HttpServer::Reply& reply) {
    reply.body[reply.body.size() / 2] = static_cast<char>(reply.body[reply.body.size() / 2] ^ 1);
  };
  broken(Breaker(scene().blob(), always, flip).read(), ErrorKind::corrupt);
  broken(Breaker("/manifests/1", always, flip).read(), ErrorKind::corrupt);
  const std::string config = Digest::sha256_of(scene().image.config.raw).text();
  broken(Breaker(config, always, flip).read(), ErrorKind::corrupt);
  const auto other_digest = [](const auto&, HttpServer::Reply& reply) {
    std::erase_if(reply.headers, [](const auto& header) { return header.first == "docker-content-digest"; });
    reply.headers.push_back({"Docker-Content-Digest", Digest::sha256_of("another").text()});
  };
  broken(Breaker("/manifests/1", always, other_digest).read(), ErrorKind::corrupt);
  const Breaker unnamed("/manifests/1", always, [](const auto&, HttpServer::Reply& reply) {
    std::erase_if(reply.headers, [](const auto& header) { return header.first == "docker-content-digest"; });
  });
  whole(unnamed.read());
  const Breaker longer(scene().blob(), always, [](const auto&, HttpServer::Reply& reply) { reply.body += "more"; });
  broken(longer.read(), ErrorKind::corrupt);
  const Breaker page("/manifests/1", always, [](const auto&, HttpServer::Reply& reply) {
    reply.headers = {{"Content-Type", "text/html"}};
    reply.body = "<html>sign in to the network</html>";
  });
  broken(page.read(), ErrorKind::corrupt);
  const Breaker type("/manifests/1", always, [](const auto&, HttpServer::Reply& reply) {
    reply.headers = {{"Content-Type", "application/vnd.oci.image.index.v1+json"}};
  });
  broken(type.read(), ErrorKind::corrupt);
  const Breaker coded(scene().blob(), always, [](const auto&, HttpServer::Reply& reply) {
    reply.headers.push_back({"Content-Encoding", "br"});
  });
  broken(coded.read(), ErrorKind::corrupt);
}

TEST_CASE("registry faults: busy servers are asked again, not for ever") {
  OCILINT_NEEDS_REGISTRY();
  const auto busy = [](int status, const char* after) {
    return [status, after](const auto&, HttpServer::Reply& reply) {
      reply = HttpServer::Reply{status, {}, "busy"};
      if (*after != '\0') reply.headers.push_back({"Retry-After", after});
    };
  };
  for (const int status : {429, 500, 502}) {
    INFO(status);
    whole(Breaker("/manifests/1", 2, busy(status, "")).read());
  }
  for (const int status : {503, 504}) {
    INFO(status);
    whole(Breaker(scene().blob(), 1, busy(status, "")).read());
  }
  const auto begun = std::chrono::steady_clock::now();
  whole(Breaker(scene().blob(), 1, busy(429, "1")).read());
  CHECK(std::chrono::steady_clock::now() - begun >= std::chrono::seconds(1));
  const ReadBack year = Breaker(scene().blob(), 1, busy(503, "31536000")).read();
  broken(year, ErrorKind::network);
  CHECK(contains(year.refused->text, "31536000"));
  const Breaker ever("/manifests/1", always, busy(503, ""));
  broken(ever.read(), ErrorKind::network);
  CHECK(ever.server().count("/manifests/1") == 4);
  broken(Breaker(scene().blob(), always, busy(404, "")).read(), ErrorKind::not_found);
  broken(Breaker(scene().blob(), always, busy(403, "")).read(), ErrorKind::auth);
  broken(Breaker(scene().blob(), always, busy(400, "")).read(), ErrorKind::unsupported);
}

TEST_CASE("registry faults: credentials do not follow a redirect") {
  OCILINT_NEEDS_REGISTRY();
  const std::string secret = made_secret();
  const HttpServer store([](const HttpServer::Request& request) {
    return HttpServer::forward({request.method, request.target, {{"host", "x"}}, ""}, scene().registry.port());
  });
  const HttpServer asks([&](const HttpServer::Request& request) {
    if (request.header("authorization").empty())
      return HttpServer::Reply{401, {{"WWW-Authenticate", "Basic realm=\"x\""}}, ""};
    HttpServer::Request plain = request;
    plain.headers.erase("authorization");
    if (request.target.find("/blobs/") == std::string::npos) return HttpServer::forward(plain, scene().registry.port());
    return HttpServer::Reply{307, {{"Location", "http://" + store.address() + request.target}}, ""};
  });
  RegistryOptions options = quick();
  options.credentials.given = Credentials{"somebody", secret, {}};
  whole(read_back("docker://" + asks.address() + "/demo:1", options));
  REQUIRE(store.requests().size() >= 3);
  for (const auto& request : store.requests()) CHECK(request.header("authorization").empty());
  // A store that wants credentials of its own gets none.
  const HttpServer greedy([](const HttpServer::Request&) {
    return HttpServer::Reply{401, {{"WWW-Authenticate", "Basic realm=\"x\""}}, ""};
  });
  const Breaker leads(scene().blob(), always, [&](const auto& request, HttpServer::Reply& reply) {
    reply = {302, {{"Location", "http://" + greedy.address() + request.target}}, ""};
  });
  broken(leads.read(options), ErrorKind::auth);
  for (const auto& request : greedy.requests()) CHECK(request.header("authorization").empty());
}

TEST_CASE("registry faults: redirects that lead nowhere") {
  OCILINT_NEEDS_REGISTRY();
  const auto to = [](std::string where) {
    return [where](const auto&, HttpServer::Reply& reply) { reply = {302, {{"Location", where}}, ""}; };
  };
  for (const char* where : {"", "ftp://127.0.0.1/x", "file:///etc/passwd",
                            "http://user:"
                            "word@127.0.0.1/x",
                            "http://registry.example.org/x"}) {
    INFO(where);
    const ReadBack got = Breaker(scene().blob(), always, to(where)).read();
    broken(got, ErrorKind::network);
    CHECK_FALSE(contains(got.refused->text, "user:word"));
  }
  const Breaker circle(scene().blob(), always, [](const auto& request, HttpServer::Reply& reply) {
    reply = {302, {{"Location", request.target}}, ""};
  });
  broken(circle.read(), ErrorKind::network);
  CHECK(circle.server().count(scene().blob()) <= 6);
}
