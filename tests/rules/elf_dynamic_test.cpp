#include <elf.h>

#include <catch2/catch.hpp>

#include "base/error.h"
#include "facts/elf_support.h"
#include "support/toy_packages.h"

using namespace ocilint;
using namespace ocilint::test;
using Lines = std::vector<std::string>;
using Texts = std::vector<std::string>;
using With = std::vector<std::pair<std::string_view, ParamValue>>;

namespace {

ElfFacts library() {
  ElfFacts facts;
  facts.kind = ElfKind::elf;
  facts.elf_class = ElfClass::elf64;
  facts.machine = EM_X86_64;
  facts.type = ET_DYN;
  facts.has_dynamic = true;
  facts.stack = ElfStack::not_executable;
  facts.relro = facts.bind_now = true;
  facts.build_id = "0a0b";
  facts.soname = "liba.so.1";
  facts.needed = {"libc.so.6", "libb.so.2"};
  facts.verdef = {"A_1", "A_2"};
  return facts;
}

/// Of /l/liba.so.1.2 behind the link /l/liba.so.1.
Answer judge(const ElfFacts& facts, const With& more, std::string_view file = "/l/liba.so.1") {
  ToyImage image;
  image.layer("COPY")
      .raw()
      .file("/l/liba.so.1.2", "x")
      .elf(std::make_shared<ElfFacts>(facts))
      .symlink("/l/liba.so.1", "liba.so.1.2");
  Params with(rule_of("elf-dynamic").doc.params);
  with.set("file", paths({file}));
  for (const auto& [name, value] : more) with.set(name, value);
  Answer answer;
  rule_of("elf-dynamic").check(with, image.view("elf-dynamic", with), answer);
  return answer;
}

Lines kinds(const ElfFacts& facts, const With& more, std::string_view file = "/l/liba.so.1") {
  Lines out;
  const Answer answer = judge(facts, more, file);
  for (const Finding& finding : answer.findings()) out.push_back(finding.kind);
  return out;
}

std::string text(const char* value) { return value; }

}  // namespace

TEST_CASE("elf-dynamic: a library that is as stated") {
  const Answer answer = judge(library(), {{"soname", text("same_as_name")},
                                          {"needed", Texts{"libb.so.*"}},
                                          {"not_needed", Texts{"libcuda*"}},
                                          {"needed_slash", false},
                                          {"rpath_kind", text("none")},
                                          {"machine", text("x86-64")},
                                          {"class", std::uint64_t{64}},
                                          {"type", text("dyn")},
                                          {"dynamic", true},
                                          {"textrel", false},
                                          {"exec_stack", false},
                                          {"relro", text("full")},
                                          {"pie", false},
                                          {"build_id", text("present")},
                                          {"interp", text("none")},
                                          {"version_nodes", Texts{"A_2"}}});
  CHECK(lines(answer).empty());
  CHECK(answer.outcome() == Outcome::pass);
  CHECK(says(answer, "SONAME liba.so.1"));
}

TEST_CASE("elf-dynamic: SONAME") {
  const With same{{"soname", text("same_as_name")}};
  CHECK(kinds(library(), same).empty());
  CHECK(kinds(library(), same, "/l/liba.so.1.2") == Lines{"soname"});
  CHECK(kinds(library(), {{"soname", text("prefix_of_name")}}, "/l/liba.so.1.2").empty());
  CHECK(kinds(library(), {{"soname", text("liba.so.*")}}).empty());
  CHECK(kinds(library(), {{"soname", text("liba.so.2")}}) == Lines{"soname"});
  CHECK(kinds(library(), {{"soname", text("none")}}) == Lines{"soname"});
  ElfFacts other = library();
  other.soname = "liba.so.10";
  CHECK(kinds(other, {{"soname", text("prefix_of_name")}}, "/l/liba.so.1.2") == Lines{"soname"});
  other.soname.reset();
  CHECK(kinds(other, same) == Lines{"soname"});
  CHECK(kinds(other, {{"soname", text("none")}}).empty());
}

TEST_CASE("elf-dynamic: NEEDED") {
  CHECK(kinds(library(), {{"needed", Texts{"libb.so.2", "libz.so.*"}}}) == Lines{"needed"});
  CHECK(kinds(library(), {{"not_needed", Texts{"libb.so*"}}}) == Lines{"not-needed"});
  ElfFacts path = library();
  path.needed.push_back("/build/libcudart.so.12");
  CHECK(kinds(path, {{"not_needed", Texts{"libcudart*"}}}) == Lines{"not-needed"});
  CHECK(kinds(path, {{"needed_slash", false}}) == Lines{"not-needed"});
}

TEST_CASE("elf-dynamic: search paths") {
  ElfFacts facts = library();
  CHECK(kinds(facts, {{"rpath_kind", text("rpath")}}) == Lines{"rpath"});
  CHECK(kinds(facts, {{"rpath_kind", text("any")}}) == Lines{"rpath"});
  facts.rpath = "$ORIGIN/../lib:/opt/x/lib";
  CHECK(kinds(facts, {{"rpath_kind", text("rpath")}}).empty());
  CHECK(kinds(facts, {{"rpath_kind", text("none")}}) == Lines{"rpath"});
  CHECK(kinds(facts, {{"rpath_allow", Texts{"^\\$ORIGIN"}}}) == Lines{"rpath"});
  facts.runpath = "$ORIGIN:";  // the RPATH beside it no longer counts
  CHECK(kinds(facts, {{"rpath_kind", text("rpath")}}) == Lines{"rpath", "rpath"});
  CHECK(kinds(facts, {{"rpath_allow", Texts{"^\\$ORIGIN", ".*"}}}) == Lines{"rpath"});
  for (const char* const bad : {"lib", "/tmp/build", "/var/tmp", ".", "$LIB"}) {
    facts.runpath = bad;
    INFO(bad);
    CHECK(kinds(facts, {{"rpath_kind", text("runpath")}}) == Lines{"rpath"});
  }
  facts.runpath = "${ORIGIN}:/tmpfiles/lib";
  CHECK(kinds(facts, {{"rpath_kind", text("runpath")}}).empty());
}

TEST_CASE("elf-dynamic: machine, type, hardening, notes, versions") {
  CHECK(kinds(library(), {{"machine", text("aarch64")}, {"class", std::uint64_t{32}}}) == Lines{"machine", "machine"});
  CHECK(kinds(library(), {{"machine", text("62")}}).empty());
  CHECK(kinds(library(), {{"type", text("exec")}, {"dynamic", false}, {"pie", true}}) ==
        Lines{"type", "type", "hardening"});
  ElfFacts weak = library();
  weak.stack = ElfStack::executable;
  weak.has_textrel = true;
  weak.bind_now = false;
  CHECK(kinds(weak, {{"exec_stack", false}, {"textrel", false}, {"relro", text("full")}}) ==
        Lines{"hardening", "hardening", "hardening"});
  CHECK(kinds(weak, {{"relro", text("partial")}}).empty());
  CHECK(kinds(weak, {{"relro", text("none")}}) == Lines{"hardening"});
  weak.stack = ElfStack::unstated;
  CHECK(kinds(weak, {{"exec_stack", false}}) == Lines{"hardening"});
  weak.flags_1 = DF_1_PIE;
  CHECK(kinds(weak, {{"pie", true}}).empty());
  CHECK(kinds(weak, {{"build_id", text("0a0b")}}).empty());
  CHECK(kinds(weak, {{"build_id", text("0c")}}) == Lines{"build-id"});
  weak.build_id.clear();
  CHECK(kinds(weak, {{"build_id", text("present")}}) == Lines{"build-id"});
  CHECK(kinds(weak, {{"interp", text("/lib64/ld-linux-x86-64.so.2")}}) == Lines{"interp"});
  CHECK(kinds(weak, {{"version_nodes", Texts{"A_1", "A_3"}}}) == Lines{"version"});
}

TEST_CASE("elf-dynamic: pie of programs with and without the flag, and of libraries that can be run") {
  const With pie{{"pie", true}}, no_pie{{"pie", false}};
  ElfFacts program = library();
  program.soname.reset();
  program.interp = "/lib64/ld-linux-x86-64.so.2";
  CHECK(kinds(program, pie).empty());
  CHECK(kinds(program, no_pie) == Lines{"hardening"});
  ElfFacts libc = library();
  libc.interp = "/lib64/ld-linux-x86-64.so.2";
  CHECK(kinds(libc, pie) == Lines{"hardening"});
  ElfFacts fixed = program;
  fixed.type = ET_EXEC;
  CHECK(kinds(fixed, pie) == Lines{"hardening"});

  const Workshop shop;
  store(shop / "p.c", "int main(void) { return 0; }");
  shop.run("gcc -pie -fPIE p.c -o pie && gcc -no-pie -fno-pie p.c -o fixed && gcc -static p.c -o static");
  CHECK(kinds(facts_of(load(shop / "pie")), pie).empty());
  CHECK(kinds(facts_of(load(shop / "fixed")), pie) == Lines{"hardening"});
  CHECK(kinds(facts_of(load(shop / "static")), pie) == Lines{"hardening"});
  shop.run("gcc -static-pie -fPIE p.c -o static-pie");
  const ElfFacts static_pie = facts_of(load(shop / "static-pie"));
  CHECK_FALSE(static_pie.interp);
  CHECK(kinds(static_pie, pie).empty());
}

TEST_CASE("elf-dynamic: what is no ELF file, is malformed or was not read") {
  ElfFacts script;
  script.kind = ElfKind::text_script;
  CHECK(kinds(script, {}) == Lines{"not-elf"});
  CHECK(kinds(script, {{"only_elf", true}}) == Lines{"missing"});
  ElfFacts broken = library();
  broken.malformed = "a segment ends behind the file";
  CHECK(kinds(broken, {}) == Lines{"malformed"});
  CHECK_THROWS_AS(judge(library(), {{"class", std::uint64_t{16}}}), Error);
  CHECK_THROWS_AS(judge(library(), {{"machine", text("vax")}}), Error);
  CHECK_THROWS_AS(judge(library(), {{"textrel", true}}), Error);
}

TEST_CASE("elf-dynamic: libraries of the real tool chain") {
  const Workshop shop;
  const Blob plain = shop.library("int f(void) { return 1; }",
                                  "-Wl,-soname,liba.so.1 -Wl,-z,relro,-z,now,-z,noexecstack -Wl,-rpath,/tmp/b "
                                  "-Wl,--enable-new-dtags -Wl,--build-id=0x0a0b");
  const ElfFacts facts = facts_of(plain);
  CHECK(kinds(facts, {{"soname", text("same_as_name")},
                      {"relro", text("full")},
                      {"exec_stack", false},
                      {"type", text("dyn")},
                      {"build_id", text("0a0b")},
                      {"textrel", false}})
            .empty());
  CHECK(kinds(facts, {{"rpath_kind", text("runpath")}}) == Lines{"rpath"});
  const Blob loose = shop.library("int f(void) { return 1; }", "-Wl,-z,norelro,-z,execstack -Wl,--build-id=none");
  CHECK(kinds(facts_of(loose), {{"soname", text("same_as_name")},
                                {"relro", text("partial")},
                                {"exec_stack", false},
                                {"build_id", text("present")}}) ==
        Lines{"hardening", "soname", "hardening", "build-id"});
}

TEST_CASE("elf-dynamic: an entry of the search path is judged by where it leads") {
  ElfFacts facts = library();
  const auto ask = [&](const std::string& path) {
    facts.runpath = path;
    return judge(facts, {{"rpath_kind", std::string("any")}}).outcome();
  };
  CHECK(ask("/opt/../tmp/build") == Outcome::fail);
  CHECK(ask("//tmp/build") == Outcome::fail);
  CHECK(ask("/opt/tmp") == Outcome::pass);
}

TEST_CASE("elf-dynamic: $ORIGIN is where the file is, and counts by where it leads") {
  ElfFacts facts = library();
  const auto ask = [&](const std::string& path, const With& more = {{"rpath_kind", std::string("any")}}) {
    facts.runpath = path;
    return kinds(facts, more);
  };
  for (const char* const bad :
       {"$ORIGIN/../tmp", "$ORIGIN/../../../../tmp", "${ORIGIN}/../var/tmp/x", "$ORIGIN/../opt/../tmp"}) {
    CAPTURE(bad);
    CHECK(ask(bad) == Lines{"rpath"});
    CHECK(ask(bad, {{"rpath_allow", Texts{R"(^\$\{?ORIGIN)"}}}) == Lines{"rpath"});
  }
  for (const char* const good : {"$ORIGIN", "$ORIGIN/../lib", "${ORIGIN}/../../usr/lib", "$ORIGIN/tmp"}) {
    CAPTURE(good);
    CHECK(ask(good).empty());
  }
  CHECK(ask("$ORIGINAL/lib") == Lines{"rpath"});  // no token of the loader: a relative name
}

TEST_CASE("elf-dynamic: folders that the image lets everybody write to") {
  ElfFacts facts = library();
  const auto ask = [&](const std::string& path, std::uint32_t mode) {
    facts.runpath = path;
    ToyImage image;
    image.layer("COPY")
        .raw()
        .dir("/opt/made", {.mode = mode})
        .dir("/opt/made/lib")
        .symlink("/opt/link", "made")
        .file("/opt/bin/liba.so.1", "x")
        .elf(std::make_shared<ElfFacts>(facts));
    return lines(
        image.check("elf-dynamic", {{"file", paths({"/opt/bin/liba.so.1"})}, {"rpath_kind", std::string("any")}}));
  };
  for (const char* const path :
       {"/opt/made/lib", "/opt/link/lib", "/opt/made/none", "$ORIGIN/../made/lib", "$ORIGIN/../link"}) {
    CAPTURE(path);
    CHECK(ask(path, 0777) == Lines{"rpath /opt/bin/liba.so.1"});
    CHECK(ask(path, 01777) == Lines{"rpath /opt/bin/liba.so.1"});
    CHECK(ask(path, 0775).empty());
  }
}

TEST_CASE("elf-dynamic: a check that names no file is wrong, also when nothing need match") {
  ToyImage image;
  image.layer("A").raw().file("/a", "x");
  for (const char* const rule : {"elf-dynamic", "elf-symbols", "file", "elf-needed"})
    for (const bool allow_empty : {false, true}) {
      CAPTURE(rule, allow_empty);
      CHECK_THROWS_WITH(image.check(rule, {{"allow_empty", allow_empty}}), Catch::Contains("names no file"));
    }
}
