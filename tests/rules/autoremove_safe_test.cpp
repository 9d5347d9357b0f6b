// The rows of the table on autoremove: a package that sets up a repository depends on libdw1 and libelf1.
#include <catch2/catch.hpp>

#include "base/error.h"
#include "support/toy_packages.h"

using namespace ocilint;
using namespace ocilint::test;
using Lines = std::vector<std::string>;
using Texts = std::vector<std::string>;

namespace {

const Toy setup{.name = "acme-setup", .control = "Depends: libdw1, libelf1\n"};
const Toy libdw{.name = "libdw1",
                .version = "0.188-2.1",
                .files = {{"/usr/lib/x86_64-linux-gnu/libdw.so.1", "x"}},
                .control = "Depends: libelf1\n",
                .same = true};
const Toy libelf{.name = "libelf1", .version = "0.188-2.1", .same = true};
constexpr std::string_view states = "/var/lib/apt/extended_states";
constexpr std::string_view suggests_file = "/etc/apt/apt.conf.d/docker-autoremove-suggests";
const std::string suggests_off = "Apt::AutoRemove::SuggestsImportant \"false\";\n";

std::string automatic(std::initializer_list<const char*> names, const std::string& architecture = "amd64") {
  std::string out;
  for (const char* const name : names)
    out += "Package: " + std::string(name) + "\nArchitecture: " + architecture + "\nAuto-Installed: 1\n\n";
  return out;
}
const std::string both = automatic({"libdw1", "libelf1"});

Toy with_control(const std::string& name, const std::string& control) { return {.name = name, .control = control}; }

Answer ask(ToyImage& image, ToyImage::With more = {}) {
  std::vector<std::pair<std::string_view, ParamValue>> values(more);
  Params with(rule_of("autoremove-safe").doc.params);
  with.set("packages", Texts{"libdw1 | libdw1t64"});
  for (const auto& [name, value] : values) with.set(name, value);
  Answer answer;
  rule_of("autoremove-safe").check(with, image.view("autoremove-safe", with), answer);
  return answer;
}

Severity severity(const Answer& answer) { return answer.findings().front().severity.value_or(Severity::error); }

}  // namespace

TEST_CASE("A-1: automatic, kept by the setup package alone: a warning that prints the chain") {
  ToyImage image;
  image.layer("FROM").install(setup).install(libdw).install(libelf).raw().file(states, both);
  const Answer answer = ask(image);
  REQUIRE(lines(answer) == Lines{"kept-by-chain libdw1"});
  CHECK(severity(answer) == Severity::warning);
  CHECK(says(answer, "acme-setup (manual) -> libdw1 (Depends)"));
  CHECK(answer.findings().front().remedy.find("apt-mark manual libdw1") != std::string::npos);
}

TEST_CASE("A-1: what a purge of the setup package would lead to is an error") {
  ToyImage image;
  image.layer("FROM").install(setup).install(libdw).install(libelf).raw().file(states, both);
  const Answer answer = ask(image, {{"if_removed", Texts{"acme-setup"}}});
  REQUIRE(lines(answer) == Lines{"removable libdw1"});
  CHECK(severity(answer) == Severity::error);
  CHECK(says(answer, "after a purge of acme-setup"));

  ToyImage other;
  other.layer("FROM")
      .install(setup)
      .install(libdw)
      .install(libelf)
      .install(with_control("unrelated", ""))
      .raw()
      .file(states, both);
  const Answer kept = ask(other, {{"if_removed", Texts{"unrelated", "not-there"}}});
  CHECK(kept.outcome() == Outcome::pass);
  CHECK(says(kept, "not-there is not installed"));
  CHECK(says(kept, "libdw1 0.188-2.1 stays: acme-setup (manual) -> libdw1 (Depends)"));
}

TEST_CASE("A-2: the setup package was purged: the next autoremove takes it") {
  ToyImage image;
  image.layer("FROM").install(setup).install(libdw).install(libelf).raw().file(states, both);
  image.layer("RUN apt-get purge -y acme-setup").remove("acme-setup");
  const Answer answer = ask(image);
  REQUIRE(lines(answer) == Lines{"removable libdw1"});
  CHECK(severity(answer) == Severity::error);
  CHECK(answer.findings().front().layer == 1u);
}

TEST_CASE("A-3: absent, and the layer that removed it") {
  ToyImage image;
  image.layer("FROM").install(libdw).install(libelf).raw().file(states, both);
  image.layer("COPY");
  image.layer("RUN apt-get autoremove -y")
      .remove("libdw1:amd64")
      .remove("libelf1:amd64")
      .install(with_control("base-files", ""))
      .raw()
      .file(states, "");
  const Answer answer = ask(image);
  REQUIRE(lines(answer) == Lines{"absent libdw1"});
  CHECK(answer.findings().front().layer == 2u);
  CHECK(says(answer, "until layer 2: RUN apt-get autoremove -y"));
}

TEST_CASE("A-4, A-5, A-11: marked manual, installed by name, or by dpkg alone") {
  ToyImage image;
  image.layer("FROM").install(libdw).install(libelf).raw().file(states, automatic({"libelf1"}));
  const Answer answer = ask(image);
  CHECK(answer.outcome() == Outcome::pass);
  CHECK(says(answer, "libdw1 0.188-2.1 stays: libdw1 (manual)"));
}

TEST_CASE("A-6: lists and sources play no part") {
  ToyImage image;
  image.layer("FROM")
      .install(libdw)
      .install(libelf)
      .raw()
      .file(states, both)
      .file("/var/lib/apt/lists/x", "y")
      .file("/etc/apt/sources.list", "deb x");
  image.layer("RUN rm -rf /var/lib/apt/lists").raw().whiteout("/var/lib/apt/lists").whiteout("/etc/apt/sources.list");
  CHECK(lines(ask(image)) == Lines{"removable libdw1"});
}

TEST_CASE("A-7: without extended_states nothing goes, and nobody knows why it is there") {
  ToyImage image;
  image.layer("FROM").install(libdw).install(libelf).raw().file(states, both);
  image.layer("RUN rm -rf /var/lib/apt").raw().whiteout("/var/lib/apt");
  const Answer answer = ask(image);
  CHECK(answer.outcome() == Outcome::pass);
  CHECK(says(answer, "is unknown"));
  // Story 1 asks for more than apt's answer: there it must not pass.
  CHECK(ask(image, {{"strict", true}}).outcome() == Outcome::error);
  CHECK(image.check("package-installed", {{"any_of", Texts{"libdw1"}}, {"manual", true}}).outcome() == Outcome::error);

  ToyImage unreadable;
  unreadable.layer("FROM").install(libdw).install(libelf).raw().file(states, "no stanza\n");
  CHECK(ask(unreadable).outcome() == Outcome::error);
}

TEST_CASE("A-8: a Suggests keeps it or not, as the image is configured") {
  const Toy tool = with_control("tool", "Suggests: libdw1\n");
  ToyImage image;
  image.layer("FROM").install(tool).install(libdw).install(libelf).raw().file(states, both);
  const Answer weak = ask(image);
  REQUIRE(lines(weak) == Lines{"kept-by-suggests libdw1"});
  CHECK(severity(weak) == Severity::warning);
  CHECK(severity(ask(image, {{"strict", true}})) == Severity::error);

  ToyImage docker;
  docker.layer("FROM")
      .install(tool)
      .install(libdw)
      .install(libelf)
      .raw()
      .file(states, both)
      .file(suggests_file, suggests_off);
  const Answer lost = ask(docker);
  REQUIRE(lines(lost) == Lines{"removable libdw1"});
  CHECK(severity(lost) == Severity::error);

  // A name that apt does not read changes nothing.
  ToyImage ignored;
  ignored.layer("FROM")
      .install(tool)
      .install(libdw)
      .install(libelf)
      .raw()
      .file(states, both)
      .file("/etc/apt/apt.conf.d/docker.autoremove", suggests_off);
  CHECK(lines(ask(ignored)) == Lines{"kept-by-suggests libdw1"});
}

TEST_CASE("A Recommends is lost only under options that build scripts give") {
  ToyImage image;
  image.layer("FROM")
      .install(with_control("tool", "Recommends: libdw1\n"))
      .install(libdw)
      .install(libelf)
      .raw()
      .file(states, both)
      .file(suggests_file, suggests_off);
  const Answer answer = ask(image);
  REQUIRE(lines(answer) == Lines{"kept-by-recommends libdw1"});
  CHECK(says(answer, "RecommendsImportant=false"));
}

TEST_CASE("A-9, A-10: NeverAutoRemove and a hold protect it") {
  ToyImage never;
  never.layer("FROM")
      .install(libdw)
      .install(libelf)
      .raw()
      .file(states, both)
      .file("/etc/apt/apt.conf.d/99keep", "APT::NeverAutoRemove:: \"^libdw1$\";\n");
  const Answer named = ask(never);
  CHECK(named.outcome() == Outcome::pass);
  CHECK(says(named, "libdw1 (APT::NeverAutoRemove)"));

  Toy held = libdw;
  held.status = "hold ok installed";
  ToyImage hold;
  hold.layer("FROM").install(held).install(libelf).raw().file(states, both);
  const Answer on_hold = ask(hold);
  CHECK(on_hold.outcome() == Outcome::pass);
  CHECK(says(on_hold, "libdw1 (on hold)"));
}

TEST_CASE("A-12: a removed package that left its configuration protects nothing") {
  Toy rc = setup;
  rc.status = "deinstall ok config-files";
  ToyImage image;
  image.layer("FROM").status(rc).install(libdw).install(libelf).raw().file(states, both);
  CHECK(lines(ask(image)) == Lines{"removable libdw1"});
}

TEST_CASE("A-13: a purge of a package that is needed takes what needs it along") {
  ToyImage image;
  image.layer("FROM").install(libdw).install(libelf).raw().file(states, "");
  const Answer answer = ask(image, {{"if_removed", Texts{"libelf1"}}});
  REQUIRE(lines(answer) == Lines{"purged libdw1"});
  CHECK(says(answer, "is gone after a purge of libdw1, libelf1"));
}

TEST_CASE("A-14: the whole chain is shown") {
  ToyImage image;
  image.layer("FROM")
      .install(with_control("elfutils", "Depends: libasm1\n"))
      .install(with_control("libasm1", "Depends: libdw1\n"))
      .install(libdw)
      .install(libelf)
      .raw()
      .file(states, both + automatic({"libasm1"}));
  CHECK(says(ask(image), "elfutils (manual) -> libasm1 (Depends) -> libdw1 (Depends)"));
}

TEST_CASE("A-15: a mark that outlived its package is pointed out") {
  ToyImage image;
  image.layer("FROM").install(libdw).install(libelf).raw().file(states, both);
  image.layer("RUN dpkg -P libdw1").remove("libdw1:amd64");
  image.layer("RUN dpkg -i libdw1.deb").install(libdw);
  const Answer answer = ask(image);
  REQUIRE(lines(answer) == Lines{"removable libdw1"});
  CHECK(says(answer, "its mark is stale"));

  ToyImage fresh;
  fresh.layer("FROM").install(libdw).install(libelf).raw().file(states, both);
  CHECK_FALSE(says(ask(fresh), "stale"));
}

TEST_CASE("A-16: a verdict for each architecture") {
  Toy foreign = libdw;
  foreign.architecture = "i386";
  foreign.control.clear();
  const auto with = [&](const char* asked) {
    ToyImage image;
    image.layer("FROM")
        .install(libdw)
        .install(libelf)
        .install(foreign)
        .raw()
        .file("/var/lib/dpkg/arch", "amd64\ni386\n")
        .file(states, automatic({"libdw1"}, "i386"));
    return lines(ask(image, {{"packages", Texts{asked}}}));
  };
  CHECK(with("libdw1").empty());
  CHECK(with("libdw1:amd64").empty());
  CHECK(with("libdw1:i386") == Lines{"removable libdw1:i386"});
}

TEST_CASE("autoremove-safe: an essential package's dependencies are as safe as manual ones") {
  ToyImage image;
  image.layer("FROM")
      .install(with_control("base-files", "Essential: yes\nDepends: libdw1\n"))
      .install(libdw)
      .install(libelf)
      .raw()
      .file(states, both);
  CHECK(ask(image).outcome() == Outcome::pass);
}

TEST_CASE("autoremove-safe: without packages, all that would go is a note") {
  ToyImage image;
  image.layer("FROM").install(libdw).install(libelf).install(with_control("tool", "")).raw().file(states, both);
  const Answer answer = image.check("autoremove-safe");
  CHECK(lines(answer) == Lines{"removable libdw1", "removable libelf1"});
  CHECK(severity(answer) == Severity::note);
  CHECK(lines(image.check("autoremove-safe", {{"allow", Texts{"libelf1"}}})) == Lines{"removable libdw1"});
}

TEST_CASE("autoremove-safe: apt refuses while a dependency is unmet; what would go is said all the same") {
  ToyImage image;
  image.layer("FROM")
      .install(with_control("app", "Depends: gone (>= 2)\n"))
      .install(libdw)
      .install(libelf)
      .raw()
      .file(states, both);
  const Answer answer = ask(image);
  REQUIRE(lines(answer) == Lines{"blocked app", "removable libdw1"});
  CHECK(says(answer, "app: Depends: gone (>= 2)"));
}

TEST_CASE("autoremove-safe: apt reads no status.d, so distroless images are neither blocked nor cleaned up") {
  const std::string tzdata = "Package: tzdata\nVersion: 1\nArchitecture: all\nDepends: debconf\n";
  const auto distroless = [&](ToyImage& image) -> ToyImage& {
    image.layer("FROM").raw().file("/var/lib/dpkg/status.d/tzdata", tzdata);
    return image;
  };
  ToyImage plain;
  const Answer nothing_asked = distroless(plain).check("autoremove-safe");
  CHECK(nothing_asked.outcome() == Outcome::not_applicable);
  CHECK(nothing_asked.reason().find("status.d") != std::string::npos);
  ToyImage asked;
  const Answer stays = distroless(asked).check("autoremove-safe", {{"packages", Texts{"tzdata"}}});
  CHECK(stays.outcome() == Outcome::pass);
  CHECK(says(stays, "tzdata 1 stays: it is of status.d, which apt does not read"));
  ToyImage absent;
  CHECK(lines(distroless(absent).check("autoremove-safe", {{"packages", Texts{"libdw1"}}})) == Lines{"absent libdw1"});
  ToyImage strict;
  CHECK(distroless(strict).check("autoremove-safe", {{"packages", Texts{"tzdata"}}, {"strict", true}}).outcome() ==
        Outcome::error);
  // Beside a status file: what apt reads is judged, the others are not.
  ToyImage both;
  both.layer("FROM").install(libdw).raw().file("/var/lib/dpkg/status.d/tzdata", tzdata).file(states, "");
  const Answer answer = both.check("autoremove-safe", {{"packages", Texts{"tzdata", "libdw1"}}});
  CHECK(says(answer, "1 of 2 packages are those of status.d"));
  for (const Finding& finding : answer.findings()) CHECK(finding.details != Lines{"tzdata: Depends: debconf"});
}

TEST_CASE("autoremove-safe: what the answer rests on must be readable") {
  const auto outcome = [](std::string_view path, std::string_view text) {
    ToyImage image;
    image.layer("FROM").install(libdw).install(libelf).raw().file(states, "").file(path, text);
    return ask(image).outcome();
  };
  CHECK(outcome("/etc/apt/apt.conf", "APT::X \"1\";\n") == Outcome::pass);
  CHECK(outcome("/etc/apt/apt.conf", "APT { ") == Outcome::error);
  CHECK(outcome("/etc/apt/apt.conf.d/20more", "#include \"/etc/other\";\n") == Outcome::error);
  CHECK(outcome("/etc/apt/apt.conf.d/20more", "APT::NeverAutoRemove:: \"(\";\n") == Outcome::error);
  ToyImage none;
  none.layer("FROM").raw().file("/x", "y");
  CHECK(ask(none).outcome() == Outcome::error);
  CHECK(none.check("autoremove-safe").outcome() == Outcome::not_applicable);
  ToyImage bad;
  bad.layer("FROM").install(with_control("x", "Depends: a b c\n"));
  CHECK_THROWS_AS(bad.check("autoremove-safe"), Error);
}

TEST_CASE("autoremove-safe: a package that dpkg did not finish with") {
  Toy half = libdw;
  half.status = "install ok half-configured";
  ToyImage image;
  image.layer("FROM").install(half).install(libelf).raw().file(states, "");
  CHECK(lines(ask(image)) == Lines{"broken libdw1"});
}
