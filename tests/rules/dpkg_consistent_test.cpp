#include <catch2/catch.hpp>

#include "base/error.h"
#include "support/toy_packages.h"

using namespace ocilint;
using namespace ocilint::test;
using Lines = std::vector<std::string>;
using Texts = std::vector<std::string>;

namespace {

const Toy hip{.name = "libamdhip64-5",
              .version = "5.2.3-8",
              .control = "Depends: libhsa-runtime64-1 (>= 5.2.0~), libc6 | musl\n"};
const Toy hsa{.name = "libhsa-runtime64-1", .version = "5.2.3-3"};
const Toy libc{.name = "libc6", .version = "2.36-9"};

Toy in_state(const Toy& toy, std::string status) {
  Toy out = toy;
  out.status = std::move(status);
  return out;
}

}  // namespace

TEST_CASE("dpkg-consistent: nothing is wrong (S0)") {
  ToyImage image;
  image.layer("FROM").install(hip).install(hsa).install(libc);
  const Answer answer = image.check("dpkg-consistent");
  CHECK(answer.outcome() == Outcome::pass);
  CHECK(says(answer, "3 packages in dpkg's status"));
}

TEST_CASE("dpkg-consistent: a custom package forced in, and what a repair would do (S6)") {
  Toy custom = hsa;
  custom.version = "4.9-custom1";
  ToyImage image;
  image.layer("FROM").install(hip).install(hsa).install(libc);
  image.layer("RUN dpkg -i --force-all custom.deb").install(custom);
  const Answer answer = image.check("dpkg-consistent");
  REQUIRE(lines(answer) == Lines{"unmet-dependency libamdhip64-5 -> libhsa-runtime64-1"});
  CHECK(says(answer, "libamdhip64-5 5.2.3-8 needs libhsa-runtime64-1 (>= 5.2.0~)"));
  CHECK(says(answer, "--fix-broken install puts the archive's package in its place"));
  CHECK(says(answer, "libhsa-runtime64-1 4.9-custom1"));
  CHECK(answer.findings().front().layer == 1u);
}

TEST_CASE("dpkg-consistent: broken edges that a policy knows of (INV-110)") {
  ToyImage image;
  image.layer("FROM").install(hip).install(libc);
  const auto with = [&](const char* text) { return image.check("dpkg-consistent", {{"allow", Texts{text}}}); };
  CHECK(with("libamdhip64-5 -> libhsa-runtime64-1").outcome() == Outcome::pass);
  CHECK(with("libamdhip64-5->libhsa-runtime64-1").outcome() == Outcome::pass);
  CHECK(with("libamdhip64-5").outcome() == Outcome::pass);
  CHECK(says(with("libamdhip64-5"), "which the policy allows"));
  const Answer other = with("libamdhip64-5 -> libc6");
  CHECK(other.outcome() == Outcome::fail);
  CHECK(says(other, "libamdhip64-5 -> libc6 is not broken"));
  CHECK_THROWS_AS(with("-> x"), Error);
}

TEST_CASE("dpkg-consistent: a dependency that is missing altogether (S6b)") {
  ToyImage image;
  image.layer("FROM").install(hip).install(hsa);
  const Answer answer = image.check("dpkg-consistent");
  REQUIRE(lines(answer) == Lines{"unmet-dependency libamdhip64-5 -> libc6 | musl"});
  CHECK(says(answer, "not installed"));
}

TEST_CASE("dpkg-consistent: half-installed, to be reinstalled, not configured (S6c)") {
  ToyImage image;
  image.layer("FROM")
      .install(in_state(hsa, "install reinstreq half-installed"))
      .install(in_state(libc, "install ok unpacked"))
      .install({.name = "a", .status = "install reinstreq installed"})
      .install({.name = "b", .status = "install ok half-configured"})
      .install({.name = "c", .status = "install ok triggers-awaited"})
      .status({.name = "d", .status = "deinstall ok config-files"});
  const Answer answer = image.check("dpkg-consistent");
  CHECK(lines(answer) == Lines{"half-installed libhsa-runtime64-1", "not-configured b", "not-configured c",
                               "not-configured libc6", "reinstall-required a"});
  for (const Finding& finding : answer.findings()) {
    INFO(finding.subject);
    CHECK((finding.severity == Severity::note) == (finding.subject == "c"));
  }
}

TEST_CASE("dpkg-consistent: conflicts and breaks between installed packages") {
  ToyImage image;
  image.layer("FROM")
      .install({.name = "a", .control = "Conflicts: mail\nProvides: mail\n"})
      .install({.name = "b", .control = "Provides: mail\n"})
      .install({.name = "c", .control = "Breaks: b (<< 1)\n"})
      .install({.name = "d", .control = "Breaks: b (<= 1.0)\n"});
  CHECK(lines(image.check("dpkg-consistent")) == Lines{"conflict a -> b", "conflict d -> b"});
}

TEST_CASE("dpkg-consistent: a journal that was left behind") {
  ToyImage image;
  image.layer("FROM").install(libc).raw().file("/var/lib/dpkg/updates/0001", hsa.stanza());
  const Answer answer = image.check("dpkg-consistent");
  CHECK(lines(answer) == Lines{"unfinished-journal /var/lib/dpkg/updates/0001"});
}

TEST_CASE("dpkg-consistent: relations that changed without a new version (INV-111)") {
  Toy edited = hip;
  edited.control = "Depends: libc6\n";
  ToyImage image;
  image.layer("FROM").install(hip).install(hsa).install(libc);
  image.layer("RUN sed -i s/libhsa// /var/lib/dpkg/status").status(edited);
  const Answer answer = image.check("dpkg-consistent");
  REQUIRE(lines(answer) == Lines{"status-edited libamdhip64-5"});
  CHECK(answer.findings().front().layer == 1u);
  CHECK(answer.findings().front().severity == Severity::warning);
  CHECK(says(answer, "before: libhsa-runtime64-1 (>= 5.2.0~), libc6 | musl"));
  CHECK(says(answer, "layer 1: RUN sed -i s/libhsa// /var/lib/dpkg/status"));
}

TEST_CASE("dpkg-consistent: packages that came, went or changed in the status file alone") {
  Toy newer = libc;
  newer.version = "2.37";
  ToyImage image;
  image.layer("FROM").install(libc).install(hsa);
  image.layer("RUN edit").status(newer).status({.name = "made-up"}).remove("libhsa-runtime64-1");
  CHECK(lines(image.check("dpkg-consistent")) ==
        Lines{"status-edited libc6", "status-edited libhsa-runtime64-1", "status-edited made-up"});
}

TEST_CASE("dpkg-consistent: an earlier status file that cannot be parsed hides what was edited") {
  ToyImage image;
  image.layer("FROM").install(hip).install(hsa).install(libc);
  image.layer("RUN break").raw().file("/var/lib/dpkg/status", "this is no stanza\n");
  image.layer("RUN repair").status(hip);
  const Answer answer = image.check("dpkg-consistent");
  CHECK(answer.outcome() == Outcome::error);
  CHECK(says(answer, "/var/lib/dpkg/status of layer 1: "));
  // A layer that removes the file leaves nothing to read.
  ToyImage removed;
  removed.layer("FROM").install(hip).install(hsa).install(libc);
  removed.layer("RUN rm").raw().whiteout("/var/lib/dpkg/status");
  removed.layer("RUN restore").status(hip);
  CHECK(removed.check("dpkg-consistent").outcome() == Outcome::pass);
}

TEST_CASE("dpkg-consistent: what dpkg and apt-mark do is no edit") {
  Toy newer = libc;
  newer.version = "2.37";
  ToyImage image;
  image.layer("FROM").install(libc).install(hsa);
  image.layer("RUN apt-get upgrade").install(newer);
  image.layer("RUN apt-mark hold libc6").status(in_state(newer, "hold ok installed"));
  image.layer("RUN dpkg -P libhsa-runtime64-1")
      .remove("libhsa-runtime64-1")
      .raw()
      .whiteout("/var/lib/dpkg/info/libhsa-runtime64-1.list")
      .whiteout("/var/lib/dpkg/info/libhsa-runtime64-1.md5sums");
  const Answer answer = image.check("dpkg-consistent");
  CHECK(lines(answer).empty());
  CHECK(says(answer, "3 changes of status"));
}

TEST_CASE("dpkg-consistent: an image without packages, and one whose database is gone") {
  ToyImage none;
  none.layer("FROM").raw().file("/x", "y");
  CHECK(none.check("dpkg-consistent").outcome() == Outcome::not_applicable);
  ToyImage gone;
  gone.layer("FROM").install(libc);
  gone.layer("RUN rm").raw().whiteout("/var/lib/dpkg");
  CHECK(gone.check("dpkg-consistent").outcome() == Outcome::error);
}

TEST_CASE("dpkg-consistent: distroless images have packages without what they depend on, and no dpkg") {
  ToyImage image;
  image.layer("FROM").raw().file("/var/lib/dpkg/status.d/tzdata",
                                 "Package: tzdata\nVersion: 1\nArchitecture: all\nDepends: debconf\n");
  const Answer answer = image.check("dpkg-consistent");
  CHECK(answer.outcome() == Outcome::not_applicable);
  CHECK(answer.reason().find("status.d") != std::string::npos);
  // What the policy states of it cannot be shown.
  CHECK(image.check("dpkg-consistent", {{"allow", Texts{"tzdata -> debconf"}}}).outcome() == Outcome::error);

  ToyImage both;
  both.layer("FROM").install(libc).raw().file("/var/lib/dpkg/status.d/tzdata",
                                              "Package: tzdata\nVersion: 1\nArchitecture: all\nDepends: debconf\n");
  CHECK(both.check("dpkg-consistent").outcome() == Outcome::fail);
}
