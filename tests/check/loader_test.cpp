// The loader inside the image (check/loader.h) against the machine's own ld.so, asked in a chroot for each row.
#include "check/loader.h"

#include <catch2/catch.hpp>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/elf_maker.h"
#include "support/loader_oracle.h"
#include "support/root_image.h"

namespace ocilint {
namespace {

namespace fs = std::filesystem;
using test::LoaderAnswer;
using test::RootImage;

constexpr const char* interpreter = "/lib64/ld-linux-x86-64.so.2";
constexpr const char* musl_interpreter = "/lib/ld-musl-x86_64.so.1";

struct Row {
  const char* name;
  const char* steps;
  std::string library_path = {};
  const char* expected = "";  // part of what both must say; a row without one is compared alone
};

class Bench {
 public:
  explicit Bench(std::string loader = interpreter) : loader_(std::move(loader)), maker_(loader_) {}

  fs::path make(const Row& row) {
    const fs::path root = maker_.make(row.steps);
    fs::create_directories((root / loader_.substr(1)).parent_path());
    fs::copy_file(fs::canonical(loader_), root / loader_.substr(1));
    return root;
  }

  LoaderAnswer real(const fs::path& root, const Row& row, const RootImage& image, const std::string& preload = {}) {
    std::vector<std::string> env;
    if (loader_ == interpreter) env.push_back("LD_TRACE_LOADED_OBJECTS=1");
    if (!row.library_path.empty()) env.push_back("LD_LIBRARY_PATH" + row.library_path);
    if (!preload.empty()) env.push_back("LD_PRELOAD=" + preload);
    int status = 0;
    const bool musl = loader_ == musl_interpreter;
    const std::string text = test::run_inside(
        root.string(),
        musl ? std::vector<std::string>{loader_, "--list", "/prog"} : std::vector<std::string>{loader_, "/prog"}, env,
        &status);
    return test::parse_list(text, status, loader_,
                            [&](const std::string& path) { return image.view().resolve(path).path; });
  }

 private:
  std::string loader_;
  test::ElfMaker maker_;
};

unsigned cpu_level() {
  const std::string help = test::run_command(std::string(interpreter) + " --help");
  for (const unsigned level : {4U, 3U, 2U})
    if (help.find("x86-64-v" + std::to_string(level) + " (supported, searched)") != std::string::npos) return level;
  return 1;
}

bool oracle_here(const std::string& loader) {
  const char* why = nullptr;
  if (geteuid() != 0)
    why = "skipped: chroot needs root";
  else if (!fs::exists(loader))
    why = "skipped: no such loader on this machine";
  else if (!test::ElfMaker::possible())
    why = "skipped: no ld";
  if (why != nullptr) WARN(loader << " " << why);
  return why == nullptr;
}

void compare(Bench& bench, const Row& row, const char* loader, const std::string& preload = {}) {
  INFO(row.name);
  const fs::path root = bench.make(row);
  std::vector<std::string> env;
  // A row's variable begins with '=': "=" alone is the empty one.
  if (!row.library_path.empty()) env.push_back("LD_LIBRARY_PATH" + row.library_path);
  if (!preload.empty()) env.push_back("LD_PRELOAD=" + preload);
  const RootImage image(root, env);
  LoaderOptions options;
  options.cpu_level = cpu_level();
  options.origin_as_given = true;
  Loader ours(image.view(), options);
  const Closure closure = ours.closure_of("/prog");
  REQUIRE(closure.state == RootState::loadable);
  const LoaderAnswer mine = test::answer_of(closure, image.view().resolve(loader).path);
  const LoaderAnswer real = bench.real(root, row, image, preload);
  INFO("ld.so said:\n" << real.text << "ours:\n" << mine.text);
  CHECK(mine == real);
  CHECK(real.text.find(row.expected) != std::string::npos);
}

const std::vector<Row> rows = {
    {"RPATH of the program serves what its libraries need",
     "rpath /opt/p; prog /prog $R @liba.so; so /opt/p/liba.so liba.so @libb.so; so /opt/p/libb.so libb.so", "",
     "libb.so => /opt/p/libb.so"},
    {"RUNPATH of the program does not",
     "runpath /opt/p; prog /prog $R @liba.so; so /opt/p/liba.so liba.so @libb.so; so /opt/p/libb.so libb.so", "",
     "libb.so => not found"},
    {"RPATH is inherited through several",
     "rpath /opt/p; prog /prog $R @liba.so; rpath /opt/q; so /opt/p/liba.so liba.so $R @libb.so; so /opt/q/libb.so "
     "libb.so @libc.so.9 @libd.so; so /opt/p/libc.so.9 libc.so.9; so /opt/q/libc.so.9 libc.so.9; so /opt/p/libd.so libd.so",
     "", "libc.so.9 => /opt/q/libc.so.9"},
    {"RUNPATH of a library voids the program's RPATH for what it needs",
     "rpath /opt/p; prog /prog $R @liba.so; runpath /opt/none; so /opt/p/liba.so liba.so $R @libb.so; so "
     "/opt/p/libb.so libb.so",
     "", "libb.so => not found"},
    {"a library with RUNPATH in between does not break the chain above its child",
     "rpath /opt/p; prog /prog $R @liba.so; runpath /opt/q; so /opt/p/liba.so liba.so $R @libb.so; so /opt/q/libb.so "
     "libb.so @libd.so; so /opt/p/libd.so libd.so",
     "", "libd.so => /opt/p/libd.so"},
    {"LD_LIBRARY_PATH goes before RUNPATH",
     "runpath /opt/p; prog /prog $R @liba.so; so /opt/p/liba.so liba.so; so /env/liba.so liba.so", "=/env",
     "liba.so => /env/liba.so"},
    {"RPATH goes before LD_LIBRARY_PATH",
     "rpath /opt/p; prog /prog $R @liba.so; so /opt/p/liba.so liba.so; so /env/liba.so liba.so", "=/env",
     "liba.so => /opt/p/liba.so"},
    {"an empty element is the working directory", "prog /prog @liba.so; so /liba.so liba.so",
     "=/env:", "\tliba.so (0x"},
    {"so is one between semicolons", "prog /prog @liba.so; so /liba.so liba.so", "=/env;;/more", "\tliba.so (0x"},
    {"an empty variable is nothing", "prog /prog @liba.so; so /liba.so liba.so", "=", "liba.so => not found"},
    {"a relative element", "prog /prog @liba.so; so /sub/liba.so liba.so", "=sub/../sub/", "liba.so => "},
    {"an empty element of RUNPATH", "runpath /none:; prog /prog $R @liba.so; so /liba.so liba.so", "", "\tliba.so (0x"},
    {"32-bit is passed over",
     "rpath /a:/b; prog /prog $R @liba.so; mkdir a; ld -m elf_i386 -shared -soname liba.so -o a/liba.so "
     "$STUBS/empty32.o; so /b/liba.so liba.so",
     "", "liba.so => /b/liba.so"},
    {"and alone it is missing",
     "rpath /a; prog /prog $R @liba.so; mkdir a; ld -m elf_i386 -shared -soname liba.so -o a/liba.so $STUBS/empty32.o",
     "", "not found"},
    {"another machine is passed over",
     "rpath /a:/b; prog /prog $R @liba.so; so /a/liba.so liba.so; byte /a/liba.so 18 '\\267\\000'; so /b/liba.so liba.so",
     "", "liba.so => /b/liba.so"},
    {"the other byte order is fatal",
     "rpath /a:/b; prog /prog $R @liba.so; so /a/liba.so liba.so; byte /a/liba.so 5 '\\002'; so /b/liba.so liba.so", "",
     "not little-endian"},
    {"an empty file is fatal", "rpath /a:/b; prog /prog $R @liba.so; mkdir a; : >a/liba.so; so /b/liba.so liba.so", "",
     "file too short"},
    {"a short text is fatal",
     "rpath /a:/b; prog /prog $R @liba.so; mkdir a; echo 'INPUT(x)' >a/liba.so; so /b/liba.so liba.so", "",
     "file too short"},
    {"a long text is fatal", "rpath /a:/b; prog /prog $R @liba.so; mkdir a; seq 100 >a/liba.so; so /b/liba.so liba.so",
     "", "invalid ELF header"},
    {"a directory is fatal", "rpath /a:/b; prog /prog $R @liba.so; mkdir -p a/liba.so; so /b/liba.so liba.so", "",
     "cannot read file data"},
    {"a foreign OS ABI is fatal",
     "rpath /a:/b; prog /prog $R @liba.so; so /a/liba.so liba.so; byte /a/liba.so 7 '\\100'; so /b/liba.so liba.so", "",
     "OS ABI invalid"},
    {"a foreign OS ABI of the other class is passed over",
     "rpath /a:/b; prog /prog $R @liba.so; mkdir a; ld -m elf_i386 -shared -soname liba.so -o a/liba.so "
     "$STUBS/empty32.o; byte /a/liba.so 7 '\\100'; so /b/liba.so liba.so",
     "", "liba.so => /b/liba.so"},
    {"a position-independent program is fatal",
     "rpath /a:/b; prog /prog $R @liba.so; prog /a/liba.so @libz.so; so /b/liba.so liba.so; so /b/libz.so libz.so", "",
     "cannot dynamically load position-independent executable"},
    {"a fixed program is fatal",
     "rpath /a:/b; prog /prog $R @liba.so; mkdir a; ld -o a/liba.so $STUBS/start.o; so /b/liba.so liba.so", "",
     "cannot dynamically load executable"},
    {"an object file is fatal",
     "rpath /a:/b; prog /prog $R @liba.so; mkdir a; cp $STUBS/empty.o a/liba.so; so /b/liba.so liba.so", "",
     "only ET_DYN and ET_EXEC can be loaded"},
    {"a link to nothing is passed over",
     "rpath /a:/b; prog /prog $R @liba.so; mkdir a; ln -s liba.so.1 a/liba.so; so /b/liba.so liba.so", "",
     "liba.so => /b/liba.so"},
    {"links in a circle end the list, not the search",
     "rpath /a:/b; prog /prog $R @liba.so; mkdir a; ln -s liba.so a/liba.so; so /b/liba.so liba.so; so /lib/liba.so liba.so",
     "", "liba.so => /lib/liba.so"},
    {"a file where a directory should be", "rpath /a:/b; prog /prog $R @liba.so; : >a; so /b/liba.so liba.so", "",
     "liba.so => /b/liba.so"},
    {"folders of better processors go first",
     "rpath /a; prog /prog $R @liba.so; so /a/liba.so liba.so; so /a/glibc-hwcaps/x86-64-v2/liba.so liba.so; so "
     "/a/glibc-hwcaps/x86-64-v3/liba.so liba.so"},
    {"unreadable in a better folder, good below",
     "rpath /a; prog /prog $R @liba.so; so /a/liba.so liba.so; mkdir -p a/glibc-hwcaps/x86-64-v2; ln -s nowhere "
     "a/glibc-hwcaps/x86-64-v2/liba.so"},
    {"a fatal file in a better folder",
     "rpath /a; prog /prog $R @liba.so; so /a/liba.so liba.so; mkdir -p a/glibc-hwcaps/x86-64-v2; : "
     ">a/glibc-hwcaps/x86-64-v2/liba.so"},
    {"legacy folders",
     "rpath /a; prog /prog $R @liba.so @libb.so @libd.so; for d in tls x86_64 haswell haswell/x86_64 tls/haswell; do so "
     "/a/$d/liba.so liba.so; done; so /a/tls/libb.so libb.so; so /a/haswell/libb.so libb.so; so /a/x86_64/libd.so libd.so; "
     "so /a/libd.so libd.so"},
    {"$ORIGIN of the program", "rpath '$ORIGIN/l'; prog /prog $R @liba.so; so /l/liba.so liba.so", "",
     "liba.so => //l/liba.so"},
    {"$ORIGIN of a library is where it was opened, not where a link leads",
     "rpath /a; prog /prog $R @liba.so; runpath '$ORIGIN'; so /real/liba.so liba.so $R @libb.so; so /real/libb.so libb.so; "
     "mkdir a; ln -s ../real/liba.so a/liba.so",
     "", "libb.so => not found"},
    {"a link to the directory keeps it",
     "rpath /a; prog /prog $R @liba.so; runpath '$ORIGIN'; so /real/liba.so liba.so $R @libb.so; so /real/libb.so libb.so; "
     "ln -s real a",
     "", "libb.so => /a/libb.so"},
    {"${ORIGIN}, dots and slashes",
     "rpath '${ORIGIN}//x/../l///'; prog /prog $R @liba.so; mkdir x; so /l/liba.so liba.so", "", "liba.so => "},
    {"$ORIGINAL is no token", "rpath '$ORIGINAL:/l'; prog /prog $R @liba.so; so /l/liba.so liba.so", "",
     "liba.so => /l/liba.so"},
    {"$LIB and $PLATFORM",
     "rpath '/q/$LIB:/q/$PLATFORM'; prog /prog $R @liba.so @libb.so; so /q/lib/x86_64-linux-gnu/liba.so liba.so; so "
     "/q/haswell/libb.so libb.so; so /q/x86_64/libb.so libb.so",
     "", "liba.so => /q/lib/x86_64-linux-gnu/liba.so"},
    {"$ORIGIN in LD_LIBRARY_PATH", "prog /prog @liba.so; so /l/liba.so liba.so", "=$ORIGIN/l",
     "liba.so => //l/liba.so"},
    {"$ORIGIN in NEEDED", "prog /prog '@$ORIGIN/l/liba.so'; so /l/liba.so liba.so"},
    {"NEEDED with a slash", "prog /prog @/opt/x/liba.so @libb.so; so /opt/x/liba.so libb.so", "", "/opt/x/liba.so"},
    {"NEEDED with a slash that is not there", "rpath /a; prog /prog $R @/opt/x/liba.so; so /a/liba.so liba.so", "",
     "not found"},
    {"a relative NEEDED", "prog /prog @sub/liba.so; so /sub/liba.so liba.so", "", "sub/liba.so"},
    {"a name that is the SONAME of what is loaded",
     "rpath /a; prog /prog $R @libx.so @liby.so.1; so /a/libx.so liby.so.1", "", "libx.so => /a/libx.so"},
    {"in the other order there is no such file", "rpath /a; prog /prog $R @liby.so.1 @libx.so; so /a/libx.so liby.so.1",
     "", "liby.so.1 => not found"},
    {"a file with another SONAME is taken", "rpath /a; prog /prog $R @libx.so.1; so /a/libx.so.1 libx.so.2", "",
     "libx.so.1 => /a/libx.so.1"},
    {"names of one file are one object",
     "rpath /a; prog /prog $R @libx.so @liby.so @libz.so; so /a/libx.so ''; ln a/libx.so a/liby.so; ln -s libx.so a/libz.so",
     "", "libx.so"},
    {"copies are two", "rpath /a; prog /prog $R @libx.so @liby.so; so /a/libx.so ''; cp a/libx.so a/liby.so", "",
     "liby.so => /a/liby.so"},
    {"breadth first, the first requester decides the path",
     "rpath /a; prog /prog $R @libx.so @liby.so; runpath /b; so /a/libx.so libx.so $R @libd.so; runpath /c; so /a/liby.so "
     "liby.so $R @libd.so; so /b/libd.so libd.so; so /c/libd.so libd.so",
     "", "libd.so => /b/libd.so"},
    {"circles of needs",
     "rpath /a; prog /prog $R @libx.so; so /a/libx.so libx.so @liby.so; so /a/liby.so liby.so @libx.so"},
    {"the loader itself", "prog /prog @ld-linux-x86-64.so.2"},
    {"default directories in their order",
     "prog /prog @liba.so @libb.so @libd.so @libe.so; for d in /lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu /lib /usr/lib; "
     "do so $d/liba.so liba.so; done; for d in /usr/lib/x86_64-linux-gnu /lib /usr/lib; do so $d/libb.so libb.so; done; so "
     "/usr/lib/libd.so libd.so; so /lib/libd.so libd.so; so /usr/lib64/libe.so libe.so",
     "", "libe.so => not found"},
    {"the cache leads elsewhere",
     "prog /prog @liba.so; so /opt/l/liba.so liba.so; mkdir -p etc; echo /opt/l >etc/ld.so.conf; ldconfig -r . 2>/dev/null",
     "", "liba.so => /opt/l/liba.so"},
    {"a directory that is not cached yet is not searched",
     "prog /prog @liba.so @libb.so; so /opt/l/liba.so liba.so; mkdir -p etc; echo /opt/l >etc/ld.so.conf; ldconfig -r . "
     "2>/dev/null; so /opt/l/libb.so libb.so",
     "", "libb.so => not found"},
    {"a cached file that is gone, another in a default directory",
     "prog /prog @liba.so @libb.so; so /opt/l/liba.so liba.so; so /opt/l/libb.so libb.so; mkdir -p etc; echo /opt/l "
     ">etc/ld.so.conf; ldconfig -r . 2>/dev/null; rm opt/l/lib*; so /usr/lib/libb.so libb.so",
     "", "libb.so => /usr/lib/libb.so"},
    {"the cache goes before the default directories",
     "prog /prog @liba.so; so /opt/l/liba.so liba.so; mkdir -p etc; echo /opt/l >etc/ld.so.conf; so /usr/lib/liba.so "
     "liba.so; ldconfig -r . 2>/dev/null",
     "", "liba.so => /opt/l/liba.so"},
    {"better folders in the cache",
     "prog /prog @liba.so; so /opt/l/liba.so liba.so; so /opt/l/glibc-hwcaps/x86-64-v3/liba.so liba.so; so "
     "/opt/l/glibc-hwcaps/x86-64-v2/liba.so liba.so; mkdir -p etc; echo /opt/l >etc/ld.so.conf; ldconfig -r . 2>/dev/null"},
    {"both classes in the cache",
     "prog /prog @liba.so; mkdir -p opt/l etc; ld -m elf_i386 -shared -soname liba.so -o opt/l/liba.so $STUBS/empty32.o; so "
     "/opt/m/liba.so liba.so; printf '/opt/l\\n/opt/m\\n' >etc/ld.so.conf; ldconfig -r . 2>/dev/null",
     "", "liba.so => /opt/m/liba.so"},
    {"DF_1_NODEFLIB: no default directory, and none from the cache",
     "prog /prog -z nodefaultlib @liba.so @libb.so; so /usr/lib/liba.so liba.so; so /opt/l/libb.so libb.so @libd.so; so "
     "/usr/lib/libd.so libd.so; mkdir -p etc; echo /opt/l >etc/ld.so.conf; ldconfig -r . 2>/dev/null",
     "", "liba.so => not found"},
    {"DT_FILTER must be there", "rpath /a; prog /prog $R @liba.so; so /a/liba.so liba.so -F libf.so"},
    {"DT_AUXILIARY need not",
     "rpath /a; prog /prog $R @liba.so @libb.so; so /a/liba.so liba.so -f libf.so; so /a/libb.so libb.so"},
    {"a version that is not defined",
     "rpath /a; prog /prog $R @libp.so; echo 'V1 {}; V2 {} V1;' >v12; echo 'V1 {};' >v1; echo '.symver f,f@V2\n.data\n.quad "
     "f\n.section .note.GNU-stack,\"\",@progbits' >u.s; as -o u.o u.s; echo '.globl g\n.symver g,f@@V2\n.data\ng: .long "
     "1\n.section .note.GNU-stack,\"\",@progbits' >d.s; as -o d.o d.s; ld -shared -soname libq.so --version-script v12 -o "
     "libq2.so d.o; mkdir -p a; ld -shared -soname libp.so -rpath /a -o a/libp.so u.o libq2.so; so /a/libq.so libq.so "
     "--version-script v1",
     "", "version `V2' not found"},
    {"a provider without versions is accepted",
     "rpath /a; prog /prog $R @libp.so; echo 'V2 {};' >v2; echo '.symver f,f@V2\n.data\n.quad f\n.section "
     ".note.GNU-stack,\"\",@progbits' >u.s; as -o u.o u.s; echo '.globl g\n.symver g,f@@V2\n.data\ng: .long 1\n.section "
     ".note.GNU-stack,\"\",@progbits' >d.s; as -o d.o d.s; ld -shared -soname libq.so --version-script v2 -o libq2.so d.o; "
     "mkdir -p a; ld -shared -soname libp.so -rpath /a -o a/libp.so u.o libq2.so; so /a/libq.so libq.so"},
};

const std::vector<Row> musl_rows = {
    {"LD_LIBRARY_PATH goes before RPATH",
     "rpath /opt/p; prog /prog $R @liba.so; so /opt/p/liba.so liba.so; so /env/liba.so liba.so", "=/env",
     "liba.so => /env/liba.so"},
    {"RUNPATH is inherited like RPATH",
     "runpath /opt/p; prog /prog $R @liba.so; so /opt/p/liba.so liba.so @libb.so; so /opt/p/libb.so libb.so", "",
     "libb.so => /opt/p/libb.so"},
    {"also through a library that has its own",
     "rpath /opt/p; prog /prog $R @liba.so; runpath /opt/none; so /opt/p/liba.so liba.so $R @libb.so; so /opt/p/libb.so libb.so",
     "", "libb.so => /opt/p/libb.so"},
    {"default directories",
     "prog /prog @liba.so @libb.so @libd.so; for d in /lib /usr/local/lib /usr/lib; do so $d/liba.so liba.so; done; so "
     "/usr/local/lib/libb.so libb.so; so /usr/lib/libb.so libb.so; so /lib/x86_64-linux-gnu/libd.so libd.so",
     "", "libb.so => /usr/local/lib/libb.so"},
    {"the path file replaces them",
     "prog /prog @liba.so @libb.so; so /opt/l/liba.so liba.so; so /lib/libb.so libb.so; mkdir etc; printf '/x\n/opt/l:/y' "
     ">etc/ld-musl-x86_64.path",
     "", "Error loading shared library libb.so"},
    {"an empty path file leaves nothing",
     "prog /prog @liba.so; so /lib/liba.so liba.so; mkdir etc; : >etc/ld-musl-x86_64.path", "",
     "Error loading shared library liba.so"},
    {"no cache is read",
     "prog /prog @liba.so; so /opt/l/liba.so liba.so; mkdir etc; echo /opt/l >etc/ld.so.conf; ldconfig -r . 2>/dev/null",
     "", "Error loading shared library liba.so"},
    {"an empty element is no directory", "prog /prog @liba.so; so /liba.so liba.so",
     "=/env:", "Error loading shared library liba.so"},
    {"32-bit is fatal",
     "rpath /a:/b; prog /prog $R @liba.so; mkdir a; ld -m elf_i386 -shared -soname liba.so -o a/liba.so "
     "$STUBS/empty32.o; so /b/liba.so liba.so",
     "", "Exec format error"},
    {"another machine is taken",
     "rpath /a:/b; prog /prog $R @liba.so; so /a/liba.so liba.so; byte /a/liba.so 18 '\\267\\000'; so /b/liba.so liba.so",
     "", "liba.so => /a/liba.so"},
    {"a foreign OS ABI is taken",
     "rpath /a:/b; prog /prog $R @liba.so; so /a/liba.so liba.so; byte /a/liba.so 7 '\\100'; so /b/liba.so liba.so", "",
     "liba.so => /a/liba.so"},
    {"a position-independent program is taken",
     "rpath /a:/b; prog /prog $R @liba.so; prog /a/liba.so @libz.so; so /b/liba.so liba.so; so /b/libz.so libz.so", "",
     "liba.so => /a/liba.so"},
    {"an empty file is fatal", "rpath /a:/b; prog /prog $R @liba.so; mkdir a; : >a/liba.so; so /b/liba.so liba.so", "",
     "Exec format error"},
    {"a text is fatal", "rpath /a:/b; prog /prog $R @liba.so; mkdir a; seq 100 >a/liba.so; so /b/liba.so liba.so", "",
     "Exec format error"},
    {"a directory is fatal", "rpath /a:/b; prog /prog $R @liba.so; mkdir -p a/liba.so; so /b/liba.so liba.so", "",
     "Is a directory"},
    {"a link to nothing is passed over",
     "rpath /a:/b; prog /prog $R @liba.so; mkdir a; ln -s liba.so.1 a/liba.so; so /b/liba.so liba.so", "",
     "liba.so => /b/liba.so"},
    {"links in a circle end the search",
     "rpath /a:/b; prog /prog $R @liba.so; mkdir a; ln -s liba.so a/liba.so; so /b/liba.so liba.so", "",
     "Error loading"},
    {"a SONAME is no name", "rpath /a; prog /prog $R @libx.so @liby.so.1; so /a/libx.so liby.so.1", "",
     "Error loading shared library liby.so.1"},
    {"names of one file are one object",
     "rpath /a; prog /prog $R @libx.so @liby.so; so /a/libx.so ''; ln a/libx.so a/liby.so", "",
     "libx.so => /a/libx.so"},
    {"$ORIGIN of a library through a link to the file",
     "rpath /a; prog /prog $R @liba.so; runpath '$ORIGIN'; so /real/liba.so liba.so $R @libb.so; so /real/libb.so libb.so; "
     "mkdir a; ln -s ../real/liba.so a/liba.so"},
    {"another token voids the list", "rpath '/a:$LIB'; prog /prog $R @liba.so; so /a/liba.so liba.so", "",
     "Error loading shared library liba.so"},
    {"musl's own names, glibc's included",
     "prog /prog @libc.so.6 @libpthread.so.0 @libm.so; so /lib/libc.so.6 libc.so.6"},
    {"processor folders are not searched",
     "rpath /a; prog /prog $R @liba.so; so /a/liba.so liba.so; so /a/glibc-hwcaps/x86-64-v2/liba.so liba.so", "",
     "liba.so => /a/liba.so"},
};

}  // namespace

TEST_CASE("musl's search, row by row as the real musl does it") {
  if (!oracle_here(musl_interpreter)) return;
  Bench bench(musl_interpreter);
  for (const Row& row : musl_rows) compare(bench, row, musl_interpreter);
}

TEST_CASE("glibc's search, row by row as the machine's ld.so does it") {
  if (!oracle_here(interpreter)) return;
  Bench bench;
  for (const Row& row : rows) compare(bench, row, interpreter);
}

TEST_CASE("preloads of the image are loaded first") {
  if (!oracle_here(interpreter)) return;
  Bench bench;
  const Row satisfied{"a preload answers by its SONAME",
                      "prog /prog @libb.so.1; so /p/libx.so libb.so.1 @libd.so; so /lib/libd.so libd.so"};
  compare(bench, satisfied, interpreter, "/p/libx.so");
  const Row two{"two names, one is not there", "prog /prog @libb.so; so /lib/liba.so liba.so; so /lib/libb.so libb.so"};
  compare(bench, two, interpreter, "libnot.so:liba.so");
  const Row file{"/etc/ld.so.preload, with a comment",
                 "prog /prog @libb.so.1; so /p/libx.so libb.so.1; mkdir etc; printf '# one\\n/p/libx.so # two\\n' "
                 ">etc/ld.so.preload"};
  compare(bench, file, interpreter);
}

}  // namespace ocilint
