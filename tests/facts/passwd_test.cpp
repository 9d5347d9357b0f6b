#include "facts/passwd.h"

#include <catch2/catch.hpp>

#include "base/error.h"
#include "facts/limits.h"

using namespace ocilint;

TEST_CASE("passwd", "[passwd]") {
  const auto file = Passwd::parse(
      "root:x:0:0:root:/root:/bin/bash\n"
      "app::1000:1000:,,,:/home/app:\n"
      "app:*:0:0::/:/bin/sh\n"
      "toor:!:000:0::/root:/bin/sh\n");
  REQUIRE(file.entries.size() == 4);
  REQUIRE(file.find("root"));
  CHECK(file.find("root")->uid == 0);
  CHECK(file.find("root")->shell == "/bin/bash");
  CHECK(file.find("root")->password.kind == PasswordKind::shadowed);
  CHECK(file.find("app")->uid == 1000);
  CHECK(file.find("app")->password.kind == PasswordKind::empty);
  CHECK(file.find("app")->line == 2);
  CHECK(file.find("toor")->uid == 0);
  CHECK(file.find(1000u)->name == "app");
  CHECK(file.find(0u)->name == "root");
  CHECK_FALSE(file.find("nobody"));
  CHECK_FALSE(file.find(7u));
  CHECK(file.malformed.empty());
  CHECK(file.notes == Notes{"line 3: another entry for app", "line 3: another entry with user id 0",
                            "line 4: another entry with user id 0", "line 4: a number with leading zeros"});
}

TEST_CASE("a line that is no entry is reported", "[passwd]") {
  for (const auto line : {"root:x:0:0:root:/root", "root:x:0:0:a:b:/root:/bin/sh", ":x:0:0::/:/", "a:x::0::/:/",
                          "a:x:-1:0::/:/", "a:x:+1:0::/:/", "a:x: 1:0::/:/", "a:x:0x1:0::/:/", "a:x:1e3:0::/:/",
                          "a:x:4294967295:0::/:/", "a:x:4294967296:0::/:/", "a:x:18446744073709551616:0::/:/",
                          "a:x:1:4294967295::/:/", "+::::::", "-a::::::", "a"}) {
    INFO(line);
    const auto file = Passwd::parse(std::string(line) + "\nlast:x:1:1::/:/bin/sh");
    CHECK(file.entries.size() == 1);
    REQUIRE(file.malformed.size() == 1);
    CHECK(file.malformed[0].starts_with("line 1: "));
    CHECK(file.find("last"));
  }
  const auto file = Passwd::parse("# comment\n\n  root2:x:0:0::/:/bin/sh\n");
  CHECK(file.find("root2")->uid == 0);
  CHECK(file.notes.size() == 3);
}

TEST_CASE("ids", "[passwd]") {
  CHECK(parse_id("0") == 0u);
  CHECK(parse_id("00000000000000000000000000001") == 1u);
  CHECK(parse_id("4294967294") == 4294967294u);
  for (const auto bad : {"", "4294967295", "99999999999999999999999999", "-0", "1 ", "0x0", "1\n"})
    CHECK_FALSE(parse_id(bad));
}

TEST_CASE("hostile account files", "[passwd]") {
  CHECK_THROWS_AS(Passwd::parse(std::string("root:x:0:0::/:/\0\n", 17)), Error);
  CHECK_THROWS_AS(Passwd::parse(std::string(account_line_bytes + 1, 'a')), Error);
  CHECK_THROWS_AS(Passwd::parse(std::string(account_bytes + 1, '\n')), Error);
  CHECK_THROWS_AS(Shadow::parse(std::string(account_bytes + 1, '\n')), Error);
}

TEST_CASE("group", "[passwd]") {
  const auto file = Group::parse("root:x:0:\nvideo:*:44:app,,user\nbad:x:a:\nbad:x:1\n");
  CHECK(file.find("video")->gid == 44);
  CHECK(file.find("video")->members == std::vector<std::string>{"app", "user"});
  CHECK(file.find(0u)->name == "root");
  CHECK(file.find("root")->members.empty());
  CHECK(file.malformed.size() == 2);
}

TEST_CASE("shadow", "[passwd]") {
  const auto file = Shadow::parse(
      "root:*:19700:0:99999:7:::\n"
      "open::19700:0:99999:7:::\n"
      "bad:*:x:0:99999:7:::\n"
      "short:*:1\n"
      "never:!:-1:::::20000:\n");
  CHECK(file.find("root")->password.kind == PasswordKind::locked);
  CHECK(file.find("root")->last_change == 19700);
  CHECK(file.find("root")->warning == 7);
  CHECK_FALSE(file.find("root")->inactive);
  CHECK(file.find("open")->password.kind == PasswordKind::empty);
  CHECK(file.find("never")->last_change == -1);
  CHECK(file.find("never")->expires == 20000);
  CHECK(file.malformed.size() == 2);
}

TEST_CASE("passwords are classified", "[passwd]") {
  const std::string salt = "$abcdefgh$" + std::string(43, 'a');
  const std::pair<std::string, std::string_view> hashes[] = {{"$6" + salt, "sha512"},
                                                             {"$5" + salt, "sha256"},
                                                             {"$1" + salt, "md5"},
                                                             {"$y$j9T" + salt, "yescrypt"},
                                                             {"$2b$12$" + std::string(53, 'a'), "bcrypt"},
                                                             {"$zz" + salt, "other"},
                                                             {std::string(13, 'a'), "des"},
                                                             {"_" + std::string(19, 'a'), "bsdi"}};
  for (const auto& [field, scheme] : hashes) {
    CHECK(Password::classify(field).kind == PasswordKind::hash);
    CHECK(Password::classify(field).scheme == scheme);
    CHECK(Password::classify("!" + field).kind == PasswordKind::locked);
    CHECK(Password::classify("!" + field).hash_behind_lock);
  }
  CHECK(Password::classify("").kind == PasswordKind::empty);
  CHECK(Password::classify("x").kind == PasswordKind::shadowed);
  CHECK(Password::classify("hunter").kind == PasswordKind::invalid);
  for (const auto locked : {"!", "*", "!!", "!*", "*LK*"}) {
    CHECK(Password::classify(locked).kind == PasswordKind::locked);
    CHECK_FALSE(Password::classify(locked).hash_behind_lock);
  }
}
