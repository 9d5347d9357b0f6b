// Every byte of a layer's files goes by the search for secrets, however the files stand in the archive.
#include <catch2/catch.hpp>

#include "base/error.h"
#include "facts/secret_scan.h"
#include "layer/layer_pass.h"
#include "support/compress.h"
#include "support/memory_stream.h"
#include "support/planted_secrets.h"
#include "support/tar_writer.h"

using namespace ocilint;
using namespace ocilint::test;

namespace {

Demand scan_of(const char* glob) {
  Demand demand;
  demand.add(FactKind::scan, Glob::parse(glob));
  demand.freeze();
  return demand;
}

LayerIndex read(const std::string& tar, const Demand& demand, int idle_cores = 0, bool compressed = false,
                ReadBudget* budget = nullptr) {
  const std::string stored = compressed ? gzip(tar) : tar;
  Workspace workspace;
  IdleCores idle(idle_cores);
  const LayerClaim claim{"layer", "", Digest::sha256_of(stored), stored.size(), Digest::sha256_of(tar)};
  LayerLimits limits;
  limits.image = budget;
  return read_layer(workspace, std::make_unique<MemoryStream>(stored), claim, demand, nullptr, limits, idle);
}

std::vector<Span> spans(const LayerIndex& index, Ordinal ordinal) {
  std::vector<Span> out;
  const auto found = index.secrets.find(ordinal);
  if (found == index.secrets.end()) return out;
  for (const FileSecret& secret : found->second.kept) out.push_back({secret.offset, secret.offset + secret.length});
  return out;
}

}  // namespace

TEST_CASE("scan: small, empty, linked and repeated files of a layer") {
  const SecretExample token = planted("github-token", 21), other = planted("github-token", 22);
  const std::string tar = TarWriter()
                              .directory("etc")
                              .file("etc/a", "token " + token.text + "\n")
                              .file("etc/empty", "")
                              .hard_link("etc/h", "etc/a")
                              .symlink("etc/s", "a")
                              .file("etc/a", other.text)
                              .file("etc/.wh.gone", "")
                              .finish();
  const LayerIndex index = read(tar, scan_of("/**"));
  CHECK(index.secrets.size() == 2);
  REQUIRE(spans(index, 1) == std::vector<Span>{{6, 6 + token.end}});
  CHECK(index.secrets.at(1).kept[0].value == token.text);
  CHECK(spans(index, 5) == std::vector<Span>{{0, other.end}});
  for (const Ordinal file : {1, 2, 5, 6}) CHECK(index.was_scanned(file));
  for (const Ordinal other_type : {0, 3, 4}) CHECK_FALSE(index.was_scanned(other_type));
  CHECK(index.counts.scanned_files == 4);
  CHECK(index.counts.scanned_bytes == 6 + token.end + 1 + other.end);
}

TEST_CASE("scan: what no pattern asks for is not searched, and nothing is compiled for nothing") {
  const SecretExample token = planted("github-token", 23);
  const std::string tar = TarWriter().file("a/x", token.text).file("b/x", token.text).finish();
  const LayerIndex index = read(tar, scan_of("/b/**"));
  CHECK_FALSE(index.was_scanned(0));
  CHECK(index.was_scanned(1));
  CHECK(index.secrets.size() == 1);
  Demand none;
  none.add(FactKind::md5, Glob::parse("/**"));
  none.freeze();
  CHECK(none.scanner() == nullptr);
  CHECK(read(tar, none).secrets.empty());
}

TEST_CASE("scan: a file larger than the buffers, secrets on all of their borders") {
  const SecretExample token = planted("github-token", 24);
  std::string big(Buffer::capacity * 3, ' ');
  std::vector<Span> expected;
  // Headers and the file before shift where buffers end in it: tokens stand close to each other there.
  std::vector<std::size_t> starts{0, big.size() - token.text.size()};
  for (std::size_t border = Buffer::capacity / 2; border < big.size(); border += Buffer::capacity / 2)
    for (std::size_t at = border - 3'000; at < border + 3'000; at += token.text.size() + 3) starts.push_back(at);
  std::ranges::sort(starts);
  for (const std::size_t at : starts) {
    big.replace(at, token.text.size(), token.text);
    expected.push_back({at, at + token.end});
  }
  REQUIRE(expected == spans_of(big, SecretScope::file));
  REQUIRE(expected.size() < SecretScan::most_kept);
  const std::string tar = TarWriter().file("small", std::string(1234, 'x')).file("big", big).finish();
  for (const int idle : {0, 1}) {
    const LayerIndex index = read(tar, scan_of("/**"), idle, true);
    REQUIRE(index.secrets.contains(1));
    const FileSecrets& found = index.secrets.at(1);
    CHECK(found.found == expected.size());
    CHECK(spans(index, 1) == expected);
    CHECK(index.counts.scanned_bytes == big.size() + 1234);
  }
}

TEST_CASE("scan: files whose names say that credentials may be in them are searched for more") {
  const SecretExample password = planted("secret-variable", 25);
  const std::string tar = TarWriter().file("srv/.env", password.text).file("srv/notes", password.text).finish();
  const LayerIndex index = read(tar, scan_of("/**"));
  CHECK(index.secrets.contains(0));
  CHECK_FALSE(index.secrets.contains(1));
}

TEST_CASE("scan: what is kept of secrets is charged to the budget of the image") {
  ExampleRandom random(26);
  std::string file;
  for (int i = 0; i < 100; ++i)
    file += make_example(DetectorSet::standard().find("github-token")->example, random).text + "\n";
  const std::string tar = TarWriter().file("a", file).finish();
  ImageLimits limits;
  limits.kept_bytes = 1000;
  ReadBudget budget(limits);
  CHECK_THROWS_AS(read(tar, scan_of("/**"), 0, false, &budget), Error);
}

TEST_CASE("scan: detectors that a policy adds, and the same twice") {
  Demand demand;
  demand.add(FactKind::scan, Glob::parse("/**"));
  const ExtraDetector acme = ExtraDetector::parse("acme; acme_; (acme_[0-9]{6})");
  demand.add_detectors({acme});
  demand.add_detectors({acme});
  demand.freeze();
  const LayerIndex index = read(TarWriter().file("a", "acme_123456").finish(), demand);
  REQUIRE(index.secrets.contains(0));
  CHECK(index.secrets.at(0).kept[0].detector == "acme");

  Demand two;
  two.add(FactKind::scan, Glob::parse("/**"));
  two.add_detectors({acme, ExtraDetector::parse("acme; acme_; (acme_[a-z]{6})")});
  CHECK_THROWS_AS(two.freeze(), Error);
}
