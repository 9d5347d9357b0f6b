#include <catch2/catch.hpp>

#include "support/toy_packages.h"

using namespace ocilint;
using namespace ocilint::test;
using Lines = std::vector<std::string>;
using Texts = std::vector<std::string>;

namespace {

const Toy acme{.name = "acme", .files = {{"/usr/lib/acme/liba.so.1", "a"}}, .conffiles = {{"/etc/acme.conf", "c"}}};
const Toy base{.name = "base-files", .files = {{"/etc/base", "x"}}};

}  // namespace

TEST_CASE("package-leftovers: a clean image, and what was looked at") {
  ToyImage image;
  image.layer("FROM").install(acme).install(base);
  const Answer answer = image.check("package-leftovers");
  CHECK(answer.outcome() == Outcome::pass);
  CHECK(says(answer, "4 files of /var/lib/dpkg/info"));
}

TEST_CASE("package-leftovers: removed, not purged") {
  Toy rc = acme;
  rc.status = "deinstall ok config-files";
  ToyImage image;
  image.layer("FROM").install(acme).install(base);
  image.layer("RUN apt-get remove acme").record(rc).raw().whiteout("/usr/lib/acme/liba.so.1");
  const Answer answer = image.check("package-leftovers");
  REQUIRE(lines(answer) == Lines{"residual acme"});
  CHECK(answer.findings().front().layer == 1u);
  CHECK(says(answer, "left: /etc/acme.conf"));
  CHECK(image.check("package-leftovers", {{"allow", Texts{"acme"}}}).outcome() == Outcome::pass);
  CHECK(image.check("package-leftovers", {{"packages", Texts{"other"}}}).outcome() == Outcome::pass);
  CHECK(lines(image.check("package-leftovers", {{"packages", Texts{"acme"}}})) == Lines{"residual acme"});
}

TEST_CASE("package-leftovers: lists of packages that the status file does not know") {
  ToyImage image;
  image.layer("FROM").install(acme).install(base);
  image.layer("RUN edit the status file").remove("acme");
  const Answer answer = image.check("package-leftovers");
  REQUIRE(lines(answer) == Lines{"orphan-list acme"});
  CHECK(says(answer, "/var/lib/dpkg/info/acme.list"));
  CHECK(says(answer, "/var/lib/dpkg/info/acme.md5sums"));
}

TEST_CASE("package-leftovers: a list of another architecture") {
  Toy same = acme;
  same.same = true;
  ToyImage image;
  image.layer("FROM").install(same).install(base).raw().file("/var/lib/dpkg/info/acme:i386.list", "/.\n");
  CHECK(lines(image.check("package-leftovers")) == Lines{"orphan-list acme:i386"});
}

TEST_CASE("package-leftovers: files in folders of packages") {
  ToyImage image;
  image.layer("FROM").install(acme).install(base);
  image.layer("RUN cp")
      .raw()
      .file("/usr/lib/acme/liba.so.1.bak", "b")
      .file("/usr/lib/acme/x/y", "z")
      .symlink("/usr/lib/acme/liba.so", "liba.so.1");
  const Answer answer = image.check("package-leftovers", {{"dirs", paths({"/usr/lib/acme"})}});
  CHECK(lines(answer) ==
        Lines{"unowned /usr/lib/acme/liba.so", "unowned /usr/lib/acme/liba.so.1.bak", "unowned /usr/lib/acme/x/y"});
  CHECK(answer.findings().front().layer == 1u);
  CHECK(lines(image.check("package-leftovers", {{"dirs", paths({"/usr/lib/acme"})},
                                                {"allow", Texts{"/usr/lib/acme/x/**", "/usr/lib/acme/*.so"}}})) ==
        Lines{"unowned /usr/lib/acme/liba.so.1.bak"});
}

TEST_CASE("package-leftovers: ownership is decided behind the links of the image") {
  Toy old = acme;
  old.files = {{"/lib/acme/liba.so.1", "a"}};
  ToyImage image;
  image.layer("FROM").record(old).install(base).raw().symlink("/lib", "usr/lib").file("/usr/lib/acme/liba.so.1", "a");
  CHECK(image.check("package-leftovers", {{"dirs", paths({"/lib/acme"})}}).outcome() == Outcome::pass);
}

TEST_CASE("package-leftovers: many files of one step are one finding") {
  ToyImage image;
  image.layer("FROM").install(acme).install(base);
  LayerBuilder& raw = image.layer("RUN make install").raw();
  for (int i = 0; i < 30; ++i) raw.file("/usr/lib/acme/more/" + std::to_string(i), "x");
  const Answer answer = image.check("package-leftovers", {{"dirs", paths({"/usr/lib/acme"})}});
  REQUIRE(lines(answer) == Lines{"unowned /usr/lib/acme"});
  CHECK(says(answer, "30 files below"));
}

TEST_CASE("package-leftovers: a folder that is not there proves nothing") {
  ToyImage image;
  image.layer("FROM").install(acme).install(base);
  CHECK(lines(image.check("package-leftovers", {{"dirs", paths({"/opt/x"})}})) == Lines{"missing /opt/x"});
  CHECK(image.check("package-leftovers", {{"dirs", paths({"/opt/x"})}, {"allow_empty", true}}).outcome() ==
        Outcome::pass);
}

TEST_CASE("package-leftovers: packages and allow take the name that findings show") {
  Toy rc{.name = "libacme", .same = true};
  rc.status = "deinstall ok config-files";
  ToyImage image;
  image.layer("FROM").install(base).record(rc);
  CHECK(lines(image.check("package-leftovers")) == Lines{"residual libacme:amd64"});
  CHECK(lines(image.check("package-leftovers", {{"packages", Texts{"libacme:amd64"}}})) ==
        Lines{"residual libacme:amd64"});
  CHECK(lines(image.check("package-leftovers", {{"packages", Texts{"libacme"}}})) == Lines{"residual libacme:amd64"});
  CHECK(image.check("package-leftovers", {{"packages", Texts{"libacme:arm64"}}}).outcome() == Outcome::pass);
  CHECK(image.check("package-leftovers", {{"allow", Texts{"libacme:amd64"}}}).outcome() == Outcome::pass);
}
