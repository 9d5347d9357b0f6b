// Secrets in files of layers, through the whole program: also in those that a later layer took away.
#include <catch2/catch.hpp>

#include <algorithm>

#include "base/error.h"
#include "facts/secret_id.h"
#include "support/check_kit.h"
#include "support/planted_secrets.h"
#include "support/tar_writer.h"

using namespace ocilint;
using namespace ocilint::testing;
using test::planted;
using test::TarWriter;
using test::value_of;
using Lines = std::vector<std::string>;

namespace {

struct Layers {
  TestImage image;

  Layers& add(std::string tar) {
    image.layer_tars.push_back(std::move(tar));
    return *this;
  }
};

CheckResult check(const Layers& layers, std::string_view with = "{}", std::string_view compression = {}) {
  const ImageResult result = run_on(layers.image, run_options(policy_of("file-secrets", with)), compression);
  const CheckResult* const found = find_check(result, "tested");
  REQUIRE(found != nullptr);
  return *found;
}

Lines sorted_lines(const CheckResult& result) {
  Lines out = lines_of(result);
  std::ranges::sort(out);
  return out;
}

std::string whole(const CheckResult& result) {
  std::string out;
  const auto add = [&](const std::string& text) { out += text + "\n"; };
  for (const ReportedFinding& found : result.findings) {
    for (const std::string* const text : {&found.finding.subject, &found.finding.message, &found.finding.remedy,
                                          &found.layer_name, &found.created_by, &found.fingerprint})
      add(*text);
    for (const std::string& detail : found.finding.details) add(detail);
  }
  for (const Evidence& evidence : result.evidence) add(evidence.text + evidence.path);
  for (const std::string& error : result.errors) add(error);
  return out;
}

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

const Finding& only(const CheckResult& result) {
  REQUIRE(result.findings.size() == 1);
  return result.findings[0].finding;
}

std::string id_in(const Finding& finding) {
  constexpr std::string_view before = "value id: ";
  for (const std::string& detail : finding.details)
    if (detail.starts_with(before)) return detail.substr(before.size());
  return "";
}

}  // namespace

TEST_CASE("file-secrets: every detector that runs on files finds its example in one, and none shows it") {
  TarWriter tar;
  std::size_t files = 0;
  std::vector<std::string> values;
  std::uint64_t seed = 100;
  for (const Detector& detector : secret_detectors()) {
    const SecretExample made = planted(detector.id, seed++);
    const bool anywhere = detector.kind == Detector::Kind::prefix || detector.kind == Detector::Kind::context;
    tar.file("a/" + std::string(detector.id) + (anywhere ? "/data" : "/.env"), "# x\n" + made.text + "\n");
    values.push_back(value_of(made));
    ++files;
  }
  const CheckResult result = check(Layers().add(tar.finish()));
  std::vector<std::string> subjects;
  for (const ReportedFinding& found : result.findings) {
    CHECK(found.finding.kind == "secret");
    subjects.push_back(found.finding.subject);
  }
  std::ranges::sort(subjects);
  subjects.erase(std::unique(subjects.begin(), subjects.end()), subjects.end());
  CHECK(subjects.size() == files);
  const std::string text = whole(result);
  for (const std::string& value : values) CHECK_FALSE(holds(text, value));
}

TEST_CASE("file-secrets: deleted and overwritten by later layers, and published still") {
  const std::string key = planted("pem-private-key", 1).text, token = planted("github-token", 2).text;
  Layers layers;
  layers
      .add(
          TarWriter().file("root/.ssh/id_rsa", key).file("srv/a/conf", token).file("srv/b/conf", token + "\n").finish())
      .add(TarWriter().file("etc/x", "x").finish())
      .add(TarWriter().whiteout("root/.ssh/id_rsa").file("srv/a/conf", "nothing").finish())
      .add(TarWriter().whiteout("srv/b").finish());
  const CheckResult result = check(layers);
  REQUIRE(sorted_lines(result) == Lines{"secret /root/.ssh/id_rsa", "secret /srv/a/conf", "secret /srv/b/conf"});
  for (const ReportedFinding& found : result.findings) {
    CHECK(found.finding.layer == 0);
    const std::string& message = found.finding.message;
    INFO(message);
    if (found.finding.subject == "/root/.ssh/id_rsa")
      CHECK(holds(message, "deleted by layer 2, still published in layer 0"));
    if (found.finding.subject == "/srv/a/conf")
      CHECK(holds(message, "overwritten by layer 2, still published in layer 0"));
    if (found.finding.subject == "/srv/b/conf") CHECK(holds(message, "deleted by layer 3, still published in layer 0"));
  }
  CHECK_FALSE(holds(whole(result), token));
}

TEST_CASE("file-secrets: opaque folders, entries twice in a layer, what no view shows") {
  const std::string token = planted("github-token", 3).text, other = planted("github-token", 4).text;
  const CheckResult hidden = check(
      Layers().add(TarWriter().file("d/a", token).finish()).add(TarWriter().opaque("d").file("d/b", "x").finish()));
  CHECK(holds(only(hidden).message, "deleted by layer 1"));
  const CheckResult twice = check(Layers().add(TarWriter().file("a", token).file("a", "x").finish()));
  CHECK(holds(only(twice).message, "not visible in the image, still published in layer 0"));
  const CheckResult marker = check(Layers().add(TarWriter().file("d/.wh.gone", other).finish()));
  CHECK(only(marker).subject == "/d/.wh.gone");
  CHECK(only(marker).kind == "secret");
}

TEST_CASE("file-secrets: one value under one name in several layers is one finding, under two names two") {
  const std::string token = planted("github-token", 5).text;
  const CheckResult again = check(
      Layers().add(TarWriter().file("a", token).finish()).add(TarWriter().file("a", token, {.mode = 0600}).finish()));
  CHECK(only(again).layer == 0);
  CHECK_FALSE(holds(only(again).message, "still published"));
  CHECK(holds(whole(again), "(overwritten by layer 1)"));
  const CheckResult two = check(Layers().add(TarWriter().file("a", token).file("b", token).finish()));
  CHECK(sorted_lines(two) == Lines{"secret /a", "secret /b"});
  CHECK(id_in(two.findings[0].finding) == id_in(two.findings[1].finding));
  CHECK(is_secret_id(id_in(two.findings[0].finding)));
  // A hard link is no second content.
  CHECK(sorted_lines(check(Layers().add(TarWriter().file("a", token).hard_link("b", "a").finish()))) ==
        Lines{"secret /a"});
}

TEST_CASE("file-secrets: binaries, and a file of many windows") {
  const std::string token = planted("github-token", 6).text, key = planted("aws-access-key-id", 7).text;
  const std::string binary = std::string(
                                 "\x7f"
                                 "ELF\0\1\2",
                                 7) +
                             std::string(5000, '\xcc') + token + std::string(9, '\0');
  std::string huge(40 << 20, 'x');
  huge.replace(huge.size() - key.size() - 1, 1, "\n");
  huge.replace(huge.size() - key.size(), key.size(), key);
  huge.replace(20 << 20, 1, " ");
  huge.replace((20 << 20) + 1, token.size(), token);
  huge.replace((20 << 20) + 1 + token.size(), 1, " ");
  const CheckResult result = check(Layers().add(TarWriter().file("b", binary).file("huge", huge).finish()));
  REQUIRE(sorted_lines(result) == Lines{"secret /b", "secret /huge", "secret /huge"});
  const std::string text = whole(result);
  CHECK(holds(text, "stands in /b, byte 5007"));
  CHECK(holds(text, "stands in /huge, line 2"));
  CHECK(holds(text, "2 files of 1 layers searched"));
}

TEST_CASE("file-secrets: files that are findings by their names") {
  TarWriter tar;
  tar.file("root/.netrc", "default").file("root/.git-credentials", "").file("root/.bash_history", "ls\n");
  tar.file("run/secrets/npm", "x").file("root/.npmrc", "audit=false\n").hard_link("home/u/.pgpass", "run/secrets/npm");
  const Layers layers = Layers().add(tar.finish());
  CHECK(sorted_lines(check(layers)) == Lines{"credential-file /home/u/.pgpass", "credential-file /root/.bash_history",
                                             "credential-file /root/.netrc", "credential-file /run/secrets/npm"});
  CHECK(check(layers, "{names: false}").outcome == Outcome::pass);
  CHECK(sorted_lines(check(layers, "{allow_files: [/root/**, /home/**]}")) ==
        Lines{"credential-file /run/secrets/npm"});
  // What is in it says more than the name.
  const std::string login = "machine h.invalid login ci password " + value_of(planted("netrc", 8)) + "\n";
  CHECK(sorted_lines(check(Layers().add(TarWriter().file("root/.netrc", login).finish()))) ==
        Lines{"secret /root/.netrc"});
}

TEST_CASE("file-secrets: what is in tests and documents is a sample, also keys that a library publishes") {
  const std::string key = planted("pem-private-key", 9).text;
  const CheckResult result = check(Layers().add(TarWriter()
                                                    .file("usr/share/doc/x/key.pem", key)
                                                    .file("app/tests/key.pem", key)
                                                    .file("app/contest/key.pem", key)
                                                    .finish()));
  REQUIRE(sorted_lines(result) ==
          Lines{"sample /app/tests/key.pem", "sample /usr/share/doc/x/key.pem", "secret /app/contest/key.pem"});
  for (const ReportedFinding& found : result.findings)
    CHECK((found.severity == Severity::note) == (found.finding.kind == "sample"));
  // A login stays one wherever the file lies.
  const std::string password = planted("secret-variable", 10).text;
  CHECK(sorted_lines(check(Layers().add(TarWriter().file("tests/.env", password).finish()))) ==
        Lines{"secret /tests/.env"});
}

TEST_CASE("file-secrets: what is less sure than min_confidence is no finding, and is counted") {
  TarWriter tar;
  tar.file("key", planted("pem-private-key", 21).text).file("a", planted("github-token", 22).text);
  tar.file("b", planted("basic-auth-url", 23).text).file("root/.netrc", "default");
  const Layers layers = Layers().add(tar.finish());
  const Lines all{"credential-file /root/.netrc", "secret /a", "secret /b", "secret /key"};
  CHECK(sorted_lines(check(layers)) == all);
  CHECK(sorted_lines(check(layers, "{min_confidence: low}")) == all);
  CHECK(sorted_lines(check(layers, "{min_confidence: medium}")) == Lines{"secret /a", "secret /b", "secret /key"});
  CHECK(sorted_lines(check(layers, "{min_confidence: high}")) == Lines{"secret /a", "secret /key"});
  const CheckResult certain = check(layers, "{min_confidence: certain}");
  REQUIRE(sorted_lines(certain) == Lines{"secret /key"});
  CHECK(std::ranges::count(certain.findings[0].finding.details, "confidence: certain") == 1);
  CHECK(certain.findings[0].finding.confidence == Confidence::certain);
  CHECK(certain.evidence.back().text == "3 of less than certain confidence left out by min_confidence");
}

TEST_CASE("file-secrets: allowed by name, value, file and layer; detectors of the policy") {
  const SecretExample one = planted("github-token", 11), two = planted("github-token", 12);
  const Layers layers = Layers()
                            .add(TarWriter().file("a", "CI_TOKEN=" + one.text).finish())
                            .add(TarWriter().file("b", two.text).finish());
  const CheckResult all = check(layers, "{salt: ours}");
  REQUIRE(sorted_lines(all) == Lines{"secret /a", "secret /b"});
  CHECK(sorted_lines(check(layers, "{allow: [ci_token]}")) == Lines{"secret /b"});
  CHECK(sorted_lines(check(layers, "{allow_files: [/b]}")) == Lines{"secret /a"});
  CHECK(sorted_lines(check(layers, "{files: [/b]}")) == Lines{"secret /b"});
  const auto at =
      std::ranges::find(all.findings, std::string("/b"), [](const ReportedFinding& f) { return f.finding.subject; });
  CHECK(sorted_lines(check(layers, "{allow_values: ['" + id_in(at->finding) + "']}")) == Lines{"secret /a"});
  const std::string diff_id = Digest::sha256_of(layers.image.layer_tars[0]).text();
  CHECK(sorted_lines(check(layers, "{allow_layers: ['" + diff_id + "']}")) == Lines{"secret /b"});

  const Layers acme = Layers().add(TarWriter().file("x", "acme_123456 in it").finish());
  CHECK(check(acme).outcome == Outcome::pass);
  CHECK(sorted_lines(check(acme, "{known: ['acme; acme_; (acme_[0-9]{6})']}")) == Lines{"secret /x"});
  CHECK_THROWS_AS(check(acme, "{known: ['acme; x; y']}"), Error);
}

TEST_CASE("file-secrets: a set that matches nothing is a finding, unless it may") {
  const Layers layers = Layers().add(TarWriter().file("a", "x").finish());
  CHECK(sorted_lines(check(layers, "{files: [/srv/**]}")) == Lines{"missing /srv/**"});
  CHECK(check(layers, "{files: [/srv/**], allow_empty: true}").outcome == Outcome::pass);
}

TEST_CASE("file-secrets: files behind a link, which only the second read can know") {
  const std::string token = planted("github-token", 13).text;
  const Layers layers = Layers()
                            .add(TarWriter().file("opt/app-2.1/etc/conf", token).file("opt/other/conf", token).finish())
                            .add(TarWriter().symlink("opt/app", "app-2.1").finish());
  CHECK(sorted_lines(check(layers, "{files: [/opt/app/**]}")) == Lines{"secret /opt/app-2.1/etc/conf"});
}

TEST_CASE("file-secrets: a file of nothing but secrets is some findings and a count") {
  ExampleRandom random(14);
  std::string file;
  for (int i = 0; i < 1500; ++i)
    file += make_example(DetectorSet::standard().find("github-token")->example, random).text + "\n";
  const CheckResult result = check(Layers().add(TarWriter().file("tokens", file).finish()));
  REQUIRE(result.findings.size() == 21);
  CHECK(holds(result.findings.back().finding.message, "1480 more secrets"));
}

TEST_CASE("file-secrets: what it finds is shown nowhere in the report, whichever check it comes from") {
  const SecretExample token = planted("secret-variable", 15);
  const std::string value = value_of(token);
  TestImage image;
  image.layer_tars.push_back(
      TarWriter().file("srv/.env", token.text).file("srv/" + value, "x", {.mode = 04755}).finish());
  RunOptions options = run_options(
      "policy: test\nlanguage: 1\nsummary: a test\nchecks:\n  - {id: a, rule: file-secrets}\n  - {id: b, rule: "
      "setuid-files}\n");
  const ImageResult result = run_on(image, options);
  REQUIRE(find_check(result, "b")->findings.size() == 1);
  for (const CheckResult& each : result.checks) CHECK_FALSE(holds(whole(each), value));
}

TEST_CASE("file-secrets: variables that must have no value, in scripts, Dockerfiles and files of variables") {
  const std::string address = "https://cache.invalid/s.tgz";
  Layers layers;
  layers.add(
      TarWriter()
          .file("src/build.sh", "#!/bin/sh\nexport SCCACHE_DOWNLOAD_URL=" + address + "\n")
          .file("src/Dockerfile", "FROM x\nENV SCCACHE_DOWNLOAD_URL " + address + "\n")
          .file("src/.env", "SCCACHE_DOWNLOAD_URL='" + address + "'\n")
          .file("src/fine.sh", "curl \"$SCCACHE_DOWNLOAD_URL\"; SCCACHE_DOWNLOAD_URL=$SCCACHE_DOWNLOAD_URL make\n")
          .finish());
  CHECK(lines_of(check(layers)) == Lines{"pass"});
  const std::string never = "never: [sccache_download_url]";
  const CheckResult found = check(layers, "{" + never + "}");
  CHECK(sorted_lines(found) == Lines{"never /src/.env", "never /src/Dockerfile", "never /src/build.sh"});
  CHECK(holds(whole(found), "line 2"));
  CHECK_FALSE(holds(whole(found), address));
  // Nothing is stronger.
  CHECK(check(layers, "{" + never + ", allow: [SCCACHE_DOWNLOAD_URL], allow_files: ['/src/**']}").findings.size() == 3);
  CHECK(check(layers, "{never: [AB]}").outcome == Outcome::error);
}

TEST_CASE("file-secrets: what says until when it is good") {
  const std::string signature = value_of(planted("presigned-aws", 30));
  const auto url = [&](const std::string& year) {
    return "https://b.s3.invalid/k?X-Amz-Date=" + year + "0131T120000Z&X-Amz-Expires=3600&X-Amz-Signature=" + signature;
  };
  Layers layers;
  layers.image.config_extra["created"] = "2024-06-01T00:00:00.123Z";
  layers.add(TarWriter().file("old", url("2023")).file("new", url("2031")).finish());
  const CheckResult result = check(layers);
  REQUIRE(result.findings.size() == 2);
  const std::string all = whole(result);
  CHECK(holds(all, "/old, line 1: expired at 2023-01-31T13:00:00Z by its own words, before the image was made"));
  CHECK(holds(all, "/new, line 1: good until 2031-01-31T13:00:00Z by its own words"));
  CHECK_FALSE(holds(all, signature));
  for (const ReportedFinding& found : result.findings)
    CHECK(found.severity == (found.finding.subject == "/old" ? Severity::note : Severity::error));
}

TEST_CASE("file-secrets: a sparse file is searched as its readers see it") {
  const SecretExample token = planted("github-token", 31);
  // The token begins before a hole of the archive and ends behind it only if holes are left out.
  constexpr std::size_t hole = 3 << 20;
  const std::string first = "x=" + token.text.substr(0, 20), rest = token.text.substr(20),
                    whole_one = "\ny=" + token.text + "\n";
  const auto sparse = [&](const std::string& before, std::size_t gap, const std::string& after) {
    const std::size_t size = before.size() + gap + after.size();
    std::string map = "2\n0\n" + std::to_string(before.size()) + "\n" + std::to_string(before.size() + gap) + "\n" +
                      std::to_string(after.size()) + "\n";
    map.resize(512, '\0');
    return TarWriter()
        .pax({{"GNU.sparse.major", "1"},
              {"GNU.sparse.minor", "0"},
              {"GNU.sparse.name", "f"},
              {"GNU.sparse.realsize", std::to_string(size)}})
        .file("GNUSparseFile.0/f", map + before + after)
        .finish();
  };
  CHECK(lines_of(check(Layers().add(sparse(first, hole, rest + "\n")))) == Lines{"pass"});
  const CheckResult found = check(Layers().add(sparse("x", hole, whole_one)));
  CHECK(lines_of(found) == Lines{"secret /f"});
  CHECK(holds(whole(found), "at byte " + std::to_string(1 + hole + 3)));
  const CheckResult early = check(Layers().add(sparse(whole_one, hole, "end")));
  CHECK(lines_of(early) == Lines{"secret /f"});
  CHECK(holds(whole(early), "at byte 3,"));
}

TEST_CASE("file-secrets: the statistics say how much was searched") {
  Layers layers;
  layers.add(TarWriter().file("a", "1234").file("b", "").finish()).add(TarWriter().file("c/d", "12345678").finish());
  const ImageResult searched = run_on(layers.image, run_options(policy_of("file-secrets", "{}")));
  CHECK(searched.stats.searched_files == 3);
  CHECK(searched.stats.searched_bytes == 12);
  const ImageResult none = run_on(layers.image, run_options(policy_of("history-secrets", "{}")));
  CHECK(none.stats.searched_files == 0);
}
