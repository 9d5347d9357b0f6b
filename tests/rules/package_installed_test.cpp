#include <catch2/catch.hpp>

#include "base/error.h"
#include "support/toy_packages.h"

using namespace ocilint;
using namespace ocilint::test;
using Lines = std::vector<std::string>;
using Texts = std::vector<std::string>;

namespace {

const Toy libdw{.name = "libdw1", .version = "0.188-2.1", .files = {{"/usr/lib/libdw.so.1", "x"}}, .same = true};
const Toy other{.name = "base-files", .files = {{"/etc/base", "x"}}};
const std::string automatic = "Package: libdw1\nArchitecture: amd64\nAuto-Installed: 1\n\n";
constexpr std::string_view states = "/var/lib/apt/extended_states";

}  // namespace

TEST_CASE("package-installed: one alternative is enough, and the proof names it") {
  ToyImage image;
  image.layer("FROM").install(libdw).install(other);
  const Answer answer = image.check("package-installed", {{"any_of", Texts{"libdw1t64", "libdw1"}}});
  CHECK(answer.outcome() == Outcome::pass);
  CHECK(says(answer, "libdw1:amd64 0.188-2.1 is installed"));
}

TEST_CASE("package-installed: absent names the layer that removed it") {
  ToyImage image;
  image.layer("FROM").install(libdw).install(other);
  image.layer("COPY");
  image.layer("RUN apt-get autoremove -y").remove("libdw1:amd64");
  const Answer answer = image.check("package-installed", {{"any_of", Texts{"libdw1t64", "libdw1"}}});
  REQUIRE(lines(answer) == Lines{"absent libdw1"});
  CHECK(answer.findings().front().layer == 2u);
  CHECK(says(answer, "0.188-2.1 was installed until layer 2: RUN apt-get autoremove -y"));
}

TEST_CASE("package-installed: never installed, and removed but for its configuration") {
  ToyImage never;
  never.layer("FROM").install(other);
  const Answer absent = never.check("package-installed", {{"all_of", Texts{"libdw1"}}});
  REQUIRE(lines(absent) == Lines{"absent libdw1"});
  CHECK_FALSE(absent.findings().front().layer);

  Toy rc = libdw;
  rc.status = "deinstall ok config-files";
  ToyImage left;
  left.layer("FROM").install(other).status(rc);
  CHECK(lines(left.check("package-installed", {{"all_of", Texts{"libdw1"}}})) == Lines{"absent libdw1"});
}

TEST_CASE("package-installed: the third word of the status decides") {
  Toy wanted_away = libdw, half = libdw;
  wanted_away.status = "deinstall ok installed";
  half.status = "install reinstreq half-installed";
  ToyImage first;
  first.layer("FROM").install(wanted_away);
  CHECK(first.check("package-installed", {{"all_of", Texts{"libdw1"}}}).outcome() == Outcome::pass);
  ToyImage second;
  second.layer("FROM").install(half);
  CHECK(lines(second.check("package-installed", {{"all_of", Texts{"libdw1"}}})) == Lines{"broken libdw1"});
}

TEST_CASE("package-installed: versions in Debian's order") {
  const auto with = [](const char* asked) {
    ToyImage image;
    image.layer("FROM").install(libdw);
    return lines(image.check("package-installed", {{"all_of", Texts{asked}}}));
  };
  CHECK(with("libdw1 (>= 0.188)").empty());
  CHECK(with("libdw1 (>= 0.9)").empty());
  CHECK(with("libdw1 (= 0.188-2.1)").empty());
  CHECK(with("libdw1 (>= 0.189)") == Lines{"version libdw1"});
  CHECK(with("libdw1 (>= 0.189) | libdw1 (<< 0.189)").empty());
  CHECK(with("libdw1:amd64").empty());
  CHECK(with("libdw1:i386") == Lines{"absent libdw1"});
}

TEST_CASE("package-installed: manual asks apt's marks (A-1, A-4)") {
  ToyImage image;
  image.layer("FROM").install(libdw).raw().file(states, automatic);
  const Answer marked = image.check("package-installed", {{"all_of", Texts{"libdw1"}}, {"manual", true}});
  REQUIRE(lines(marked) == Lines{"automatic libdw1"});
  CHECK(marked.findings().front().remedy.find("apt-mark manual libdw1") != std::string::npos);

  ToyImage kept;
  kept.layer("FROM").install(libdw).raw().file(states, "Package: libelf1\nArchitecture: amd64\nAuto-Installed: 1\n\n");
  const Answer manual = kept.check("package-installed", {{"all_of", Texts{"libdw1"}}, {"manual", true}});
  CHECK(manual.outcome() == Outcome::pass);
  CHECK(says(manual, "marked manual"));
}

TEST_CASE("package-installed: each architecture has its own mark (A-16)") {
  Toy foreign = libdw;
  foreign.architecture = "i386";
  foreign.files = {{"/usr/lib/i386/libdw.so.1", "y"}};
  const std::string marks = "Package: libdw1\nArchitecture: i386\nAuto-Installed: 1\n\n";
  const auto with = [&](const char* asked) {
    ToyImage image;
    image.layer("FROM")
        .install(libdw)
        .install(foreign)
        .raw()
        .file(states, marks)
        .file("/var/lib/dpkg/arch", "amd64\ni386\n");
    return lines(image.check("package-installed", {{"all_of", Texts{asked}}, {"manual", true}}));
  };
  CHECK(with("libdw1").empty());
  CHECK(with("libdw1:amd64").empty());
  CHECK(with("libdw1:i386") == Lines{"automatic libdw1:i386"});
}

TEST_CASE("package-installed: without marks manual cannot be said (A-7)") {
  ToyImage image;
  image.layer("FROM").install(libdw);
  CHECK(image.check("package-installed", {{"all_of", Texts{"libdw1"}}, {"manual", true}}).outcome() == Outcome::error);
}

TEST_CASE("package-installed: none_of") {
  ToyImage image;
  image.layer("FROM").install(libdw);
  CHECK(lines(image.check("package-installed", {{"none_of", Texts{"libdw1", "gdb"}}})) == Lines{"present libdw1"});
  ToyImage clean;
  clean.layer("FROM").install(libdw);
  const Answer answer = clean.check("package-installed", {{"none_of", Texts{"gdb", "libdw1 (<< 0.1)"}}});
  CHECK(answer.outcome() == Outcome::pass);
  CHECK(says(answer, "gdb is none of the 1 packages"));
}

TEST_CASE("package-installed: a journal that dpkg did not merge counts") {
  Toy unpacked = libdw;
  unpacked.status = "install ok unpacked";
  ToyImage image;
  image.layer("FROM").install(libdw).raw().file("/var/lib/dpkg/updates/0000", unpacked.stanza());
  CHECK(lines(image.check("package-installed", {{"all_of", Texts{"libdw1"}}})) == Lines{"broken libdw1"});
}

TEST_CASE("package-installed: distroless images have status.d") {
  ToyImage image;
  image.layer("FROM").raw().file("/var/lib/dpkg/status.d/libdw1", "Package: libdw1\nVersion: 1\nArchitecture: amd64\n");
  CHECK(image.check("package-installed", {{"all_of", Texts{"libdw1"}}}).outcome() == Outcome::pass);
  ToyImage manual;
  manual.layer("FROM").raw().file("/var/lib/dpkg/status.d/libdw1",
                                  "Package: libdw1\nVersion: 1\nArchitecture: amd64\n");
  CHECK(manual.check("package-installed", {{"all_of", Texts{"libdw1"}}, {"manual", true}}).outcome() == Outcome::error);
}

TEST_CASE("package-installed: no database, nothing asked for, nonsense asked for") {
  ToyImage none;
  none.layer("COPY").raw().file("/app", "x");
  CHECK(none.check("package-installed", {{"none_of", Texts{"gdb"}}}).outcome() == Outcome::error);
  ToyImage nothing;
  nothing.layer("FROM").install(libdw);
  CHECK(nothing.check("package-installed").outcome() == Outcome::error);
  ToyImage empty;
  empty.layer("FROM").install(libdw);
  CHECK(empty.check("package-installed", {{"any_of", Texts{}}, {"none_of", Texts{"gdb"}}}).outcome() == Outcome::error);
  for (const char* asked : {"", "a b", "a (>> )", "a (1", "a |", "a:", "$(x)"}) {
    ToyImage odd;
    odd.layer("FROM").install(libdw);
    INFO(asked);
    CHECK_THROWS_AS(odd.check("package-installed", {{"all_of", Texts{asked}}}), Error);
  }
}

TEST_CASE("package-installed: a status file that cannot be read is no answer") {
  ToyImage image;
  image.layer("FROM").raw().file("/var/lib/dpkg/status", "no field\n");
  CHECK_THROWS_AS(image.check("package-installed", {{"none_of", Texts{"gdb"}}}), Error);
}
