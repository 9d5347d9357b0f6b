#include "facts/dpkg_diversions.h"

#include <catch2/catch.hpp>

#include "base/error.h"
#include "facts/dpkg_statoverride.h"
#include "facts/limits.h"

using namespace ocilint;

TEST_CASE("diversions", "[dpkg_diversions]") {
  const auto diversions = DpkgDiversions::parse(
      "/usr/lib/z\n/usr/lib/z.distrib\n:\n"
      "/bin/sh\n/bin/sh.distrib\ndash\n");
  REQUIRE(diversions.records.size() == 2);
  REQUIRE(diversions.find("/bin/sh"));
  CHECK(diversions.find("/bin/sh")->package == "dash");
  CHECK_FALSE(diversions.find("/bin/sh")->local());
  CHECK(diversions.find("/usr/lib/z")->local());
  CHECK(diversions.find_target("/usr/lib/z.distrib")->original == "/usr/lib/z");
  CHECK_FALSE(diversions.find("/usr/lib/z.distrib"));
  CHECK_FALSE(diversions.find_target("/bin/sh"));
  CHECK(diversions.place_of("/bin/sh", "bash") == "/bin/sh.distrib");
  CHECK(diversions.place_of("/bin/sh", "dash") == "/bin/sh");
  CHECK(diversions.place_of("/usr/lib/z", "any") == "/usr/lib/z.distrib");
  CHECK(diversions.place_of("/usr/lib/z", "") == "/usr/lib/z.distrib");
  CHECK(diversions.place_of("/usr/lib/a", "any") == "/usr/lib/a");
  CHECK(DpkgDiversions::parse("").records.empty());
}

TEST_CASE("diversions that dpkg would refuse", "[dpkg_diversions]") {
  for (const auto text : {"/a\n", "/a\n/b\n", "/a\nb\n:\n", "\n/b\n:\n", "/a\n/b\n\n", "/a/../b\n/c\n:\n",
                          "/a\n/b\n:\n/a\n/c\n:\n", "/a\n/b\n:\n/c\n/b\n:\n", "/a\n/a\n:\n"}) {
    INFO(text);
    CHECK_THROWS_AS(DpkgDiversions::parse(text), Error);
  }
  CHECK_THROWS_AS(DpkgDiversions::parse("/" + std::string(list_line_bytes, 'a') + "\n/b\n:\n"), Error);
}

TEST_CASE("statoverride", "[dpkg_statoverride]") {
  const auto overrides = DpkgStatOverride::parse(
      "root messagebus 4754 /usr/lib/dbus helper \n"
      "#0 #42 755 /opt/x\n"
      "root root 0 /a");
  REQUIRE(overrides.entries.size() == 3);
  const auto* helper = overrides.find("/usr/lib/dbus helper ");
  REQUIRE(helper);
  CHECK(helper->user.name == "root");
  CHECK_FALSE(helper->user.id);
  CHECK(helper->group.name == "messagebus");
  CHECK(helper->mode == 04754);
  CHECK(helper->line == 1);
  CHECK(overrides.find("/opt/x")->group.id == 42u);
  CHECK(overrides.find("/opt/x")->group.name.empty());
  CHECK_FALSE(overrides.find("/opt"));
  CHECK(overrides.notes.size() == 1);
}

TEST_CASE("overrides that dpkg would refuse", "[dpkg_statoverride]") {
  for (const auto text : {"root root 755\n", "root  root 755 /a\n", "root root 888 /a\n", "root root 17777 /a\n",
                          "#x root 755 /a\n", "#4294967295 root 755 /a\n", "root root 755 a\n", "\n",
                          "root root 755 /a/../b\n", "root root 755 /a\nroot root 700 /a\n"}) {
    INFO(text);
    CHECK_THROWS_AS(DpkgStatOverride::parse(text), Error);
  }
}
