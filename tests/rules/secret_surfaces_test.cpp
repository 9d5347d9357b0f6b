// Secrets on every surface that real builders write: images made here by buildah, copied by skopeo into other forms.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "base/base64.h"
#include "facts/secret_example.h"
#include "facts/secret_id.h"
#include "support/check_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

bool runs(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }

/// What a builder is given: the place, and a value made for it.
class Planted {
 public:
  std::string in(const std::string& place) {
    const std::string value = "q" + random().pick("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789", 22) + "7";
    planted_.emplace_back(place, value);
    return value;
  }
  std::string given(const std::string& place, std::string value) {
    planted_.emplace_back(place, value);
    return value;
  }
  std::string fresh() { return random().pick("abcdefghjkmnpqrstuvwxyz23456789", 20); }
  static ExampleRandom& random() {
    static ExampleRandom one(static_cast<std::uint64_t>(std::time(nullptr)));
    return one;
  }
  const std::vector<std::pair<std::string, std::string>>& all() const { return planted_; }

 private:
  std::vector<std::pair<std::string, std::string>> planted_;
};

/// Builds in a folder of its own, by root or not at all: as chroots, on plain folders.
class Buildah {
 public:
  explicit Buildah(const std::string& folder) : folder_(folder) {
    // The shell of the image: it takes away a file and is done.
    std::ofstream(folder + "/sh.c") << "int unlink(const char*); int main(void) { return unlink(\"/src/.env\"); }\n";
    ready_ = runs("command -v buildah") && runs("command -v skopeo") &&
             runs("cc -static -Os -s -o " + folder + "/sh " + folder + "/sh.c") && does("info");
  }

  bool ready() const { return ready_; }
  void file(const std::string& name, const std::string& text) const { std::ofstream(folder_ + "/" + name) << text; }
  bool does(const std::string& words) const {
    return runs("cd " + folder_ + " && BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs buildah --root " + folder_ +
                "/root --runroot " + folder_ + "/run " + words);
  }

 private:
  std::string folder_;
  bool ready_ = false;
};

/// All that a report could show.
std::string whole(const ImageResult& result) {
  std::string out = result.reference + result.full_reference;
  for (const LayerResult& layer : result.layers) out += layer.created_by + "\n";
  for (const CheckResult& check : result.checks) {
    for (const ReportedFinding& found : check.findings) {
      out += found.finding.subject + "\n" + found.finding.message + "\n" + found.created_by + "\n";
      for (const std::string& detail : found.finding.details) out += detail + "\n";
    }
    for (const Evidence& evidence : check.evidence) out += evidence.text + "\n";
    for (const std::string& error : check.errors) out += error + "\n";
  }
  return out;
}

constexpr const char* both_rules =
    "policy: test\nlanguage: 1\nchecks:\n"
    "  - {id: history, rule: history-secrets, with: {salt: s}}\n"
    "  - {id: files, rule: file-secrets, with: {salt: s}}\n";

/// Every planted value has a finding by its id, and no report shows one.
void look_for(const Planted& planted, const std::string& reference) {
  RunOptions options = run_options(both_rules);
  options.reference = reference;
  const ImageResult result = check_image(options, all_rules());
  INFO(reference << (result.unreadable ? result.unreadable->what() : ""));
  REQUIRE_FALSE(result.unreadable);
  const std::string report = whole(result);
  for (const auto& [place, value] : planted.all()) {
    INFO(place);
    CHECK(report.find("value id: " + secret_id(secret_salt("s"), value)) != std::string::npos);
    CHECK(report.find(value) == std::string::npos);
  }
  for (const CheckResult& check : result.checks) CHECK(check.errors.empty());
}

}  // namespace

TEST_CASE("secrets: every surface of images that buildah builds, in the forms that skopeo writes", "[.full]") {
  const TempDir dir;
  const Buildah buildah(dir.path());
  if (!buildah.ready()) {
    WARN("skipped: buildah as root, skopeo and a C library for static programs are needed (scripts/setup full)");
    return;
  }
  Planted planted;
  buildah.file("env", "API_TOKEN=" + planted.in("a file that RUN deletes") + "\n");
  buildah.file("npmrc", "//npm.invalid/:_authToken=" + planted.in("a file") + "\n");
  buildah.file("old.conf", "url = https://ci:" + planted.in("a file that COPY overwrites") + "@git.invalid/a\n");
  buildah.file("new.conf", "url = https://git.invalid/a\n");
  buildah.file("gitconfig", "[http]\n\textraheader = \"Authorization: Basic " +
                                planted.given("a git configuration", encode_base64("ci:" + planted.fresh())) + "\"\n");
  std::string wide = "\xff\xfe";
  for (const char c : "$env:DB = 'redis://:" + planted.in("a file in UTF-16") + "@cache.invalid/0'\r\n")
    wide += {c, '\0'};
  buildah.file("profile.ps1", wide);
  buildah.file("Dockerfile",
               "FROM scratch\nARG BUILD_TOKEN\nARG DEFAULT_SECRET=" + planted.in("ARG with a default") +
                   "\nCOPY sh /bin/sh\nCOPY env /src/.env\nCOPY npmrc /root/.npmrc\nCOPY old.conf /etc/a.conf\n"
                   "COPY new.conf /etc/a.conf\nCOPY gitconfig /src/.git/config\nCOPY profile.ps1 /srv/\n"
                   "SHELL [\"/bin/sh\", \"-c\", \"--token=" +
                   planted.in("SHELL") +
                   "\"]\nSHELL [\"/bin/sh\", \"-c\"]\n"
                   "WORKDIR /src/" +
                   planted.given("WORKDIR", make_example("(ghp_[A-Za-z0-9]{36})", planted.random()).text) +
                   "\n"
                   "WORKDIR /\n"
                   "ENV NOTE=\"a b\" DB_PASSWORD=" +
                   planted.in("ENV") +
                   " LAST=x\n"
                   "LABEL source=https://ci:" +
                   planted.in("LABEL") +
                   "@git.invalid/g/p.git\n"
                   "RUN --mount=type=secret,id=fine make --password=" +
                   planted.in("RUN") +
                   "\n"
                   "HEALTHCHECK CMD curl -H \"Authorization: Bearer " +
                   planted.in("HEALTHCHECK") +
                   "\" http://h.invalid\n"
                   "ONBUILD RUN deploy --token=" +
                   planted.in("ONBUILD") +
                   "\n"
                   "ENTRYPOINT [\"run\", \"--api-key\", \"" +
                   planted.in("ENTRYPOINT") +
                   "\"]\n"
                   "CMD [\"--client-secret=" +
                   planted.in("CMD") + "\"]\n");
  buildah.file("fine", "from a secret mount");
  const std::string argument = planted.in("a build argument");
  const auto build = [&](const std::string& format, const std::string& more) {
    return buildah.does("bud --format " + format + " --layers --secret id=fine,src=fine --build-arg BUILD_TOKEN=" +
                        argument + " " + more + " -t " + format + " .");
  };
  REQUIRE(build("docker", ""));
  const std::string archive = "docker-archive:" + dir.path() + "/d.tar", layout = "oci:" + dir.path() + "/o";
  REQUIRE(buildah.does("push docker " + archive));
  look_for(planted, archive);
  // Docker's format in skopeo's folder keeps what the OCI format has no field for.
  REQUIRE(runs("skopeo copy " + archive + " dir:" + dir.path() + "/dir"));
  look_for(planted, "dir:" + dir.path() + "/dir");

  Planted with_annotation = planted;
  REQUIRE(build("oci", "--annotation org.x.token=" + with_annotation.in("an annotation")));
  REQUIRE(buildah.does("push oci " + layout + ":one"));
  look_for(with_annotation, layout + ":one");
  REQUIRE(
      runs("skopeo copy --dest-compress --dest-compress-format zstd " + layout + ":one oci:" + dir.path() + "/z:one"));
  look_for(with_annotation, "oci:" + dir.path() + "/z:one");
}

TEST_CASE("secrets: what buildah commits without an instruction", "[.full]") {
  const TempDir dir;
  const Buildah buildah(dir.path());
  if (!buildah.ready()) {
    WARN("skipped: buildah as root, skopeo and a C library for static programs are needed (scripts/setup full)");
    return;
  }
  Planted planted;
  REQUIRE(buildah.does("from --name c scratch"));
  REQUIRE(buildah.does("config --env DEPLOY_TOKEN=" + planted.in("an environment without a history line") +
                       " --author 'https://ci:" + planted.in("the author") +
                       "@h.invalid' --history-comment 'pushed with --password=" + planted.in("a comment") +
                       "' --label note='token: " + planted.in("a label") + "' c"));
  REQUIRE(buildah.does("commit c left"));
  REQUIRE(buildah.does("push left oci:" + dir.path() + "/o:left"));
  look_for(planted, "oci:" + dir.path() + "/o:left");
}
