#include "facts/os_release.h"

#include <catch2/catch.hpp>

#include "base/error.h"
#include "facts/limits.h"

using namespace ocilint;

TEST_CASE("os-release is read as a shell would", "[os_release]") {
  const auto release = OsRelease::parse(
      "# Debian\n"
      "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"
      "ID=debian\n"
      "VERSION_ID='12'\n"
      "VERSION_CODENAME=bookworm   # the release\n"
      "ID_LIKE=\"rhel  fedora\"\n"
      "ODD=\"a \\\"b\\\" \\\\ \\$x \\y\"\n"
      "PIECES=a'b c'\"d\"\\ e\n"
      "  INDENTED=1\n"
      "EMPTY=\n"
      "LAST=2");
  CHECK(release.id() == "debian");
  CHECK(release.version_id() == "12");
  CHECK(release.version_codename() == "bookworm");
  CHECK(release.pretty_name() == "Debian GNU/Linux 12 (bookworm)");
  CHECK(release.id_like() == std::vector<std::string_view>{"rhel", "fedora"});
  CHECK(release.find("ODD") == "a \"b\" \\ $x \\y");
  CHECK(release.find("PIECES") == "ab cd e");
  CHECK(release.find("INDENTED") == "1");
  CHECK(release.find("EMPTY") == "");
  CHECK(release.find("LAST") == "2");
  CHECK_FALSE(release.find("id"));
  CHECK(release.notes.empty());
}

TEST_CASE("an os-release without ID is linux, without VERSION_ID has none", "[os_release]") {
  const auto release = OsRelease::parse("");
  CHECK(release.id() == "linux");
  CHECK(release.version_id().empty());
  CHECK(release.id_like().empty());
}

TEST_CASE("oddities of os-release are noted with their line", "[os_release]") {
  const auto release = OsRelease::parse("ID=a\nnonsense\nID=b\r\n1X=2\nV=$(id)\nW=a b\n");
  CHECK(release.id() == "b");
  CHECK(release.find("V") == "$(id)");
  CHECK(release.find("W") == "a");
  CHECK(release.notes == Notes{"line 2: no assignment", "line 3: a CR at the end", "line 3: ID is set again",
                               "line 4: no assignment", "line 5: an expansion, which is not done",
                               "line 6: text behind the value"});
}

TEST_CASE("an os-release that cannot be trusted is refused", "[os_release]") {
  using Catch::Contains;
  CHECK_THROWS_WITH(OsRelease::parse("ID=a\nVERSION_ID=\"12\n"), Contains("line 2"));
  CHECK_THROWS_WITH(OsRelease::parse("ID='a\nb'\n"), Contains("line 1"));
  CHECK_THROWS_WITH(OsRelease::parse("ID=\"a\\"), Contains("line 1"));
  CHECK_THROWS_WITH(OsRelease::parse(std::string("ID=a\n\0", 6)), Contains("line 2") && Contains("NUL"));
  try {
    OsRelease::parse(std::string(small_text_bytes + 1, '\n'));
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::limit);
  }
}

TEST_CASE("a bad file makes a bounded number of notes", "[os_release]") {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "bad\n";
  const auto release = OsRelease::parse(text);
  CHECK(release.notes.size() == notes_kept + 1);
  CHECK(release.notes.back() == "more of them from line 101 on");
}
