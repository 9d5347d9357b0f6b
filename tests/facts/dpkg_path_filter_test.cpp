#include "facts/dpkg_path_filter.h"

#include <catch2/catch.hpp>
#include <fnmatch.h>
#include <random>

#include "base/error.h"

using namespace ocilint;

TEST_CASE("rules of slim images", "[dpkg_path_filter]") {
  const auto filter = DpkgPathFilter::parse(
      "# slim\n"
      "path-exclude /usr/share/doc/*\n"
      "path-include /usr/share/doc/*/copyright\n"
      "path-exclude=/usr/share/locale/*\n"
      "path-include = \"/usr/share/locale/locale.alias\"  \n"
      "force-unsafe-io\n"
      "path-exclude /usr/share/man/*\n");
  REQUIRE(filter.rules.size() == 5);
  CHECK(filter.excluded("/usr/share/doc/bash/README.gz"));
  CHECK(filter.excluded("/usr/share/doc/.hidden"));
  CHECK_FALSE(filter.excluded("/usr/share/doc/bash/copyright"));
  CHECK_FALSE(filter.excluded("/usr/share/doc"));
  CHECK(filter.excluded("/usr/share/locale/de/LC_MESSAGES/x.mo"));
  CHECK_FALSE(filter.excluded("/usr/share/locale/locale.alias"));
  CHECK(filter.excluded("/usr/share/man/man1/ls.1.gz"));
  CHECK_FALSE(filter.excluded("/usr/bin/ls"));
  CHECK(filter.excluded_directory("/usr/share/man/man1"));
  CHECK_FALSE(filter.excluded_directory("/usr/share/doc/bash"));
}

TEST_CASE("the last rule that matches wins, over all files", "[dpkg_path_filter]") {
  auto filter = DpkgPathFilter::parse("path-include /a/b\npath-exclude /a/*\n");
  CHECK(filter.excluded("/a/b"));
  filter.append(DpkgPathFilter::parse("path-include /a/b\n"));
  CHECK_FALSE(filter.excluded("/a/b"));
  CHECK(filter.excluded("/a/c"));
  CHECK_FALSE(DpkgPathFilter{}.excluded("/a"));
}

TEST_CASE("names of configuration files", "[dpkg_path_filter]") {
  for (const auto good : {"docker", "excludes", "01_nodoc", "A-b"}) CHECK(DpkgPathFilter::counts(good));
  for (const auto bad : {"", "docker.conf", "x.dpkg-old", ".x", "x~", "a b"}) CHECK_FALSE(DpkgPathFilter::counts(bad));
}

TEST_CASE("odd rules", "[dpkg_path_filter]") {
  CHECK(DpkgPathFilter::parse("path-exclude\n").notes.size() == 1);
  CHECK(DpkgPathFilter::parse("path-excludes /a\n").rules.empty());
  CHECK_THROWS_AS(DpkgPathFilter::parse("path-exclude \"/a\n"), Error);
  CHECK_THROWS_AS(DpkgPathFilter::parse(std::string("path-exclude /\0", 15)), Error);
}

TEST_CASE("patterns mean what the C library says", "[dpkg_path_filter]") {
  std::mt19937 random(11);
  unsigned hits = 0;
  for (int i = 0; i < 200000; ++i) {
    std::string pattern, text;
    static constexpr std::string_view pieces[] = {"a",    "b",           "/",      "*",           "?", "[ab]",
                                                  "[!a]", "[a-c]",       "\\a",    "[^b/]",       ".", "[]a]",
                                                  "*",    "[[:alpha:]]", "[\\]a]", "[[:digit:]-]"};
    for (unsigned n = random() % 6; n > 0; --n) pattern += pieces[random() % std::size(pieces)];
    for (unsigned n = random() % 7; n > 0; --n) text += "ab/.]-1"[random() % 7];
    const bool expected = fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
    hits += expected;
    INFO(pattern << " on " << text);
    REQUIRE(fnmatch_plain(pattern, text) == expected);
  }
  CHECK(hits > 10000);
}

TEST_CASE("a hostile pattern takes no exponential time", "[dpkg_path_filter]") {
  std::string pattern;
  for (int i = 0; i < 2000; ++i) pattern += "*a";
  CHECK_FALSE(fnmatch_plain(pattern + "b", std::string(4000, 'a')));
}
