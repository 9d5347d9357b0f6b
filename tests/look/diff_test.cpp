// `ocilint diff`: what differs is said once, with its package and layer; what is equal is not said.
// To accept new texts: OCILINT_APPROVE=1 ctest -R ^look
#include "report/diff.h"

#include "look_kit.h"
#include "support/elf_maker.h"

using namespace ocilint;
using namespace ocilint::testing;
namespace fs = std::filesystem;

namespace {

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

ImageDiff diff_of(const TestImage& before, const TestImage& after, bool ignore_timestamps = false) {
  const TempDir dir;
  DiffQuestion question{write_oci_layout(after, dir / "after"), ignore_timestamps};
  ImageDiff out = diff_images(look_options(write_oci_layout(before, dir / "before")), question);
  out.before.reference = out.before.full_reference = "oci:before";
  out.after.reference = out.after.full_reference = "oci:after";
  return out;
}

const DiffFile* find(const ImageDiff& diff, const std::string& path) {
  const auto file = std::ranges::find(diff.files, path, &DiffFile::path);
  return file == diff.files.end() ? nullptr : &*file;
}

std::string stanza(const std::string& name, const std::string& version) {
  return "Package: " + name + "\nStatus: install ok installed\nArchitecture: amd64\nVersion: " + version + "\n\n";
}

constexpr const char* base_layer = R"(
- run: FROM debian
  files: {/etc/same: same, /etc/mode: m, /bin/x: {content: one, mode: '0755'}, /gone/a: a, /gone/b: bb}
  links: {/l: etc/same}
)";

/// A description with real line ends of a status file in it.
TestImage described(std::string yaml, const std::string& status) {
  const std::size_t at = yaml.find("{STATUS}");
  std::string quoted;
  for (const char byte : status) quoted += byte == '\n' ? std::string("\\n") : std::string(1, byte);
  yaml.replace(at, 8, quoted);
  return describe_image(yaml);
}

TestImage first() {
  return described(std::string("config: {user: app, env: [A=1, GONE=x], cmd: [sh, -c], labels: {k: v}}\nlayers:") +
                       base_layer +
                       R"(
- run: RUN apt-get install libx
  files:
    /var/lib/dpkg/info/libx.list: "/.\n/usr\n/usr/lib\n/usr/lib/libx.so.1\n"
    /var/lib/dpkg/status: "{STATUS}"
    /usr/lib/libx.so.1: old
)",
                   stanza("libx", "1.0") + stanza("tool", "3"));
}

TestImage second() {
  return described(std::string("config: {user: root, env: [A=2, NEW=y], cmd: ['sh -c'], labels: {k: v}}\nlayers:") +
                       base_layer +
                       R"(
- run: RUN apt-get install libx=1.1
  files:
    /var/lib/dpkg/info/libx.list: "/.\n/usr\n/usr/lib\n/usr/lib/libx.so.1\n"
    /var/lib/dpkg/status: "{STATUS}"
    /usr/lib/libx.so.1: new
- run: COPY app /opt/app && rm -r /gone
  files: {/opt/app: program, /etc/mode: {content: m, mode: '0600', owner: '5:6'}}
  links: {/bin/x: /opt/app}
  remove: [/gone, /l]
)",
                   stanza("libx", "1.1") + stanza("other", "2"));
}

}  // namespace

TEST_CASE("diff: the text, the text for a file and the JSON are the approved ones") {
  const ImageDiff diff = diff_of(first(), second());
  check_approved("look/diff.txt", write_diff_text(diff, looked_at(100)));
  check_approved("look/diff_file.txt", write_diff_text(diff, looked_at(0), true));
  check_approved("look/diff.json", without_version(write_diff_json(diff), "version"));
}

TEST_CASE("diff: each difference is found, with its package and layer") {
  const ImageDiff diff = diff_of(first(), second());
  CHECK(diff.unread.empty());
  CHECK(diff.equal_layers == 1);
  CHECK_FALSE(diff.equal());
  std::vector<std::string> fields;
  for (const DiffField& field : diff.fields) fields.push_back(field.name);
  CHECK(fields == std::vector<std::string>{"cmd", "env A", "env GONE", "env NEW", "user"});
  REQUIRE(diff.packages.size() == 3);
  CHECK(diff.packages[0].name == "libx");
  CHECK(diff.packages[0].after == "1.1");
  CHECK(diff.packages[1].change == Change::added);
  CHECK(diff.packages[2].change == Change::removed);
  const DiffFile* const library = find(diff, "/usr/lib/libx.so.1");
  REQUIRE(library != nullptr);
  CHECK(library->what == std::vector<std::string>{"content"});
  CHECK(library->package == "libx");
  CHECK(library->layer_after == 1u);
  const DiffFile* const mode = find(diff, "/etc/mode");
  REQUIRE(mode != nullptr);
  CHECK(mode->what == std::vector<std::string>{"mode 0644 -> 0600", "owner 0:0 -> 5:6"});
  const DiffFile* const type = find(diff, "/bin/x");
  REQUIRE(type != nullptr);
  CHECK(holds(type->what[0], "to /opt/app"));
  for (const char* const gone : {"/gone", "/gone/a", "/gone/b", "/l"}) {
    INFO(gone);
    REQUIRE(find(diff, gone) != nullptr);
    CHECK(find(diff, gone)->change == Change::removed);
    CHECK(find(diff, gone)->layer_after == 2u);
  }
  CHECK(find(diff, "/opt/app")->change == Change::added);
  CHECK(find(diff, "/etc/same") == nullptr);
  CHECK(diff.history.size() == 3);
}

TEST_CASE("diff: packages of apk, Python and Node, and the files that they own") {
  const auto image = [](const std::string& musl, const std::string& dist, const std::string& module) {
    return describe_image("layers:\n- run: RUN apk add\n  files:\n    /lib/apk/db/installed: \"P:musl\\nV:" + musl +
                          "\\nA:x86_64\\nF:lib\\nR:ld-musl.so.1\\n\\n\"\n    /lib/ld-musl.so.1: '" + musl + "'\n" +
                          "    /usr/lib/python3.11/site-packages/one-" + dist +
                          ".dist-info/METADATA: \"Metadata-Version: 2.1\\nName: one\\nVersion: " + dist + "\\n\"\n" +
                          "    /usr/bin/python3.11: x\n" +
                          "    /srv/node_modules/mod/package.json: '{\"name\": \"mod\", \"version\": \"" + module +
                          "\"}'\n");
  };
  const ImageDiff diff = diff_of(image("1.2.4-r0", "1.0", "3.0.0"), image("1.2.5-r1", "1.1", "3.0.0"));
  INFO(write_diff_text(diff, looked_at(110)));
  CHECK(diff.unread.empty());
  REQUIRE(diff.packages.size() == 2);
  CHECK(diff.packages[0].title() == "musl");
  CHECK(diff.packages[0].manager == "apk");
  CHECK(diff.packages[0].before == "1.2.4-r0");
  CHECK(diff.packages[0].after == "1.2.5-r1");
  CHECK(diff.packages[1].title() == "one (python)");
  CHECK(diff.packages[1].after == "1.1");
  REQUIRE(find(diff, "/lib/ld-musl.so.1") != nullptr);
  CHECK(find(diff, "/lib/ld-musl.so.1")->package == "musl");
  CHECK(diff_of(image("1", "1", "1"), image("1", "1", "2")).packages[0].title() == "mod (node)");
}

TEST_CASE("diff: an image is equal to itself, and to one of other layers with the same files") {
  CHECK(diff_of(first(), first()).equal());
  CHECK(write_diff_text(diff_of(first(), first()), looked_at()).ends_with("no difference\n"));
  const TestImage two = describe_image("layers: [{run: a, files: {/a: x}}, {run: a, files: {/b: y}}]");
  TestImage one = describe_image("layers: [{run: a, files: {/a: x, /b: y}}]");
  CHECK(diff_of(two, two).equal());
  const ImageDiff diff = diff_of(two, one);
  CHECK(diff.files.empty());
  CHECK(diff.history.size() == 1);
  CHECK(diff.equal_layers == 0);
}

TEST_CASE("diff: times count unless they are to be ignored") {
  TestImage one = describe_image("layers: [{files: {/a: x, /b: y}}]"), two = one;
  test::TarWriter tar;
  test::TarMeta meta;
  meta.mode = 0644;
  tar.file("a", "x", meta);
  meta.mtime += 100;
  tar.file("b", "y", meta);
  two.layer_tars[0] = tar.finish();
  two.config_extra["created"] = "2026-01-01T00:00:00Z";
  const ImageDiff strict = diff_of(one, two);
  REQUIRE(strict.files.size() == 1);
  CHECK(strict.files[0].only_time());
  CHECK(strict.fields.size() == 1);
  CHECK(holds(write_diff_text(strict, looked_at()), "1 only in time"));
  CHECK(diff_of(one, two, true).equal());
}

TEST_CASE("diff: files of equal size are told apart by their bytes, wherever they stand") {
  const TestImage one = describe_image("layers: [{files: {/a: abc, /b: same}}]");
  const TestImage two = describe_image("layers: [{files: {/b: same}}, {files: {/a: abd}}]");
  const ImageDiff diff = diff_of(one, two, true);
  REQUIRE(diff.files.size() == 1);
  CHECK(diff.files[0].path == "/a");
}

TEST_CASE("diff: symbols, names and versions of a library that changed, also under another file name") {
  if (!test::ElfMaker::possible()) {
    WARN("skipped: no binutils");
    return;
  }
  test::ElfMaker maker;
  const auto made = [&](const std::string& file, const std::string& symbols, const std::string& more) {
    std::string steps = "mkdir -p usr/lib; printf '";
    std::string map = "V_1 { global: ";
    std::istringstream names(symbols);
    for (std::string name; names >> name;) {
      steps += ".globl " + name + "\\n" + name + ": .long 1\\n";
      map += name + "; ";
    }
    steps += "' > ../x.s; as -o ../x.o ../x.s; echo '" + map +
             "local: *; };' > ../x.map; ld -shared --version-script=../x.map "
             "-soname libx.so.1 -o usr/lib/" +
             file + " ../x.o " + more + "\nln -s " + file + " usr/lib/libx.so.1\n";
    const fs::path root = maker.make(steps);
    TestImage image = describe_image("layers: [{files: {/a: x}}]");
    test::TarWriter tar;
    tar.file("usr/lib/" + file, read_file((root / "usr/lib" / file).string(), 1 << 20));
    tar.symlink("usr/lib/libx.so.1", file);
    image.layer_tars[0] = tar.finish();
    return image;
  };
  const TestImage one = made("libx-1.so", "kept gone", "");
  for (const char* const file : {"libx-1.so", "libx-2.so"}) {
    INFO(file);
    const ImageDiff diff = diff_of(one, made(file, "kept fresh", ""), true);
    CHECK(diff.unread.empty());
    REQUIRE(diff.libraries.size() == 1);
    CHECK(diff.libraries[0].before == "/usr/lib/libx-1.so");
    CHECK(diff.libraries[0].after == std::string("/usr/lib/") + file);
    CHECK(diff.libraries[0].symbols_removed == std::vector<std::string>{"gone@@V_1"});
    CHECK(diff.libraries[0].symbols_added == std::vector<std::string>{"fresh@@V_1"});
    CHECK(holds(write_diff_text(diff, looked_at()), "- gone@@V_1"));
  }
  const ImageDiff same = diff_of(one, made("libx-1.so", "gone kept", "--build-id"), true);
  CHECK(same.libraries.empty());
  CHECK_FALSE(same.files.empty());
}

TEST_CASE("diff: no value of a secret is in any output") {
  const std::string secret = std::string("Kx9") + "vT2" + "qLm7Rw" + "Zp4Da",
                    other = std::string("Kx9") + "vT2" + "qLm7Rw" + "Zp4Db";
  TestImage one = describe_image("layers: [{run: a, files: {/a: x}}]"), two = one;
  one.config["Env"] = {"DEPLOY_TOKEN=" + secret};
  two.config["Env"] = {"DEPLOY_TOKEN=" + other};
  two.created_by = {"RUN DEPLOY_TOKEN=" + other + " deploy"};
  const ImageDiff diff = diff_of(one, two);
  CHECK(diff.fields.size() == 1);
  for (const std::string& text : {write_diff_text(diff, looked_at()), write_diff_json(diff)})
    for (const std::string& value : {secret, other}) CHECK_FALSE(holds(text, value));
}

TEST_CASE("diff: a database that was taken away is not to be trusted, never equal") {
  TestImage image = first();
  test::TarWriter tar;
  tar.whiteout("var/lib/dpkg");
  image.layer_tars.push_back(tar.finish());
  const ImageDiff diff = diff_of(image, image);
  CHECK(diff.equal());
  CHECK(diff.unread.size() == 2);
  CHECK_FALSE(parse_json(write_diff_json(diff))["equal"].get<bool>());
  CHECK(holds(write_diff_text(diff, looked_at()), "no difference in what could be compared"));
}

TEST_CASE("diff: hostile texts act on nothing") {
  ImageDiff diff;
  const std::string bad = hostile_text();
  diff.before.full_reference = diff.after.full_reference = bad;
  diff.layer_lines = diff.unread = {bad};
  diff.fields = {{bad, Change::changed, bad, bad}, {bad, Change::added, "", bad}, {bad, Change::removed, bad, ""}};
  diff.history = {{Change::added, 1, bad, bad}, {Change::removed, 1, "", bad}};
  diff.packages = {{bad, "dpkg", Change::changed, bad, bad}};
  diff.files = {{bad, Change::changed, {"content", bad}, 1, 2, bad, 0, 0},
                {bad, Change::added, {bad}, {}, {}, bad, 0, {}}};
  diff.libraries = {{bad, bad, bad, "", {bad}, {bad}, {bad}, {bad}}};
  for (const std::size_t width : {0u, 40u, 100u}) CHECK(acting(write_diff_text(diff, looked_at(width)), true) == "");
  CHECK(acting(write_diff_json(diff), false) == "");
}

TEST_CASE("diff: every fixture is equal to itself, or is refused for what it is") {
  for (const std::string& reference : fixture_references()) {
    INFO(reference);
    try {
      const ImageDiff diff = diff_images(look_options(reference), {reference, false});
      CHECK(diff.equal());
    } catch (const Error& error) {
      CHECK(error.kind() != ErrorKind::internal);
    }
  }
}
