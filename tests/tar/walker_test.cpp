#include "tar/walker.h"

#include <catch2/catch.hpp>
#include <ctime>
#include <random>

#include "support/tar_writer.h"
#include "support/walk.h"

namespace ocilint {
namespace {

using namespace test;

Digest digest_of(std::string_view text) { return Digest::sha256_of(text); }

void require_corrupt(const std::string& archive, std::string_view part = {}) {
  const Walk walk = walk_tar(archive);
  INFO(walk.error_text);
  REQUIRE(walk.error == ErrorKind::corrupt);
  CHECK(walk.error_text.find(part) != std::string::npos);
}

Walk require_good(const std::string& archive) {
  Walk walk = walk_tar(archive);
  INFO(walk.error_text);
  REQUIRE_FALSE(walk.error);
  return walk;
}

/// One entry, and no oddity.
WalkedEntry only(const TarWriter& writer) {
  const Walk walk = require_good(writer.finish());
  REQUIRE(walk.entries.size() == 1);
  for (const Oddity& oddity : walk.oddities) FAIL_CHECK(oddity.id << ": " << oddity.text);
  return walk.entries[0];
}

TEST_CASE("every type that container engines know") {
  const Walk walk = require_good(TarWriter()
                                     .directory("d/", {.mode = 01777, .uid = 1, .gid = 2, .mtime = 3})
                                     .file("d/f", "content", {.mode = 04755})
                                     .hard_link("d/h", "d/f")
                                     .symlink("s", "d/f")
                                     .device("c", 'c', 5, 1)
                                     .device("b", 'b', 8, 300)
                                     .fifo("p")
                                     .finish());
  REQUIRE(walk.oddities.empty());
  const auto& e = walk.entries;
  REQUIRE(e.size() == 7);
  CHECK((e[0].type == EntryType::directory && e[0].name == "d/" && e[0].mode == 01777));
  CHECK((e[0].uid == 1 && e[0].gid == 2 && e[0].mtime == 3));
  CHECK((e[1].type == EntryType::file && e[1].mode == 04755 && e[1].size == 7 && e[1].stored == 7));
  CHECK(e[1].digest == digest_of("content"));
  CHECK((e[1].offset == 512 && e[2].offset == 1536));
  CHECK((e[2].type == EntryType::hard_link && e[2].link == "d/f"));
  CHECK((e[3].type == EntryType::symlink && e[3].link == "d/f" && e[3].mode == 0777));
  CHECK((e[4].type == EntryType::character && e[4].device_major == 5 && e[4].device_minor == 1));
  CHECK((e[5].type == EntryType::block && e[5].device_minor == 300));
  CHECK(e[6].type == EntryType::fifo);
}

TEST_CASE("file types that are written in two ways") {
  CHECK(only(TarWriter().entry({.name = "old", .type = '\0'})).type == EntryType::file);
  CHECK(only(TarWriter().entry({.name = "old/", .type = '\0'})).type == EntryType::directory);
  CHECK(only(TarWriter().entry({.name = "f/", .type = '0'})).type == EntryType::file);
  CHECK(only(TarWriter().file("")).name.empty());
}

TEST_CASE("types that engines refuse are read past and reported") {
  const char flag = GENERATE('7', 'V', 'Q', 'D', 'X');
  const Walk walk = require_good(
      TarWriter().entry({.name = "odd", .type = flag, .size = 600}, std::string(600, 'x')).file("next").finish());
  REQUIRE(walk.entries.size() == 2);
  CHECK(walk.entries[0].type == EntryType::unsupported);
  CHECK(walk.entries[0].handed_out == 0);
  CHECK(walk.entries[1].name == "next");
  REQUIRE(walk.odd("unknown-entry-type"));
  CHECK(walk.oddities[0].subject == "odd");
  CHECK(walk.oddities[0].text.find("refuse") != std::string::npos);
}

TEST_CASE("old GNU sparse files: the reader stays in step over extension headers") {
  std::string head =
      TarHeader{.name = "sparse", .type = 'S', .size = 512, .magic = std::string("ustar  \0", 8)}.block();
  const auto octal = [](std::string& block, std::size_t at, unsigned value) {
    for (std::size_t i = 11; i-- > 0; value >>= 3) block[at + i] = static_cast<char>('0' + (value & 7));
  };
  for (std::size_t i = 0; i < 4; ++i) octal(head, 386 + 24 * i, 4096), octal(head, 398 + 24 * i, 0);
  head[482] = 1;
  octal(head, 483, 1'000'000);
  seal(head);
  std::string extension(512, '\0'), last(512, '\0');
  octal(extension, 0, 8192), octal(extension, 12, 512);
  extension[504] = 1;
  const Walk walk =
      require_good(TarWriter().raw(head).raw(extension).raw(last).body(std::string(512, 'd')).file("next").finish());
  REQUIRE(walk.entries.size() == 2);
  CHECK((walk.entries[0].size == 1'000'000 && walk.entries[0].stored == 512));
  CHECK(walk.entries[0].type == EntryType::unsupported);
  CHECK(walk.entries[1].name == "next");

  std::string endless;
  for (int i = 0; i < 70'000; ++i) endless += extension;
  CHECK(walk_tar(TarWriter().raw(head).raw(endless).finish()).error == ErrorKind::limit);
}

TEST_CASE("names: prefix, PAX, GNU, and which one wins") {
  CHECK(only(TarWriter().entry({.name = "base", .prefix = "dir/sub"})).name == "dir/sub/base");
  CHECK(only(TarWriter().file(std::string(100, 'n'))).name == std::string(100, 'n'));
  CHECK(only(TarWriter().pax({{"path", "from-pax"}}).file("short")).name == "from-pax");
  CHECK(only(TarWriter().pax({{"path", ""}}).file("kept")).name == "kept");
  CHECK(only(TarWriter().gnu_long("gnu").pax({{"path", "pax"}}).file("x")).name == "gnu");
  CHECK(only(TarWriter().pax({{"path", "pax"}}).gnu_long("gnu").file("x")).name == "gnu");
  CHECK(only(TarWriter().gnu_long("target", 'K').symlink("s", "x")).link == "target");
  CHECK(only(TarWriter().pax({{"linkpath", "target"}}).hard_link("s", "x")).link == "target");
  // A later x header replaces the earlier one as a whole, also the records that it does not repeat.
  const WalkedEntry two = only(TarWriter().pax({{"path", "first"}, {"uid", "7"}}).pax({{"gid", "8"}}).file("ustar"));
  CHECK((two.name == "ustar" && two.uid == 0 && two.gid == 8));
  // And nothing of it reaches the entry after.
  const Walk walk =
      require_good(TarWriter().pax({{"path", "a"}, {"SCHILY.xattr.user.x", "1"}}).file("x").file("b").finish());
  CHECK((walk.entries[1].name == "b" && walk.entries[1].attributes.empty()));
}

TEST_CASE("a v7 header has neither prefix nor devices") {
  TarHeader head{.name = "base", .magic = std::string(8, '\0'), .prefix = "not-a-prefix"};
  std::string block = head.block();
  block[329] = 'x';
  seal(block);
  CHECK(only(TarWriter().raw(block)).name == "base");
}

TEST_CASE("a GNU header with a ustar prefix is read as engines read it, and reported") {
  const Walk walk = require_good(
      TarWriter().header({.name = "base", .magic = std::string("ustar  \0", 8), .prefix = "dir"}).finish());
  CHECK(walk.entries[0].name == "dir/base");
  CHECK(walk.odd("gnu-header-with-prefix"));
}

TEST_CASE("PAX numbers, times and attributes") {
  const WalkedEntry e = only(TarWriter()
                                 .pax({{"uid", "3000000000"},
                                       {"mtime", "-1.5"},
                                       {"atime", "1.5"},
                                       {"SCHILY.xattr.user.b", std::string("a\0=\nb", 5)},
                                       {"SCHILY.xattr.user.a", ""},
                                       {"comment", "c"},
                                       {"MSWINDOWS.rawsd", "AQ=="}})
                                 .file("f", "x"));
  CHECK((e.uid == 3'000'000'000 && e.mtime == -2));
  CHECK(e.attributes ==
        std::vector<std::pair<std::string, std::string>>{{"user.a", ""}, {"user.b", std::string("a\0=\nb", 5)}});
  CHECK(only(TarWriter().pax({{"mtime", "12."}}).file("f")).mtime == 12);
}

TEST_CASE("base-256 numbers") {
  CHECK(only(TarWriter().entry({.name = "f", .meta = {.mode = 0644, .uid = 0x7fffffff, .gid = 5}})).uid == 0x7fffffff);
  std::string old = TarHeader{.name = "f"}.block();
  old.replace(136, 12, std::string(11, '\xff') + '\xfe');
  seal(old);
  CHECK(only(TarWriter().raw(old)).mtime == -2);
  old.replace(136, 12, "            ");
  old.replace(124, 12, std::string(12, '\xff'));
  seal(old);
  require_corrupt(TarWriter().raw(old).finish(), "size is negative");
  old.replace(124, 12, "\x80\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 12);
  seal(old);
  require_corrupt(TarWriter().raw(old).finish(), "size is not a number");
}

TEST_CASE("malformed header fields") {
  const auto with = [](std::size_t at, std::string_view bytes) {
    std::string block = TarHeader{.name = "victim"}.block();
    block.replace(at, bytes.size(), bytes);
    seal(block);
    return TarWriter().file("first").raw(block).finish();
  };
  require_corrupt(with(124, "00000000009"), "tar entry 'victim' at offset 512: the size is not a number");
  require_corrupt(with(124, "0x10"), "size");
  require_corrupt(with(124, "12 34"), "size");
  require_corrupt(with(100, "-000644"), "mode");
  require_corrupt(with(108, "user   "), "user ID");
  require_corrupt(with(329, "0000008"), "device");
  CHECK_FALSE(walk_tar(with(124, "   0\0 rest  ")).error);
  CHECK_FALSE(walk_tar(with(124, std::string(12, ' '))).error);
}

TEST_CASE("checksums: unsigned and signed sums are accepted, others are not") {
  std::string block = TarHeader{.name = "\xe9t\xe9"}.block();
  REQUIRE(require_good(TarWriter().raw(block).finish()).entries[0].name == "\xe9t\xe9");
  int sum = 0;
  for (std::size_t i = 0; i < 512; ++i) sum += i >= 148 && i < 156 ? ' ' : static_cast<signed char>(block[i]);
  char text[8];
  std::snprintf(text, sizeof text, "%06o", static_cast<unsigned>(sum));
  block.replace(148, 8, std::string(text, 7) + ' ');
  REQUIRE(require_good(TarWriter().raw(block).finish()).entries.size() == 1);
  block[0] = 'x';
  require_corrupt(TarWriter().raw(block).finish(), "checksum");
  require_corrupt(TarWriter().file("good").raw(std::string(512, 'g')).finish(), "checksum");
}

TEST_CASE("malformed PAX headers") {
  const auto pax = [](std::string_view body) { return TarWriter().pax_raw(body).file("f").finish(); };
  require_corrupt(pax("11 path=ab\n\n"));
  require_corrupt(pax("999 path=a\n"));
  require_corrupt(pax("path=a\n"));
  require_corrupt(pax("11 path=abc"));
  require_corrupt(pax("+9 uid=1\n"));
  require_corrupt(pax("8 =abcd\n"), "key");
  require_corrupt(pax("7 abcd\n"), "key");
  require_corrupt(pax("0 a=b\n"));
  require_corrupt(pax("2 \n"));
  require_corrupt(pax("99999999999999999999 a=b\n"));
  require_corrupt(pax(pax_record("size", "-1")), "size");
  require_corrupt(pax(pax_record("size", "9223372036854775808")), "size");
  require_corrupt(pax(pax_record("size", "1e3")), "size");
  require_corrupt(pax(pax_record("uid", "root")), "uid");
  require_corrupt(pax(pax_record("mtime", "soon")), "mtime");
  require_corrupt(pax(pax_record("mtime", "1.-5")), "mtime");
  require_corrupt(pax(pax_record("path", std::string("a\0b", 3))), "NUL");
  require_corrupt(pax(pax_record("linkpath", std::string("a\0b", 3))), "NUL");
  require_corrupt(pax(pax_record(std::string("a\0b", 3), "v")), "NUL");
  // The same grammar where the records are ignored.
  require_corrupt(TarWriter().pax_raw("nonsense", 'g').file("f").finish());
}

TEST_CASE("two sizes: the PAX one counts, and that they differ is reported") {
  const std::string body(1000, 'b');
  const Walk walk =
      require_good(TarWriter().pax({{"size", "1000"}}).header({.name = "f", .size = 512}).body(body).finish());
  CHECK((walk.entries.size() == 1 && walk.entries[0].digest == digest_of(body)));
  CHECK(walk.odd("size-disagreement"));
  CHECK_FALSE(require_good(TarWriter().pax({{"size", "1000"}}).header({.name = "f"}).body(body).finish())
                  .odd("size-disagreement"));
}

TEST_CASE("what readers disagree about in extended headers is reported") {
  CHECK(require_good(TarWriter().pax({{"path", "a"}, {"path", "b"}}).file("f").finish()).odd("duplicate-pax-record"));
  const Walk xattr = require_good(
      TarWriter().pax({{"SCHILY.xattr.u", "1"}, {"SCHILY.xattr.v", "0"}, {"SCHILY.xattr.u", "2"}}).file("f").finish());
  CHECK(xattr.odd("duplicate-pax-record"));
  REQUIRE(xattr.entries[0].attributes.size() == 2);
  CHECK(xattr.entries[0].attributes[0] == std::pair<std::string, std::string>("u", "2"));
  const Walk foreign = require_good(TarWriter().pax({{"LIBARCHIVE.xattr.user.x", "MQ=="}}).file("f").finish());
  CHECK((foreign.odd("ignored-xattr") && foreign.entries[0].attributes.empty()));
  const Walk global = require_good(TarWriter().pax({{"path", "g"}, {"size", "5"}}, 'g').file("f").finish());
  CHECK((global.odd("global-header") && global.entries[0].name == "f" && global.entries[0].size == 0));
  CHECK(require_good(TarWriter().pax({{"comment", "abc"}}, 'g').file("f").finish()).oddities.empty());
  const Walk dropped = require_good(TarWriter().pax({{"path", "x"}}).pax({{"comment", "c"}}, 'g').file("f").finish());
  CHECK((dropped.odd("orphan-header") && dropped.entries[0].name == "f"));
  CHECK(require_good(TarWriter().file("f").pax({{"path", "x"}}).finish()).odd("orphan-header"));
  CHECK(require_good(TarWriter().entry({.name = "f", .meta = {.uid = 1ull << 32}}).finish()).odd("id-too-large"));
}

TEST_CASE("a size on what has no body") {
  const auto next_is_read = [](const std::string& archive) {
    const Walk walk = require_good(archive);
    REQUIRE(walk.entries.size() == 2);
    CHECK((walk.entries[0].size == 0 && walk.entries[0].handed_out == 0 && walk.entries[1].name == "next"));
    return walk;
  };
  CHECK(next_is_read(TarWriter().header({.name = "d/", .type = '5', .size = 700}).file("next").finish())
            .oddities.empty());
  CHECK(next_is_read(TarWriter().header({.name = "l", .type = '1', .size = 700, .link = "t"}).file("next").finish())
            .oddities.empty());
  const Walk body = next_is_read(TarWriter()
                                     .entry({.name = "l", .type = '1', .size = 700, .link = "t"}, std::string(700, 'b'))
                                     .file("next")
                                     .finish());
  CHECK((body.odd("hardlink-with-body") && body.entries[0].stored == 700));
  const Walk last = require_good(TarWriter().header({.name = "l", .type = '1', .size = 700, .link = "t"}).bytes());
  CHECK((last.entries.size() == 1 && last.entries[0].stored == 0));
}

TEST_CASE("the end of an archive") {
  const std::string one = TarWriter().file("f", "x").bytes();
  const std::string zero(512, '\0');
  CHECK(require_good("").oddities.empty());
  CHECK(require_good(zero + zero).oddities.empty());
  CHECK(require_good(one + zero).oddities.empty());
  CHECK(require_good(one + zero + zero + zero).oddities.empty());
  CHECK(require_good(one).odd("no-end-marker"));
  CHECK(require_good(one.substr(0, 513)).odd("no-end-marker"));  // engines do not miss the padding
  const Walk after = require_good(one + zero + zero + one);
  CHECK((after.odd("data-after-end") && after.entries.size() == 1));
  require_corrupt(one + zero + one, "single zero block");
  require_corrupt(one.substr(0, 300), "ends inside a header");
  require_corrupt(one + zero + zero.substr(1), "end marker");
  require_corrupt(one + one.substr(0, 512), "tar entry 'f' at offset 1024: the archive ends inside it");
  require_corrupt(TarWriter().pax({{"path", "x"}}).bytes().substr(0, 515), "ends inside it");
}

TEST_CASE("limits have names") {
  const auto limit = [](const std::string& archive, std::string_view part) {
    const Walk walk = walk_tar(archive);
    REQUIRE(walk.error == ErrorKind::limit);
    CHECK(walk.error_text.find(part) != std::string::npos);
  };
  TarWriter many;
  for (int i = 0; i < 17; ++i) many.pax({{"comment", "c"}});
  limit(many.file("f").finish(), "16 extended headers");
  limit(TarWriter().pax({{"comment", std::string(1 << 20, 'c')}}).file("f").finish(), "1048576 bytes");
  const std::string half(600'000, 'c');
  limit(TarWriter().pax({{"comment", half}}).pax({{"comment", half}}).file("f").finish(), "1048576 bytes");
  CHECK_FALSE(
      walk_tar(TarWriter().pax({{"comment", half}}).file("f").pax({{"comment", half}}).file("g").finish()).error);
  limit(TarWriter().pax({{"path", std::string(4097, 'p')}}).file("f").finish(), "name");
  limit(TarWriter().gnu_long(std::string(4097, 'p'), 'K').symlink("f", "x").finish(), "link target");
  CHECK(only(TarWriter().pax({{"path", std::string(4096, 'p')}}).file("f")).name.size() == 4096);
}

TEST_CASE("one habit of a writer does not fill the memory with oddities") {
  TarWriter writer;
  for (int i = 0; i < 250; ++i) writer.pax({{"LIBARCHIVE.xattr.user.x", "MQ=="}}).file("f");
  const Walk walk = require_good(writer.finish());
  REQUIRE(walk.oddities.size() == 101);
  CHECK(walk.oddities.back().text == "150 more like these");
}

TEST_CASE("bodies in one piece, in pieces and not at all") {
  const std::string big(5000, 'b'), small(1000, 's');
  const std::string archive = TarWriter().file("big", big).file("small", small).file("skipped", small).finish();
  const Walk walk = walk_tar(
      archive, 2048, [] { return 700; },
      [](const Entry& entry) {
        if (entry.name == "skipped") return Body::skip;
        return entry.size <= Walker::largest_whole(2048) ? Body::whole : Body::pieces;
      });
  REQUIRE_FALSE(walk.error);
  CHECK(walk.entries[0].digest == digest_of(big));
  CHECK(walk.entries[1].digest == digest_of(small));
  CHECK(walk.entries[2].handed_out == 0);
}

TEST_CASE("the same is read however the archive arrives") {
  TarWriter writer;
  std::mt19937 random(20);
  for (int i = 0; i < 120; ++i) {
    const std::string name = "n" + std::to_string(i), content(random() % 3000, static_cast<char>('a' + i % 26));
    switch (random() % 8) {
      case 0: writer.directory(name + "/"); break;
      case 1: writer.gnu_long(name + std::string(200, 'l')).file(name, content); break;
      case 2: writer.xattr_file(name, content, {{"user.x", std::string(random() % 2000, 'v')}}); break;
      case 3: writer.header({.name = name, .type = '1', .size = 600, .link = "t"}); break;
      case 4: writer.entry({.name = name, .type = '1', .size = 600, .link = "t"}, std::string(600, 'b')); break;
      case 5: writer.entry({.name = name, .type = 'Q', .size = content.size()}, content); break;
      case 6:
        writer
            .pax({{"GNU.sparse.major", "1"},
                  {"GNU.sparse.minor", "0"},
                  {"GNU.sparse.name", name},
                  {"GNU.sparse.realsize", "200000"}})
            .file("x", "2\n0\n3\n150000\n2\n" + std::string(512 - 15, '\0') + "abcde");
        break;
      default: writer.file(name, content);
    }
  }
  const std::string archive = writer.finish() + std::string(700, 'z');
  const auto choice = [](const Entry& entry) {
    return entry.size % 3 == 0 ? Body::skip : entry.size <= 1024 ? Body::whole : Body::pieces;
  };
  const Walk all = walk_tar(archive, 1 << 20, {}, choice);
  REQUIRE_FALSE(all.error);
  REQUIRE(all.entries.size() == 120);
  for (const std::size_t capacity : {2048u, 3000u, 65536u})
    for (const std::size_t most : {1u, 511u, 513u, 3000u}) {
      const Walk split = walk_tar(
          archive, capacity, [&] { return random() % most + 1; }, choice);
      REQUIRE_FALSE(split.error);
      REQUIRE((split.entries == all.entries));
      REQUIRE(split.oddities.size() == all.oddities.size());
    }
}

TEST_CASE("headers are walked fast enough not to be seen beside hashing", "[.bench]") {
  TarWriter writer;
  for (int i = 0; i < 20'000; ++i) writer.file("usr/lib/python3/dist-packages/module_" + std::to_string(i) + ".py");
  const std::string archive = writer.finish();
  struct Count final : TarSink {
    std::uint64_t seen = 0;
    Body entry(const Entry& entry) override {
      seen += entry.name.size();
      return Body::skip;
    }
    void body(std::uint64_t, Bytes, bool) override {}
  } sink;
  Oddities oddities;
  const std::clock_t start = std::clock();  // of the processor: the machine is shared
  for (int i = 0; i < 50; ++i) {
    Walker walker(sink, oddities, archive.size());
    walker.push(as_bytes(archive), true);
    walker.finish();
    REQUIRE(walker.entries() == 20'000);
  }
  WARN("million entries/s: " << CLOCKS_PER_SEC / static_cast<double>(std::clock() - start));
  CHECK(sink.seen > 0);
}

}  // namespace
}  // namespace ocilint
