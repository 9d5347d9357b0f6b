// Streaming captures: what is kept, what stays unread, and that a second pass answers.
#include "facts/elf_capture.h"

#include <elf.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "base/error.h"
#include "facts/elf.h"
#include "facts/elf_made.h"
#include "facts/elf_support.h"

using namespace ocilint;
using namespace ocilint::test;

namespace {

void stream(const Blob& blob, ElfCapture& capture, std::size_t step) {
  for (std::size_t at = 0; at < blob.size() && capture.wants_more(); at += step) {
    capture.add(at, Bytes(blob).subspan(at, std::min(step, blob.size() - at)));
  }
}

/// Reads, and reads again what was unread, until complete: how many passes that took.
int passes_until_complete(const Blob& blob, const ElfReader& reader, std::uint64_t head, ElfFacts& facts) {
  ElfCapture first(blob.size(), head, 0);
  stream(blob, first, 10'000);
  facts = reader.read(first.captured());
  for (int passes = 1; passes < 5; ++passes) {
    if (facts.unread.empty()) return passes;
    REQUIRE_FALSE(facts.complete());
    ElfCapture next(blob.size(), facts.unread_ranges());
    stream(blob, next, 10'000);
    facts = reader.read(next.captured());
  }
  return 0;
}

/// A library with 2 MiB of noise in its read-only data.
Blob big_library(const Workshop& shop, const std::string& options) {
  Blob noise(2U << 20U);
  std::mt19937 random(5);
  for (auto& byte : noise) byte = static_cast<std::uint8_t>(random());
  store(shop / "noise.bin", {reinterpret_cast<const char*>(noise.data()), noise.size()});
  store(shop / "noise.s", ".section .rodata\n.globl noise\nnoise: .incbin \"noise.bin\"\n.section .note.GNU-stack\n");
  store(shop / "map", "V1 { global: entry; noise; local: *; };");
  return shop.library("extern int far(void); int entry(void) { return far(); }",
                      "noise.s -Wl,--version-script=map -Wl,-soname,libbig.so.1 -Wl,-z,lazy " + options, "libbig.so");
}

}  // namespace

TEST_CASE("what is not ELF is dropped at once", "[elf]") {
  ElfCapture capture(10U << 20U);
  const Blob text(100'000, 'x');
  REQUIRE(capture.wants_more());
  capture.add(0, text);
  CHECK_FALSE(capture.wants_more());
  CHECK(capture.held_bytes() == elf_kind_bytes);
  CHECK(ElfReader({}).read(capture.captured()).kind == ElfKind::text_script);
  ElfCapture empty(0);
  CHECK_FALSE(empty.wants_more());
  CHECK(ElfReader({}).read(empty.captured()).kind == ElfKind::empty);
  ElfCapture tiny(2);
  tiny.add(0, as_bytes("hi"));
  CHECK(ElfReader({}).read(tiny.captured()).kind == ElfKind::text_script);
}

TEST_CASE("pieces out of order are a mistake of the caller", "[elf]") {
  ElfCapture capture(1000);
  CHECK_THROWS_AS(capture.add(5, as_bytes("x")), Error);
  CHECK_THROWS_AS(capture.add(0, Blob(1001)), Error);
}

TEST_CASE("a streamed file has the facts of the whole one, however it is cut", "[elf]") {
  const Workshop shop;
  const Blob blob = shop.library("extern int far(void); int near(void) { return far(); }", "-Wl,-soname,libs.so.1");
  for (const std::size_t step : {1, 3, 63, 64, 65, 1000, 1'000'000}) {
    INFO(step);
    ElfCapture capture(blob.size());
    stream(blob, capture, step);
    const ElfFacts facts = ElfReader({{"near", "far"}, {}, {}}).read(capture.captured());
    REQUIRE(facts.complete());
    CHECK(facts.soname == "libs.so.1");
    CHECK(facts.lookup("near").state == SymbolState::defined);
    CHECK(facts.lookup("far").state == SymbolState::undefined);
  }
}

TEST_CASE("of a file without PT_DYNAMIC only headers and notes are kept", "[elf]") {
  const Workshop shop;
  store(shop / "s.c", "char much[3000000] = {1}; void _start(void) {}");
  shop.run("gcc -static -nostdlib -no-pie s.c -o s -Wl,--build-id=0x1234");
  const Blob blob = load(shop / "s");
  ElfCapture capture(blob.size());
  stream(blob, capture, 4096);
  CHECK(capture.held_bytes() < 20'000);
  const ElfFacts facts = ElfReader({}).read(capture.captured());
  CHECK(facts.complete());
  CHECK(facts.build_id == "1234");
  CHECK_FALSE(facts.has_dynamic);
}

TEST_CASE("the head and the dynamic segment of a big file are enough", "[elf]") {
  const Workshop shop;
  const Blob blob = big_library(shop, "");
  ElfCapture capture(blob.size(), 64U << 10U, 0);
  stream(blob, capture, 10'000);
  CHECK(capture.held_bytes() < 300'000);
  const ElfFacts facts = ElfReader({{"entry", "noise", "far", "nothing"}, {".*"}, {}}).read(capture.captured());
  INFO(facts.malformed);
  REQUIRE(facts.complete());
  CHECK(facts.soname == "libbig.so.1");
  CHECK(facts.lookup("entry").found_by_default());
  CHECK(facts.lookup("noise").state == SymbolState::defined);
  CHECK(facts.lookup("far").state == SymbolState::undefined);
  CHECK(facts.lookup("nothing").state == SymbolState::absent);
  CHECK(facts.matches.size() == 3);  // and the node
}

TEST_CASE("tables that patchelf moved are unread first, and read on the second pass", "[elf]") {
  if (!have("patchelf")) {
    WARN("skipped: patchelf is not installed");
    return;
  }
  const Workshop shop;
  big_library(shop, "");
  // A long path makes .dynstr move to the end of the file, far from the head and in a segment of its own.
  // Two calls: in one, patchelf 0.14 writes the path into the SONAME as well.
  shop.run("patchelf --set-soname libmoved.so.9 libbig.so");
  shop.run("patchelf --set-rpath /a/long/path/" + std::string(300, 'x') + " libbig.so");
  const Blob blob = load(shop / "libbig.so");
  const ElfReader reader({{"entry", "far", "nothing"}, {}, {}});
  const ElfFacts whole = reader.read(blob);
  REQUIRE(whole.complete());
  // Forget what lies behind the head: only then is anything unread, since the segment tail is kept too.
  CapturedFile head_only(blob.size());
  head_only.add(0, Bytes(blob).first(64U << 10U));
  ElfFacts facts = reader.read(head_only);
  INFO(facts.malformed);
  REQUIRE_FALSE(facts.unread.empty());
  CHECK_FALSE(facts.soname.has_value());
  CHECK_FALSE(facts.was_read(ElfPart::dynamic));
  for (const char* name : {"entry", "far", "nothing"}) CHECK(facts.lookup(name).state == SymbolState::unread);

  const int passes = passes_until_complete(blob, reader, 4096, facts);
  CHECK(passes >= 1);
  CHECK(passes <= 3);
  CHECK(facts.complete());
  CHECK(facts.soname == "libmoved.so.9");
  CHECK(facts.runpath == whole.runpath);
  CHECK(facts.lookup("entry").found == whole.lookup("entry").found);
  CHECK(facts.lookup("far").state == SymbolState::undefined);
  CHECK(facts.lookup("nothing").state == SymbolState::absent);
}

TEST_CASE("a targeted capture takes what the first one left", "[elf]") {
  // Program headers in front, everything else behind 3 MiB that no window covers: the segments are shifted.
  const Workshop shop;
  Blob blob = shop.library("extern int far(void); int entry(void) { return far(); }", "-Wl,-soname,libfar.so.1");
  Elf64_Ehdr header;
  std::memcpy(&header, blob.data(), sizeof header);
  constexpr std::uint64_t shift = 3U << 20U;
  Blob moved(blob.begin(), blob.begin() + 4096);
  moved.resize(shift);
  moved.insert(moved.end(), blob.begin(), blob.end());
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::uint8_t* at = moved.data() + header.e_phoff + i * sizeof segment;
    std::memcpy(&segment, at, sizeof segment);
    segment.p_offset += shift;
    std::memcpy(at, &segment, sizeof segment);
  }
  const ElfReader reader({{"entry", "far", "nothing"}, {".*"}, {".*"}});
  const ElfFacts whole = reader.read(moved);
  INFO(whole.malformed);
  REQUIRE(whole.complete());
  ElfCapture first(moved.size(), 4096, 0);
  stream(moved, first, 10'000);
  const ElfFacts unread = reader.read(first.captured());
  REQUIRE_FALSE(unread.unread.empty());
  CHECK(unread.malformed.empty());
  CHECK(unread.matches.empty());
  CHECK_FALSE(unread.was_read(ElfPart::symbols));
  CHECK(unread.lookup("nothing").state == SymbolState::unread);
  ElfFacts facts;
  CHECK(passes_until_complete(moved, reader, 4096, facts) == 2);
  CHECK(facts.soname == "libfar.so.1");
  CHECK(facts.matches == whole.matches);
  CHECK(facts.lookup("nothing").state == SymbolState::absent);
}

TEST_CASE("no capture holds more than its limit", "[elf]") {
  // Claims a gigabyte of dynamic segment and notes.
  Blob head = made_elf(ElfClass::elf64, Endian::little);
  constexpr std::uint64_t size = 1U << 30U;
  for (int i = 0; i < 2; ++i) {
    Elf64_Phdr segment;
    std::uint8_t* at = head.data() + 64 + i * sizeof segment;
    std::memcpy(&segment, at, sizeof segment);
    segment.p_filesz = segment.p_memsz = i == 0 ? size : size - segment.p_offset;
    std::memcpy(at, &segment, sizeof segment);
  }
  ElfCapture capture(size);
  Blob block(1U << 20U, 0xaa);
  std::memcpy(block.data(), head.data(), head.size());
  std::uint64_t at = 0;
  for (; at < size && capture.wants_more(); at += block.size()) {
    capture.add(at, block);
    if (at == 0) std::fill(block.begin(), block.end(), 0xaa);
  }
  CHECK(capture.held_bytes() <= elf_capture_limit);
  CHECK(at <= 2 * elf_capture_limit);
  ElfCapture targeted(size, {{0, size}, {5, 7}, {size - 1, 100}});
  for (at = 0; at < size && targeted.wants_more(); at += block.size()) targeted.add(at, block);
  CHECK(targeted.held_bytes() <= elf_capture_limit);
}

TEST_CASE("a gap is unread wherever it is, never zero", "[elf]") {
  const Workshop shop;
  const Blob blob = shop.library("extern int far(void); int near(void) { return far(); } int data = 3;",
                                 "-Wl,-z,noseparate-code -s -Wl,-soname,libgap.so.1");
  const ElfReader reader({{"near", "far", "nothing", "data"}, {}, {}});
  const ElfFacts whole = reader.read(blob);
  REQUIRE(whole.complete());
  for (std::size_t at = 0; at + 16 < blob.size(); at += 8) {
    CapturedFile file(blob.size());
    file.add(0, Bytes(blob).first(at));
    file.add(at + 16, Bytes(blob).subspan(at + 16));
    const ElfFacts facts = reader.read(file);
    INFO(at);
    REQUIRE(facts.malformed.empty());
    for (const auto& [name, answer] : facts.symbols) {
      if (answer.state == SymbolState::unread) {
        REQUIRE_FALSE(facts.was_read(ElfPart::symbols));
      } else {
        REQUIRE(answer.state == whole.lookup(name).state);
      }
    }
    if (facts.was_read(ElfPart::dynamic)) {
      REQUIRE(facts.soname == whole.soname);
      REQUIRE(facts.needed == whole.needed);
    }
    if (facts.was_read(ElfPart::notes)) REQUIRE(facts.build_id == whole.build_id);
  }
}
