// Tags of a repository: every page of a list, in an order of our own, or an error; never a part of it.
#include "source/tags.h"

#include "registry_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

using Reply = HttpServer::Reply;
using Request = HttpServer::Request;

std::string list_of(const std::vector<std::string>& tags) { return Json{{"name", "team/app"}, {"tags", tags}}.dump(); }

std::vector<std::string> numbered(std::size_t from, std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t i = from; i < from + count; ++i) out.push_back("t" + std::to_string(i));
  return out;
}

/// The list that a server gives, or what is wrong with it.
struct Listed {
  std::vector<std::string> tags;
  std::optional<Refusal> refused;
};

Listed list_from(const HttpServer& server, const RegistryOptions& options = quick()) {
  Listed out;
  try {
    out.tags = list_tags("docker://" + server.address() + "/team/app", options);
  } catch (const Error& error) {
    out.refused = Refusal{error.kind(), error.what()};
  }
  return out;
}

/// TLS is refused, as a server of plain HTTP does.
HttpServer serving(const std::function<Reply(const Request&)>& list) {
  return HttpServer([list](const Request& request) {
    return contains(request.target, "/tags/list") ? list(request) : Reply{200, {}, "{}"};
  });
}

}  // namespace

TEST_CASE("tags: numbers by their value, all else by bytes, whatever the registry's order") {
  std::vector<std::string> tags = {"7.10", "latest", "7.9", "7.9-rc2", "7.9-rc10", "v1", "7.09", "7", "A", "07.9"};
  std::ranges::sort(tags, tag_before);
  CHECK(tags ==
        std::vector<std::string>{"7", "07.9", "7.09", "7.9", "7.9-rc2", "7.9-rc10", "7.10", "A", "latest", "v1"});
  for (const std::string& left : tags)
    for (const std::string& right : tags)
      CHECK((tag_before(left, right) || tag_before(right, left)) == (left != right));
}

TEST_CASE("tags: what a real registry lists") {
  OCILINT_NEEDS_REGISTRY();
  const TempDir dir;
  const std::string layout = write_oci_layout(image_of({"a"}), dir / "image", "gzip");
  RealRegistry registry({.users = true});
  for (const char* const tag : {"2", "10", "latest"}) registry.push(layout, std::string("team/app:") + tag);
  RegistryOptions options = quick();
  options.credentials.given = Credentials{"somebody", registry.password(), {}};
  const std::string name = "docker://" + registry.address() + "/team/app";
  CHECK(list_tags(name, options) == std::vector<std::string>{"2", "10", "latest"});
  CHECK_THROWS_AS(list_tags(name + "x", options), Error);
  CHECK_THROWS_AS(list_tags(name, quick()), Error);
  CHECK(list_tags(name.substr(9), options).size() == 3);
}

TEST_CASE("tags: all pages, by Link or by the last tag") {
  std::vector<std::string> asked;
  std::mutex mutex;
  const HttpServer linked = serving([&](const Request& request) {
    const std::lock_guard lock(mutex);
    asked.push_back(request.target);
    if (contains(request.target, "last=t9"))
      return Reply{200, {{"Link", "</v2/team/app/tags/list?last=t11&n=1000>; rel=\"next\""}}, list_of({"t10", "t11"})};
    if (contains(request.target, "last=t11")) return Reply{200, {}, list_of({"t12"})};
    return Reply{
        200,
        {{"Link", "<https://other.invalid/first>; rel=first, </v2/team/app/tags/list?last=t9&n=1000>; rel=next"}},
        list_of(numbered(0, 10))};
  });
  const Listed all = list_from(linked);
  INFO((all.refused ? all.refused->text : ""));
  CHECK(all.tags == numbered(0, 13));
  CHECK(asked.size() == 3);

  // A page that is full and says nothing of another one is not believed to be the last.
  const HttpServer silent = serving([](const Request& request) {
    return contains(request.target, "last=t999") ? Reply{200, {}, list_of(numbered(1000, 5))}
                                                 : Reply{200, {}, list_of(numbered(0, 1000))};
  });
  CHECK(list_from(silent).tags.size() == 1005);
  // Registries that know no pages send all, again and again.
  const HttpServer whole = serving([](const Request&) { return Reply{200, {}, list_of(numbered(0, 2345))}; });
  CHECK(list_from(whole).tags.size() == 2345);
  const HttpServer deleted = serving([](const Request&) {
    return Reply{200, {}, R"({"name":"team/app","tags":null})"};
  });
  CHECK(list_from(deleted).tags.empty());
  CHECK_FALSE(list_from(deleted).refused);
}

TEST_CASE("tags: a list that leads elsewhere, in circles, or holds what is no tag is no list") {
  const auto refused = [](const Reply& reply) {
    const HttpServer server = serving([&](const Request&) { return reply; });
    const Listed got = list_from(server);
    REQUIRE(got.refused);
    return *got.refused;
  };
  const auto linked = [&](const std::string& to) {
    return Reply{200, {{"Link", "<" + to + ">; rel=\"next\""}}, list_of({"a"})};
  };
  CHECK(refused(linked("/v2/team/app/tags/list?n=1&last=a")).kind == ErrorKind::corrupt);  // the same page for ever
  CHECK(refused(linked("/v2/team/other/tags/list?last=a")).kind == ErrorKind::corrupt);
  CHECK(refused(linked("/elsewhere?last=a")).kind == ErrorKind::corrupt);
  CHECK(refused(linked("/v2/team/app/tags/list")).kind == ErrorKind::corrupt);
  for (const char* const tag : {"a/b", "../x", "", "a b", "-a", "a:b", "a\nb"})
    CHECK(refused(Reply{200, {}, list_of({"fine", tag})}).kind == ErrorKind::corrupt);
  CHECK(refused(Reply{200, {}, R"({"tags":"a"})"}).kind == ErrorKind::corrupt);
  CHECK(refused(Reply{200, {}, R"({"tags":[1]})"}).kind == ErrorKind::corrupt);
  CHECK(refused(Reply{200, {}, "<html>"}).kind == ErrorKind::corrupt);
  CHECK(refused(Reply{404, {}, "{}"}).kind == ErrorKind::not_found);
  CHECK(refused(Reply{403, {}, "{}"}).kind == ErrorKind::auth);
  CHECK(refused(Reply{500, {}, "{}"}).kind == ErrorKind::network);
  Reply cut{200, {}, list_of(numbered(0, 100))};
  cut.cut_after = 50;
  CHECK(refused(cut).kind == ErrorKind::network);
}

TEST_CASE("tags: of another host nothing is asked, whatever the link says") {
  std::size_t elsewhere = 0;
  const HttpServer other([&](const Request&) {
    ++elsewhere;
    return Reply{200, {}, list_of({"stolen"})};
  });
  const HttpServer server = serving([&](const Request& request) {
    if (contains(request.target, "last=a")) return Reply{200, {}, list_of({"b"})};
    return Reply{
        200, {{"Link", "<http://" + other.address() + "/v2/team/app/tags/list?last=a>; rel=\"next\""}}, list_of({"a"})};
  });
  CHECK(list_from(server).tags == std::vector<std::string>{"a", "b"});
  CHECK(elsewhere == 0);
}

TEST_CASE("tags: only a repository of a registry has some") {
  for (const char* const text : {"docker://host.invalid/app:tag", "docker://host.invalid/app@sha256:x", "oci:app",
                                 "app", "-", "docker-daemon:app", "", "docker://"}) {
    INFO(text);
    try {
      (void)list_tags(text, quick());
      FAIL_CHECK("accepted");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::usage);
    }
  }
}
