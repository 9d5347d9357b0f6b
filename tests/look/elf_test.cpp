// `ocilint elf`: names and the files that answer them, in images of files that `ld` made and of the machine's own.
// To accept new texts: OCILINT_APPROVE=1 ctest -R ^look
#include "report/elf.h"

#include "look_kit.h"
#include "support/elf_maker.h"

using namespace ocilint;
using namespace ocilint::testing;
namespace fs = std::filesystem;

namespace {

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// A folder of the machine as the only layer.
std::string tar_of(const fs::path& root) {
  test::TarWriter tar;
  test::TarMeta meta;
  meta.mode = 0755;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(root)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  for (const fs::path& path : paths) {
    const std::string name =
        fs::relative(path.parent_path(), root).lexically_normal().string() + "/" + path.filename().string();
    const std::string inside = name.starts_with("./") ? name.substr(2) : name;
    if (fs::is_symlink(path))
      tar.symlink(inside, fs::read_symlink(path).string());
    else if (fs::is_directory(path))
      tar.directory(inside);
    else
      tar.file(inside, read_file(path.string(), 64 << 20), meta);
  }
  return tar.finish();
}

TestImage image_of(const fs::path& root) {
  TestImage image;
  image.layer_tars.push_back(tar_of(root));
  image.created_by = {"RUN /bin/sh -c make install # buildkit"};
  return image;
}

ElfLook elf_of(const TestImage& image, const ElfQuestion& question) {
  ElfLook out = look_at(image, [&](const RunOptions& options) { return look_at_elf(options, question); });
  out.image.manifest_digest.clear();  // linkers differ
  out.image.stored_bytes = 0;
  out.bytes = 14000;
  return out;
}

// app needs libb by its RUNPATH, which needs libc0 and libd; libd is gone, and libd needs nobody.
constexpr const char* usual = R"sh(
so /lib64/ld-linux-x86-64.so.2 ld-linux-x86-64.so.2
runpath '$ORIGIN/../lib:/opt/none'
so /opt/x/lib/libb-1.5.so libb.so.1 $R @libc0.so @libd.so.2
ln -s libb-1.5.so opt/x/lib/libb.so.1
so /opt/x/lib/libc0.so libc0.so @libb.so.1
prog /opt/x/bin/app $R @libb.so.1 @libc0.so @libgone.so.3
mkdir -p usr/bin; ln -s ../../opt/x/bin/app usr/bin/app
echo '#!/bin/sh' > usr/bin/script
)sh";

}  // namespace

TEST_CASE("elf: the list, the tree, the symbols and the JSON are the approved ones") {
  if (!test::ElfMaker::possible()) {
    WARN("skipped: no binutils");
    return;
  }
  test::ElfMaker maker;
  const TestImage image = image_of(maker.make(usual));
  const ElfLook app = elf_of(image, {.path = "/usr/bin/app", .symbols = {}});
  check_approved("look/elf.txt", write_elf_text(app, looked_at(100)));
  check_approved("look/elf_tree.txt", write_elf_text(app, looked_at(100), true));
  check_approved("look/elf.json", without_version(write_elf_json(app), "version"));
  const ElfLook library = elf_of(image, {.path = "/opt/x/lib/libc0.so", .symbols = {"he.*"}});
  check_approved("look/elf_symbols.txt", write_elf_text(library, looked_at(100)));
}

TEST_CASE("elf: what is found, by which rule, and what is not") {
  if (!test::ElfMaker::possible()) {
    WARN("skipped: no binutils");
    return;
  }
  test::ElfMaker maker;
  const TestImage image = image_of(maker.make(usual));
  const ElfLook app = elf_of(image, {.path = "usr/bin//app", .symbols = {}});
  CHECK(app.file == "/opt/x/bin/app");
  CHECK(app.links.size() == 1);
  CHECK(app.loadable);
  CHECK(app.unread.empty());
  CHECK(app.layer == 0u);
  CHECK(app.runpath == "$ORIGIN/../lib:/opt/none");
  CHECK(app.missing() == 2);
  REQUIRE(app.names.size() >= 3);
  CHECK(app.names[0].name == "libb.so.1");
  CHECK(app.names[0].place == "RUNPATH");
  REQUIRE(app.names[0].provider);
  CHECK(app.objects[*app.names[0].provider].canonical == "/opt/x/lib/libb-1.5.so");
  CHECK(app.names[0].brings);
  CHECK(app.names[2].name == "libgone.so.3");
  CHECK(app.names[2].state == "missing");
  CHECK_FALSE(app.names[2].provider);
  CHECK_FALSE(app.names[2].searched.empty());
  // libc0 has no RUNPATH of its own, and libb is there already.
  const auto again = std::ranges::find_if(
      app.names, [](const ElfName& name) { return name.requester != 0 && name.name == "libb.so.1"; });
  REQUIRE(again != app.names.end());
  CHECK_FALSE(again->brings);
  CHECK(again->place == "RUNPATH, loaded before");
}

TEST_CASE("elf: symbols are those of the file that a whole name matches") {
  if (!test::ElfMaker::possible()) {
    WARN("skipped: no binutils");
    return;
  }
  test::ElfMaker maker;
  const TestImage image = image_of(maker.make(usual));
  const ElfLook some = elf_of(image, {.path = "/opt/x/lib/libc0.so", .symbols = {"h[a-e]re"}});
  REQUIRE(some.symbols.size() == 1);
  CHECK(some.symbols[0].name == "here");
  CHECK(some.symbols[0].exported);
  CHECK(elf_of(image, {.path = "/opt/x/lib/libc0.so", .symbols = {"her"}}).symbols.empty());
  CHECK_THROWS_AS(elf_of(image, {.path = "/opt/x/lib/libc0.so", .symbols = {"("}}), Error);
}

TEST_CASE("elf: a text, a directory and a name without a file are told apart") {
  if (!test::ElfMaker::possible()) {
    WARN("skipped: no binutils");
    return;
  }
  test::ElfMaker maker;
  const TestImage image = image_of(maker.make(std::string(usual) + "ln -s nowhere usr/bin/dangling\n"));
  const ElfLook script = elf_of(image, {.path = "/usr/bin/script", .symbols = {}});
  CHECK_FALSE(script.loadable);
  CHECK_FALSE(script.problem.empty());
  CHECK(script.unread.empty());
  CHECK(holds(write_elf_text(script, looked_at()), "no loader takes it"));
  for (const auto& [path, why] :
       std::map<std::string, std::string>{{"/usr/bin", "is a directory"},
                                          {"/usr/bin/nobody", "was never in the image"},
                                          {"/usr/bin/dangling", "leads to /usr/bin/nowhere"}}) {
    try {
      elf_of(image, {.path = path, .symbols = {}});
      FAIL_CHECK(path);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::usage);
      CHECK(holds(error.what(), why));
    }
  }
}

TEST_CASE("elf: a file that contradicts itself is not to be trusted, never called complete") {
  TestImage image = describe_image("layers: [{files: {/a.so: x}}]");
  test::TarWriter tar;
  std::string text =
      "\x7f"
      "ELF" +
      std::string("\2\1\1") + std::string(57, '\xff');
  tar.file("a.so", text);
  image.layer_tars[0] = tar.finish();
  const ElfLook look = elf_of(image, {.path = "/a.so", .symbols = {}});
  CHECK_FALSE(look.loadable);
  CHECK_FALSE(look.unread.empty());
  CHECK(holds(write_elf_text(look, looked_at()), "not to be trusted"));
}

TEST_CASE("elf: the machine's own programs find the C library, with the versions that they need") {
  const fs::path interpreter = "/lib64/ld-linux-x86-64.so.2", library = "/lib/x86_64-linux-gnu/libc.so.6";
  if (!fs::exists(interpreter) || !fs::exists(library)) {
    WARN("skipped: no glibc for x86-64 here");
    return;
  }
  const TempDir dir;
  for (const fs::path& path : {interpreter, library, fs::path("/usr/bin/env")}) {
    const fs::path to = dir / ("root" + path.string());
    fs::create_directories(to.parent_path());
    fs::copy_file(path, to);
  }
  const ElfLook look = elf_of(image_of(dir / "root"), {.path = "/usr/bin/env", .symbols = {}});
  REQUIRE(look.names.size() >= 1);
  const auto libc = std::ranges::find(look.names, "libc.so.6", &ElfName::name);
  REQUIRE(libc != look.names.end());
  REQUIRE(libc->provider);
  CHECK(look.objects[*libc->provider].canonical == library);
  CHECK(
      std::ranges::any_of(libc->versions, [](const std::string& version) { return version.starts_with("GLIBC_2."); }));
  CHECK(libc->versions_missing.empty());
  CHECK(look.versions_checked > 0);
  CHECK(look.interpreter == interpreter);
}

TEST_CASE("elf: hostile texts act on nothing, and a deep chain ends") {
  ElfLook look;
  look.image.full_reference = "oci:image";
  look.elf = look.loadable = look.symbols_asked = true;
  const std::string bad = hostile_text();
  for (std::string* const text : {&look.path, &look.file, &look.created_by, &look.problem, &look.soname,
                                  &look.interpreter, &look.interpreter_problem, &look.rpath, &look.runpath})
    *text = bad;
  look.links = look.versions_defined = look.version_faults = look.basis = look.unread = {bad};
  look.symbols.push_back({bad, bad, bad, "func", "global", true, true, bad});
  const auto chain = [&](std::size_t depth, const std::string& text) {
    look.objects.assign(depth + 1, {text, text, 0});
    look.names.clear();
    for (std::size_t i = 0; i < depth; ++i) {
      ElfName& name = look.names.emplace_back();
      name.requester = i;
      name.kind = "NEEDED";
      name.name = text;
      name.resolved = name.brings = true;
      name.state = "resolved";
      name.provider = i + 1;
    }
  };
  chain(4, bad);
  for (ElfName& name : look.names) {
    name.reason = bad;
    name.searched = name.versions = name.versions_missing = {bad};
  }
  look.names.push_back(look.names.front());
  look.names.back().resolved = false;
  look.names.back().state = "missing";
  look.names.back().provider.reset();
  for (const std::size_t width : {0u, 40u, 100u})
    for (const bool tree : {false, true}) CHECK(acting(write_elf_text(look, looked_at(width), tree), true) == "");
  CHECK(acting(write_elf_json(look), false) == "");
  chain(10'000, "n");
  const std::string tree = write_elf_text(look, looked_at(), true);
  CHECK(tree.size() < 64 * 1024);
  CHECK(holds(tree, "deeper ones are not shown"));
}
