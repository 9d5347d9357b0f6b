#include "layer/layer_pass.h"

#include <catch2/catch.hpp>

#include "base/error.h"
#include "support/compress.h"
#include "support/memory_stream.h"
#include "support/tar_writer.h"

using namespace ocilint;
using namespace ocilint::test;

namespace {

std::string pseudo_random(std::size_t size, std::uint64_t seed) {
  std::string out(size, '\0');
  for (char& c : out) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    c = static_cast<char>(seed >> 56);
  }
  return out;
}

Demand demand_of(std::initializer_list<std::pair<FactKind, const char*>> needs) {
  Demand demand;
  for (const auto& [kind, glob] : needs) demand.add(kind, Glob::parse(glob));
  demand.freeze();
  return demand;
}

struct Read {
  LayerIndex index;
  std::size_t steps = 0;
};

LayerIndex read(const std::string& stored, const LayerClaim& claim, const Demand& demand, int idle_cores = 0,
                const ExactWants* exact = nullptr, LayerLimits limits = {}) {
  Workspace workspace;
  IdleCores idle(idle_cores);
  return read_layer(workspace, std::make_unique<MemoryStream>(stored), claim, demand, exact, limits, idle);
}

LayerClaim claim_of(const std::string& stored, const std::string& tar) {
  return {"layer", "", Digest::sha256_of(stored), stored.size(), Digest::sha256_of(tar)};
}

std::string md5_of(const std::string& text) {
  Hasher hasher(Algorithm::md5);
  hasher.update(as_bytes(text));
  return hasher.finish().hex();
}

std::string hex(const Md5& digest) { return Digest(Algorithm::md5, Bytes(digest)).hex(); }

}  // namespace

TEST_CASE("a layer read keeps headers of all entries and facts of the demanded ones") {
  const std::string tar = TarWriter()
                              .directory("etc")
                              .file("etc/a", "alpha", {.mode = 0640, .uid = 7, .gid = 8})
                              .file("usr/lib/b", "beta")
                              .symlink("etc/l", "../usr/lib/b")
                              .hard_link("etc/h", "./usr/lib/b")
                              .finish();
  const LayerIndex index =
      read(tar, claim_of(tar, tar), demand_of({{FactKind::content, "/etc/a"}, {FactKind::md5, "/usr/**"}}));
  REQUIRE(index.entries.size() == 5);
  CHECK(index.entries[1].path == "/etc/a");
  CHECK(index.entries[1].mode == 0640);
  CHECK(index.entries[1].uid == 7);
  CHECK(index.entries[3].link == "../usr/lib/b");
  CHECK(index.entries[4].link == "/usr/lib/b");
  CHECK(index.contents.size() == 1);
  CHECK(index.contents.at(1) == "alpha");
  REQUIRE(index.md5.size() == 1);
  CHECK(hex(index.md5.at(2)) == md5_of("beta"));
  CHECK(index.counts.verified);
  CHECK(index.counts.parsed);
  CHECK(index.counts.stored_bytes == tar.size());
  CHECK(index.oddities.empty());
}

TEST_CASE("files larger than the buffer, whole ones and empty ones get the same digests") {
  // Beyond half a buffer bodies come in pieces; two sizes stand on either side of it.
  const std::string small = pseudo_random(70'000, 1), half = pseudo_random(Buffer::capacity / 2, 2),
                    big = pseudo_random(Buffer::capacity * 2 + 12'345, 3);
  TarWriter writer;
  writer.file("small", small).file("empty").file("big", big).file("half", half);
  for (int i = 0; i < 200; ++i) writer.file("many/" + std::to_string(i), pseudo_random(1000 + 37 * i, 10 + i));
  const std::string tar = writer.finish();
  for (const int idle : {0, 1}) {
    INFO("idle cores " << idle);
    const std::string stored = gzip(tar);
    const LayerIndex index =
        read(stored, claim_of(stored, tar),
             demand_of({{FactKind::md5, "/**"}, {FactKind::sha256, "/big"}, {FactKind::sha1, "/[bs]*"}}), idle);
    REQUIRE(index.md5.size() == index.entries.size());
    CHECK(hex(index.md5.at(0)) == md5_of(small));
    CHECK(hex(index.md5.at(1)) == md5_of(""));
    CHECK(hex(index.md5.at(2)) == md5_of(big));
    CHECK(hex(index.md5.at(3)) == md5_of(half));
    for (Ordinal i = 0; i < 200; ++i) REQUIRE(hex(index.md5.at(4 + i)) == md5_of(pseudo_random(1000 + 37 * i, 10 + i)));
    CHECK(index.sha256.at(2) == Digest::sha256_of(big));
    const auto sha1_of = [](const std::string& text) {
      Hasher hasher(Algorithm::sha1);
      hasher.update(as_bytes(text));
      return hasher.finish();
    };
    REQUIRE(index.sha1.size() == 2);
    CHECK(index.sha1.at(0) == sha1_of(small));
    CHECK(index.sha1.at(2) == sha1_of(big));
    CHECK(index.diff_id == Digest::sha256_of(tar));
  }
}

TEST_CASE("what does not agree with its digest is corrupt, whatever else is right") {
  const std::string tar = TarWriter().file("a", "x").finish();
  const std::string stored = zstd(tar);
  const Demand demand = demand_of({});
  LayerClaim right = claim_of(stored, tar);
  CHECK_NOTHROW(read(stored, right, demand));
  LayerClaim digest = right, size = right, diff = right;
  digest.digest = Digest::sha256_of("another");
  size.size = stored.size() + 1;
  diff.diff_id = Digest::sha256_of("another");
  for (const LayerClaim& claim : {digest, size, diff}) {
    try {
      read(stored, claim, demand);
      FAIL("a lie was believed");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::corrupt);
      CHECK(std::string(error.what()).starts_with("layer layer: "));
    }
  }
}

TEST_CASE("a damaged stream that another thread inflates is an error too") {
  std::string tar = TarWriter().file("big", pseudo_random(Buffer::capacity * 5, 4)).finish();
  std::string stored = gzip(tar);
  stored[stored.size() - 6] ^= 1;  // the CRC of the trailer
  LayerClaim claim = claim_of(stored, tar);
  for (const int idle : {0, 1}) CHECK_THROWS_AS(read(stored, claim, demand_of({}), idle), Error);
}

TEST_CASE("a name that leaves the root is an error of the image") {
  const std::string tar = TarWriter().file("a/../../b", "x").finish();
  CHECK_THROWS_AS(read(tar, claim_of(tar, tar), demand_of({})), Error);
}

TEST_CASE("a second read brings exactly what was asked for, by ordinal") {
  const std::string tar = TarWriter().file("a", "1").file("b", "2").file("a", "3").finish();
  ExactWants exact;
  exact[1].wants.add(FactKind::content);
  exact[2].wants.add(FactKind::md5);
  const LayerIndex index = read(tar, claim_of(tar, tar), demand_of({{FactKind::content, "/**"}}), 0, &exact);
  CHECK(index.contents.size() == 1);
  CHECK(index.contents.at(1) == "2");
  CHECK(hex(index.md5.at(2)) == md5_of("3"));
}

TEST_CASE("a layer beyond the limit of unpacked bytes names the limit") {
  const std::string tar = TarWriter().file("a", std::string(100'000, 'x')).finish();
  const std::string stored = gzip(tar);
  try {
    read(stored, claim_of(stored, tar), demand_of({}), 0, nullptr, {.unpacked_bytes = 50'000});
    FAIL("the limit did not hold");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::limit);
  }
}

TEST_CASE("a media type unlike the bytes is an oddity; a layer without any digest is one too") {
  const std::string tar = TarWriter().file("a", "x").finish();
  LayerClaim claim = claim_of(tar, tar);
  claim.media_type = "application/vnd.oci.image.layer.v1.tar+gzip";
  const LayerIndex index = read(tar, claim, demand_of({}));
  REQUIRE(index.oddities.size() == 1);
  CHECK(index.oddities[0].id == "media-type-mismatch");

  const LayerIndex unstated = read(tar, {"layer", "", {}, {}, {}}, demand_of({}));
  REQUIRE(unstated.oddities.size() == 1);
  CHECK(unstated.oddities[0].id == "unverifiable-layer");
  CHECK_FALSE(unstated.counts.verified);
}

TEST_CASE("a diff ID that lost the padding of its archive is told apart from a wrong one") {
  const std::string short_tar = TarWriter().file("a", "x").finish();
  std::string padded = short_tar;
  padded.resize((padded.size() + 10239) / 10240 * 10240);
  LayerClaim claim = claim_of(short_tar, padded);
  const LayerIndex index = read(short_tar, claim, demand_of({}));
  REQUIRE(index.oddities.size() == 1);
  CHECK(index.oddities[0].id == "diff-id-without-padding");
}
