// Images that checks compare with: what is read of them, what is counted, and what their damage does to a run.
#include <catch2/catch.hpp>

#include <filesystem>

#include "report/report.h"
#include "support/check_kit.h"

using namespace ocilint;
using namespace ocilint::testing;
namespace fs = std::filesystem;

namespace {

const std::string compares = policy_of("compare-files", "{other: base, equal: ['/l/**'], allow_added: true}");

TestImage derived() {
  return describe_image(R"(
layers:
  - {run: FROM base, files: {/l/a: one, /l/b: two}}
  - {run: RUN app, files: {/app: x}}
others:
  base:
    layers:
      - {files: {/l/a: one, /l/b: two}}
      - {files: {/srv/only-in-base: x}}
)");
}

ExitStatus status_of(const ImageResult& result) { return verdict(result, Severity::error); }

/// The file of a layer of the other image.
fs::path blob_of(const TempDir& dir, const std::string& tar) {
  return dir / ("with-base/blobs/sha256/" + Digest::sha256_of(tar).hex());
}

}  // namespace

TEST_CASE("other images: layers count in the ledger, and one in common is read once") {
  const TempDir dir;
  RunOptions options = run_options(compares);
  write_images(derived(), dir.path(), options);
  std::vector<std::string> read;
  options.jobs = 1;
  options.progress = [&](const LayerProgress& step) {
    if (step.done) read.push_back(step.image + " " + std::to_string(step.layer));
  };
  const ImageResult result = check_image(options, all_rules());
  INFO(write_text(std::vector<ImageResult>{result}, {}));
  CHECK(status_of(result) == ExitStatus::good);
  std::ranges::sort(read);
  CHECK(read == std::vector<std::string>{" 0", " 1", "base 1"});
  CHECK(result.ledger.layers_listed == 4);
  CHECK(result.ledger.layers_verified == 4);
  CHECK(result.ledger.holes().empty());
  REQUIRE(result.others.size() == 1);
  CHECK(result.others[0].name == "base");
  CHECK(result.others[0].manifest_digest.starts_with("sha256:"));
  CHECK(result.others[0].layers_read == 1);
  CHECK(result.others[0].layers_shared == 1);
  CHECK(result.layers.size() == 2);
}

TEST_CASE("other images: only what checks compare is kept of them") {
  TestImage image = describe_image(R"(
layers: [{files: {/l/a: one, /etc/big: 'unlike'}}]
others: {base: {layers: [{files: {/l/a: one, /etc/big: 'a content that no check compares'}}]}}
)");
  const std::string policy =
      "policy: test\nlanguage: 1\nsummary: a test\nchecks:\n"
      "  - {id: tested, rule: compare-files, with: {other: base, equal: ['/l/**']}}\n"
      "  - {id: own, rule: file, with: {file: /etc/big, content: unlike}}\n";
  const ImageResult result = run_on(image, run_options(policy));
  CHECK(status_of(result) == ExitStatus::good);
  CHECK(result.stats.kept_files == 1);    // /etc/big of the image itself
  CHECK(result.stats.hashed_files == 2);  // /l/a of both
}

TEST_CASE("other images: one that was not given is no pass, one that nothing uses is a mistake") {
  TestImage image = derived();
  image.others.clear();
  const ImageResult none = run_on(image, run_options(compares));
  CHECK_FALSE(none.unreadable);
  CHECK(find_check(none, "tested")->outcome == Outcome::error);
  CHECK(status_of(none) == ExitStatus::untrusted);

  TestImage other = derived();
  other.others[0].first = "bsae";
  const ImageResult mistyped = run_on(other, run_options(compares));
  REQUIRE(mistyped.unreadable);
  CHECK(mistyped.unreadable->kind() == ErrorKind::usage);
  CHECK(status_of(mistyped) == ExitStatus::untrusted);

  // A check that is left out still explains why the image is given; the image is not opened then.
  RunOptions options = run_options(compares + "  - {id: more, rule: file, with: {file: /app}}\n");
  options.skip = {"tested"};
  const TempDir dir;
  write_images(derived(), dir.path(), options);
  fs::remove_all(dir / "with-base");
  const ImageResult skipped = check_image(options, all_rules());
  CHECK(status_of(skipped) == ExitStatus::good);
  CHECK(skipped.others.empty());
}

TEST_CASE("other images: a damaged, cut or absent one makes the run unreadable") {
  const TestImage image = derived();
  const TestImage& base = image.others[0].second;
  const auto run = [&](const auto& damage) {
    const TempDir dir;
    RunOptions options = run_options(compares);
    write_images(image, dir.path(), options);
    damage(dir);
    const ImageResult result = check_image(options, all_rules());
    REQUIRE(result.unreadable);
    CHECK(std::string(result.unreadable->what()).starts_with("--with base: "));
    CHECK(result.checks.empty());
    return status_of(result);
  };
  CHECK(run([&](const TempDir& dir) { fs::remove_all(dir / "with-base"); }) == ExitStatus::unreadable);
  CHECK(run([&](const TempDir& dir) { fs::remove(blob_of(dir, base.layer_tars[1])); }) == ExitStatus::unreadable);
  // Also where the image itself has that layer.
  CHECK(run([&](const TempDir& dir) { fs::remove(blob_of(dir, base.layer_tars[0])); }) == ExitStatus::unreadable);
  CHECK(run([&](const TempDir& dir) {
          std::string bytes = base.layer_tars[1];
          bytes[520] ^= 1;
          write_file(blob_of(dir, base.layer_tars[1]).string(), bytes);
        }) == ExitStatus::unreadable);
}

TEST_CASE("other images: the platform is that of the image") {
  TestImage image = derived();
  image.architecture = "arm64";
  TestImage& base = image.others[0].second;
  base.architecture = "arm64";
  CHECK(status_of(run_on(image, run_options(compares))) == ExitStatus::good);
  base.architecture = "amd64";
  CHECK(status_of(run_on(image, run_options(compares))) == ExitStatus::unreadable);
}

TEST_CASE("a reason why an image could not be read is redacted") {
  const std::string secret = std::string("Kx9") + "vT2" + "qLm7Rw" + "Zp4D" + "q";
  const TestImage image = describe_image("{config: {env: ['A_TOKEN=" + secret + "']}, layers: [{files: {/app: x}}]}");
  const std::string& bytes = image.layer_tars[0];
  const TempDir dir;
  // The folder stands in messages too.
  RunOptions options = run_options(policy_of("file", "{file: /app}"));
  options.reference = write_oci_layout(image, dir / ("of-" + secret));
  fs::remove(fs::path(dir / ("of-" + secret)) / "blobs/sha256" / Digest::sha256_of(bytes).hex());
  const ImageResult absent = check_image(options, all_rules());
  REQUIRE(absent.unreadable);
  CHECK(absent.reference.find(secret) == std::string::npos);
  const std::string text = write_text(std::vector<ImageResult>{absent}, {});
  CHECK(text.find(secret) == std::string::npos);

  RunOptions other = run_options(compares);
  other.reference = write_oci_layout(image, dir / "image");
  other.others["base"] = "oci:" + (dir / ("gone-" + secret));
  const ImageResult result = check_image(other, all_rules());
  REQUIRE(result.unreadable);
  CHECK(std::string(result.unreadable->what()).find("[secret, ") != std::string::npos);
  CHECK(std::string(result.unreadable->what()).find(secret) == std::string::npos);
}

TEST_CASE("unread: a result of a reason outside of the image") {
  RunOptions options = run_options(compares);
  options.reference = "oci:image";
  const ImageResult result =
      unread(options, options.reference, Error(ErrorKind::limit, "not done within 5 seconds (--timeout)"));
  CHECK(result.reference == "oci:image");
  REQUIRE(result.policies.size() == 1);
  CHECK(status_of(result) == ExitStatus::unreadable);
}
