// `ocilint find`: each condition alone and together.
#include "look/find.h"

#include "look/stat.h"
#include "look_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

constexpr const char* usual_image = R"(
layers:
  - directories: [/etc]
    files:
      /etc/a.conf: '0123456789'
      /usr/bin/su: {content: x, mode: '4755'}
      /home/u/note: {content: '', owner: '1000:100'}
      /var/lib/dpkg/status: "Package: tool\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1\n\n"
      /var/lib/dpkg/info/format: "1\n"
      /var/lib/dpkg/info/tool.list: "/.\n/bin\n/bin/su\n/etc\n"
    links: {/bin: usr/bin, /etc/link: a.conf}
  - files: {/etc/b.conf: {content: '01', mode: '666'}, /home/u/new: {content: x, owner: '1000:1000'}}
)";

std::vector<std::string> found(const FindOptions& wanted) {
  const FileList files =
      look_at(describe_image(usual_image), [&](const RunOptions& options) { return find_files(options, wanted); });
  std::vector<std::string> out;
  for (const FileRow& row : files.rows) out.push_back(row.path);
  return out;
}

PathSet paths(std::initializer_list<const char*> globs) {
  PathSet out;
  for (const char* const glob : globs) out.include.push_back(Glob::parse(glob));
  return out;
}
using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("find: by where it is") {
  CHECK(found({.paths = paths({"/etc/*.conf"})}) == Paths{"/etc/a.conf", "/etc/b.conf"});
  CHECK(found({.paths = paths({"/bin/*", "**/note"})}) == Paths{"/bin/su", "/home/u/note"});
  CHECK(found({.paths = paths({"/nowhere/**"})}).empty());
  CHECK(found({}).size() == 19);
}

TEST_CASE("find: by what it is") {
  CHECK(found({.type = EntryType::symlink}) == Paths{"/bin", "/etc/link"});
  CHECK(found({.paths = paths({"/etc/**"}), .sizes = {SizeTerm::parse("+3")}}) == Paths{"/etc/a.conf"});
  CHECK(found({.paths = paths({"/etc/**", "/home/**"}), .sizes = {SizeTerm::parse("+1"), SizeTerm::parse("-2")}}) ==
        Paths{"/etc/b.conf", "/home/u/new"});
  CHECK(found({.sizes = {SizeTerm::parse("0")}}) == Paths{"/home/u/note"});
  CHECK(found({.mode = ModeSpec::parse("u+s")}) == Paths{"/usr/bin/su"});
  CHECK(found({.type = EntryType::file, .mode = ModeSpec::parse("0666")}) == Paths{"/etc/b.conf"});
  CHECK(found({.mode = ModeSpec::parse("o+w")}) == Paths{"/etc/b.conf"});
}

TEST_CASE("find: by whose it is") {
  CHECK(found({.owner = "1000"}) == Paths{"/home/u/new", "/home/u/note"});
  CHECK(found({.owner = "1000:100"}) == Paths{"/home/u/note"});
  CHECK(found({.owner = ":1000"}) == Paths{"/home/u/new"});
  CHECK(found({.layer = 1}) == Paths{"/etc/b.conf", "/home/u/new"});
  // The list names it through a link; it is found where it stands.
  CHECK(found({.package = "tool"}) == Paths{"/bin", "/etc", "/usr/bin/su"});
  CHECK(found({.type = EntryType::file, .package = "tool"}) == Paths{"/usr/bin/su"});
  CHECK(found({.paths = paths({"/bin/*"}), .package = "tool"}) == Paths{"/bin/su"});
}

TEST_CASE("find: conditions that mean nothing are mistakes") {
  CHECK_THROWS_AS(found({.owner = "root"}), Error);
  CHECK_THROWS_AS(found({.package = "absent"}), Error);
  CHECK_THROWS_AS(found({.layer = 2}), Error);
  for (const char* const size : {"", "+", "x", "1T", "+-1", "99999999999999999999", "18446744073709551615K"})
    CHECK_THROWS_AS(SizeTerm::parse(size), Error);
  CHECK(SizeTerm::parse("2K").bytes == 2048);
  CHECK(SizeTerm::parse("+1G").bytes == 1u << 30);
  CHECK_THROWS_AS(parse_type("x"), Error);
  CHECK(parse_type("d") == EntryType::directory);
  CHECK(parse_type("link") == EntryType::symlink);
}

TEST_CASE("find: a package of apk and of Python too, and none that cannot say its files") {
  const std::string apk = "P:musl\\nV:1.2-r0\\nA:x86_64\\nF:lib\\nR:ld-musl.so\\n\\n",
                    site = "/usr/lib/python3.11/site-packages";
  const TestImage image =
      describe_image("layers:\n  - files: {/lib/apk/db/installed: \"" + apk + "\", /lib/ld-musl.so: x, /lib/own: x, " +
                     site + "/six.py: s, " + site + "/six-1.dist-info/METADATA: \"Name: six\\nVersion: 1\\n\\n\", " +
                     site + "/six-1.dist-info/RECORD: \"six.py,,\\n\", /usr/bin/python3.11: x}\n");
  const auto of = [&](const std::string& package) {
    const FileList files = look_at(image, [&](const RunOptions& options) {
      return find_files(options, {.type = EntryType::file, .package = package});
    });
    Paths out;
    for (const FileRow& row : files.rows) out.push_back(row.path);
    return out;
  };
  CHECK(of("musl") == Paths{"/lib/ld-musl.so"});
  CHECK(of("six") == Paths{site + "/six.py"});
  CHECK_THROWS_AS(of("absent"), Error);
  const auto story =
      look_at(image, [&](const RunOptions& options) { return look_at_file(options, {"/lib/ld-musl.so"}); });
  CHECK(story.packages == Paths{"musl 1.2-r0 (apk)"});
  CHECK(story.packages_problem == "");
  const auto none = look_at(image, [&](const RunOptions& options) { return look_at_file(options, {"/lib/own"}); });
  CHECK(none.packages.empty());
  CHECK(none.packages_problem == "");
  CHECK(!none.packages_unread);
  const TestImage broken = describe_image("layers: [{files: {/lib/apk/db/installed: 'no stanza at all', /a: x}}]");
  CHECK_THROWS_AS(look_at(broken, [&](const RunOptions& options) { return find_files(options, {.package = "musl"}); }),
                  Error);
  const auto unread = look_at(broken, [&](const RunOptions& options) { return look_at_file(options, {"/a"}); });
  CHECK(unread.packages_problem.find("/lib/apk/db/installed") != std::string::npos);
  CHECK(unread.packages_unread);
  const TestImage bare = describe_image("layers: [{files: {/a: x}}]");
  const auto alone = look_at(bare, [&](const RunOptions& options) { return look_at_file(options, {"/a"}); });
  CHECK(alone.packages_problem != "");
  CHECK(!alone.packages_unread);
}
