#include "tar/sparse.h"

#include <catch2/catch.hpp>

#include "support/tar_writer.h"
#include "support/walk.h"

namespace ocilint {
namespace {

using namespace test;

const std::string expanded = std::string(100, '\0') + "abc" + std::string(70'000, '\0') + "de" + std::string(9, '\0');
const std::string size_text = std::to_string(expanded.size());

std::string block(std::string_view text) {
  std::string out(text);
  out.resize((out.size() + 511) / 512 * 512);
  return out;
}

void is_expanded(const std::string& archive, std::uint64_t stored) {
  const Walk walk = walk_tar(archive);
  INFO(walk.error_text);
  REQUIRE_FALSE(walk.error);
  REQUIRE(walk.entries.size() == 2);
  const WalkedEntry& e = walk.entries[0];
  CHECK(e.name == "real/name");
  CHECK((e.size == expanded.size() && e.stored == stored && e.complete));
  CHECK(e.digest == Digest::sha256_of(std::string_view(expanded)));
  CHECK(walk.entries[1].name == "next");
  CHECK(walk.oddities.empty());
}

PaxRecords version(std::string major, std::string minor, PaxRecords more) {
  PaxRecords records{{"GNU.sparse.major", std::move(major)}, {"GNU.sparse.minor", std::move(minor)}};
  records.insert(records.end(), more.begin(), more.end());
  return records;
}

TEST_CASE("sparse files are handed out as their readers see them") {
  is_expanded(TarWriter()
                  .pax({{"path", "real/name"},
                        {"GNU.sparse.size", size_text},
                        {"GNU.sparse.numblocks", "3"},
                        {"GNU.sparse.offset", "100"},
                        {"GNU.sparse.numbytes", "3"},
                        {"GNU.sparse.offset", "70103"},
                        {"GNU.sparse.numbytes", "2"},
                        {"GNU.sparse.offset", size_text},
                        {"GNU.sparse.numbytes", "0"}})
                  .file("x", "abcde")
                  .file("next")
                  .finish(),
              5);
  is_expanded(TarWriter()
                  .pax({{"GNU.sparse.name", "real/name"},
                        {"GNU.sparse.size", size_text},
                        {"GNU.sparse.numblocks", "2"},
                        {"GNU.sparse.map", "100,3,70103,2"}})
                  .file("GNUSparseFile.0/name", "abcde")
                  .file("next")
                  .finish(),
              5);
  is_expanded(TarWriter()
                  .pax(version("1", "0", {{"GNU.sparse.name", "real/name"}, {"GNU.sparse.realsize", size_text}}))
                  .file("GNUSparseFile.0/name", block("2\n100\n3\n70103\n2\n") + "abcde")
                  .file("next")
                  .finish(),
              517);
}

TEST_CASE("a file that is one hole") {
  const std::string archive =
      TarWriter().pax(version("1", "0", {{"GNU.sparse.realsize", "100000"}})).file("hole", block("0\n")).finish();
  const Walk walk = walk_tar(archive);
  REQUIRE_FALSE(walk.error);
  CHECK((walk.entries[0].size == 100'000 && walk.entries[0].complete));
  CHECK(walk.entries[0].digest == Digest::sha256_of(std::string_view(std::string(100'000, '\0'))));
}

TEST_CASE("a sparse map of several blocks") {
  std::string map = "300\n", data;
  for (int i = 0; i < 300; ++i) map += std::to_string(i * 10) + "\n1\n", data += 'd';
  const Walk walk = walk_tar(
      TarWriter().pax(version("1", "0", {{"GNU.sparse.realsize", "3000"}})).file("f", block(map) + data).finish(),
      1024);
  REQUIRE_FALSE(walk.error);
  std::string want(3000, '\0');
  for (std::size_t i = 0; i < 3000; i += 10) want[i] = 'd';
  CHECK(walk.entries[0].digest == Digest::sha256_of(std::string_view(want)));
}

TEST_CASE("sparse maps that do not hold") {
  const auto map_01 = [](std::string map, std::string count, std::string size = "100") {
    return walk_tar(TarWriter()
                        .pax({{"GNU.sparse.size", size}, {"GNU.sparse.numblocks", count}, {"GNU.sparse.map", map}})
                        .file("f", "abcde")
                        .finish());
  };
  CHECK_FALSE(map_01("0,5", "1").error);
  for (const char* bad : {"0,5,", "0", "0,x", "-1,5", "96,5", "0,4", "0,6", "9223372036854775807,5"})
    CHECK(map_01(bad, "1").error == ErrorKind::corrupt);
  CHECK(map_01("0,5", "2").error == ErrorKind::corrupt);
  CHECK(map_01("0,3,2,2", "2").error == ErrorKind::corrupt);
  CHECK(map_01("5,3,0,2", "2").error == ErrorKind::corrupt);

  const auto map_10 = [](std::string map, std::string size = "100") {
    return walk_tar(
        TarWriter().pax(version("1", "0", {{"GNU.sparse.realsize", size}})).file("f", block(map) + "abcde").finish());
  };
  CHECK_FALSE(map_10("1\n0\n5\n").error);
  for (const char* bad : {"1\n0\n", "x\n", "\n", "1\n0\n5", "1\n0 5\n", "1\n\n5\n", "99999999999999999999\n"})
    CHECK(map_10(bad).error == ErrorKind::corrupt);
  CHECK(map_10("65537\n0\n5\n").error == ErrorKind::limit);

  CHECK(walk_tar(TarWriter().pax({{"GNU.sparse.numbytes", "5"}}).file("f").finish()).error == ErrorKind::corrupt);
  CHECK(walk_tar(TarWriter()
                     .pax({{"GNU.sparse.numblocks", "0"}, {"GNU.sparse.major", "0"}, {"GNU.sparse.minor", "1"}})
                     .directory("d/")
                     .finish())
            .error == ErrorKind::corrupt);
}

TEST_CASE("holes that would take for ever are a limit, for whoever wants to read them") {
  const std::string archive = TarWriter()
                                  .pax(version("1", "0", {{"GNU.sparse.realsize", "1099511627776"}}))
                                  .file("huge", block("0\n"))
                                  .finish();
  CHECK(walk_tar(archive).error == ErrorKind::limit);
  const Walk skipped = walk_tar(archive, 1024, {}, [](const Entry&) { return Body::skip; });
  REQUIRE_FALSE(skipped.error);
  CHECK(skipped.entries[0].size == 1099511627776);
}

TEST_CASE("an unknown sparse format is the file that engines unpack, and reported") {
  const Walk walk =
      walk_tar(TarWriter().pax(version("2", "0", {{"GNU.sparse.realsize", "9"}})).file("f", "abc").finish());
  REQUIRE_FALSE(walk.error);
  CHECK((walk.odd("unknown-sparse-format") && walk.entries[0].size == 3));
}

}  // namespace
}  // namespace ocilint
