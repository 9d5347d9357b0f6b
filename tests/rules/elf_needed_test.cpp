// elf-needed and elf-pair on images of real ELF files, through the whole pipeline.
#include <catch2/catch.hpp>

#include "support/check_kit.h"
#include "support/elf_maker.h"
#include "support/tar_writer.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

constexpr const char* loader_path = "/lib64/ld-linux-x86-64.so.2";

/// Assembles definitions and references: `def FILE name…`, `ref FILE name…` make objects.
constexpr const char* objects = R"(
def() { o=$1; shift; for s in "$@"; do echo ".globl $s"; echo ".data"; echo "$s: .long 1"; done >o.s; echo '.section .note.GNU-stack,"",@progbits' >>o.s; as -o $o o.s; rm o.s; }
ref() { o=$1; shift; for s in "$@"; do echo ".data"; echo ".quad $s"; done >o.s; echo '.section .note.GNU-stack,"",@progbits' >>o.s; as -o $o o.s; rm o.s; }
)";

class Images {
 public:
  /// One layer a text of steps; a line "remove PATH" at the end of a layer's steps is `gone`.
  TestImage make(const std::vector<std::string>& layers, const std::vector<std::string>& gone = {}) {
    TestImage image;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const auto root = maker_.make(std::string(objects) + layers[i]);
      if (i == 0) {
        std::filesystem::create_directories(root / "lib64");
        std::filesystem::copy_file(std::filesystem::canonical(loader_path), root / (loader_path + 1));
      }
      image.layer_tars.push_back(test::run_command("tar --format=pax --sort=name -C " + root.string() + " -cf - ."));
      image.created_by.push_back("RUN step " + std::to_string(i));
    }
    if (!gone.empty()) {
      test::TarWriter tar;
      for (const std::string& path : gone) tar.whiteout(path.substr(1));
      image.layer_tars.push_back(tar.finish());
      image.created_by.push_back("RUN autoremove");
    }
    return image;
  }

 private:
  test::ElfMaker maker_;
};

CheckResult ask(const TestImage& image, const std::string& with, const std::string& rule = "elf-needed") {
  const ImageResult result = run_on(image, run_options(policy_of(rule, with)));
  if (result.unreadable) INFO(result.unreadable->what());
  REQUIRE_FALSE(result.unreadable);
  const CheckResult* const check = find_check(result, "tested");
  REQUIRE(check != nullptr);
  CHECK(result.stats.refill_rounds <= 3);
  return *check;
}

using Lines = std::vector<std::string>;

std::string all_text(const CheckResult& check) {
  std::string out;
  for (const auto& found : check.findings) {
    out += found.finding.kind + " " + found.finding.subject + " " + found.finding.message + "\n";
    for (const std::string& detail : found.finding.details) out += "  " + detail + "\n";
  }
  for (const auto& evidence : check.evidence) out += evidence.text + "\n";
  for (const std::string& error : check.errors) out += "error " + error + "\n";
  return out;
}

bool says(const CheckResult& check, const std::string& text) {
  UNSCOPED_INFO(all_text(check));
  return all_text(check).find(text) != std::string::npos;
}

const std::string two =
    "rpath /a; prog /bin/prog $R @liba.so.1; so /a/liba.so.1 liba.so.1 @libb.so.1; so /a/libb.so.1 libb.so.1";

}  // namespace

TEST_CASE("a complete closure passes and shows a chain and what it rests on") {
  Images images;
  const CheckResult check = ask(images.make({two}), "{files: ['/bin/*']}");
  CHECK(lines_of(check) == Lines{"pass"});
  CHECK(says(check, "1 ELF files (1 programs)"));
  CHECK(says(check, "/bin/prog -> liba.so.1 -> libb.so.1 (/a/libb.so.1)"));
  CHECK(says(check,
             "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib:/usr/lib, read from /lib64/ld-linux-x86-64.so.2"));
}

TEST_CASE("a library that a later layer removed is missing, with that layer and the search") {
  Images images;
  const CheckResult check = ask(images.make({two}, {"/a/libb.so.1"}), "{files: ['/**']}");
  CHECK(lines_of(check) == Lines{"missing /a/liba.so.1"});
  REQUIRE(check.findings.size() == 1);
  const Finding& finding = check.findings[0].finding;
  CHECK(finding.layer == 1u);
  CHECK(says(check, "layer 1 removed /a/libb.so.1"));
  CHECK(says(check, "met from 2 of the selected files"));
  CHECK(says(check, "searched default directory: /usr/lib: no such directory"));
  const CheckResult program = ask(images.make({two}, {"/a/libb.so.1"}), "{files: ['/bin/*']}");
  CHECK(says(program, "loaded as /bin/prog -> liba.so.1"));
  CHECK(says(program, "searched RPATH: /a/libb.so.1: no such file"));
}

TEST_CASE("what is in the image but not on the search path is said") {
  Images images;
  const TestImage image = images.make({"prog /bin/prog @liba.so.1; so /opt/x/liba.so.1 liba.so.1"});
  CHECK(says(ask(image, "{file: /bin/prog}"), "in the image, but not where the loader looks: /opt/x/liba.so.1"));
  TestImage with_env = image;
  with_env.config["Env"].push_back("LD_LIBRARY_PATH=/opt/x");
  CHECK(lines_of(ask(with_env, "{file: /bin/prog}")) == Lines{"pass"});
  CHECK(lines_of(ask(with_env, "{file: /bin/prog, library_path: none}")) == Lines{"missing /bin/prog"});
  CHECK(lines_of(ask(image, "{file: /bin/prog, host: ['liba.so*']}")) == Lines{"pass"});
  CHECK(says(ask(image, "{file: /bin/prog, host: ['liba.so*']}"), "liba.so.1: provided by the host"));
  CHECK(says(ask(image, "{file: /bin/prog, ignore: ['lib?.so.1']}"), "liba.so.1: missing, which the policy allows"));
}

TEST_CASE("an unusable file that comes first is fatal") {
  Images images;
  const CheckResult check = ask(images.make({two, "mkdir a; : >a/libb.so.1"}), "{files: ['/bin/*']}");
  CHECK(lines_of(check) == Lines{"fatal-candidate /a/liba.so.1"});
  CHECK(says(check, "/a/libb.so.1: file too short"));
}

TEST_CASE("ignore is for names that are missing, and for nothing else that may be wrong with them") {
  Images images;
  const TestImage missing = images.make({"prog /bin/prog @liba.so.1"});
  CHECK(lines_of(ask(missing, "{file: /bin/prog, ignore: ['liba.so*']}")) == Lines{"pass"});
  CHECK(lines_of(ask(missing, "{file: /bin/prog, ignore: ['libb.so*']}")) == Lines{"missing /bin/prog"});
  const TestImage unusable = images.make({two, "mkdir a; : >a/libb.so.1"});
  CHECK(lines_of(ask(unusable, "{files: ['/bin/*'], ignore: ['libb.so*']}")) == Lines{"fatal-candidate /a/liba.so.1"});
  // A name that is asked for in vain is missing, not one that nothing asks for.
  CHECK(lines_of(ask(missing, "{file: /bin/prog, expect: ['liba.so.1 -> /a/**']}")) == Lines{"missing /bin/prog"});
  const TestImage other = images.make({"rpath /a; prog /bin/prog $R @liba.so.1; so /a/liba.so.1 liba.so.1"});
  CHECK(lines_of(ask(other, "{file: /bin/prog, ignore: ['liba.so*'], expect: ['liba.so.1 -> /b/**']}")) ==
        Lines{"wrong-file /bin/prog"});
}

TEST_CASE("a link to nothing that a pattern meets is told by its name") {
  Images images;
  const TestImage image = images.make({two + "; ln -s gone a/libz.so.1; ln -s gone a/notes"}, {});
  const std::string names = "files: ['/bin/*', '/a/libz*', '/a/note*']";
  const CheckResult check = ask(image, "{" + names + "}");
  REQUIRE(lines_of(check) == Lines{"missing /a/libz.so.1"});
  CHECK(check.findings[0].finding.severity == Severity::warning);
  CHECK(check.findings[0].finding.layer == 0u);
  CHECK(says(check, "leads to /a/gone, which does not exist"));
  CHECK(says(check, "left out: 1 links to nothing that have no library's name"));
  const CheckResult hosted = ask(image, "{" + names + ", host: ['libz.so*']}");
  CHECK(lines_of(hosted) == Lines{"pass"});
  CHECK(says(hosted, "libz.so.1: provided by the host"));
  // Nothing but links to nothing is no file to begin with.
  CHECK(lines_of(ask(image, "{files: ['/a/libz*']}")) == Lines{"missing /a/libz.so.1", "missing /a/libz*"});
}

TEST_CASE("a name that only a preloaded library answers to is the answer in between") {
  Images images;
  const TestImage image = images.make({"so /p/ext.so '' @liby.so.1; so /a/libx.so liby.so.1"});
  CHECK(lines_of(ask(image, "{file: /p/ext.so}")) == Lines{"missing /p/ext.so"});
  const CheckResult check = ask(image, "{file: /p/ext.so, preloads: ['/a/libx.so*']}");
  CHECK(lines_of(check) == Lines{"preload-only /p/ext.so"});
  CHECK(check.findings[0].finding.severity == Severity::warning);
  CHECK(lines_of(ask(image, "{file: /p/ext.so, preloads: ['/a/libx.so*'], allow_preload: true}")) == Lines{"pass"});
  CHECK(lines_of(ask(image, "{file: /p/ext.so, preloads: ['/b/*'], ignore: ['*']}")) == Lines{"preload-missing /b/*"});
}

TEST_CASE("the file that a consumer gets can be pinned") {
  Images images;
  const TestImage image =
      images.make({two + "; rpath /n:/a; prog /bin/prog $R @liba.so.1", "so /n/libb.so.1 libb.so.1"});
  const CheckResult wrong = ask(image, "{files: ['/bin/*'], expect: ['libb.so.1 -> /a/*']}");
  CHECK(lines_of(wrong) == Lines{"wrong-file /a/liba.so.1"});
  CHECK(says(wrong, "gets libb.so.1 from /n/libb.so.1, expected /a/*"));
  CHECK(lines_of(ask(image, "{files: ['/bin/*'], expect: ['libb.so.1 -> /n/*']}")) == Lines{"pass"});
  CHECK(lines_of(ask(image, "{files: ['/bin/*'], expect: ['libq.so.1 -> /n/*']}")) == Lines{"not-needed libq.so.1"});
}

TEST_CASE("one file may offer a SONAME; other names of it are no second one") {
  Images images;
  const TestImage linked = images.make({two + "; mkdir l; ln a/libb.so.1 l/libb.so.1; ln -s /a/libb.so.1 libb.so.1"});
  CHECK(lines_of(ask(linked, "{files: ['/bin/*'], one_provider: [libb.so.1]}")) == Lines{"pass"});
  const TestImage copied = images.make({two, "so /l/other.so.9 libb.so.1"});
  const CheckResult check = ask(copied, "{files: ['/bin/*'], one_provider: [libb.so.1]}");
  CHECK(lines_of(check) == Lines{"several-providers libb.so.1"});
  CHECK(says(check, "/l/other.so.9 (layer 1)"));
  CHECK(lines_of(ask(copied, "{files: ['/bin/*'], one_provider: [libb.so.1], providers: 2}")) == Lines{"pass"});
  CHECK(lines_of(ask(copied, "{files: ['/bin/*'], one_provider: [libnone.so.1]}")) ==
        Lines{"several-providers libnone.so.1"});
}

TEST_CASE("interpreter, preloads of the image and needed versions are part of it") {
  Images images;
  CHECK(lines_of(ask(images.make({two}, {loader_path}), "{file: /bin/prog}")) ==
        Lines{"interpreter-missing /bin/prog"});
  TestImage preload = images.make({two});
  preload.config["Env"].push_back("LD_PRELOAD=libjemalloc.so.2");
  CHECK(lines_of(ask(preload, "{file: /bin/prog}")) == Lines{"preload-missing /bin/prog"});
  const TestImage versions = images.make(
      {"echo 'V2 {};' >v2; echo 'V1 {};' >v1; printf '.symver f,f@V2\\n.data\\n.quad f\\n' >u.s; as -o u.o u.s; printf "
       "'.globl g\\n.symver g,f@@V2\\n.data\\ng: .long 1\\n' >d.s; as -o d.o d.s; mkdir -p a; ld -shared -soname libq.so.1 "
       "--version-script v2 -o q2 d.o; ld -shared -soname libp.so.1 -rpath /a -o a/libp.so.1 u.o q2; so /a/libq.so.1 "
       "libq.so.1 --version-script v1; rm u.* d.* q2 v1 v2"});
  const CheckResult check = ask(versions, "{file: /a/libp.so.1}");
  CHECK(lines_of(check) == Lines{"version-missing /a/libp.so.1"});
  CHECK(says(check, "needs version V2 of libq.so.1, which /a/libq.so.1 does not define"));
  CHECK(says(check, "/a/libq.so.1 defines V1"));
  CHECK(lines_of(ask(versions, "{file: /a/libp.so.1, versions: false}")) == Lines{"pass"});
}

TEST_CASE("files for no loader are left out and counted, or refused") {
  Images images;
  const TestImage image =
      images.make({two + "; cp $STUBS/empty.o a/x.o; echo text >a/README; cp a/libb.so.1 a/gpu.co; byte "
                         "/a/gpu.co 18 '\\340\\000'"});
  const CheckResult check = ask(image, "{files: ['/a/**']}");
  CHECK(lines_of(check) == Lines{"missing /a/liba.so.1"});  // as a root it has no RPATH of the program
  CHECK(says(check, "left out: 1 no ELF files"));
  CHECK(says(check, "left out: 2 ELF files that no loader takes"));
  CHECK(lines_of(ask(image, "{files: ['/a/libb*', '/a/R*'], require_elf: true}")) == Lines{"not-elf /a/README"});
}

TEST_CASE("a malformed file is no answer") {
  Images images;
  const TestImage image = images.make({two + "; truncate -s 200 a/libb.so.1"});
  const CheckResult check = ask(image, "{file: /bin/prog}");
  CHECK(check.outcome == Outcome::error);
  CHECK(says(check, "/a/liba.so.1 needs libb.so.1: /a/libb.so.1: malformed"));
}

TEST_CASE("variants for better processors must hold too") {
  Images images;
  const TestImage image = images.make({two + "; so /a/glibc-hwcaps/x86-64-v3/libb.so.1 libb.so.1 @libnone.so"});
  const CheckResult check = ask(image, "{file: /bin/prog}");
  CHECK(lines_of(check) == Lines{"missing /a/glibc-hwcaps/x86-64-v3/libb.so.1"});
  CHECK(says(check, "on processors of level 3 and better"));
}

TEST_CASE("libraries of odd names come with a second read") {
  Images images;
  const TestImage image = images.make({"rpath /a; prog /bin/prog $R @plugin; so /a/plugin '' @other; so /a/other ''"});
  CHECK(lines_of(ask(image, "{file: /bin/prog}")) == Lines{"pass"});
}

TEST_CASE("the symbols that one library needs are defined by the one that it gets") {
  Images images;
  const std::string pair =
      "def d.o h_one h_two other; ref u.o h_one h_two far; mkdir -p a b; ld -shared -soname libh.so.1 -o a/libh.so.1 d.o; ld "
      "-shared -soname libc.so.2 -rpath /a -o b/libc.so.2 u.o a/libh.so.1; rm *.o";
  const TestImage good = images.make({pair});
  const std::string with = "{file: /b/libc.so.2, symbols: 'h_.*', provider: libh.so.1}";
  CHECK(lines_of(ask(good, with, "elf-pair")) == Lines{"pass"});
  CHECK(says(ask(good, with, "elf-pair"), "all 2 symbols h_.* that /b/libc.so.2 needs are defined by /a/libh.so.1"));
  const TestImage stock =
      images.make({pair, "def d.o h_one h_two_v1; mkdir a; ld -shared -soname libh.so.1 -o a/libh.so.1 d.o; rm d.o"});
  const CheckResult check = ask(stock, with, "elf-pair");
  CHECK(lines_of(check) == Lines{"undefined /b/libc.so.2"});
  CHECK(says(check, "1 of 2 symbols"));
  CHECK(says(check, "h_two"));
  CHECK(lines_of(ask(good, "{file: /b/libc.so.2, symbols: 'h_.*', provider: /a/libh.so.1}", "elf-pair")) ==
        Lines{"pass"});
  CHECK(lines_of(ask(good, "{file: /b/libc.so.2, symbols: 'h_.*|far'}", "elf-pair")) ==
        Lines{"undefined /b/libc.so.2"});
  CHECK(lines_of(ask(good, "{file: /b/libc.so.2, symbols: 'z.*'}", "elf-pair")) == Lines{"no-symbols /b/libc.so.2"});
  CHECK(lines_of(ask(good, "{file: /b/libc.so.2, symbols: 'h_.*', provider: libz.so}", "elf-pair")) ==
        Lines{"provider-missing /b/libc.so.2"});
}
