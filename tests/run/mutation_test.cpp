// A mutated image is unreadable, or its verdict is at least as bad as the original's and its ledger at least as
// large: never a pass with fewer checks, layers or bytes.
//
// What nothing protects is stated at the end: the documents that no digest names.
#include <catch2/catch.hpp>

#include <filesystem>
#include <random>
#include <set>

#include "base/file.h"
#include "run/verdict.h"
#include "support/check_kit.h"
#include "support/compress.h"
#include "support/tar_writer.h"

namespace fs = std::filesystem;
using namespace ocilint;
using namespace ocilint::testing;

namespace {

const std::string policy =
    "policy: test\nlanguage: 1\nsummary: a test\nchecks:\n"
    "  - {id: modes, rule: file-mode, with: {files: ['/**'], deny: o+w}}\n"
    "  - {id: text, rule: file, with: {file: /etc/app.conf, content: '^key=1$'}}\n"
    "  - {id: digest, rule: file, with: {file: /usr/lib/a.so.1, "
    "sha256: 2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881}}\n"  // of "x"
    "  - {id: one, rule: same-file, with: {files: ['/usr/lib/a.so*'], at_least: 2}}\n"
    "  - {id: user, rule: image-user, with: {not: [root]}}\n"
    "  - {id: history, rule: history-secrets}\n";

TestImage good_image() {
  TestImage image = describe_image(R"(
config: {user: app, env: [PATH=/usr/bin], labels: {vendor: nobody}}
layers:
  - run: FROM scratch
    directories: [/etc, /usr/lib]
    files: {/etc/passwd: "root:x:0:0::/:/bin/sh\napp:x:1000:1000::/:/bin/sh\n", /usr/lib/a.so.1: x}
    hardlinks: {/usr/lib/a.so: /usr/lib/a.so.1}
  - run: RUN configure
    directories: [/etc]
    files: {/etc/app.conf: "key=1\n", /etc/mode: {content: y, mode: '0640', xattr: {user.a: b}}}
    remove: [/srv/old]
)");
  image.ref_name = "image:1";
  return image;
}

/// The same with what a check finds: its mutants may not become good.
TestImage bad_image() {
  TestImage image = good_image();
  image.layer_tars[1] = test::TarWriter().file("etc/app.conf", "key=1\n", {.mode = 0666}).finish();
  return image;
}

struct Seen {
  ExitStatus status;
  Ledger ledger;
  std::uint64_t hashed = 0, unpacked = 0;
};

Seen look(const std::string& reference) {
  static const RunOptions prepared = run_options(policy);
  RunOptions options = prepared;
  options.reference = reference;
  options.jobs = 1;
  const ImageResult result = check_image(options, all_rules());
  Seen seen{verdict(result, Severity::error), result.ledger};
  for (const LayerResult& layer : result.layers) {
    seen.hashed += layer.stored_bytes;
    seen.unpacked += layer.unpacked_bytes;
  }
  return seen;
}

std::size_t documents_of(const Ledger& ledger) {
  std::size_t sum = 0;
  for (const Coverage& coverage : ledger.covered) sum += coverage.done;
  return sum;
}

bool no_smaller(const Seen& now, const Seen& then) {
  return now.ledger.checks_listed >= then.ledger.checks_listed &&
         now.ledger.checks_evaluated >= then.ledger.checks_evaluated &&
         now.ledger.layers_listed >= then.ledger.layers_listed &&
         now.ledger.layers_verified >= then.ledger.layers_verified &&
         now.ledger.layers_parsed >= then.ledger.layers_parsed &&
         now.ledger.blob_bytes_hashed >= then.ledger.blob_bytes_hashed && now.hashed >= then.hashed &&
         now.unpacked >= then.unpacked;
}

struct Mutation {
  std::string name, bytes;
};

/// Single bytes all over, both ends, cuts, additions, repeated and swapped blocks. `most` bounds the flips.
std::vector<Mutation> mutations_of(const std::string& bytes, std::size_t most, std::uint64_t seed) {
  std::vector<Mutation> out;
  std::mt19937_64 random(seed);
  const std::size_t stride = std::max<std::size_t>(1, bytes.size() / most);
  for (std::size_t at = random() % stride; at < bytes.size(); at += stride) {
    Mutation flip{"flip at " + std::to_string(at), bytes};
    // Bits that keep text text (case, digit parity) hurt more than noise.
    const char masks[] = {0x01, 0x20, 0x02, static_cast<char>(0x80)};
    flip.bytes[at] = static_cast<char>(flip.bytes[at] ^ masks[random() % 4]);
    out.push_back(std::move(flip));
  }
  for (const std::size_t keep : {std::size_t{0}, std::size_t{1}, bytes.size() / 3, bytes.size() / 2, bytes.size() - 1})
    if (keep < bytes.size()) out.push_back({"cut to " + std::to_string(keep), bytes.substr(0, keep)});
  for (const std::string& more : {std::string(1, '\0'), std::string(1, ' '), std::string("{}"), std::string(1024, '\0'),
                                  std::string(1, 'x'), bytes})
    out.push_back({"with " + std::to_string(more.size()) + " bytes behind", bytes + more});
  const std::size_t block = bytes.size() > 1024 ? 512 : std::max<std::size_t>(1, bytes.size() / 8);
  for (int i = 0; i < 8 && bytes.size() > 2 * block; ++i) {
    const std::size_t from = random() % (bytes.size() / block) * block;
    const std::size_t to = random() % (bytes.size() / block) * block;
    Mutation twice{"block " + std::to_string(from) + " again at " + std::to_string(to), bytes};
    twice.bytes.insert(to, bytes.substr(from, block));
    if (twice.bytes != bytes) out.push_back(std::move(twice));
    Mutation gone{"without block " + std::to_string(from), bytes};
    gone.bytes.erase(from, block);
    out.push_back(std::move(gone));
  }
  return out;
}

struct Tally {
  std::size_t all = 0, unreadable = 0, good = 0;
};

/// Mutates `file` of the image at `reference`, puts it back.
Tally mutate(const std::string& reference, const std::string& file, const Seen& original, std::size_t most,
             bool must_be_unreadable) {
  Tally tally;
  const std::string bytes = read_file(file, 1 << 24);
  for (const Mutation& mutation : mutations_of(bytes, most, 7919 * most + bytes.size())) {
    INFO(fs::path(file).filename().string() << ": " << mutation.name);
    write_file(file, mutation.bytes);
    const Seen seen = look(reference);
    ++tally.all;
    tally.unreadable += seen.status == ExitStatus::unreadable;
    tally.good += seen.status == ExitStatus::good;
    if (must_be_unreadable) CHECK(seen.status == ExitStatus::unreadable);
    CHECK(seen.status >= original.status);
    if (seen.status == ExitStatus::good) {
      CHECK(no_smaller(seen, original));
      CHECK(documents_of(seen.ledger) >= documents_of(original.ledger));
    }
  }
  write_file(file, bytes);
  return tally;
}

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

std::string write_layout(const TestImage& image, const std::string& dir, const std::string& kind) {
  if (kind == "stored" || kind.empty()) return write_oci_layout(image, dir, kind.empty() ? "" : "gzip");
  TestImage packed = image;
  packed.manifest_extra["layers"] = Json::array();
  for (const std::string& tar : image.layer_tars)
    packed.manifest_extra["layers"].push_back(put_blob(dir, kind == "gzip" ? test::gzip(tar) : test::zstd(tar),
                                                       "application/vnd.oci.image.layer.v1.tar+" + kind));
  const std::string reference = write_oci_layout(packed, dir);
  // The uncompressed layers are in no manifest.
  for (const std::string& tar : image.layer_tars) fs::remove(dir + "/blobs/sha256/" + Digest::sha256_of(tar).hex());
  return reference;
}

}  // namespace

TEST_CASE("mutation: any change to a blob of a layout makes the image unreadable") {
  for (const std::string kind : {"", "stored", "gzip", "zstd"}) {
    INFO("layers: " << kind);
    const TempDir dir;
    const std::string reference = write_layout(good_image(), dir / "image", kind);
    const Seen original = look(reference);
    REQUIRE(original.status == ExitStatus::good);
    REQUIRE(original.ledger.layers_verified == 2);
    for (const std::string& file : files_below(dir / "image/blobs")) {
      const Tally tally = mutate(reference, file, original, 120, true);
      CHECK(tally.all > 100);
    }
  }
}

TEST_CASE("mutation: the index and the marker of a layout") {
  for (const bool good : {true, false}) {
    const TempDir dir;
    const std::string reference = write_layout(good ? good_image() : bad_image(), dir / "image", "gzip");
    const Seen original = look(reference);
    REQUIRE(original.status == (good ? ExitStatus::good : ExitStatus::findings));
    const Tally index = mutate(reference, dir / "image/index.json", original, 400, false);
    CHECK(index.unreadable * 2 > index.all);
    (void)mutate(reference, dir / "image/oci-layout", original, 40, false);
  }
}

TEST_CASE("mutation: a docker archive whose config is named by its digest") {
  for (const bool good : {true, false}) {
    const TempDir dir;
    const std::string file = dir / "image.tar";
    const std::string reference = write_docker_archive(good ? good_image() : bad_image(), file);
    const Seen original = look(reference);
    REQUIRE(original.status == (good ? ExitStatus::good : ExitStatus::findings));
    (void)mutate(reference, file, original, good ? 1500 : 300, false);
  }
}

TEST_CASE("mutation: a docker archive inside gzip and inside zstd") {
  const TempDir dir;
  const std::string plain = dir / "plain.tar";
  write_docker_archive(good_image(), plain);
  const std::string bytes = read_file(plain, 1 << 24);
  for (const bool gzip : {true, false}) {
    const std::string file = dir / (gzip ? "image.tar.gz" : "image.tar.zst");
    write_file(file, gzip ? test::gzip(bytes) : test::zstd(bytes));
    const Seen original = look("docker-archive:" + file);
    REQUIRE(original.status == ExitStatus::good);
    (void)mutate("docker-archive:" + file, file, original, 200, false);
  }
}

TEST_CASE("mutation: what nothing protects is the text of a config that no digest names") {
  // crane and hand-made archives name the config as they like. Its diff IDs still bind every layer; its user,
  // variables and history may be changed by whoever may write the archive, and no reader can know.
  const TestImage image = good_image();
  const auto write = [&](const std::string& file, const std::string& config) {
    std::string tar = tar_entry("config", config);
    Json item{{"Config", "config"}, {"RepoTags", nullptr}, {"Layers", Json::array()}};
    for (std::size_t i = 0; i < image.layer_tars.size(); ++i) {
      tar += tar_entry(std::to_string(i) + ".tar", image.layer_tars[i]);
      item["Layers"].push_back(std::to_string(i) + ".tar");
    }
    write_file(file, tar + tar_entry("manifest.json", Json::array({item}).dump()) + tar_end());
    return "docker-archive:" + file;
  };
  const TempDir dir;
  const std::string config = config_of(image);
  const Seen original = look(write(dir / "original.tar", config));
  REQUIRE(original.status == ExitStatus::good);
  std::size_t good = 0;
  for (const Mutation& mutation : mutations_of(config, 400, 11)) {
    INFO(mutation.name);
    const Seen seen = look(write(dir / "mutant.tar", mutation.bytes));
    if (seen.status != ExitStatus::good) continue;
    ++good;
    // Every layer is still bound, read and compared; only the texts are other ones.
    CHECK(no_smaller(seen, original));
  }
  CHECK(good > 0);
}
