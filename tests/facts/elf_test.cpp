// Loader facts of small libraries built here for one case each.
#include "facts/elf.h"

#include <elf.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "base/error.h"
#include "facts/elf_support.h"

using namespace ocilint;
using namespace ocilint::test;

namespace {

const char* const versions_source = R"(
int f_old(void) { return 1; }
int f_new(void) { return 2; }
int g_old(void) { return 3; }
__asm__(".symver f_old, f@V1");
__asm__(".symver f_new, f@@V2");
__asm__(".symver g_old, g@V1");
int plain(void) { return 4; }
__attribute__((weak)) int weak_one(void) { return 5; }
__attribute__((visibility("protected"))) int protected_one(void) { return 6; }
__attribute__((visibility("hidden"))) int hidden_one(void) { return 7; }
static int impl(void) { return 8; }
static void* choose(void) { return (void*)impl; }
int indirect(void) __attribute__((ifunc("choose")));
int data_one = 9;
extern int elsewhere(void);
extern int maybe(void) __attribute__((weak));
int calls(void) { return elsewhere() + (maybe ? maybe() : 0) + hidden_one(); }
)";

std::string names(const std::vector<ElfSymbol>& symbols) {
  std::vector<std::string> all;
  for (const ElfSymbol& symbol : symbols) all.push_back(symbol.text());
  std::sort(all.begin(), all.end());
  std::string text;
  for (const std::string& name : all) text += (text.empty() ? "" : " ") + name;
  return text;
}

Blob versioned_library(const Workshop& shop, const std::string& options) {
  store(shop / "map",
        "V1 { global: f; g; }; V2 { global: f; plain; weak_one; protected_one; indirect; data_one; "
        "calls; local: *; } V1;");
  return shop.library(versions_source, "-Wl,--version-script=map -Wl,-z,lazy " + options);
}

void check_symbols(const Blob& blob) {
  const std::vector<std::string> request = {"f",        "g",        "plain",      "weak_one", "protected_one",
                                            "indirect", "data_one", "hidden_one", "V1",       "elsewhere",
                                            "maybe",    "nothing",  "plai",       "plain2",   ""};
  const ElfFacts facts = facts_of(blob, request);
  INFO(facts.malformed);
  REQUIRE(facts.complete());
  CHECK(facts.verdef == std::vector<std::string>{"V1", "V2"});
  CHECK(names(facts.lookup("f").found) == "f@@V2 f@V1");
  CHECK(facts.lookup("f").found_by_default());
  CHECK(names(facts.lookup("g").found) == "g@V1");
  CHECK(facts.lookup("g").state == SymbolState::defined);
  CHECK_FALSE(facts.lookup("g").found_by_default());
  for (const char* name : {"plain", "weak_one", "protected_one", "indirect", "data_one"}) {
    INFO(name);
    const SymbolAnswer answer = facts.lookup(name);
    CHECK(answer.state == SymbolState::defined);
    CHECK(answer.found_by_default());
    REQUIRE(answer.found.size() == 1);
    CHECK(answer.found[0].version == "V2");
  }
  CHECK(facts.lookup("weak_one").found[0].binding == SymbolBinding::weak);
  CHECK(facts.lookup("protected_one").found[0].visibility == SymbolVisibility::protected_);
  CHECK(facts.lookup("indirect").found[0].type == SymbolType::ifunc);
  CHECK(facts.lookup("data_one").found[0].type == SymbolType::object);
  CHECK(facts.lookup("plain").found[0].type == SymbolType::func);
  for (const char* name : {"hidden_one", "nothing", "plai", "plain2", ""}) {
    INFO(name);
    CHECK(facts.lookup(name).state == SymbolState::absent);
  }
  // The symbol that names a version is in the table, and is not what anybody means by "defined".
  CHECK(facts.lookup("V1").state == SymbolState::absent);
  REQUIRE(facts.lookup("V1").found.size() == 1);
  CHECK(facts.lookup("V1").found[0].version_node);
  for (const char* name : {"elsewhere", "maybe"}) {
    INFO(name);
    const SymbolAnswer answer = facts.lookup(name);
    CHECK(answer.state == SymbolState::undefined);
    REQUIRE(answer.found.size() == 1);
    CHECK_FALSE(answer.found[0].defined);
    CHECK_FALSE(answer.found_by_default());
  }
}

}  // namespace

TEST_CASE("symbols and versions are the same through every hash table and without sections", "[elf]") {
  const Workshop shop;
  for (const char* style : {"gnu", "sysv", "both"}) {
    for (const char* bits : {"", "-m32"}) {
      INFO(style << bits);
      Blob blob = versioned_library(shop, std::string("-Wl,--hash-style=") + style + " " + bits);
      check_symbols(blob);
      if (blob[EI_CLASS] == ELFCLASS64) {
        Elf64_Ehdr header;
        std::memcpy(&header, blob.data(), sizeof header);
        header.e_shoff = 0;
        header.e_shnum = header.e_shstrndx = 0;
        std::memcpy(blob.data(), &header, sizeof header);
        check_symbols(blob);
      }
    }
  }
}

TEST_CASE("what the dynamic section says is read", "[elf]") {
  const Workshop shop;
  shop.library("int other(void) { return 1; }", "-Wl,-soname,libother.so.3", "libother.so");
  const Blob blob = shop.library("extern int other(void); int mine(void) { return other(); }",
                                 "-Wl,-soname,libmine.so.1 -L. -lother -Wl,--disable-new-dtags -Wl,-rpath,/a:/b "
                                 "-Wl,-z,now -Wl,-z,nodefaultlib -Wl,-z,execstack -Wl,-z,relro -Wl,--build-id=0xabcd12 "
                                 "-Wl,-f,libaux.so -Wl,-F,libfilter.so");
  const ElfFacts facts = facts_of(blob);
  REQUIRE(facts.complete());
  CHECK(facts.kind == ElfKind::elf);
  CHECK(facts.elf_class == ElfClass::elf64);
  CHECK(facts.type == ET_DYN);
  CHECK(facts.machine == EM_X86_64);
  CHECK(facts.is_loadable());
  CHECK(facts.soname == "libmine.so.1");
  CHECK(facts.needed == std::vector<std::string>{"libother.so.3"});
  CHECK(facts.rpath == "/a:/b");
  CHECK_FALSE(facts.runpath.has_value());
  CHECK(facts.auxiliary == std::vector<std::string>{"libaux.so"});
  CHECK(facts.filter == std::vector<std::string>{"libfilter.so"});
  CHECK(facts.stack == ElfStack::executable);
  CHECK(facts.relro);
  CHECK(facts.bind_now);
  CHECK((facts.flags_1 & DF_1_NODEFLIB) != 0);
  CHECK_FALSE(facts.has_textrel);
  CHECK(facts.build_id == "abcd12");
  CHECK_FALSE(facts.interp.has_value());

  const ElfFacts other =
      facts_of(shop.library("int x;", "-Wl,--enable-new-dtags -Wl,-rpath,'$ORIGIN/lib' -Wl,-z,lazy"));
  REQUIRE(other.complete());
  CHECK(other.runpath == "$ORIGIN/lib");
  CHECK_FALSE(other.rpath.has_value());
  CHECK_FALSE(other.soname.has_value());
  CHECK(other.needed.empty());
  CHECK_FALSE(other.bind_now);
  CHECK(other.stack == ElfStack::not_executable);
}

TEST_CASE("versions that a file needs are listed by file, and references carry them", "[elf]") {
  const Workshop shop;
  store(shop / "map", "NODE_1 { global: one; }; NODE_2 { global: two; } NODE_1;");
  shop.library("int one(void) { return 1; } int two(void) { return 2; }",
               "-Wl,-soname,libnode.so.1 -Wl,--version-script=map", "libnode.so");
  store(shop / "main.c", "extern int one(void), two(void); void _start(void) { one(); two(); }");
  shop.run("gcc -nostdlib -fPIE -pie main.c -o main -L. -lnode -Wl,-dynamic-linker,/lib/ld-test.so.2");
  const ElfFacts facts = read_elf(load(shop / "main"), {{"one", "two", "_start"}, {}, {"t.*"}});
  REQUIRE(facts.complete());
  CHECK(facts.interp == "/lib/ld-test.so.2");
  auto versions = facts.verneed.at("libnode.so.1");
  std::sort(versions.begin(), versions.end());
  CHECK(versions == std::vector<std::string>{"NODE_1", "NODE_2"});
  CHECK(facts.verneed_weak.empty());
  REQUIRE(facts.lookup("one").state == SymbolState::undefined);
  CHECK(facts.lookup("one").found[0].text() == "one@NODE_1");
  CHECK(facts.lookup("one").found[0].version_file == "libnode.so.1");
  REQUIRE(facts.matches.size() == 1);
  CHECK(facts.matches[0].text() == "two@NODE_2");
}

TEST_CASE("patterns match whole names of definitions or of references", "[elf]") {
  const Workshop shop;
  const Blob blob =
      shop.library("extern int need_a(void); int have_a(void) { return need_a(); } int have_b; int x_have;", "");
  const ElfFacts facts = read_elf(blob, {{}, {"have_.*"}, {}});
  REQUIRE(facts.complete());
  CHECK(names(facts.matches) == "have_a have_b");
  CHECK(names(read_elf(blob, {{}, {}, {"need_.*", "have_.*"}}).matches) == "need_a");
  CHECK_THROWS_AS(ElfReader(ElfRequest{{}, {"("}, {}}), Error);
}

TEST_CASE("a library that defines nothing still tells what it refers to", "[elf]") {
  const Workshop shop;
  for (const char* style : {"gnu", "sysv"}) {
    INFO(style);
    const Blob blob = shop.library(
        "extern int far(void); static int (*p)(void) = far; __attribute__((used)) static int "
        "go(void) { return p(); }",
        std::string("-Wl,--hash-style=") + style);
    const ElfFacts facts = facts_of(blob, {"far", "near"});
    REQUIRE(facts.complete());
    CHECK(facts.lookup("far").state == SymbolState::undefined);
    CHECK(facts.lookup("near").state == SymbolState::absent);
  }
}

TEST_CASE("thread-local objects and text relocations", "[elf]") {
  const Workshop shop;
  const ElfFacts facts = facts_of(shop.library("__thread int slot = 3;", ""), {"slot"});
  REQUIRE(facts.lookup("slot").state == SymbolState::defined);
  CHECK(facts.lookup("slot").found[0].type == SymbolType::tls);
  store(shop / "t.s", ".globl g\n.text\n.long 0\n.quad g\n");
  shop.run("gcc -shared -nostdlib t.s -o t.so -Wl,-z,notext");
  CHECK(facts_of(load(shop / "t.so")).has_textrel);
}

TEST_CASE("what is not ELF says what it is instead", "[elf]") {
  const auto kind = [](std::string_view text) { return read_elf(as_bytes(text), {}).kind; };
  CHECK(kind("") == ElfKind::empty);
  CHECK(kind("/* GNU ld script */\nGROUP ( /lib/libc.so.6 )\n") == ElfKind::text_script);
  CHECK(kind("#!/bin/sh\n") == ElfKind::text_script);
  CHECK(kind("!<arch>\nfoo.o/") == ElfKind::ar_archive);
  CHECK(kind("!<thin>\nfoo.o/") == ElfKind::ar_archive);
  CHECK(kind("\xcf\xfa\xed\xfe\x07\x01\x01\x01") == ElfKind::mach_o);
  CHECK(kind(std::string_view("\xca\xfe\xba\xbe\0\0\0\2", 8)) == ElfKind::mach_o);
  CHECK(kind(std::string_view("\xca\xfe\xba\xbe\0\0\0\x34", 8)) == ElfKind::not_elf);  // a Java class
  CHECK(kind(std::string_view("\0\1\2\3", 4)) == ElfKind::not_elf);
  const ElfFacts facts = read_elf(as_bytes("text"), {{"f"}, {}, {}});
  CHECK(facts.lookup("f").state == SymbolState::unread);
  CHECK_FALSE(facts.is_loadable());
  CHECK_THROWS_AS(facts.lookup("not asked for"), Error);
}

TEST_CASE("objects are ELF, but nothing that a loader maps", "[elf]") {
  const Workshop shop;
  store(shop / "o.c", "int f(void) { return 1; }");
  shop.run("gcc -c o.c -o o.o");
  const ElfFacts object = facts_of(load(shop / "o.o"), {"f"});
  CHECK(object.complete());
  CHECK(object.type == ET_REL);
  CHECK_FALSE(object.is_loadable());
  CHECK_FALSE(object.has_dynamic);
  CHECK(object.lookup("f").state == SymbolState::absent);
  Blob gpu = shop.library("int f;", "");
  gpu[offsetof(Elf64_Ehdr, e_machine)] = EM_AMDGPU;
  CHECK_FALSE(facts_of(gpu).is_loadable());
}
