// `ocilint ls`, `stat` and `cat`. To accept new texts: OCILINT_APPROVE=1 ctest -R ^look
#include "report/files.h"

#include "look/ls.h"
#include "look_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

constexpr const char* usual_image = R"(
layers:
  - run: ADD rootfs.tar /
    directories: [/usr/lib, /etc]
    files:
      /usr/lib/libx.so.1.0: {content: ELFELFELF, mode: '755'}
      /etc/secret: {content: root only, mode: '4600', owner: '7:8'}
      /etc/old: gone soon
      /var/lib/dpkg/status: "Package: libx1\nStatus: install ok installed\nArchitecture: amd64\nMulti-Arch: same\nVersion: 1.0-2\n\n"
      /var/lib/dpkg/info/format: "1\n"
      "/var/lib/dpkg/info/libx1:amd64.list": "/.\n/usr\n/usr/lib\n/usr/lib/libx.so.1.0\n/lib/libx.so.1\n"
    links: {/lib: usr/lib, /usr/lib/libx.so.1: libx.so.1.0, /etc/dangling: nowhere, /etc/circle: circle}
    hardlinks: {/usr/lib/alias.so: /usr/lib/libx.so.1.0}
  - run: RUN /bin/sh -c rm /etc/old && echo new >/etc/secret
    files: {/etc/secret: "new\n"}
    remove: [/etc/old]
)";

template <typename Look, typename Options>
auto with_usual(Look look, const Options& wanted) {
  return look_at(describe_image(usual_image), [&](const RunOptions& options) { return look(options, wanted); });
}

std::vector<std::string> paths_of(const FileList& files) {
  std::vector<std::string> out;
  for (const FileRow& row : files.rows) out.push_back(row.path);
  return out;
}
using Paths = std::vector<std::string>;

std::string complaint(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.what();
  }
  return "nothing was thrown";
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("ls: a folder, a folder behind a link, a file, and everything below") {
  CHECK(paths_of(with_usual(look_at_folder, ListOptions{})) == Paths{"/etc", "/lib", "/usr", "/var"});
  const Paths libraries{"/usr/lib/alias.so", "/usr/lib/libx.so.1", "/usr/lib/libx.so.1.0"};
  CHECK(paths_of(with_usual(look_at_folder, ListOptions{.path = "/lib"})) == libraries);
  CHECK(paths_of(with_usual(look_at_folder, ListOptions{.path = "lib/../usr/lib/"})) == libraries);
  CHECK(paths_of(with_usual(look_at_folder, ListOptions{.path = "/etc/secret"})) == Paths{"/etc/secret"});
  CHECK(paths_of(with_usual(look_at_folder, ListOptions{.path = "/etc/dangling"})) == Paths{"/etc/dangling"});
  CHECK(paths_of(with_usual(look_at_folder, ListOptions{.path = "/usr", .recursive = true})) ==
        Paths{"/usr/lib", "/usr/lib/alias.so", "/usr/lib/libx.so.1", "/usr/lib/libx.so.1.0"});
}

TEST_CASE("ls --layer: as it was then") {
  CHECK(paths_of(with_usual(look_at_folder, ListOptions{.path = "/etc", .layer = 0})) ==
        Paths{"/etc/circle", "/etc/dangling", "/etc/old", "/etc/secret"});
  CHECK(paths_of(with_usual(look_at_folder, ListOptions{.path = "/etc", .layer = 1})) ==
        Paths{"/etc/circle", "/etc/dangling", "/etc/secret"});
  CHECK(holds(complaint([] { with_usual(look_at_folder, ListOptions{.layer = 2}); }), "0 to 1"));
}

TEST_CASE("what is not there is said, with who removed it") {
  const auto why = [](std::string path) {
    return complaint([&] { with_usual(look_at_folder, ListOptions{.path = path}); });
  };
  CHECK(why("/etc/old") == "/etc/old: is gone since layer 1 (RUN rm /etc/old && echo new >/etc/secret)");
  CHECK(why("/nowhere/at/all") == "/nowhere/at/all: was never in the image");
  CHECK(holds(why("/etc/secret/x"), "/etc/secret is no directory"));
  CHECK(holds(why("/etc/dangling/x"), "its link /etc/dangling leads to /etc/nowhere, which was never"));
  CHECK(holds(why("/etc/circle/x"), "in a circle"));
}

TEST_CASE("ls: the approved texts") {
  const FileList files = with_usual(look_at_folder, ListOptions{.path = "/", .recursive = true});
  check_approved("look/ls.txt", write_files_text(files, looked_at(), false, true));
  check_approved("look/ls_long.txt", write_files_text(files, looked_at(), true, true));
  check_approved("look/ls.json", without_version(write_files_json(files, "ls"), "version"));
}

TEST_CASE("stat: links, names, owner, digest and package") {
  const FileStory story = with_usual(look_at_file, StatOptions{"/lib/libx.so.1"});
  CHECK(story.file.path == "/usr/lib/libx.so.1.0");
  REQUIRE(story.links.size() == 2);
  CHECK(story.links[0] == std::pair<std::string, std::string>("/lib", "usr/lib"));
  CHECK(story.links[1] == std::pair<std::string, std::string>("/usr/lib/libx.so.1", "libx.so.1.0"));
  CHECK(story.names == Paths{"/usr/lib/alias.so", "/usr/lib/libx.so.1.0"});
  CHECK(story.sha256 == Digest::sha256_of(std::string_view("ELFELFELF")).text());
  CHECK(story.packages == Paths{"libx1:amd64 1.0-2"});
  CHECK(story.layer_title == "layer 0 (ADD rootfs.tar /)");
  check_approved("look/stat.txt", write_stat_text(story, looked_at()));
  check_approved("look/stat.json", without_version(write_stat_json(story), "version"));

  const FileStory link = with_usual(look_at_file, StatOptions{.path = "/lib/libx.so.1", .follow = false});
  CHECK(link.file.path == "/usr/lib/libx.so.1");
  CHECK(link.file.type == EntryType::symlink);
  CHECK(link.sha256.empty());
  CHECK(link.packages == Paths{"libx1:amd64 1.0-2"});
  const FileStory implied = with_usual(look_at_file, StatOptions{"/var"});
  CHECK_FALSE(implied.file.layer);
  CHECK(implied.packages.empty());
}

TEST_CASE("cat: the exact bytes, after all layers or one") {
  CHECK(with_usual(look_into_file, CatOptions{"/etc/secret", {}}).content == "new\n");
  CHECK(with_usual(look_into_file, CatOptions{"/etc/secret", 0}).content == "root only");
  CHECK(with_usual(look_into_file, CatOptions{"/etc/old", 0}).content == "gone soon");
  CHECK(with_usual(look_into_file, CatOptions{"/lib/libx.so.1", {}}).content == "ELFELFELF");
  CHECK(holds(complaint([] {
                with_usual(look_into_file, CatOptions{"/etc", {}});
              }),
              "a directory, not a regular file"));
  CHECK(holds(complaint([] { with_usual(look_into_file, CatOptions{"/etc/old", {}}); }), "gone since layer 1"));
}

TEST_CASE("cat: to a terminal, a file can neither act nor show what the documents keep secret") {
  const std::string secret = std::string("Kx9") + "vT2qLm7Rw" + "Zp4Dz";
  TestImage image;
  test::TarWriter tar;
  const std::string text = "a\x1b[2J" + hostile_text() + "\n::error::x\n  ##[error]\nDEPLOY=" + secret + "\n";
  tar.file("f", text, {});
  image.layer_tars = {tar.finish()};
  image.config["Env"] = {"DEPLOY_TOKEN=" + secret};
  const FileContent content = look_at(image, [](const RunOptions& options) {
    return look_into_file(options, {"/f", {}});
  });
  CHECK(content.content == text);
  CHECK(acting(write_content_text(content), true) == "");
  CHECK_FALSE(holds(write_content_text(content), secret));
  CHECK(acting(write_content_json(content), false) == "");
}

TEST_CASE("ls and stat: hostile names act on nobody") {
  TestImage image;
  test::TarWriter tar;
  const std::string name = hostile_text().substr(1);
  tar.file(name, "x", {});
  tar.symlink("link", name);
  image.layer_tars = {tar.finish()};
  image.created_by = {"RUN \x1b[31m ::x"};
  const FileList files = look_at(
      image, [](const RunOptions& options) { return look_at_folder(options, {.path = "/", .recursive = true}); });
  CHECK(files.rows.size() >= 2);
  for (const bool details : {false, true})
    for (const bool full : {false, true})
      CHECK(acting(write_files_text(files, looked_at(), details, full), true) == "");
  CHECK(acting(write_files_json(files, "ls"), false) == "");
  const FileStory story = look_at(
      image, [](const RunOptions& options) { return look_at_file(options, {.path = "/link", .follow = true}); });
  CHECK(story.file.type == EntryType::file);
  for (const std::size_t width : {0u, 40u, 100u}) CHECK(acting(write_stat_text(story, looked_at(width)), true) == "");
  CHECK(acting(write_stat_json(story), false) == "");
}

TEST_CASE("ls: every fixture is listed or refused") {
  std::size_t shown = 0;
  for (const std::string& reference : fixture_references()) {
    INFO(reference);
    try {
      const FileList files = look_at_folder(look_options(reference), {.path = "/", .recursive = true});
      ++shown;
      CHECK(std::ranges::adjacent_find(files.rows, std::ranges::equal_to{}, &FileRow::path) == files.rows.end());
      CHECK(acting(write_files_text(files, looked_at(), true, true), true) == "");
    } catch (const Error& error) {
      CHECK(error.kind() != ErrorKind::internal);
    }
  }
  if (std::filesystem::is_directory(fixtures)) CHECK(shown > 40);
}

TEST_CASE("modes and times as ls writes them") {
  CHECK(mode_letters(EntryType::file, 0644) == "-rw-r--r--");
  CHECK(mode_letters(EntryType::file, 04755) == "-rwsr-xr-x");
  CHECK(mode_letters(EntryType::file, 06644) == "-rwSr-Sr--");
  CHECK(mode_letters(EntryType::directory, 01777) == "drwxrwxrwt");
  CHECK(mode_letters(EntryType::fifo, 01000) == "p--------T");
  CHECK(time_text(0) == "1970-01-01 00:00:00");
  CHECK(time_text(1704164645) == "2024-01-02 03:04:05");
  CHECK(time_text(-1) == "1969-12-31 23:59:59");
  CHECK(time_text(std::int64_t{1} << 60) == "@1152921504606846976");
}
