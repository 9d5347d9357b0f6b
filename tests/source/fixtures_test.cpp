// Every public fixture that is an image gives what INDEX.tsv says of it.
#include <fstream>
#include <map>
#include <set>

#include "support/places.h"
#include "support.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

const std::string folder = std::string(test::source_dir) + "/../shared/fixtures";

struct Expected {
  std::string name;
  std::string choice;  // appended to the reference: ":@0"; the transport is then stated
  std::size_t layers = 0;
  std::string platform;  // normalised; empty: not stated
  std::optional<ErrorKind> error;
  std::string ask = {};  // --platform
};

constexpr auto corrupt_image = ErrorKind::corrupt;

// One row a fixture and choice. "" as a choice of an archive with several images is the usage error.
const std::vector<Expected> table = {
    {"oci-tools__hard-link-2", "", 2, "", {}},
    {"oci-tools__hard-link-delete-2", "", 2, "", {}},
    {"oci-tools__hard-link-delete-3", "", 2, "", {}},
    {"oci-tools__hard-link-delete-4", "", 3, "", {}},
    {"oci-tools__hard-link-delete-xattr", "", 2, "", {}},
    {"oci-tools__many-layers", "", 50, "", {}},
    {"oci-tools__whiteout-explicit-dir", "", 2, "", {}},
    {"oci-tools__whiteout-opaque-end", "", 2, "", {}},
    {"oci-tools__hello-world-cosign-manifest", "", 1, "linux/arm64", {}},
    {"oci-tools__hello-world-cosign-manifest-list", "", 1, "linux/amd64", {}, "linux/amd64"},
    {"oci-tools__hello-world-cosign-manifest-list", "", 1, "linux/arm/v5", {}, "linux/arm/v6"},
    {"oci-tools__hello-world-docker-v2-manifest-list", "", 1, "linux/arm64", {}, "linux/arm64/v8"},
    {"oci-tools__hello-world-docker-v2-manifest-list", "", 1, "linux/arm/v7", {}, "linux/arm"},
    {"dive__test-docker-image.tar", "", 14, "linux/amd64", {}},
    {"dive__test-kaniko-image.tar", "", 14, "linux/amd64", {}},
    {"dive__test-oci-uncompressed-image.tar", "", 1, "linux/arm64", {}},
    {"dive__test-oci-zstd-image.tar", "", 1, "linux/arm64", {}},
    {"go-containerregistry__hello-world-v25.tar", "", 1, "linux/arm64", {}},
    {"go-containerregistry__test_link.tar", "", 0, "", ErrorKind::usage},
    {"go-containerregistry__test_link.tar", "docker-archive:@0", 1, "linux/amd64", {}},
    {"go-containerregistry__test_link.tar", "docker-archive:test_image_3", 2, "linux/amd64", {}},
    {"go-containerregistry__no_manifest.tar", "", 1, "linux/amd64", {}},
    {"go-containerregistry__overwritten_file.tar", "", 3, "linux/amd64", {}},
    {"go-containerregistry__source_image_with_empty_layer_history.tar", "", 1, "linux/amd64", {}},
    // Its descriptor and its manifest state two media types.
    {"go-containerregistry__test_gc_index", "", 0, "", corrupt_image},
    {"go-containerregistry__test_index_media_type", "", 0, "", ErrorKind::unsupported},
    {"go-containerregistry__test_gc_image_unknown_mediatype", "", 0, "", ErrorKind::not_found},
    {"stereoscope__valid-oci.tar", "", 1, "linux/amd64", {}},
    {"trivy__alpine-310.tar.gz", "", 1, "linux/amd64", {}},
    {"trivy__test_image_tag.oci", "", 1, "linux/amd64", {}},
    {"trivy__test_image_tag.oci", "oci:0.0.1", 1, "linux/amd64", {}},
    {"trivy__test_index_json_dir.oci", "", 0, "", corrupt_image},
    {"rules_docker__test_index5", "", 0, "", ErrorKind::not_found},
    {"image__delete_image_two_identical_references", "", 0, "", ErrorKind::usage},
    {"image__delete_image_two_identical_references", "oci:1.0.0", 0, "", ErrorKind::usage},
    {"image__delete_image_two_identical_references", "oci:@1", 1, "linux/amd64", {}},
    {"podman__docker-two-images.tar.xz", "", 0, "", ErrorKind::usage},
    {"podman__docker-two-images.tar.xz", "docker-archive:different", 1, "linux/amd64", {}},
    {"podman__docker-two-names.tar.xz", "", 1, "linux/amd64", {}},
    {"podman__oci-non-docker-name.tar.gz", "oci-archive:UPPERCASE-IS-INVALID", 1, "linux/amd64", {}},
    {"container-structure-test__empty-image.tar", "", 0, "linux/arm64", {}},
    {"ggshield__docker-incomplete-manifest.tar.xz", "", 3, "linux/amd64", {}},
    {"dockle__scratch.tar", "", 1, "linux/amd64", {}},
    {"osv-scalibr__symlink-attack.tar", "", 1, "linux/amd64", {}},
    {"osv-scalibr__symlink-cycle.tar", "", 1, "linux/amd64", {}},
    {"osv-scalibr__symlink-depth-exceeded.tar", "", 1, "linux/amd64", {}},
    {"osv-scalibr__symlink-dangling.tar", "", 2, "linux/amd64", {}},
    {"snyk-docker-plugin__busybox.armv7-partial.tar", "", 1, "linux/arm/v7", {}},
    {"snyk-docker-plugin__busybox.arm64-partial.tar", "", 1, "linux/arm64", {}},
    {"snyk-docker-plugin__busybox.arm64-partial.tar", "", 0, "", ErrorKind::not_found, "linux/amd64"},
    {"snyk-docker-plugin__ctr-alpine.tar", "", 1, "linux/amd64", {}},
    {"snyk-docker-plugin__oci-nginx-tampered.tar", "", 0, "", corrupt_image},
    {"snyk-docker-plugin__kaniko-busybox.tar", "", 1, "linux/amd64", {}},
    {"regclient__external", "", 0, "", ErrorKind::unsupported},
    {"imgutil__imgutil-busybox", "", 1, "linux/amd64", {}},
    {"rules_oci__rules_oci-empty", "", 0, "linux/arm64", {}},
    {"cli__cosign-saved", "", 1, "linux/amd64", {}},
    {"container-inspector__windows-mini.tar", "", 1, "windows/amd64", {}},
    {"container-inspector__imagesv11.tar", "", 0, "", ErrorKind::usage},
    {"container-inspector__imagesv11.tar", "docker-archive:you/secondimage:1.2", 2, "linux/amd64", {}},
    {"generated__docker20-multi.tar", "", 0, "", ErrorKind::usage},
    {"generated__docker20-multi.tar", "docker-archive:demo/a:2", 2, "linux/amd64", {}},
    {"generated__docker20-by-id-untagged.tar", "", 2, "linux/amd64", {}},
    {"generated__podman-oci-dir", "", 2, "linux/amd64", {}},
    {"generated__podman-docker-dir", "", 2, "linux/amd64", {}},
    {"generated__skopeo-docker-archive.tar", "", 2, "linux/amd64", {}},
    {"generated__skopeo-dir", "", 2, "linux/amd64", {}},
    {"generated__skopeo-dir-v2s1", "", 2, "linux/amd64", {}},
    {"generated__skopeo-zstd", "", 2, "linux/amd64", {}},
    {"generated__skopeo-zstd-chunked", "", 2, "linux/amd64", {}},
    {"generated__skopeo-encrypted", "", 0, "", ErrorKind::unsupported},
    {"generated__ctr-multi.tar", "", 0, "", ErrorKind::usage},
    {"generated__ctr-multi.tar", "oci-archive:localhost/t/opq1-first:latest", 2, "linux/amd64", {}},
    {"generated__ctr-multi.tar", "oci-archive:latest", 0, "", ErrorKind::usage},
};

bool there() {
  if (std::filesystem::exists(folder)) return true;
  WARN("skipped: the fixtures are not beside the sources");
  return false;
}

std::string reference_of(const Expected& row) {
  const std::string path = folder + "/" + row.name;
  if (row.choice.empty()) return path;
  const std::size_t colon = row.choice.find(':');
  return row.choice.substr(0, colon + 1) + path + row.choice.substr(colon);
}

}  // namespace

TEST_CASE("fixtures: every image gives what is known of it") {
  if (!there()) return;
  for (const Expected& row : table) {
    INFO(row.name << " " << row.choice << " " << row.ask);
    Selection selection;
    if (!row.ask.empty()) selection.platform = Platform::parse(row.ask);
    try {
      const auto source = open_source(Reference::parse(reference_of(row)));
      const Image image = source->resolve(selection);
      // A layer that is not there is seen when it is opened.
      if (row.error)
        for (const LayerSource& layer : image.layers) (void)source->open(layer);
      REQUIRE_FALSE(row.error);
      CHECK(image.layers.size() == row.layers);
      CHECK(image.platform.normalised().text() == row.platform);
      for (const LayerSource& layer : image.layers) {
        const std::string bytes = bytes_of(*source, layer);
        CHECK(layer.size == bytes.size());
        if (layer.digest) CHECK(Digest::sha256_of(bytes) == *layer.digest);
      }
    } catch (const Error& e) {
      INFO(e.what());
      REQUIRE(row.error);
      CHECK(to_string(e.kind()) == to_string(*row.error));
    }
  }
}

TEST_CASE("fixtures: uncompressed layers of docker archives have their diff IDs") {
  if (!there()) return;
  for (const char* name :
       {"dive__test-docker-image.tar", "generated__docker20-by-id-untagged.tar", "trivy__alpine-310.tar.gz",
        "generated__skopeo-docker-archive.tar", "podman__docker-two-names.tar.xz"}) {
    INFO(name);
    const auto source = open_source(Reference::parse(folder + "/" + name));
    for (const LayerSource& layer : source->resolve({}).layers)
      CHECK(Digest::sha256_of(bytes_of(*source, layer)) == layer.diff_id);
  }
}

TEST_CASE("fixtures: the table misses none") {
  if (!there()) return;
  std::set<std::string> known;
  for (const Expected& row : table) known.insert(row.name);
  std::ifstream index(folder + "/INDEX.tsv");
  std::string line;
  std::getline(index, line);
  while (std::getline(index, line)) {
    const std::size_t tab = line.find('\t');
    const std::string kind = line.substr(tab + 1, line.find('\t', tab + 1) - tab - 1);
    if (kind == "layer" || kind == "tar" || kind == "tar.gz") continue;
    CHECK(known.count(line.substr(0, tab)) == 1);
  }
}

TEST_CASE("fixtures: a tar that is no image says so") {
  if (!there()) return;
  for (const char* name : {"regclient__layer-wh.tar", "trivy__walker-test.tar", "rules_img__multi-basic.tar.gz"}) {
    const Refusal refused = refusal(folder + "/" + name);
    CHECK(refused.kind == ErrorKind::corrupt);
    CHECK(contains(refused.text, "no image"));
  }
}
