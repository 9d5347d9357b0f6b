// What reports say of a run beside its findings: images that were compared with, platforms, shared layers, a summary.
#include <array>

#include "report_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

ImageResult image(const std::string& platform, Outcome outcome) {
  ImageResult out;
  out.reference = "docker://registry.example.org/app:1";
  out.full_reference = "docker://registry.example.org/app:1@sha256:" + std::string(64, 'a');
  out.manifest_digest = "sha256:" + std::string(64, platform == "linux/amd64" ? 'b' : 'c');
  out.platform = platform;
  CheckResult check = check_of("tested", "file", outcome, 3);
  if (outcome == Outcome::pass) check.evidence = {{"it was looked at", "", {}}};
  if (outcome == Outcome::fail) {
    ReportedFinding& found = check.findings.emplace_back();
    found.finding = finding("missing", "/opt/x", "it is not there");
    found.fingerprint = "0123456789abcdef";
  }
  out.checks = {check};
  complete(out);
  return out;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

constexpr std::array formats_with_findings = {"text", "json", "sarif", "junit", "github", "gitlab", "markdown", "html"};

}  // namespace

TEST_CASE("every format names the images that were compared with") {
  ImageResult result = image("linux/amd64", Outcome::fail);
  OtherImageResult& other = result.others.emplace_back();
  other.name = "stock";
  other.full_reference = "oci:stock";
  other.manifest_digest = "sha256:" + std::string(64, 'd');
  for (const char* const name : formats_with_findings) {
    const std::string text = find_format(name)->write(std::vector<ImageResult>{result}, {});
    INFO(name << "\n" << text);
    CHECK(contains(text, "stock"));
    CHECK(contains(text, std::string(64, 'd')));
  }
}

TEST_CASE("images of one index are told apart by their platforms, in every format") {
  const std::vector<ImageResult> results = {image("linux/amd64", Outcome::fail), image("linux/arm64", Outcome::fail)};
  for (const char* const name : formats_with_findings) {
    const std::string text = find_format(name)->write(results, {});
    INFO(name << "\n" << text);
    CHECK(contains(text, "linux/amd64"));
    CHECK(contains(text, "linux/arm64"));
  }
  CHECK(contains(write_text(results, {}), "2 images: 2 fail\n"));
  CHECK_FALSE(contains(write_text(std::vector<ImageResult>{results[0]}, {}), "images:"));
}

TEST_CASE("the summary counts each verdict, and the worst is the run's") {
  std::vector<ImageResult> results = {image("linux/amd64", Outcome::pass), image("linux/arm64", Outcome::fail)};
  results.push_back(image("linux/s390x", Outcome::pass));
  results.back().unreadable = Error(ErrorKind::network, "the registry does not answer\x1b[2J");
  results.push_back(image("linux/riscv64", Outcome::pass));
  results.back().checks[0].outcome = Outcome::error;
  const Json summary = parse_json(write_json(results, {}))["summary"];
  CHECK(summary["images"] == 4);
  for (const char* const verdict : {"pass", "fail", "not_to_be_trusted", "unreadable"}) CHECK(summary[verdict] == 1);
  CHECK(summary["exit_status"] == 3);
  const std::string text = write_text(results, {});
  CHECK(contains(text, "4 images: 1 pass, 1 fail, 1 not to be trusted, 1 unreadable\n"));
  CHECK(contains(text, "verdict of all: unreadable (exit status 3)\n"));
  CHECK_FALSE(contains(text, "\x1b"));
}

TEST_CASE("what was read for another image is said") {
  ImageResult result = image("linux/amd64", Outcome::pass);
  LayerResult layer;
  layer.name = "sha256:aa";
  layer.shared_with = "oci:one, layer 0";
  result.layers = {layer};
  result.ledger.layers_shared = 1;
  const std::vector<ImageResult> results = {result};
  CHECK(contains(write_text(results, {}), "1 of them read before for another image"));
  const Json json = parse_json(write_json(results, {}))["images"][0];
  CHECK(json["layers"][0]["shared_with"] == "oci:one, layer 0");
  CHECK(json["ledger"]["layers_shared"] == 1);
}

TEST_CASE("a known finding is no problem but where viewers compare for themselves") {
  ImageResult result = image("linux/amd64", Outcome::fail);
  result.checks[0].findings[0].known = true;
  ReportStyle style;
  style.baseline.emplace(BaselineUse{"known.txt", {"fedcba9876543210"}});
  const std::vector<ImageResult> results = {result};
  for (const char* const name : {"text", "json", "sarif", "junit", "github", "markdown", "html"}) {
    INFO(name);
    CHECK(contains(find_format(name)->write(results, style), "fedcba9876543210"));
  }
  CHECK_FALSE(contains(write_github(results, style), "::error"));
  CHECK(contains(write_junit(results, style), "failures=\"0\""));
  CHECK(contains(write_text(results, style), "1 finding of the baseline: /opt/x"));
  CHECK(contains(write_gitlab(results, style), "\"severity\": \"info\""));
  CHECK(contains(write_html(results, style), "<b>Known</b> by the baseline"));
  CHECK_FALSE(contains(write_html(results, style), "<b>Waived</b>"));
}
