// `ocilint packages --why` of apk, rpm, Python and Node: who asks for a package, and what its manager makes of that.
#include "look/packages.h"
#include "look_kit.h"
#include "report/packages.h"
#include "support/rpm_maker.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

PackagesLook why(const TestImage& image, const std::string& name) {
  return look_at(image,
                 [&](const RunOptions& options) { return look_at_packages(options, {.why = name, .files = {}}); });
}

PackageReason only(const TestImage& image, const std::string& name) {
  const PackagesLook look = why(image, name);
  INFO(write_packages_text(look, looked_at(110)));
  REQUIRE(look.reasons.size() == 1);
  CHECK(look.unread.empty());
  return look.reasons[0];
}

std::vector<std::string> users_of(const PackageReason& reason) {
  std::vector<std::string> out;
  for (const PackageUser& user : reason.users) out.push_back(user.name + " | " + user.field + " | " + user.relation);
  return out;
}

TestImage image_of(const std::map<std::string, std::string>& files) {
  test::TarWriter tar;
  for (const auto& [path, content] : files) tar.file(path, content);
  TestImage image;
  image.layer_tars = {tar.finish()};
  image.created_by = {"RUN install"};
  return image;
}

std::string apk(const std::string& name, const std::string& more = "") {
  return "P:" + name + "\nV:1.0-r0\nA:x86_64\n" + more + "\n";
}

const std::string apk_database =
    apk("musl", "p:so:libc.musl-x86_64.so.1=1\n") +
    apk("libcurl", "D:so:libc.musl-x86_64.so.1\np:so:libcurl.so.4=4.8.0\n") +
    apk("curl", "D:so:libcurl.so.4 !wget-less so:libc.musl-x86_64.so.1\np:cmd:curl=1.0-r0\n") +
    apk("script", "D:cmd:curl>=1 pc:none\n") + apk("bash", "D:so:libc.musl-x86_64.so.1\n") +
    apk("curl-bash-completion", "i:curl=1.0-r0 bash\n") + apk("left-over", "D:left-library\n") + apk("left-library");

}  // namespace

TEST_CASE("why: apk's world, and chains by what is provided") {
  const TestImage image = image_of({{"lib/apk/db/installed", apk_database}, {"etc/apk/world", "script>0 bash@edge\n"}});
  const PackageReason library = only(image, "libcurl");
  CHECK(library.manager == "apk");
  CHECK(library.mark == "automatic");
  CHECK(library.keeps == "kept by a chain");
  CHECK(library.chain ==
        "/etc/apk/world -> script (world) -> curl (depends cmd:curl>=1) -> libcurl (depends so:libcurl.so.4)");
  CHECK(library.keepers == std::vector<std::string>{"script", "curl"});
  CHECK(library.remedy == "apk add libcurl");
  CHECK(users_of(library) == std::vector<std::string>{"curl | depends | so:libcurl.so.4"});

  const PackageReason asked = only(image, "bash");
  CHECK(asked.mark == "manual");
  CHECK(asked.keeps == "manual");
  CHECK(asked.keepers.empty());
  CHECK(std::ranges::count(users_of(asked), "/etc/apk/world | world | bash") == 1);

  // Two ways to it: no single one lets it go.
  CHECK(only(image, "musl").keepers.empty());
  CHECK(only(image, "musl").users.size() == 3);
  CHECK(only(image, "curl-bash-completion").keeps == "kept by a chain");
  CHECK(only(image, "left-over").keeps == "nothing keeps it: the next apk add or del takes it");
  // Somebody asks for it, but nobody keeps that one either.
  const PackageReason lost = only(image, "left-library");
  CHECK(lost.keeps == "nothing keeps it: the next apk add or del takes it");
  CHECK(users_of(lost) == std::vector<std::string>{"left-over | depends | left-library"});
  CHECK(lost.users[0].keeps == lost.keeps);

  const PackagesLook look = why(image, "libcurl");
  const std::string text = write_packages_text(look, looked_at(110));
  CHECK(text.find("libcurl 1.0-r0 (apk): automatic, kept by a chain\n") != std::string::npos);
  CHECK(text.find("removing script or curl lets it go; apk add libcurl keeps it") != std::string::npos);
  const Json json = parse_json(write_packages_json(look))["why"][0];
  CHECK(json["manager"] == "apk");
  CHECK(json["a_purge_of_lets_it_go"] == Json({"script", "curl"}));
  CHECK_THROWS_AS(why(image, "absent"), Error);
}

TEST_CASE("why: install_if is turned once, in whatever order the database has its packages") {
  const std::string first =
      apk("curl-doc", "i:docs curl=1.0-r0\n") + apk("docs") + apk("curl", "i:shell docs\n") + apk("shell");
  const TestImage image = image_of({{"lib/apk/db/installed", first}, {"etc/apk/world", "shell docs\n"}});
  CHECK(users_of(only(image, "curl-doc")) ==
        std::vector<std::string>{"docs | install_if | docs", "curl | install_if | curl=1.0-r0"});
  CHECK(users_of(only(image, "docs")) == std::vector<std::string>{"/etc/apk/world | world | docs"});
  CHECK(only(image, "curl").keeps == "kept by a chain");
}

TEST_CASE(
    "why: an install_if whose conditions are not all there keeps nothing, and without world nobody is said to be asked for") {
  const TestImage half = image_of(
      {{"lib/apk/db/installed", apk("curl") + apk("completion", "i:curl bash\n")}, {"etc/apk/world", "curl\n"}});
  CHECK(only(half, "completion").keeps == "nothing keeps it: the next apk add or del takes it");
  const PackageReason reason = only(image_of({{"lib/apk/db/installed", apk_database}}), "libcurl");
  CHECK(reason.mark.empty());
  CHECK(reason.keeps == "kept by a chain");
  CHECK(reason.chain ==
        "script (asked for by nobody) -> curl (depends cmd:curl>=1) -> libcurl (depends so:libcurl.so.4)");
  CHECK(reason.limits.find("no /etc/apk/world") != std::string::npos);
}

TEST_CASE("why: rpm's requirements, by name, version, path and condition") {
  using test::ToyRpm;
  const std::vector<ToyRpm> packages = {
      {.name = "glibc", .provides = {"libc.so.6()(64bit)"}},
      {.name = "bash",
       .files = {{"/usr/bin/bash", "b"}, {"/usr/bin/sh", "-> bash"}},
       .needs = {"libc.so.6()(64bit)", "rpmlib(X) <= 1"}},
      {.name = "python3.9", .version = "3.9", .provides = {"python(abi) = 3.9"}},
      {.name = "python3.11", .version = "3.11", .provides = {"python(abi) = 3.11"}},
      {.name = "tool",
       .needs = {"/usr/bin/sh", "python(abi) = 3.11", "(extra-libs if (desktop and libc.so.6()(64bit)) else plain)"},
       .recommends = {"hint >= 1"}},
      {.name = "extra-libs"},
      {.name = "desktop"},
      {.name = "plain"},
      {.name = "hint"},
      {.name = "round", .needs = {"circle"}},
      {.name = "circle", .needs = {"round"}}};
  const TestImage image = image_of({{"var/lib/rpm/rpmdb.sqlite", test::rpm_sqlite(packages)}});
  const PackageReason shell = only(image, "bash");
  CHECK(shell.mark.empty());
  CHECK(shell.chain == "tool (asked for by nobody) -> bash (Requires /usr/bin/sh)");
  CHECK(shell.limits.find("rpm records no marks") != std::string::npos);
  CHECK(shell.keepers.empty());
  CHECK(only(image, "python3.9").keeps == "nothing asks for it");
  CHECK(only(image, "python3.11").users.size() == 1);
  CHECK(only(image, "glibc").chain ==
        "tool (asked for by nobody) -> bash (Requires /usr/bin/sh) -> glibc (Requires libc.so.6()(64bit))");
  CHECK(only(image, "extra-libs").users.size() == 1);
  CHECK(only(image, "plain").users.size() == 1);
  CHECK(only(image, "desktop").users.empty());  // a condition asks for nothing
  CHECK(users_of(only(image, "hint")) == std::vector<std::string>{"tool | Recommends | hint >= 1"});
  CHECK(only(image, "circle").keeps == "asked for in a circle only");
  CHECK(only(image, "bash:x86_64").name == "bash");
  const std::string text = write_packages_text(why(image, "bash"), looked_at(110));
  CHECK(text.find("bash 1.0-1 (rpm): no mark, kept by a chain") != std::string::npos);
}

TEST_CASE("why: an rpm whose lists do not fit together is said, and hides no other") {
  test::RpmHeaderMaker bad;
  bad.text(1000, "bad").text(1001, "1").text(1002, "1").texts(1049, {"good", "x"}).texts(1050, {"1"});
  const TestImage image =
      image_of({{"var/lib/rpm/rpmdb.sqlite", test::rpm_sqlite({bad.finish(), test::ToyRpm{.name = "good"}.header()})}});
  const PackagesLook look = why(image, "good");
  REQUIRE(look.reasons.size() == 1);
  REQUIRE(look.unread.size() == 1);  // it might have asked for it
  CHECK(look.unread[0].find("bad 1-1") != std::string::npos);
}

TEST_CASE("why: Python's requirements where their markers hold, extras where somebody asks for them") {
  const std::string site = "usr/lib/python3.12/site-packages/";
  std::map<std::string, std::string> files = {{"usr/bin/python3.12", "#!"}};
  const auto dist = [&](const std::string& name, const std::string& more, bool requested) {
    const std::string folder = site + name + "-1.0.dist-info/";
    files[folder + "METADATA"] = "Metadata-Version: 2.1\nName: " + name + "\nVersion: 1.0\n" + more + "\n";
    files[folder + "INSTALLER"] = "pip\n";
    files[folder + "RECORD"] = "";
    if (requested) files[folder + "REQUESTED"] = "";
  };
  dist("app", "Requires-Dist: Web_Kit[fast]>=1\nRequires-Dist: old; python_version < '3.9'\n", true);
  dist(
      "web-kit",
      "Provides-Extra: fast\nProvides-Extra: docs\nRequires-Dist: speed; extra == 'fast'\nRequires-Dist: pages; extra == 'docs'\n",
      false);
  for (const char* const name : {"old", "speed", "pages"}) dist(name, "", false);
  const TestImage image = image_of(files);
  const PackageReason speed = only(image, "Speed");
  CHECK(speed.manager == "python");
  CHECK(speed.mark == "automatic");
  CHECK(speed.chain ==
        "app (asked for by name) -> web-kit (Requires-Dist Web_Kit[fast]>=1) -> "
        "speed (Requires-Dist [fast] speed; extra == 'fast')");
  CHECK(speed.place == "/" + site + "speed-1.0.dist-info/METADATA");
  for (const char* const name : {"old", "pages"}) {
    CHECK(only(image, name).keeps == "nothing that was asked for by name leads to it");
    CHECK(only(image, name).users.empty());
  }
  CHECK(only(image, "app").keeps == "manual");
  CHECK(speed.limits.find("pip removes nothing") != std::string::npos);

  files[site + "broken-1.0.dist-info/METADATA"] = "Name: broken\nVersion: 1.0\nRequires-Dist: >>speed\n\n";
  CHECK(why(image_of(files), "speed").unread.size() == 1);
}

TEST_CASE("why: Node's packages from the project down, through the folders that require looks in") {
  std::map<std::string, std::string> files = {
      {"app/package.json", R"({"name":"app","dependencies":{"web":"^1"},"devDependencies":{"tester":"*"}})"},
      {"app/node_modules/web/package.json",
       R"({"name":"web","version":"1.0.0","dependencies":{"log":"^2"},"devDependencies":{"lint":"*"}})"},
      {"app/node_modules/web/node_modules/log/package.json",
       R"({"name":"log","version":"2.0.0","dependencies":{"@s/color":"1"}})"},
      {"app/node_modules/log/package.json", R"({"name":"log","version":"1.0.0"})"},
      {"app/node_modules/@s/color/package.json", R"({"name":"@s/color","version":"1.0.0"})"},
      {"app/node_modules/lint/package.json", R"({"name":"lint","version":"1.0.0"})"},
      {"app/node_modules/tester/package.json",
       R"({"name":"tester","version":"1.0.0","peerDependencies":{"log":"1"}})"}};
  const TestImage image = image_of(files);
  const PackageReason color = only(image, "@s/color");
  CHECK(color.manager == "node");
  CHECK(color.mark == "automatic");
  CHECK(color.chain == "/app/package.json -> web (dependencies) -> log (dependencies) -> @s/color (dependencies)");
  CHECK(color.keepers == std::vector<std::string>{"web", "log"});
  CHECK(color.remedy == "npm install @s/color");
  const PackagesLook logs = why(image, "log");
  REQUIRE(logs.reasons.size() == 2);  // one of each place, asked for by others
  CHECK(users_of(logs.reasons[0]) == std::vector<std::string>{"tester | peerDependencies | log 1"});
  CHECK(users_of(logs.reasons[1]) == std::vector<std::string>{"web | dependencies | log ^2"});
  CHECK(only(image, "lint").keeps == "no project leads to it: npm prune takes it");
  CHECK(only(image, "tester").mark == "manual");

  files.erase("app/package.json");
  const PackageReason without = only(image_of(files), "web");
  CHECK(without.mark.empty());
  CHECK(without.limits.find("no project's package.json") != std::string::npos);
  files["app/package.json"] = "{";
  CHECK(why(image_of(files), "web").unread.size() == 1);
}

TEST_CASE("why: a name that several managers have is explained by each, a name of dpkg's alone as before") {
  std::map<std::string, std::string> files = {
      {"var/lib/dpkg/status",
       "Package: curl\nStatus: install ok installed\nVersion: 8\nArchitecture: amd64\nMaintainer: m\nDescription: d\n\n"},
      {"var/lib/dpkg/info/curl.list", "/.\n"},
      {"srv/node_modules/curl/package.json", R"({"name":"curl","version":"3.0.0"})"},
      {"srv/node_modules/left/package.json", R"({"name":"left","version":"1.0.0"})"}};
  const PackagesLook both = why(image_of(files), "curl");
  REQUIRE(both.reasons.size() == 2);
  CHECK(both.reasons[0].manager == "dpkg");
  CHECK(both.reasons[1].manager == "node");
  CHECK(only(image_of(files), "left").manager == "node");
  CHECK_THROWS_AS(why(image_of(files), "nobody"), Error);
}

TEST_CASE("why: the Alpine image of the fixtures") {
  const std::string file = fixtures + "/trivy__alpine-310.tar.gz";
  if (!std::filesystem::exists(file)) {
    WARN("skipped: no " << file);
    return;
  }
  const PackagesLook look = look_at_packages(look_options(file), {.why = "libcrypto1.1", .files = {}});
  REQUIRE(look.reasons.size() == 1);
  CHECK(look.unread.empty());
  CHECK(look.reasons[0].mark == "automatic");
  CHECK(look.reasons[0].keeps == "kept by a chain");
  CHECK(look.reasons[0].chain.starts_with("/etc/apk/world -> "));
  CHECK(look.reasons[0].chain.ends_with("libcrypto1.1 (depends so:libcrypto.so.1.1)"));
}
