// package-files on odd package databases: the rows of pkgdb.md 5.3, by their ids.
#include <catch2/catch.hpp>

#include "support/toy_packages.h"

using namespace ocilint;
using namespace ocilint::test;
using Lines = std::vector<std::string>;

namespace {

const Toy toy{.name = "toy", .files = {{"/usr/a", "a"}, {"/usr/b c", "b"}}};

/// The package with another md5sums file; /usr/a was edited.
Answer with_sums(const std::string& md5sums, std::string content = "edited") {
  ToyImage image;
  image.layer("FROM").record(toy, toy.list(), md5sums).raw().file("/usr/a", content).file("/usr/b c", "b");
  return image.check("package-files");
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(c));
  return text;
}

}  // namespace

TEST_CASE("md5sums in every spelling find the edited file, and nothing else (C1b to C1h, C1m, C3')") {
  const std::string a = md5_hex("a"), b = md5_hex("b"), ok = b + "  usr/b c\n";
  const std::string sums =
      GENERATE_COPY(b + "  usr/b c\n" + a + "  usr/a",                    // C1b: no newline at the end
                    a + " usr/a\n" + b + " usr/b c\n",                    // C1c: one blank
                    a + " *usr/a\n" + ok,                                 // C1d
                    a + "  ./usr/a\n" + ok,                               // C1e
                    a + "  /usr/a\n" + ok,                                // C1f
                    upper(a) + "  usr/a\n" + ok,                          // C1g
                    Digest::sha256_of("a").hex() + "  usr/a\n" + ok,      // C1h
                    a + "  usr/a\r\n" + b + "  usr/b c\r\n",              // C1k
                    a + "  usr/a\n\n" + ok,                               // C1m
                    "\\" + a + "  usr/a\n" + ok,                          // C3'
                    a + "  usr/a\n" + ok + md5_hex("x") + "  usr/gone\n"  // C1j: a path that is not in the list
      );
  INFO(sums);
  CHECK(lines(with_sums(sums)) == Lines{"modified /usr/a"});
  CHECK(lines(with_sums(sums, "a")).empty());
  CHECK(with_sums(sums, "a").outcome() == Outcome::pass);
}

TEST_CASE("a package without digests is unverifiable, a note (C1a, C1i)") {
  ToyImage image;
  image.layer("FROM").install(toy).install({.name = "other", .files = {{"/usr/o", "o"}}});
  image.layer("RUN rm").raw().whiteout("/var/lib/dpkg/info/toy.md5sums");
  const Answer gone = image.check("package-files");
  REQUIRE(lines(gone) == Lines{"unverifiable toy"});
  CHECK(gone.findings().front().severity == Severity::note);
  CHECK(gone.findings().front().layer == 1u);
  ToyImage empty;
  empty.layer("FROM").install(toy).record(toy, toy.list(), "").install({.name = "other", .files = {{"/usr/o", "o"}}});
  CHECK(lines(empty.check("package-files")) == Lines{"unverifiable toy"});
}

TEST_CASE("digests that cannot be used are no answer, and the other packages are still compared (C1o)") {
  ToyImage image;
  image.layer("FROM")
      .record(toy, toy.list(), std::string("\0\0\0", 3))
      .install({.name = "other", .files = {{"/usr/o", "o"}}})
      .raw()
      .file("/usr/a", "a")
      .file("/usr/b c", "b");
  image.layer("RUN").raw().file("/usr/o", "edited");
  const Answer answer = image.check("package-files");
  CHECK(answer.outcome() == Outcome::error);
  CHECK(says(answer, "toy 1.0: its files cannot be compared"));
  CHECK(lines(answer) == Lines{"modified /usr/o"});
}

TEST_CASE("a line that was refused leaves its file uncovered, and says so (C1l)") {
  const Answer answer = with_sums(md5_hex("a") + "  usr/../usr/a\n" + md5_hex("b") + "  usr/b c\n");
  CHECK(lines(answer) == Lines{"unverifiable toy"});
  CHECK(says(answer, "1 lines of its lists were refused"));
}

TEST_CASE("without a list the digests are the list; without both there is no answer (C1n)") {
  ToyImage image;
  image.layer("FROM").install(toy);
  image.layer("RUN").raw().whiteout("/var/lib/dpkg/info/toy.list").file("/usr/a", "edited");
  const Answer answer = image.check("package-files");
  CHECK(lines(answer) == Lines{"modified /usr/a"});
  CHECK(says(answer, "1 packages have no list"));
  ToyImage neither;
  neither.layer("FROM").install(toy).install({.name = "other", .files = {{"/usr/o", "o"}}});
  neither.layer("RUN").raw().whiteout("/var/lib/dpkg/info/toy.list").whiteout("/var/lib/dpkg/info/toy.md5sums");
  CHECK(neither.check("package-files").outcome() == Outcome::error);
}

TEST_CASE("configuration files: edited, deleted, obsolete, to be removed, not configured (C2)") {
  Toy owner = toy;
  owner.conffiles = {{"/etc/edited", "1"}, {"/etc/deleted", "1"}, {"/etc/kept", "1"}};
  ToyImage image;
  image.layer("FROM").install(owner);
  image.layer("RUN").raw().file("/etc/edited", "2").whiteout("/etc/deleted");
  const Answer answer = image.check("package-files");
  CHECK(lines(answer) == Lines{"conffile-missing /etc/deleted", "conffile-modified /etc/edited"});
  for (const Finding& finding : answer.findings()) CHECK(finding.severity == Severity::note);

  Toy special = toy;
  special.control =
      "Conffiles:\n /etc/old " + md5_hex("1") + " obsolete\n /etc/away " + md5_hex("1") + " remove-on-upgrade\n";
  ToyImage odd;
  odd.layer("FROM")
      .install(special)
      .record(special, toy.list() + "/etc\n/etc/old\n/etc/away\n", toy.md5sums())
      .raw()
      .file("/etc/old", "2");
  const Answer old = odd.check("package-files");
  CHECK(lines(old) == Lines{"conffile-modified /etc/old"});
  CHECK(says(old, "obsolete"));

  Toy fresh = toy;
  fresh.status = "install ok unpacked";
  fresh.control = "Conffiles:\n /etc/new newconffile\n";
  ToyImage unpacked;
  unpacked.layer("FROM")
      .install(fresh)
      .record(fresh, toy.list() + "/etc\n/etc/new\n", toy.md5sums())
      .raw()
      .file("/etc/new.dpkg-new", "1");
  CHECK(lines(unpacked.check("package-files")) == Lines{"not-configured toy"});
}

TEST_CASE("a removed package of which configuration files are left is not compared (C2e)") {
  Toy rc{.name = "rc", .status = "deinstall ok config-files", .conffiles = {{"/etc/rc", "1"}}};
  ToyImage image;
  image.layer("FROM").install(toy).record(rc, "/etc\n/etc/rc\n", "");
  CHECK(image.check("package-files").outcome() == Outcome::pass);
}

TEST_CASE("names are bytes: blanks at the ends, tabs, Latin-1 (C3)") {
  Toy odd{.name = "odd", .files = {{"/usr/ x ", "1"}, {"/usr/t\tab", "2"}, {"/usr/caf\xe9", "3"}}};
  ToyImage image;
  image.layer("FROM").install(odd);
  CHECK(image.check("package-files").outcome() == Outcome::pass);
  ToyImage edited;
  edited.layer("FROM").install(odd);
  edited.layer("RUN").raw().file("/usr/ x ", "9").file("/usr/caf\xe9", "9");
  CHECK(lines(edited.check("package-files")) == Lines{"modified /usr/ x ", "modified /usr/caf\xe9"});
}

TEST_CASE("files that the image's own path-exclude rules keep away are counted (C5)") {
  Toy docs = toy;
  docs.files["/usr/share/doc/toy/changelog.gz"] = "c";
  docs.files["/usr/share/doc/toy/copyright"] = "c";
  ToyImage image;
  image.layer("FROM")
      .record(docs)
      .raw()
      .file("/usr/a", "a")
      .file("/usr/b c", "b")
      .file("/usr/share/doc/toy/copyright", "c")
      .file("/etc/dpkg/dpkg.cfg.d/docker", "path-exclude /usr/share/doc/*\npath-include /usr/share/doc/*/copyright\n");
  const Answer answer = image.check("package-files");
  CHECK(answer.outcome() == Outcome::pass);
  CHECK(says(answer, "1 files are absent as the image's path-exclude rules say"));
}

TEST_CASE("merged /usr: one finding under the canonical path, the recorded one beside (C7)") {
  Toy old{.name = "old", .files = {{"/lib/x.so.1", "x"}}};
  Toy usr{.name = "usr", .files = {{"/usr/lib/y.so.1", "y"}}};
  ToyImage image;
  image.layer("FROM").record(old).install(usr).raw().symlink("/lib", "usr/lib").file("/usr/lib/x.so.1", "edited");
  const Answer answer = image.check("package-files");
  CHECK(lines(answer) == Lines{"modified /usr/lib/x.so.1"});
  CHECK(says(answer, "recorded as /lib/x.so.1"));
}

TEST_CASE("what a Replaces left behind is another's file (C8)") {
  Toy loser{.name = "loser", .files = {{"/usr/keep", "k"}}};
  ToyImage image;
  image.layer("FROM").install(toy).install(loser).record(loser, loser.list(),
                                                         loser.md5sums() + md5_hex("old") + "  usr/a\n");
  CHECK(image.check("package-files").outcome() == Outcome::pass);
}

TEST_CASE("a file that two architectures share is one finding with two owners (M1)") {
  Toy one{.name = "libx", .files = {{"/usr/share/x", "x"}}, .same = true};
  Toy two = one;
  two.architecture = "i386";
  ToyImage image;
  image.layer("FROM").install(one).record(two);
  image.layer("RUN").raw().file("/usr/share/x", "edited");
  const Answer answer = image.check("package-files");
  CHECK(lines(answer) == Lines{"modified /usr/share/x"});
  CHECK(says(answer, "libx:amd64 1.0, libx:i386 1.0"));
}

TEST_CASE("distroless: status.d, digests beside it or under info") {
  const std::string control = "Package: base\nVersion: 1\nArchitecture: amd64\n";
  for (const char* where : {"/var/lib/dpkg/status.d/base.md5sums", "/var/lib/dpkg/info/base.md5sums"}) {
    ToyImage image;
    image.layer("FROM")
        .raw()
        .file("/var/lib/dpkg/status.d/base", control)
        .file(where, md5_hex("x") + "  etc/x\n")
        .file("/etc/x", "edited");
    CHECK(lines(image.check("package-files")) == Lines{"modified /etc/x"});
  }
  ToyImage none;
  none.layer("FROM").raw().file("/var/lib/dpkg/status.d/base", control).file("/etc/x", "x");
  CHECK(none.check("package-files").outcome() == Outcome::error);
}

TEST_CASE("a journal is merged and reported; diversions that cannot be read stop the comparison") {
  Toy newer = toy;
  newer.version = "2.0";
  ToyImage image;
  image.layer("FROM").install(toy).raw().file("/var/lib/dpkg/updates/0001", newer.stanza());
  CHECK(lines(image.check("package-files")) == Lines{"interrupted /var/lib/dpkg/updates/0001"});
  ToyImage cut;
  cut.layer("FROM").install(toy).raw().file("/var/lib/dpkg/diversions", "/usr/a\n");
  CHECK(cut.check("package-files").outcome() == Outcome::error);
}

TEST_CASE("what was not read in the first pass is asked for, and no placeholder is kept as the database") {
  ToyImage image;
  image.layer("FROM").install(toy);
  Params with(rule_of("package-files").doc.params);
  const ImageView& first = image.view("package-files", with);
  auto& layer = const_cast<LayerIndex&>(image.facts().layers().front());
  const auto contents = layer.contents;
  layer.contents.clear();
  CHECK(first.packages().provisional());
  CHECK(first.pending());
  CHECK(&first.packages() == &first.packages());
  layer.contents = contents;
  const ImageView& second = image.again("package-files", with);
  CHECK_FALSE(second.packages().provisional());
  CHECK(second.packages().paths().size() == 3);
  CHECK_FALSE(second.pending());
}
