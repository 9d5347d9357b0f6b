#include "facts/ld_so_conf.h"

#include <catch2/catch.hpp>
#include <map>

#include "base/error.h"
#include "base/glob.h"

using namespace ocilint;

namespace {

using Files = std::map<std::string, std::string>;

LdSoConfSource source_of(const Files& files) {
  return {[&files](const std::string& path) -> std::optional<std::string> {
            const auto at = files.find(path);
            return at == files.end() ? std::nullopt : std::optional(at->second);
          },
          [&files](const std::string& pattern) {
            const Glob glob = Glob::parse(pattern);
            std::vector<std::string> out;
            for (const auto& [path, text] : files)
              if (glob.matches(path)) out.push_back(path);
            return out;
          }};
}

std::string read(const Files& files) {
  std::string out;
  for (const auto& directory : read_ld_so_conf("/etc/ld.so.conf", source_of(files)).directories)
    out += directory.path + "@" + directory.file + ":" + std::to_string(directory.line) + "\n";
  return out;
}

}  // namespace

TEST_CASE("ld.so.conf: directories, comments, types and hwcap lines") {
  const LdSoConf conf = LdSoConf::parse(
      "# comment\n/a\n  \t/b//  # behind\n/c=libc6\n\nhwcap 1 nosegneg\nHWCAP\t0 x\nhwcap\n/d e\n=libc6\n/f\r\n/");
  std::vector<std::string> paths;
  for (const auto& line : conf.lines) paths.push_back(line.text);
  CHECK(paths == std::vector<std::string>{"/a", "/b", "/c", "hwcap", "/d e", "/f"});
  CHECK(conf.lines[1].number == 3);
  CHECK_FALSE(conf.notes.empty());
  CHECK_THROWS_AS(LdSoConf::parse(std::string_view("/a\0/b\n", 6)), Error);
}

TEST_CASE("ld.so.conf: an include is one or more globs, in lower case, with a blank") {
  const LdSoConf conf = LdSoConf::parse("include a b\t c\ninclude\nINCLUDE x\nincluded y\n");
  REQUIRE(conf.lines.size() == 6);
  for (std::size_t i = 0; i < 3; ++i) CHECK(conf.lines[i].kind == LdSoConf::Kind::include);
  CHECK(conf.lines[2].text == "c");
  for (std::size_t i = 3; i < 6; ++i) CHECK(conf.lines[i].kind == LdSoConf::Kind::directory);
}

TEST_CASE("ld.so.conf: includes stand where they are said, relative to their file, sorted by name") {
  CHECK(read({{"/etc/ld.so.conf", "/first\ninclude ld.so.conf.d/*.conf /etc/none/*\n/last\n"},
              {"/etc/ld.so.conf.d/b.conf", "/b\n"},
              {"/etc/ld.so.conf.d/a.conf", "/a\ninclude sub/x\n/a2\n"},
              {"/etc/ld.so.conf.d/sub/x", "/x"},
              {"/etc/ld.so.conf.d/ignored", "/i\n"}}) ==
        "/first@/etc/ld.so.conf:1\n/a@/etc/ld.so.conf.d/a.conf:1\n/x@/etc/ld.so.conf.d/sub/x:1\n"
        "/a2@/etc/ld.so.conf.d/a.conf:3\n/b@/etc/ld.so.conf.d/b.conf:1\n/last@/etc/ld.so.conf:3\n");
  CHECK(read({}).empty());
}

TEST_CASE("ld.so.conf: includes without end are a limit") {
  const auto kind_of = [](const Files& files) {
    try {
      read(files);
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  };
  CHECK(kind_of({{"/etc/ld.so.conf", "include ld.so.conf\n"}}) == ErrorKind::limit);
  CHECK(kind_of({{"/etc/ld.so.conf", "include a a a a\n"},
                 {"/etc/a", "include b b b b b b b b b b\n"},
                 {"/etc/b", "include c c c c c c c c c c\n"},
                 {"/etc/c", "include d d d d d d d d d d\n"},
                 {"/etc/d", "/d\n"}}) == ErrorKind::limit);
}
