#include "run/redact.h"

#include <catch2/catch.hpp>
#include <sys/resource.h>

#include "base/json.h"
#include "facts/secret_example.h"
#include "facts/secret_id.h"
#include "facts/secret_values.h"

using namespace ocilint;

namespace {

std::string made(char last) { return std::string("Kx9") + "vT2" + "qLm7Rw" + "Zp4D" + last; }

std::vector<const Image*> the(const Image& image) { return {&image}; }

struct Leaky {
  Image image;
  std::vector<std::string> secrets;

  std::string next(const std::string& tail = "") {
    return secrets.emplace_back(made(static_cast<char>('a' + secrets.size())) + tail);
  }

  Leaky() {
    Json config;
    config["config"]["Env"] = {"A_TOKEN=" + next()};
    config["config"]["Labels"] = {{"src", "https://b:" + next() + "@h.invalid/r"}};
    config["config"]["Cmd"] = {"sh", "-c", "run --password=" + next()};
    config["container_config"]["Env"] = {"OLD_PASSWORD=" + next(" x\"y")};
    config["author"] = "https://b:" + next() + "@h.invalid";
    config["history"] = {{{"created_by", "|1 NPM_TOKEN=" + next() + " /bin/sh -c npm ci"}},
                         {{"created_by", "RUN x"}, {"comment", "https://b:" + next() + "@h.invalid"}}};
    image.config = Config::parse(config.dump());
    const Json manifest{{"annotations", {{"deploy.token", next()}}}};
    const Json statement{{"args", {{"build-arg:DEPLOY_TOKEN", next("/+")}}}};
    image.documents = {{Document::Kind::config, "c", image.config.raw},
                       {Document::Kind::manifest, "m", manifest.dump()},
                       {Document::Kind::attestation, "a", statement.dump()}};
  }
};

/// Every string of a result that a report may show.
std::string whole(const ImageResult& result) {
  std::string out = result.reference + "\n" + result.full_reference + "\n" + result.platform + "\n";
  for (const LayerResult& layer : result.layers) out += layer.name + "\n" + layer.created_by + "\n";
  for (const GateResult& gate : result.gates) out += gate.text + "\n";
  for (const std::string& waiver : result.unused_waivers) out += waiver + "\n";
  for (const Coverage& coverage : result.ledger.covered) out += coverage.what + "\n";
  for (const CheckResult& check : result.checks) {
    out += check.reason + "\n" + check.why + "\n";
    for (const std::string& error : check.errors) out += error + "\n";
    for (const Evidence& evidence : check.evidence) out += evidence.text + "\n" + evidence.path + "\n";
    for (const ReportedFinding& reported : check.findings) {
      const Finding& finding = reported.finding;
      out += finding.subject + "\n" + finding.message + "\n" + finding.remedy + "\n";
      out += reported.layer_name + "\n" + reported.created_by + "\n";
      for (const std::string& detail : finding.details) out += detail + "\n";
    }
  }
  return out;
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

CheckResult check_with_finding(const std::string& text) {
  CheckResult check;
  check.rule = "file";
  ReportedFinding& reported = check.findings.emplace_back();
  reported.finding = {"modified", text, text, {text, "x" + text + "y"}, std::nullopt, text, std::nullopt};
  reported.layer_name = reported.created_by = text;
  check.evidence.push_back({text, "/opt/" + text, std::nullopt});
  check.errors = {text};
  check.reason = check.why = text;
  return check;
}

}  // namespace

TEST_CASE("redact: no secret of any document is left in any string of the result") {
  const Leaky leaky;
  ImageResult result;
  for (const std::string& secret : leaky.secrets) {
    result.reference += secret;
    result.full_reference += " " + secret;
    result.layers.push_back({secret, "", "RUN echo " + secret, "gzip"});
    result.gates.push_back({"p", "g", "on", "read '" + secret + "'", "auto"});
    result.checks.push_back(check_with_finding(secret));
    result.unused_waivers.push_back(secret);
    result.ledger.covered.push_back({"read " + secret, 1, 1});
  }
  for (const std::string& secret : leaky.secrets) REQUIRE(holds(whole(result), secret));
  redact(result, the(leaky.image));
  for (const std::string& secret : leaky.secrets) {
    INFO(secret);
    CHECK_FALSE(holds(whole(result), secret));
  }
  CHECK(holds(result.layers[0].created_by, "RUN echo [secret, "));
}

TEST_CASE("redact: other spellings of a value, and history lines of the image") {
  const Leaky leaky;
  const std::string encoded = made('d') + "%20x%22y", escaped = made('d') + " x\\\"y", slashes = made('i') + "%2f%2b";
  ImageResult result;
  result.layers.push_back({"l", "", leaky.image.config.history[0].created_by, ""});
  result.checks.push_back(check_with_finding("a " + encoded + " b " + escaped + " c " + slashes + " d"));
  redact(result, the(leaky.image));
  CHECK(result.layers[0].created_by == "|1 NPM_TOKEN=[secret, 17 bytes] /bin/sh -c npm ci");
  CHECK_FALSE(holds(whole(result), made('d')));
  CHECK_FALSE(holds(whole(result), made('i')));
  CHECK_FALSE(holds(whole(result), "x%22y"));
  CHECK(holds(result.checks[0].findings[0].finding.message, " d"));
}

TEST_CASE("redact: a variable that must never have a value, also a short one") {
  Image image;
  image.config = Config::parse(R"({"config": {"Env": ["SCCACHE_BUCKET=abc"]}})");
  image.documents = {{Document::Kind::config, "c", image.config.raw}};
  ImageResult result;
  result.layers.push_back({"l", "", "|1 SCCACHE_BUCKET=abc /bin/sh -c cat abc", ""});
  redact(result, the(image));
  CHECK(result.layers[0].created_by == "|1 SCCACHE_BUCKET=abc /bin/sh -c cat abc");

  CheckResult check;
  check.rule = "history-secrets";
  check.findings.emplace_back().finding = {"never", "SCCACHE_BUCKET", "m", {}, std::nullopt, "", std::nullopt};
  result.checks.push_back(check);
  redact(result, the(image));
  CHECK(result.layers[0].created_by == "|1 SCCACHE_BUCKET=[secret, 3 bytes] /bin/sh -c cat abc");
  CHECK(result.checks[0].findings[0].finding.subject == "SCCACHE_BUCKET");
}

TEST_CASE("redact: a value that a check found where no document has it") {
  Image image;
  image.config = Config::parse("{}");
  image.documents = {{Document::Kind::config, "c", image.config.raw}};
  ImageResult result;
  result.checks.push_back(check_with_finding("the line acme7712 of a file"));
  result.checks[0].findings[0].finding.content = std::make_shared<const SecretContent>("acme7712");
  redact(result, the(image), {{"acme7712"}, {}});
  CHECK_FALSE(holds(whole(result), "acme7712"));
  CHECK_FALSE(result.checks[0].findings[0].finding.content);
}

TEST_CASE("redact: twice is once, and what is no secret stays") {
  const Leaky leaky;
  ImageResult result;
  result.layers.push_back({"sha256:0", "", "ENV A_TOKEN=" + made('a') + " PATH=/usr/bin", ""});
  result.checks.push_back(check_with_finding("history entry 0: A_TOKEN=[secret, 17 bytes]…"));
  redact(result, the(leaky.image));
  const std::string once = whole(result);
  CHECK(holds(once, "ENV A_TOKEN=[secret, 17 bytes] PATH=/usr/bin"));
  CHECK(holds(once, "history entry 0: A_TOKEN=[secret, 17 bytes]…"));
  redact(result, the(leaky.image));
  CHECK(whole(result) == once);
}

TEST_CASE("redact: detectors that policies know, and other cases of a value's letters") {
  const Leaky leaky;
  ImageResult result;
  result.checks.push_back(check_with_finding("the key acme_771234 of a line"));
  result.checks.push_back(check_with_finding("kx9vt2qlm7rwzp4da"));
  redact(result, the(leaky.image), {{}, {ExtraDetector::parse("acme; acme_; (acme_[0-9]{6})")}});
  CHECK_FALSE(holds(whole(result), "acme_771234"));
  CHECK(holds(result.checks[0].findings[0].finding.message, "the key [secret, 11 bytes] of a line"));
  CHECK_FALSE(holds(whole(result), "kx9vt2qlm7rwzp4da"));
}

namespace {

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_utime.tv_sec) + double(usage.ru_utime.tv_usec) * 1e-6;
}

/// As `ls -R` shows it: names of every length, some with blanks, '=' or the words of detectors.
std::vector<std::string> some_names() {
  ExampleRandom random(3);
  const std::vector<std::string> words = {"usr",       "share",        "doc",         "python3.11", "site-packages",
                                          "token",     "secret.py",    "a b",         "x=1",        "curl",
                                          "libz.so.1", "private_key",  "LC_TIME",     "index.html", "a:b",
                                          "zone",      "node_modules", "__pycache__", "login.js",   "C\\x"};
  std::vector<std::string> out;
  while (out.size() < 20'000) {
    std::string name;
    while (name.size() < 20 + random.below(80)) name += "/" + words[random.below(words.size())];
    out.push_back(name);
  }
  return out;
}

}  // namespace

TEST_CASE("redact: what is found in a text of unknown form is what both forms give") {
  ExampleRandom random(4);
  const auto spans = [](const std::vector<SecretHit>& hits) {
    std::vector<std::tuple<std::size_t, std::size_t, std::string, std::string>> out;
    for (const SecretHit& hit : united(hits)) out.emplace_back(hit.begin, hit.end, "", "");
    return out;
  };
  std::vector<std::string> texts = some_names();
  texts.resize(2000);
  for (const Detector& detector : secret_detectors())
    for (const std::string before : {"/opt/", "x ", "ENV NAME ", "A=", "|1 A=b ", "\"C\\x3d"})
      texts.push_back(before + make_example(detector.example, random).text);
  std::size_t found = 0;
  for (const std::string& text : texts) {
    std::vector<SecretHit> both = find_secrets(text, {}, TextForm::history);
    for (SecretHit& hit : find_secrets(text, {}, TextForm::words)) both.push_back(hit);
    INFO(text);
    found += !both.empty();
    CHECK(spans(find_secrets_in_any_form(text, {})) == spans(both));
  }
  CHECK(found > 300);
}

TEST_CASE("redact: the name of a file costs some microseconds at most") {
  const Leaky leaky;
  const RedactText replace = redactor(the(leaky.image));
  const std::vector<std::string> names = some_names();
  for (std::string name : names) replace(name);  // compiles what it needs
  const double before = cpu_seconds();
  for (std::string name : names) replace(name);
  const double each = (cpu_seconds() - before) / double(names.size()) * 1e6;
  WARN(each << " us a name");
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  CHECK(each < 250);
#else
  CHECK(each < 25);  // 1 to 5 as measured; a shared machine may be slow
#endif
}
