// Every public image of the fixtures, and every conformance image, from its reference to the verdict.
//
// The verdict is written as one line: "good"; "findings" with the kinds of image-integrity at severity error
// and the ids of what engine-divergence says overlay engines refuse; or "unreadable" with the error's kind.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <set>

#include "support/places.h"
#include "run/verdict.h"
#include "support/check_kit.h"
#include "tree/conformance_images.h"

namespace fs = std::filesystem;
using namespace ocilint;
using namespace ocilint::testing;

namespace {

const std::string folder = std::string(test::source_dir) + "/../shared/fixtures";

/// Looks at every file, and says what it finds as a note: the built-in checks decide.
const std::string policy =
    "policy: test\nlanguage: 1\nsummary: a test\nchecks:\n"
    "  - {id: modes, rule: file-mode, severity: note, with: {files: ['/**'], deny: o+w, allow_empty: true}}\n";

ImageResult look(const std::string& reference, const std::string& platform = {}) {
  static const RunOptions prepared = run_options(policy);
  RunOptions options = prepared;
  options.reference = reference;
  if (!platform.empty()) options.platform = Platform::parse(platform);
  return check_image(options, all_rules());
}

std::string line_of(const ImageResult& result) {
  switch (verdict(result, Severity::error)) {
    case ExitStatus::good: return "good";
    case ExitStatus::unreadable: return "unreadable: " + std::string(to_string(result.unreadable->kind()));
    case ExitStatus::untrusted:
      return "untrusted" + (result.unreadable ? ": " + std::string(to_string(result.unreadable->kind())) : "");
    case ExitStatus::findings: break;
  }
  std::set<std::string> ids;
  for (const CheckResult& check : result.checks) {
    for (const ReportedFinding& reported : check.findings) {
      if (reported.severity != Severity::error) continue;
      const Finding& finding = reported.finding;
      ids.insert(finding.kind == "refused" ? finding.message.substr(0, finding.message.find(':')) : finding.kind);
    }
  }
  std::string out = "findings:";
  for (const std::string& id : ids) out += " " + id;
  return out;
}

struct Row {
  std::string name;
  std::string choice;    // put around the path: "docker-archive:@0"
  std::string platform;  // --platform
  std::string expected;
  std::string reason;
};

const std::vector<Row> table = {
    {"oci-tools__hard-link-2", "", "", "findings: cross-layer-hardlink",
     "its second layer links to a file of the first: overlay engines refuse it"},
    {"oci-tools__hard-link-delete-2", "", "", "good", "file and alias are of one layer, the alias goes"},
    {"oci-tools__hard-link-delete-3", "", "", "findings: cross-layer-hardlink",
     "the second layer links to a file of the first"},
    {"oci-tools__hard-link-delete-4", "", "", "findings: cross-layer-hardlink", "an alias of an alias, across layers"},
    {"oci-tools__hard-link-delete-xattr", "", "", "good", "file and alias are of one layer, the target goes"},
    {"oci-tools__many-layers", "", "", "good", "50 layers; a config without os and architecture"},
    {"oci-tools__whiteout-explicit-dir", "", "", "good", "a folder is removed"},
    {"oci-tools__whiteout-opaque-end", "", "", "good", "the opaque marker stands behind its siblings"},
    {"oci-tools__hello-world-cosign-manifest", "", "", "good", "signatures beside the image are artifacts"},
    {"oci-tools__hello-world-cosign-manifest-list", "", "linux/amd64", "good", "nine platforms and their signatures"},
    {"oci-tools__hello-world-cosign-manifest-list", "", "linux/arm/v6", "good", "nine platforms and their signatures"},
    {"oci-tools__hello-world-docker-v2-manifest-list", "", "linux/arm64/v8", "good",
     "a manifest list inside the index"},
    {"oci-tools__hello-world-docker-v2-manifest-list", "", "linux/arm", "good", "a manifest list inside the index"},
    {"dive__test-docker-image.tar", "", "", "good", "classic docker save"},
    {"dive__test-kaniko-image.tar", "", "", "good", "gzip layers, a root entry, a config named by its digest"},
    {"dive__test-oci-uncompressed-image.tar", "", "", "good", "an uncompressed layer"},
    {"dive__test-oci-zstd-image.tar", "", "", "good", "a zstd layer"},
    {"go-containerregistry__hello-world-v25.tar", "", "", "good", "an index without manifests beside manifest.json"},
    {"go-containerregistry__test_link.tar", "", "", "untrusted: usage",
     "two images; a layer that is a link: which one is not said"},
    {"go-containerregistry__test_link.tar", "docker-archive:@0", "", "good", "two images; a layer that is a link"},
    {"go-containerregistry__test_link.tar", "docker-archive:test_image_3", "", "good",
     "two images; a layer that is a link"},
    {"go-containerregistry__no_manifest.tar", "", "", "untrusted",
     "before Docker 1.10 no digest was stated: nothing vouches for the layer"},
    {"go-containerregistry__overwritten_file.tar", "", "", "good", "a link replaces a file"},
    {"go-containerregistry__source_image_with_empty_layer_history.tar", "", "", "findings: config-misnamed",
     "the config was edited, its name kept"},
    {"go-containerregistry__test_gc_index", "", "", "unreadable: corrupt",
     "descriptor and manifest state two media types"},
    {"go-containerregistry__test_index_media_type", "", "", "unreadable: unsupported", "a Helm chart"},
    {"go-containerregistry__test_gc_image_unknown_mediatype", "", "", "unreadable: not found", "the blob is missing"},
    {"stereoscope__valid-oci.tar", "", "", "good", "a minimal archive"},
    {"trivy__alpine-310.tar.gz", "", "", "good", "docker save inside gzip"},
    {"trivy__test_image_tag.oci", "", "", "good", "one image with a name"},
    {"trivy__test_image_tag.oci", "oci:0.0.1", "", "good", "one image with a name"},
    {"trivy__test_index_json_dir.oci", "", "", "unreadable: corrupt", "index.json is a folder"},
    {"rules_docker__test_index5", "", "", "unreadable: not found", "a layer is missing"},
    {"image__delete_image_two_identical_references", "", "", "untrusted: usage",
     "two images of one name: which one is not said"},
    {"image__delete_image_two_identical_references", "oci:1.0.0", "", "untrusted: usage",
     "two images of one name: which one is not said"},
    {"image__delete_image_two_identical_references", "oci:@1", "", "unreadable: corrupt",
     "its layer is no archive and not what the diff ID says"},
    {"podman__docker-two-images.tar.xz", "", "", "untrusted: usage", "two images inside xz: which one is not said"},
    {"podman__docker-two-images.tar.xz", "docker-archive:different", "", "good", "two images inside xz"},
    {"podman__docker-two-names.tar.xz", "", "", "good", "one image of two names"},
    {"podman__oci-non-docker-name.tar.gz", "oci-archive:UPPERCASE-IS-INVALID", "", "good",
     "a name that Docker would not take"},
    {"container-structure-test__empty-image.tar", "", "", "good",
     "no layer at all, and the check allows that nothing matches"},
    {"ggshield__docker-incomplete-manifest.tar.xz", "", "", "findings: config-misnamed",
     "the config was edited, its name kept"},
    {"dockle__scratch.tar", "", "", "good", "one layer, from scratch"},
    {"osv-scalibr__symlink-attack.tar", "", "", "good", "links out of the root end at the root"},
    {"osv-scalibr__symlink-cycle.tar", "", "", "good", "links in circles; nothing asks where they lead"},
    {"osv-scalibr__symlink-depth-exceeded.tar", "", "", "good", "a long chain; nothing asks where it leads"},
    {"osv-scalibr__symlink-dangling.tar", "", "", "good", "dangling links; nothing asks where they lead"},
    {"snyk-docker-plugin__busybox.armv7-partial.tar", "", "", "good", "the one platform that is there"},
    {"snyk-docker-plugin__busybox.arm64-partial.tar", "", "", "good", "the one platform that is there"},
    {"snyk-docker-plugin__busybox.arm64-partial.tar", "", "linux/amd64", "unreadable: not found",
     "listed, but not there: no other platform stands in"},
    {"snyk-docker-plugin__ctr-alpine.tar", "", "", "good", "a manifest list inside the index"},
    {"snyk-docker-plugin__oci-nginx-tampered.tar", "", "", "unreadable: corrupt",
     "the manifest is not what its descriptor says"},
    {"snyk-docker-plugin__kaniko-busybox.tar", "", "", "good", "a config named by its digest"},
    {"regclient__external", "", "", "unreadable: unsupported", "artifacts only"},
    {"imgutil__imgutil-busybox", "", "", "good", "400 names of one file"},
    {"rules_oci__rules_oci-empty", "", "", "good", "no layer at all, and the check allows that nothing matches"},
    {"cli__cosign-saved", "", "", "good", "signatures beside the image; a layer that is an empty archive"},
    {"container-inspector__windows-mini.tar", "", "", "unreadable: corrupt",
     "cut down by hand: the layer is not what its diff ID says"},
    {"container-inspector__imagesv11.tar", "", "", "untrusted: usage", "three images: which one is not said"},
    {"container-inspector__imagesv11.tar", "docker-archive:you/secondimage:1.2", "", "good", "three images"},
    {"generated__docker20-multi.tar", "", "", "untrusted: usage", "two images: which one is not said"},
    {"generated__docker20-multi.tar", "docker-archive:demo/a:2", "", "good", "two images"},
    {"generated__docker20-by-id-untagged.tar", "", "", "good", "saved by image ID"},
    {"generated__podman-oci-dir", "", "", "good", "as podman writes it"},
    {"generated__podman-docker-dir", "", "", "good", "blobs by bare hex"},
    {"generated__skopeo-docker-archive.tar", "", "", "good", "as skopeo writes it"},
    {"generated__skopeo-dir", "", "", "good", "as skopeo writes it"},
    {"generated__skopeo-dir-v2s1", "", "", "good", "schema 1: blob digests, and no diff IDs"},
    {"generated__skopeo-zstd", "", "", "good", "zstd layers"},
    {"generated__skopeo-zstd-chunked", "", "", "findings: diff-id-without-padding",
     "the writer lost the padding that the diff ID covers"},
    {"generated__skopeo-encrypted", "", "", "unreadable: unsupported", "encrypted layers"},
    {"generated__ctr-multi.tar", "", "", "untrusted: usage", "two images: which one is not said"},
    {"generated__ctr-multi.tar", "oci-archive:localhost/t/opq1-first:latest", "", "good", "two images"},
    {"generated__ctr-multi.tar", "oci-archive:latest", "", "untrusted: usage", "two images: which one is not said"},
};

std::string reference_of(const Row& row) {
  const std::string path = folder + "/" + row.name;
  if (row.choice.empty()) return path;
  const std::size_t colon = row.choice.find(':');
  return row.choice.substr(0, colon + 1) + path + row.choice.substr(colon);
}

bool there(const std::string& path) {
  if (fs::exists(path)) return true;
  WARN("skipped: not beside the sources: " << fs::path(path).filename().string());
  return false;
}

}  // namespace

TEST_CASE("fixtures: every image gets the verdict that is known of it") {
  if (!there(folder)) return;
  for (const Row& row : table) {
    INFO(row.name << " " << row.choice << " " << row.platform << ": " << row.reason);
    const ImageResult result = look(reference_of(row), row.platform);
    if (result.unreadable) INFO(result.unreadable->what());
    CHECK(line_of(result) == row.expected);
    if (result.unreadable) continue;
    // What nothing vouches for is a hole, and the only way to one.
    CHECK(result.ledger.holes().empty() == (row.expected != "untrusted"));
    CHECK((result.ledger.layers_verified == result.ledger.layers_listed) == (row.expected != "untrusted"));
  }
}

TEST_CASE("fixtures: the verdicts miss no image") {
  if (!there(folder)) return;
  std::set<std::string> known;
  for (const Row& row : table) known.insert(row.name);
  std::ifstream index(folder + "/INDEX.tsv");
  std::string line;
  std::getline(index, line);
  while (std::getline(index, line)) {
    std::vector<std::string> fields(1);
    for (const char c : line)
      if (c == '\t')
        fields.emplace_back();
      else
        fields.back() += c;
    REQUIRE(fields.size() >= 5);
    INFO(line);
    const bool layer = fields[1] == "layer" || fields[1] == "tar" || fields[1] == "tar.gz";
    if (layer) {
      // No image: to take it for one would be a pass of nothing.
      CHECK(line_of(look(folder + "/" + fields[0])).starts_with("unreadable"));
      continue;
    }
    CHECK(known.contains(fields[0]));
    if (!fields[4].starts_with("NEGATIVE")) continue;
    for (const Row& row : table)
      if (row.name == fields[0]) CHECK(row.expected.starts_with("unreadable"));
  }
}

TEST_CASE("conformance: every image has a verdict that fits what engines did with it") {
  const auto results = test::measured();
  if (results.empty()) {
    WARN("skipped: no conformance images beside the sources");
    return;
  }
  std::size_t refused_by_engines = 0, unreadable = 0;
  for (const auto& [name, engines] : results) {
    const ImageResult result = look("docker-archive:" + test::conformance_dir() + "/images/" + name + ".tar");
    const std::string line = line_of(result);
    INFO(name << ": " << line << (result.unreadable ? result.unreadable->what() : ""));
    bool refused = false, all_refused = true, expected = true, differ = false;
    std::string first;
    for (const auto& [engine, tree] : engines) all_refused = all_refused && tree.refused;
    for (const std::string& engine : test::members_of(engines, test::Family::overlay))
      refused = refused || engines.at(engine).refused;
    for (const test::Choice& choice : test::choices())
      if (choice.name == name && choice.family == test::Family::overlay) expected = choice.refusal_expected;
    if (test::families_agree(engines, test::Family::overlay) &&
        test::families_agree(engines, test::Family::cumulative)) {
      const auto& overlay = engines.at(test::members_of(engines, test::Family::overlay).front());
      const auto& cumulative = engines.at(test::members_of(engines, test::Family::cumulative).front());
      differ = !overlay.refused && !cumulative.refused && !(overlay == cumulative);
    }
    refused_by_engines += refused;
    unreadable += result.unreadable.has_value();
    CHECK_FALSE(line.starts_with("untrusted"));
    if (refused && expected) CHECK(line != "good");
    // Unreadable is only what an engine refuses too, or what leaves the root of the image.
    if (result.unreadable) CHECK((refused || all_refused || name.starts_with("path2")));
    if (!differ || result.unreadable) continue;
    const CheckResult* const divergence = find_check(result, "engine-divergence");
    REQUIRE(divergence != nullptr);
    CHECK_FALSE(divergence->findings.empty());
  }
  CHECK(results.size() > 60);
  CHECK(refused_by_engines > 10);
  CHECK(unreadable < results.size() / 3);
}
