// Several images in one run: each gets the verdict that it gets alone, and layers that they share are read once.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/json.h"
#include "report/report.h"
#include "run/shared_layers.h"
#include "support/check_kit.h"

using namespace ocilint;
using namespace ocilint::testing;
namespace fs = std::filesystem;

namespace {

const std::string content_policy =
    "policy: test\nlanguage: 1\nsummary: a test\nchecks:\n"
    "  - {id: base, rule: file, with: {file: /base, content: base}}\n"
    "  - {id: app, rule: file, with: {file: /app}}\n";

const char* const first_image =
    "layers:\n- {run: FROM base, files: {/base: base, /more: x}}\n- {run: RUN one, files: {/app: one}}\n";
const char* const second_image =
    "layers:\n- {run: RUN first, files: {/first: x}}\n- {run: FROM base, files: {/base: base, /more: x}}\n"
    "- {run: RUN two, files: {/app: two}}\n";
const char* const third_image =
    "layers:\n- {run: FROM base, files: {/base: base, /more: x}}\n- {run: RUN three, files: {/else: x}}\n";

/// What a run reads, "layer bytes…" by the image that was begun last.
struct Watched {
  std::vector<ImageResult> results;
  std::vector<std::string> read;  // "image number, layer"
};

Watched check_all(RunOptions options, const std::vector<std::string>& references) {
  Watched out;
  options.jobs = 1;
  int image = -1;
  options.begins = [&](const std::string&) { ++image; };
  options.progress = [&](const LayerProgress& step) {
    if (step.done) out.read.push_back(step.image + std::to_string(image) + " " + std::to_string(step.layer));
  };
  check_images(options, references, all_rules(), [&](ImageResult result, bool last) {
    CHECK((last || options.every_platform));
    out.results.push_back(std::move(result));
  });
  return out;
}

ExitStatus status_of(const ImageResult& result) { return verdict(result, Severity::error); }

/// The JSON report without what tells whether a layer was read for this image or for another one.
std::string report_of(ImageResult result) {
  result.stats = {};
  result.ledger.layers_shared = 0;
  for (LayerResult& layer : result.layers) layer.shared_with.clear();
  for (OtherImageResult& other : result.others) {
    other.layers_read = other.layers_shared = 0;
    other.earlier = false;
  }
  return write_json(std::vector<ImageResult>{std::move(result)}, {});
}

/// Two images in one layout, by their names.
std::string write_both(const std::string& dir, TestImage one, TestImage two) {
  one.ref_name = "one";
  two.ref_name = "two";
  return write_index(dir, {put_image(one, dir, "gzip"), put_image(two, dir, "gzip")});
}

fs::path blob_of(const std::string& dir, const std::string& tar, std::string_view compression = "gzip") {
  return fs::path(dir) / "blobs/sha256" / Digest::sha256_of(compressed(tar, compression)).hex();
}

void flip_a_byte(const fs::path& path) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(40);
  const char byte = static_cast<char>(file.get() ^ 1);
  file.seekp(40);
  file.put(byte);
}

}  // namespace

TEST_CASE("several images: a layer in the same place is read once, and the ledger says for whom") {
  const TempDir dir;
  const std::string both = write_both(dir.path(), describe_image(first_image), describe_image(second_image));
  const Watched got = check_all(run_options(content_policy), {both + ":one", both + ":two"});
  REQUIRE(got.results.size() == 2);
  CHECK(got.read == std::vector<std::string>{"0 0", "0 1", "1 0", "1 2"});
  const ImageResult& second = got.results[1];
  CHECK(status_of(got.results[0]) == ExitStatus::good);
  CHECK(status_of(second) == ExitStatus::good);
  CHECK(second.ledger.layers_listed == 3);
  CHECK(second.ledger.layers_verified == 3);
  CHECK(second.ledger.layers_shared == 1);
  CHECK(second.ledger.blob_bytes_hashed == second.ledger.blob_bytes_listed);
  CHECK(second.layers[1].shared_with == both + ":one linux/amd64, layer 0");
  CHECK(second.layers[0].shared_with.empty());
  CHECK(second.stats.kept_files == 0);  // /base was kept for the first image
  CHECK(got.results[0].stats.kept_files == 1);
}

TEST_CASE("several images: the verdict and every line of it are those of the image alone") {
  const TempDir dir;
  // A layer that is odd in itself stands at another number in each image.
  TestImage odd = describe_image(first_image), other = describe_image(second_image);
  odd.layer_tars[0] += "garbage behind the end of the archive";
  other.layer_tars[1] = odd.layer_tars[0];
  const std::string both = write_both(dir / "both", odd, other);
  const std::string third = write_oci_layout(describe_image(third_image), dir / "third", "gzip");
  const RunOptions options = run_options(content_policy);
  const std::vector<std::string> references = {both + ":two", third, both + ":one", both + ":two",
                                               "oci:" + (dir / "none")};
  const Watched together = check_all(options, references);
  REQUIRE(together.results.size() == references.size());
  CHECK(together.results[2].ledger.layers_shared == 1);
  for (std::size_t i = 0; i < references.size(); ++i) {
    RunOptions alone = options;
    alone.reference = references[i];
    CHECK(report_of(together.results[i]) == report_of(check_image(alone, all_rules())));
  }
  std::set<std::uint32_t> layers;
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}})
    for (const ReportedFinding& found : find_check(together.results[i], "image-integrity")->findings)
      if (found.finding.layer) layers.insert(*found.finding.layer);
  CHECK(layers == std::set<std::uint32_t>{0, 1});
}

TEST_CASE("several images: another copy of a layer is hashed, not unpacked, and damage in it is damage") {
  const TempDir dir;
  const TestImage one = describe_image(first_image), three = describe_image(third_image);
  const std::string a = write_oci_layout(one, dir / "a", "gzip"), b = write_oci_layout(three, dir / "b", "gzip");
  const std::string policy = policy_of("file", "{file: /base, content: base}");
  const Watched whole = check_all(run_options(policy), {a, b});
  REQUIRE(whole.results.size() == 2);
  CHECK(whole.results[1].ledger.layers_shared == 1);
  CHECK(whole.results[1].stats.kept_files == 0);
  CHECK(status_of(whole.results[1]) == ExitStatus::good);
  CHECK(whole.read == std::vector<std::string>{"0 0", "0 1", "1 0", "1 1"});

  flip_a_byte(blob_of(dir / "b", three.layer_tars[0]));
  const Watched damaged = check_all(run_options(policy), {a, b, a});
  REQUIRE(damaged.results.size() == 3);
  CHECK(status_of(damaged.results[0]) == ExitStatus::good);
  CHECK(status_of(damaged.results[1]) == ExitStatus::unreadable);
  CHECK(status_of(damaged.results[2]) == ExitStatus::good);
  // The other way round there is nothing whole to share.
  const Watched reversed = check_all(run_options(policy), {b, a});
  CHECK(status_of(reversed.results[0]) == ExitStatus::unreadable);
  CHECK(status_of(reversed.results[1]) == ExitStatus::good);
  fs::remove(blob_of(dir / "b", three.layer_tars[0]));
  CHECK(status_of(check_all(run_options(policy), {a, b}).results[1]) == ExitStatus::unreadable);
}

TEST_CASE("several images: the same diff ID under another blob digest is another layer") {
  const TempDir dir;
  const std::string gzip = write_oci_layout(describe_image(first_image), dir / "a", "gzip");
  const std::string zstd = write_oci_layout(describe_image(third_image), dir / "b", "zstd");
  const Watched got = check_all(run_options(policy_of("file", "{file: /base}")), {gzip, zstd});
  REQUIRE(got.results.size() == 2);
  CHECK(got.results[1].ledger.layers_shared == 0);
  CHECK(got.results[1].layers[0].compression == "zstd");
}

TEST_CASE("several images: what a second read brought stays with the layer") {
  const TempDir dir;
  const char* const linked =
      "layers:\n- {run: FROM, files: {/real/x: wanted}}\n- {run: RUN, links: {/at: /real}, files: {/app: x}}\n";
  const char* const linked_too =
      "layers:\n- {run: FROM, files: {/real/x: wanted}}\n- {run: RUN, links: {/at: real}, files: {/app: y}}\n";
  const std::string both = write_both(dir.path(), describe_image(linked), describe_image(linked_too));
  const Watched got =
      check_all(run_options(policy_of("file", "{file: /at/x, content: wanted}")), {both + ":one", both + ":two"});
  REQUIRE(got.results.size() == 2);
  for (const ImageResult& result : got.results) CHECK(status_of(result) == ExitStatus::good);
  CHECK(got.results[0].stats.refilled_facts == 1);
  CHECK(got.results[1].stats.refilled_facts == 0);
}

TEST_CASE("several images: limits hold for each, whatever was read before") {
  const TempDir dir;
  const std::string both = write_both(dir.path(), describe_image(first_image), describe_image(second_image));
  RunOptions options = run_options(content_policy);
  options.limits.entries = 3;  // the first image has three, the second four
  const Watched got = check_all(options, {both + ":one", both + ":two"});
  REQUIRE(got.results.size() == 2);
  CHECK(status_of(got.results[0]) == ExitStatus::good);
  REQUIRE(got.results[1].unreadable);
  CHECK(got.results[1].unreadable->kind() == ErrorKind::limit);
}

TEST_CASE("several images: one that cannot be read hides no other, and the worst decides") {
  const TempDir dir;
  const std::string good = write_oci_layout(describe_image(first_image), dir / "good", "gzip");
  const std::string bad = write_oci_layout(describe_image(third_image), dir / "bad", "gzip");
  const RunOptions options = run_options(content_policy);
  const Watched got = check_all(options, {good, "oci:" + (dir / "none"), bad, "oci-dir:x", good});
  REQUIRE(got.results.size() == 5);
  CHECK(status_of(got.results[0]) == ExitStatus::good);
  CHECK(status_of(got.results[1]) == ExitStatus::unreadable);
  CHECK(status_of(got.results[2]) == ExitStatus::findings);
  CHECK(status_of(got.results[3]) == ExitStatus::untrusted);  // a spelling of others
  CHECK(status_of(got.results[4]) == ExitStatus::good);
  CHECK(verdict(got.results, Severity::error, 1, 1) == ExitStatus::unreadable);
  // A call that no image can be checked with is said of each.
  RunOptions wrong = options;
  wrong.only = {"none"};
  for (const ImageResult& result : check_all(wrong, {good, bad}).results)
    CHECK(status_of(result) == ExitStatus::untrusted);
}

TEST_CASE("every platform: a verdict each, also for what is listed and not there, never for attestations") {
  const TempDir dir;
  TestImage amd = describe_image(first_image), arm = describe_image(second_image), gone = describe_image(third_image);
  arm.architecture = "arm64";
  gone.architecture = "s390x";
  Json attestation = put_image(describe_image("layers: [{files: {/statement: x}}]"), dir.path());
  attestation["platform"] = {{"os", "unknown"}, {"architecture", "unknown"}};
  attestation["annotations"] = {{"vnd.docker.reference.type", "attestation-manifest"},
                                {"vnd.docker.reference.digest", "sha256:" + std::string(64, '0')}};
  const Json absent = put_image(gone, dir.path(), "gzip");
  fs::remove(dir / ("blobs/sha256/" + absent["digest"].get<std::string>().substr(7)));
  const std::string reference = write_index(
      dir.path(), {put_image(amd, dir.path(), "gzip"), attestation, absent, put_image(arm, dir.path(), "gzip")});
  RunOptions options = run_options(content_policy);
  options.every_platform = true;
  const Watched got = check_all(options, {reference, "oci:" + (dir / "none")});
  REQUIRE(got.results.size() == 4);
  CHECK(got.results[0].platform == "linux/amd64");
  CHECK(status_of(got.results[0]) == ExitStatus::good);
  CHECK(got.results[1].platform == "linux/s390x");
  CHECK(status_of(got.results[1]) == ExitStatus::unreadable);
  CHECK(got.results[2].platform == "linux/arm64");
  CHECK(got.results[2].ledger.layers_shared == 1);  // across platforms
  CHECK(status_of(got.results[2]) == ExitStatus::good);
  CHECK(status_of(got.results[3]) == ExitStatus::unreadable);
}

TEST_CASE("every platform of a reference that names several images is refused as one platform is") {
  const TempDir dir;
  const std::string both = write_both(dir.path(), describe_image(first_image), describe_image(second_image));
  RunOptions options = run_options(content_policy);
  options.every_platform = true;
  const Watched got = check_all(options, {both});
  REQUIRE(got.results.size() == 1);
  REQUIRE(got.results[0].unreadable);
  CHECK(got.results[0].unreadable->kind() == ErrorKind::usage);
}

TEST_CASE("several images: the image that all are compared with is read once") {
  const TempDir dir;
  RunOptions options = run_options(policy_of("compare-files", "{other: base, equal: ['/base'], allow_added: true}"));
  options.others["base"] = write_oci_layout(describe_image("layers: [{files: {/base: base, /only: x}}]"), dir / "base");
  const std::string good = write_oci_layout(describe_image(first_image), dir / "good");
  const std::string bad = write_oci_layout(describe_image("layers: [{files: {/base: other}}]"), dir / "bad");
  const Watched got = check_all(options, {good, bad, good});
  REQUIRE(got.results.size() == 3);
  CHECK(std::ranges::count_if(got.read, [](const std::string& step) { return step.starts_with("base"); }) == 1);
  CHECK(status_of(got.results[0]) == ExitStatus::good);
  CHECK(status_of(got.results[1]) == ExitStatus::findings);
  CHECK(status_of(got.results[2]) == ExitStatus::good);
  CHECK_FALSE(got.results[0].others[0].earlier);
  CHECK(got.results[1].others[0].earlier);
  CHECK(got.results[1].ledger.layers_listed == 2);
  CHECK(got.results[1].ledger.holes().empty());
  for (const ImageResult& result : got.results) {
    RunOptions alone = options;
    alone.reference = result.reference;
    CHECK(report_of(result) == report_of(check_image(alone, all_rules())));
  }
  // What is wrong with it is wrong for each.
  options.others["base"] = "oci:" + (dir / "none");
  for (const ImageResult& result : check_all(options, {good, bad}).results) {
    REQUIRE(result.unreadable);
    CHECK(std::string(result.unreadable->what()).starts_with("--with base: "));
  }
}

TEST_CASE("shared layers are held while an image that waits has them, and within the limits of one image") {
  const auto layer_of = [](const std::string& name) {
    LayerSource out;
    out.name = name;
    out.digest = out.diff_id = Digest::sha256_of(name);
    out.size = 1;
    return out;
  };
  const auto image_of = [&](const std::vector<std::string>& names) {
    Image out;
    for (const std::string& name : names) out.layers.push_back(layer_of(name));
    return out;
  };
  const auto read = [&](const Image& image) {
    std::vector<std::shared_ptr<LayerIndex>> out;
    for (const LayerSource& layer : image.layers) {
      auto& index = out.emplace_back(std::make_shared<LayerIndex>());
      index->counts.verified = true;
      index->counts.kept_bytes = 10;
      index->diff_id = *layer.diff_id;
    }
    return out;
  };
  const StoredAt here{"/somewhere", ""};
  SharedLayers layers(ImageLimits{});
  const Image one = image_of({"a", "b", "c"}), two = image_of({"a", "b"}), three = image_of({"b", "d"});
  layers.expect(two);
  layers.expect(three);
  layers.keep(here, one, "one", read(one));
  CHECK(layers.kept() == 2);
  layers.arrived(two);
  const KnownLayers known = layers.known(here, two);
  REQUIRE(known.size() == 2);
  CHECK((known[0].index && known[1].index));
  CHECK(known[1].from == "one, layer 1");
  CHECK(known[0].proof == KnownLayer::Proof::none);
  layers.keep(here, two, "two", {known[0].index, known[1].index});
  CHECK(layers.kept() == 1);  // nobody waits for a
  CHECK(layers.known({"/elsewhere", ""}, three)[0].proof == KnownLayer::Proof::bytes);
  CHECK_FALSE(layers.known(here, three)[1].index);
  layers.arrived(three);
  layers.keep(here, three, "three", read(three));
  CHECK(layers.kept() == 0);

  // A registry has a blob once for all of its repositories: that this one has it too is asked still.
  SharedLayers remote(ImageLimits{});
  remote.expect(two);
  remote.keep({"docker://h/one", "docker://h"}, one, "one", read(one));
  CHECK(remote.known({"docker://h/two", "docker://h"}, two)[0].proof == KnownLayer::Proof::presence);
  CHECK(remote.known({"docker://other/two", "docker://other"}, two)[0].proof == KnownLayer::Proof::bytes);

  // What was not verified, or states another size or type, is no layer of anybody else.
  SharedLayers strict(ImageLimits{});
  strict.expect(two);
  auto unverified = read(one);
  unverified[0]->counts.verified = false;
  strict.keep(here, one, "one", unverified);
  CHECK(strict.kept() == 1);
  Image lies = two;
  lies.layers[1].size = 2;
  CHECK_FALSE(strict.known(here, lies)[1].index);
  lies = two;
  lies.layers[1].media_type = "other";
  CHECK_FALSE(strict.known(here, lies)[1].index);
  lies = two;
  lies.layers[1].digest = Digest::sha256_of("x");
  CHECK_FALSE(strict.known(here, lies)[1].index);
  lies = two;
  lies.layers[1].problem = Error(ErrorKind::not_found, "absent");
  CHECK_FALSE(strict.known(here, lies)[1].index);

  ImageLimits small;
  small.kept_bytes = 15;
  SharedLayers bounded(small);
  bounded.expect(two);
  bounded.keep(here, one, "one", read(one));
  CHECK(bounded.kept() == 1);
}
