// The rows of pkgdb.md 5.1, by their ids where they have one: what dpkg --verify and debsums see, and beyond.
#include <catch2/catch.hpp>

#include "support/toy_packages.h"

using namespace ocilint;
using namespace ocilint::test;
using Lines = std::vector<std::string>;

namespace {

const std::string lib = "/usr/lib/libhsa.so.1.5.0";

Toy hsa(std::string content = "stock") {
  return {.name = "libhsa",
          .version = "5.2-3",
          .files = {{lib, std::move(content)}, {"/usr/bin/tool", "tool"}},
          .links = {{"/usr/lib/libhsa.so.1", "libhsa.so.1.5.0"}}};
}

const Finding& only(const Answer& answer) {
  REQUIRE(answer.findings().size() == 1);
  return answer.findings().front();
}

bool has(const std::vector<std::string>& texts, std::string_view part) {
  for (const std::string& text : texts)
    if (text.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("package-files: an untouched package passes and says what was compared (S0)") {
  ToyImage image;
  image.layer("FROM").install(hsa());
  const Answer answer = image.check("package-files");
  CHECK(answer.outcome() == Outcome::pass);
  CHECK(says(answer, "compared 2 files of 1 packages"));
}

TEST_CASE("package-files: a replaced file names owner, layer and what the next unpack does (S1)") {
  ToyImage image;
  image.layer("FROM").install(hsa());
  image.layer("RUN cp").raw().file(lib, "custom");
  const Finding finding = only(image.check("package-files"));
  CHECK(finding.kind == "modified");
  CHECK(finding.subject == lib);
  CHECK(finding.layer == 1u);
  CHECK(has(finding.details, "libhsa 5.2-3"));
  CHECK(has(finding.details, md5_hex("stock")));
  CHECK(has(finding.details, md5_hex("custom")));
  CHECK(has(finding.details, "next unpack of libhsa"));
}

TEST_CASE("package-files: a package on hold is said to be (S2b)") {
  Toy held = hsa();
  held.status = "hold ok installed";
  ToyImage image;
  image.layer("FROM").install(held);
  image.layer("RUN cp").raw().file(lib, "custom");
  const Finding finding = only(image.check("package-files"));
  CHECK(finding.kind == "modified");
  CHECK(has(finding.details, "on hold"));
}

TEST_CASE("package-files: a reinstall or an upgrade leaves nothing to report without must_differ (S1e, S2)") {
  ToyImage image;
  image.layer("FROM").install(hsa());
  image.layer("RUN cp").raw().file(lib, "custom");
  image.layer("RUN apt-get install --reinstall").raw().file(lib, "stock");
  CHECK(image.check("package-files").outcome() == Outcome::pass);
}

TEST_CASE("package-files: must_differ tells a lost replacement, with both layers (S1e)") {
  ToyImage image;
  image.layer("FROM").install(hsa());
  image.layer("RUN cp custom").raw().file(lib, "custom");
  image.layer("RUN apt-get install --reinstall").raw().file(lib, "stock");
  const Finding finding = only(image.check("package-files", {{"must_differ", paths({"/usr/lib/libhsa.so.*"})}}));
  CHECK(finding.kind == "reverted");
  CHECK(finding.subject == lib);
  CHECK(finding.layer == 2u);
  CHECK(has(finding.details, "layer 1: RUN cp custom"));
  CHECK(has(finding.details, "layer 2: RUN apt-get install --reinstall"));
}

TEST_CASE("package-files: an upgrade that takes the replacement is reverted by that layer's list (S2)") {
  ToyImage image;
  image.layer("FROM").install(hsa("first release"));
  image.layer("RUN cp custom").raw().file(lib, "custom");
  image.layer("RUN apt-get upgrade").install(hsa("second release"));
  const Finding finding = only(image.check("package-files", {{"must_differ", paths({lib})}}));
  CHECK(finding.kind == "reverted");
  CHECK(finding.layer == 2u);
}

TEST_CASE("package-files: an upgrade of a file that was never replaced is stock, not reverted") {
  ToyImage image;
  image.layer("FROM").install(hsa("first release"));
  image.layer("RUN apt-get upgrade").install(hsa("second release"));
  const Finding finding = only(image.check("package-files", {{"must_differ", paths({lib})}}));
  CHECK(finding.kind == "stock");
  CHECK(finding.layer == 1u);
}

TEST_CASE("package-files: a file that stood there before the package came is no replacement of it") {
  ToyImage image;
  image.layer("COPY").raw().file(lib, "custom");
  image.layer("RUN apt-get install").install(hsa());
  const Answer answer = image.check("package-files", {{"must_differ", paths({lib})}});
  CHECK(lines(answer) == Lines{"stock " + lib});
  CHECK(says(answer, "unpacked over another file"));
}

TEST_CASE("package-files: a replacement through links and under every old name passes") {
  Toy rocr{.name = "hsa-rocr",
           .files = {{"/opt/rocm-7.2.4/lib/libr.so.1.18", "stock"}},
           .links = {{"/opt/rocm-7.2.4/lib/libr.so.1", "libr.so.1.18"}}};
  ToyImage image;
  image.layer("FROM")
      .install(rocr)
      .raw()
      .symlink("/opt/rocm", "/etc/alternatives/rocm")
      .symlink("/etc/alternatives/rocm", "/opt/rocm-7.2.4");
  image.layer("RUN ln -f")
      .raw()
      .file("/opt/rocm-7.2.4/lib/libr.so.1.99", "custom")
      .hardlink("/opt/rocm-7.2.4/lib/libr.so.1.18", "/opt/rocm-7.2.4/lib/libr.so.1.99")
      .hardlink("/opt/rocm-7.2.4/lib/libr.so.1", "/opt/rocm-7.2.4/lib/libr.so.1.99");
  const Answer answer = image.check(
      "package-files", {{"under", paths({"/opt/rocm/**"})}, {"must_differ", paths({"/opt/rocm/lib/libr.so.*"})}});
  CHECK(lines(answer).empty());
  CHECK(answer.outcome() == Outcome::pass);
  CHECK(says(answer, "1 of 1 files that a package owns differ"));
}

TEST_CASE("package-files: must_differ by a link's name is about the file behind it") {
  ToyImage image;
  image.layer("FROM").install(hsa());
  CHECK(lines(image.check("package-files", {{"must_differ", paths({"/usr/lib/libhsa.so.1"})}})) ==
        Lines{"stock " + lib});
}

TEST_CASE("package-files: must_differ that proves nothing is an error") {
  ToyImage image;
  image.layer("FROM").install(hsa()).raw().file("/opt/libx.so.1", "custom");
  const Answer nobody = image.check("package-files", {{"must_differ", paths({"/opt/*"})}});
  CHECK(nobody.outcome() == Outcome::error);
  ToyImage other;
  other.layer("FROM").install(hsa());
  CHECK(other.check("package-files", {{"must_differ", paths({"/opt/nothing"})}}).outcome() == Outcome::error);
}

TEST_CASE("package-files: a file of must_differ that is gone is missing, also outside of under") {
  Toy two = hsa();
  two.files["/usr/lib/libhip.so.7"] = "hip";
  ToyImage image;
  image.layer("FROM").install(two);
  image.layer("RUN").raw().file(lib, "custom").whiteout("/usr/lib/libhip.so.7");
  const Answer answer =
      image.check("package-files", {{"under", paths({"/usr/bin/**"})}, {"must_differ", paths({"/usr/lib/lib*.so.*"})}});
  CHECK(lines(answer) == Lines{"missing /usr/lib/libhip.so.7"});
}

TEST_CASE("package-files: may_differ takes a change and counts it") {
  ToyImage image;
  image.layer("FROM").install(hsa());
  image.layer("RUN cp").raw().file(lib, "custom");
  const Answer answer = image.check("package-files", {{"may_differ", paths({"/usr/lib/libhsa*"})}});
  CHECK(answer.outcome() == Outcome::pass);
  CHECK(says(answer, "1 names of packages differ, as may_differ allows"));
}

TEST_CASE("package-files: a local diversion is a note, and the original behind it is compared (S2c, S2d)") {
  const std::string record = lib + "\n" + lib + ".distrib\n:\n";
  ToyImage good;
  good.layer("FROM").install(hsa());
  good.layer("RUN dpkg-divert")
      .raw()
      .file("/var/lib/dpkg/diversions", record)
      .file(lib + ".distrib", "stock")
      .file(lib, "custom");
  const Answer note = good.check("package-files");
  CHECK(lines(note) == Lines{"diverted " + lib});
  CHECK(only(note).severity == Severity::note);

  ToyImage bad;
  bad.layer("FROM").install(hsa());
  bad.layer("RUN dpkg-divert").raw().file("/var/lib/dpkg/diversions", record).file(lib + ".distrib", "tampered");
  CHECK(lines(bad.check("package-files")) == Lines{"diverted " + lib, "modified " + lib + ".distrib"});
}

TEST_CASE("package-files: a diversion by a package moves the file of every other package") {
  ToyImage image;
  image.layer("FROM")
      .install({.name = "dash", .files = {{"/bin/other", "dash"}}})
      .record({.name = "bash", .files = {{"/bin/sh", "bash's"}}})
      .raw()
      .file("/var/lib/dpkg/diversions", "/bin/sh\n/bin/sh.distrib\ndash\n")
      .file("/bin/sh.distrib", "bash's")
      .file("/bin/sh", "dash's");
  const Answer answer = image.check("package-files");
  CHECK(answer.outcome() == Outcome::pass);
  CHECK(says(answer, "diverted by packages"));
}

TEST_CASE("package-files: a library's link that leads to a file of no package is redirected (S3a)") {
  ToyImage image;
  image.layer("FROM").install(hsa());
  image.layer("RUN ldconfig")
      .raw()
      .file("/usr/lib/libhsa.so.1.99.0", "custom")
      .symlink("/usr/lib/libhsa.so.1", "libhsa.so.1.99.0");
  const Finding finding = only(image.check("package-files"));
  CHECK(finding.kind == "symlink-redirected");
  CHECK(finding.subject == "/usr/lib/libhsa.so.1");
  CHECK(finding.layer == 1u);
}

TEST_CASE("package-files: links without a library's name are no finding") {
  ToyImage image;
  image.layer("FROM").install(
      {.name = "a", .files = {{"/usr/x", "x"}}, .links = {{"/var/lock", "/run/lock"}, {"/etc/cert.pem", "own.pem"}}});
  image.layer("RUN").raw().file("/etc/own.pem", "y");
  CHECK(image.check("package-files").outcome() == Outcome::pass);
}

TEST_CASE("package-files: a file that became a link, a dangling link or a folder (S3b, S3c, S3d, S3h)") {
  const auto with = [](auto change) {
    ToyImage image;
    image.layer("FROM").install(hsa());
    change(image.layer("RUN").raw());
    return lines(image.check("package-files"));
  };
  CHECK(with([](LayerBuilder& layer) { layer.file("/opt/x", "custom").symlink(lib, "/opt/x"); }) ==
        Lines{"modified " + lib, "type-changed " + lib});
  CHECK(with([](LayerBuilder& layer) { layer.file("/opt/x", "stock").symlink(lib, "/opt/x"); }) ==
        Lines{"type-changed " + lib});
  CHECK(with([](LayerBuilder& layer) { layer.symlink(lib, "/opt/nothing"); }) == Lines{"type-changed " + lib});
  CHECK(with([](LayerBuilder& layer) { layer.dir(lib); }) == Lines{"type-changed " + lib});
}

TEST_CASE("package-files: a deleted file and a deleted link are missing since a layer (S3e, S3f)") {
  ToyImage image;
  image.layer("FROM").install(hsa());
  image.layer("RUN rm").raw().whiteout(lib).whiteout("/usr/lib/libhsa.so.1");
  const Answer answer = image.check("package-files");
  CHECK(lines(answer) == Lines{"missing /usr/lib/libhsa.so.1", "missing " + lib});
  for (const Finding& finding : answer.findings()) CHECK(finding.layer == 1u);
}

TEST_CASE("package-files: a link that became a regular file has no digest (S3g)") {
  ToyImage image;
  image.layer("FROM").install(hsa());
  image.layer("RUN cp").raw().file("/usr/lib/libhsa.so.1", "custom");
  CHECK(lines(image.check("package-files")) == Lines{"owned-without-digest /usr/lib/libhsa.so.1"});
}

TEST_CASE("package-files: mode and owner are not in dpkg's lists (S3i)") {
  ToyImage image;
  image.layer("FROM").install(hsa());
  image.layer("RUN chmod").raw().file(lib, "stock", {.mode = 0777, .uid = 7});
  CHECK(image.check("package-files").outcome() == Outcome::pass);
}

TEST_CASE("package-files: one inode under two names, edited through the other (S4a)") {
  ToyImage image;
  image.layer("FROM").install(hsa());
  image.layer("RUN").raw().file("/opt/alias", "custom").hardlink(lib, "/opt/alias");
  CHECK(lines(image.check("package-files")) == Lines{"modified " + lib});
}

TEST_CASE("package-files: thousands of missing files are few findings") {
  Toy big{.name = "big", .files = {{"/usr/bin/big", "x"}}};
  for (int i = 0; i < 50; ++i) {
    big.files["/usr/include/big/" + std::to_string(i) + ".h"] = "h";
    big.files["/usr/share/doc/big/" + std::to_string(i)] = "d";
  }
  ToyImage image;
  image.layer("FROM").install(big);
  image.layer("RUN rm -rf").raw().whiteout("/usr/include/big").whiteout("/usr/share/doc");
  const Answer answer = image.check("package-files");
  CHECK(lines(answer) == Lines{"missing /usr/include/big", "pruned big"});
  CHECK(says(answer, "50 files of big 1.0 below /usr/include/big"));
  CHECK(answer.findings().back().severity == Severity::note);
}

TEST_CASE("package-files: documentation of many packages pruned at once is one note") {
  ToyImage image;
  ToyLayer& base = image.layer("FROM");
  for (int i = 0; i < 30; ++i) {
    const std::string name = "p" + std::to_string(i);
    base.install({.name = name, .files = {{"/usr/bin/" + name, "x"}, {"/usr/share/doc/" + name + "/copyright", "c"}}});
  }
  image.layer("RUN rm -rf /usr/share/doc").raw().whiteout("/usr/share/doc");
  const Answer answer = image.check("package-files");
  CHECK(lines(answer) == Lines{"pruned /usr/share/doc"});
  CHECK(says(answer, "30 packages"));
}

TEST_CASE("package-files: one document of many that is missing is missing") {
  Toy big{.name = "big"};
  for (int i = 0; i < 20; ++i) big.files["/usr/share/doc/big/" + std::to_string(i)] = "d";
  ToyImage image;
  image.layer("FROM").install(big);
  image.layer("RUN rm").raw().whiteout("/usr/share/doc/big/7");
  CHECK(lines(image.check("package-files")) == Lines{"missing /usr/share/doc/big/7"});
}

TEST_CASE("package-files: no database, a removed one, a foreign one") {
  ToyImage none;
  none.layer("COPY").raw().file("/app", "x");
  CHECK(none.check("package-files").outcome() == Outcome::not_applicable);

  ToyImage must;
  must.layer("COPY").raw().file("/app", "x");
  CHECK(must.check("package-files", {{"must_differ", paths({"/app"})}}).outcome() == Outcome::error);

  ToyImage removed;
  removed.layer("FROM").install(hsa());
  removed.layer("RUN rm -rf /var/lib/dpkg").raw().whiteout("/var/lib/dpkg");
  const Answer gone = removed.check("package-files");
  CHECK(gone.outcome() == Outcome::error);
  CHECK(says(gone, "layer 1 removed"));

  ToyImage foreign;
  foreign.layer("FROM").raw().file("/lib/apk/db/installed", "P:musl\n");
  CHECK(foreign.check("package-files").outcome() == Outcome::error);
}

TEST_CASE("package-files: what is below under must be something") {
  ToyImage image;
  image.layer("FROM").install(hsa());
  CHECK(image.check("package-files", {{"under", paths({"/opt/**"})}}).outcome() == Outcome::error);
}
