// ELF files that lie: cut, mutated, in a circle, in the other byte order. Each answer is bounded and honest.
#include <elf.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <ctime>
#include <random>

#include "facts/elf.h"
#include "facts/elf_made.h"
#include "facts/elf_support.h"

using namespace ocilint;
using namespace ocilint::test;

namespace {

/// Processor time: other work on the machine does not count.
double milliseconds() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

#if defined(__SANITIZE_ADDRESS__)
constexpr double slower = 10;
#else
constexpr double slower = 1;
#endif

const ElfReader& reader() {
  static const ElfReader all(ElfRequest{{"defined", "far", "nothing", "plain"}, {".*"}, {".*"}});
  return all;
}

void mutate_many(const Blob& original, int count, unsigned seed) {
  std::mt19937 random(seed);
  double worst = 0;
  int malformed = 0, complete = 0;
  for (int i = 0; i < count; ++i) {
    Blob mutant = original;
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int k = 0; k < changes; ++k) {
      // Half of the changes hit the headers; values at the edges are more likely than others.
      const std::size_t at = random() % (random() % 2 ? mutant.size() : std::min<std::size_t>(mutant.size(), 1200));
      static constexpr std::uint8_t edges[] = {0, 1, 0x7f, 0x80, 0xff};
      mutant[at] = random() % 2 ? static_cast<std::uint8_t>(random()) : edges[random() % 5];
    }
    if (random() % 16 == 0) mutant.resize(random() % mutant.size());
    const double start = milliseconds();
    const ElfFacts facts = reader().read(mutant);
    worst = std::max(worst, milliseconds() - start);
    (facts.malformed.empty() ? complete : malformed) += 1;
    if (!facts.malformed.empty()) {
      for (const auto& [name, answer] : facts.symbols) REQUIRE(answer.state == SymbolState::unread);
      REQUIRE(facts.matches.empty());
    } else {
      REQUIRE(facts.unread.empty());  // nothing of a whole file is unread
    }
  }
  CHECK(malformed > 0);
  CHECK(complete > 0);
  CHECK(worst < 50 * slower);
}

}  // namespace

TEST_CASE("mutated files are read in bounded time and never half", "[elf]") {
  const Workshop shop;
  store(shop / "map", "V1 { global: defined; }; V2 { global: plain; local: *; } V1;");
  const std::string source = "extern int far(void); int defined(void) { return far(); } int plain = 1;";
  for (const char* options : {"-Wl,--hash-style=gnu", "-Wl,--hash-style=sysv", "-m32 -Wl,--hash-style=gnu"}) {
    INFO(options);
    const Blob blob =
        shop.library(source, std::string("-Wl,-z,noseparate-code -s -Wl,--version-script=map ") + options);
    mutate_many(blob, 6000, 11);
  }
  mutate_many(made_elf(ElfClass::elf32, Endian::big), 1000, 12);
  mutate_many(made_elf(ElfClass::elf64, Endian::big), 1000, 13);
}

TEST_CASE("both classes are read in both byte orders", "[elf]") {
  for (const ElfClass elf_class : {ElfClass::elf32, ElfClass::elf64}) {
    for (const Endian endian : {Endian::little, Endian::big}) {
      const ElfFacts facts = facts_of(made_elf(elf_class, endian), {"defined", "far", "nothing"});
      INFO(facts.malformed);
      REQUIRE(facts.complete());
      CHECK(facts.elf_class == elf_class);
      CHECK(facts.endian == endian);
      CHECK(facts.soname == "libmade.so.1");
      CHECK(facts.needed == std::vector<std::string>{"libfar.so.2"});
      CHECK(facts.lookup("defined").state == SymbolState::defined);
      CHECK(facts.lookup("far").state == SymbolState::undefined);
      CHECK(facts.lookup("nothing").state == SymbolState::absent);
    }
  }
}

TEST_CASE("a count of program headers that does not fit is taken from section 0", "[elf]") {
  MadeElf made;
  made.extended_count = true;
  const ElfFacts facts = facts_of(made_elf(ElfClass::elf64, Endian::little, made), {"defined"});
  REQUIRE(facts.complete());
  CHECK(facts.lookup("defined").state == SymbolState::defined);
}

TEST_CASE("every cut of a file is malformed", "[elf]") {
  const Blob whole = made_elf(ElfClass::elf64, Endian::little);
  for (std::size_t size = 4; size < whole.size(); size += 7) {
    const Blob cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    INFO(size);
    CHECK_FALSE(facts_of(cut, {"defined"}).malformed.empty());
    CHECK(facts_of(cut, {"defined"}).lookup("defined").state == SymbolState::unread);
  }
}

TEST_CASE("tables that lie are malformed, not absent", "[elf]") {
  const auto refused = [](auto change) {
    MadeElf made;
    change(made);
    const ElfFacts facts = facts_of(made_elf(ElfClass::elf64, Endian::little, made), {"defined", "nothing"});
    INFO(facts.malformed);
    CHECK_FALSE(facts.malformed.empty());
    CHECK(facts.lookup("nothing").state == SymbolState::unread);
  };
  refused([](MadeElf& made) { made.circle = true; });                 // DT_HASH chain
  refused([](MadeElf& made) { made.soname_at = 0xffff; });            // outside of DT_STRTAB
  refused([](MadeElf& made) { made.string_size = 1U << 30U; });       // DT_STRSZ
  refused([](MadeElf& made) { made.end_dynamic = false; });           // no DT_NULL
  refused([](MadeElf& made) { made.strtab_address = 1ULL << 40U; });  // not in any PT_LOAD
}

TEST_CASE("an interpreter outside of the file is malformed, not unread", "[elf]") {
  Blob blob = made_elf(ElfClass::elf64, Endian::little);
  Elf64_Phdr segment;
  std::uint8_t* at = blob.data() + sizeof(Elf64_Ehdr) + sizeof segment;
  std::memcpy(&segment, at, sizeof segment);
  segment.p_type = PT_INTERP;
  segment.p_offset = 1ULL << 58U;
  std::memcpy(at, &segment, sizeof segment);
  const ElfFacts facts = facts_of(blob, {"defined"});
  CHECK_FALSE(facts.malformed.empty());
  CHECK(facts.unread.empty());
}
