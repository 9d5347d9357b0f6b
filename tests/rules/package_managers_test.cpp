// package-files about packages of apk, rpm and Python: the same findings as of dpkg's, and no pass for a database that
// cannot be read.
#include <catch2/catch.hpp>

#include "base/base64.h"
#include "base/error.h"
#include "support/rpm_maker.h"
#include "support/toy_packages.h"

using namespace ocilint;
using namespace ocilint::test;
using Lines = std::vector<std::string>;

namespace {

std::string raw_digest(Algorithm algorithm, std::string_view text) {
  Hasher hasher(algorithm);
  hasher.update(as_bytes(text));
  return std::string(as_text(hasher.finish().raw()));
}

/// "R:…, a:…, Z:…" of a file, or of a link when it is "-> target".
std::string apk_file(const std::string& name, const std::string& content) {
  const bool link = content.starts_with("-> ");
  return "R:" + name + "\na:0:0:" + (link ? "777" : "755") + "\nZ:Q1" +
         encode_base64(raw_digest(Algorithm::sha1, link ? content.substr(3) : content)) + "\n";
}

const std::string apk = "P:libx\nV:1.0-r0\nA:x86_64\nF:usr/lib\n" + apk_file("libx.so.1.0", "stock") +
                        apk_file("libx.so.1", "-> libx.so.1.0") + "F:etc\n" + apk_file("x.conf", "conf") +
                        "F:etc/init.d\n" + apk_file("x", "script") + "F:usr/share/doc/x\n" +
                        apk_file("README", "text") + "\n";
constexpr const char* apk_path = "/lib/apk/db/installed";

LayerBuilder& apk_base(ToyImage& image) {
  return image.layer("FROM")
      .raw()
      .file(apk_path, apk)
      .file("/usr/lib/libx.so.1.0", "stock")
      .symlink("/usr/lib/libx.so.1", "libx.so.1.0")
      .file("/etc/x.conf", "conf")
      .file("/etc/init.d/x", "script")
      .file("/usr/share/doc/x/README", "text");
}

const ToyRpm rpm{.name = "libx",
                 .files = {{"/etc/x.conf", "conf"},
                           {"/usr/lib/libx.so.1", "-> libx.so.1.0"},
                           {"/usr/lib/libx.so.1.0", "stock"},
                           {"/usr/share/doc/x", "text"},
                           {"/var/log/x", "log"}},
                 .flags = {{"/etc/x.conf", 1}, {"/var/log/x", 64}},
                 .not_installed = {"/usr/share/doc/x"}};
constexpr const char* rpm_path = "/var/lib/rpm/rpmdb.sqlite";

LayerBuilder& rpm_base(ToyImage& image) {
  return image.layer("FROM")
      .raw()
      .file(rpm_path, rpm_sqlite({rpm}))
      .file("/usr/lib/libx.so.1.0", "stock")
      .symlink("/usr/lib/libx.so.1", "libx.so.1.0")
      .file("/etc/x.conf", "conf");
}

const std::string site = "/usr/lib/python3.12/site-packages";

LayerBuilder& python(LayerBuilder& layer, const std::string& module, const std::string& native) {
  const auto row = [](const std::string& path, const std::string& content) {
    return path + ",sha256=" + encode_base64(raw_digest(Algorithm::sha256, content)) + "," +
           std::to_string(content.size()) + "\n";
  };
  return layer.file(site + "/a-1.0.dist-info/METADATA", "Name: a\nVersion: 1.0\n\n")
      .file(site + "/a-1.0.dist-info/RECORD", row("a/b.py", "module") + row("a/c.so", "native") +
                                                  row("../../../bin/a", "tool") +
                                                  "a/b.pyc,,\na-1.0.dist-info/RECORD,,\n")
      .file(site + "/a/b.py", module)
      .file(site + "/a/c.so", native)
      .file("/usr/bin/a", "tool");
}

bool fails_with(const Answer& answer, std::string_view part) {
  for (const std::string& error : answer.errors())
    if (error.find(part) != std::string::npos) return answer.outcome() == Outcome::error;
  return false;
}

}  // namespace

TEST_CASE("package-files: untouched packages of apk, rpm and Python pass and say what was compared") {
  ToyImage with_apk, with_rpm, with_python;
  apk_base(with_apk);
  CHECK(lines(with_apk.check("package-files")) == Lines{});
  CHECK(says(with_apk.check("package-files"),
             "compared 5 files of 1 packages of apk with what it recorded, 5 are as recorded"));
  rpm_base(with_rpm);
  CHECK(lines(with_rpm.check("package-files")) == Lines{});
  CHECK(says(with_rpm.check("package-files"), "compared 3 files of 1 packages of rpm"));
  CHECK(says(with_rpm.check("package-files"), "1 files of rpm are absent because they were not installed"));
  python(with_python.layer("FROM").raw(), "module", "native");
  CHECK(lines(with_python.check("package-files")) == Lines{});
  CHECK(says(with_python.check("package-files"), "compared 3 files of 1 packages of python"));
}

TEST_CASE("package-files: apk's files that were changed, deleted, redirected") {
  ToyImage image;
  apk_base(image);
  image.layer("RUN vandal")
      .raw()
      .file("/usr/lib/libx.so.1.0", "mine")
      .symlink("/usr/lib/libx.so.1", "liby.so")
      .file("/etc/x.conf", "mine")
      .whiteout("/etc/init.d/x")
      .whiteout("/usr/share/doc/x/README");
  const Answer answer = image.check("package-files");
  CHECK(lines(answer) == Lines{"conffile-modified /etc/x.conf", "missing /etc/init.d/x",
                               "modified /usr/lib/libx.so.1.0", "pruned libx",
                               "symlink-redirected /usr/lib/libx.so.1"});
  for (const Finding& finding : answer.findings()) CHECK(finding.layer == 1u);
  ToyImage types;
  apk_base(types);
  types.layer("RUN").raw().file("/usr/lib/libx.so.1", "a copy").symlink("/usr/lib/libx.so.1.0", "/opt/libx.so");
  CHECK(lines(types.check("package-files")) ==
        Lines{"owned-without-digest /usr/lib/libx.so.1", "type-changed /usr/lib/libx.so.1.0"});
}

TEST_CASE("package-files: rpm's files, links, configuration and what it does not compare") {
  ToyImage image;
  rpm_base(image);
  image.layer("RUN vandal")
      .raw()
      .file("/usr/lib/libx.so.1.0", "mine")
      .symlink("/usr/lib/libx.so.1", "libx.so.1.0.0")
      .whiteout("/etc/x.conf")
      .file("/var/log/x", "anything");
  CHECK(lines(image.check("package-files")) == Lines{"conffile-missing /etc/x.conf", "modified /usr/lib/libx.so.1.0",
                                                     "symlink-redirected /usr/lib/libx.so.1"});
  ToyImage gone;
  rpm_base(gone);
  gone.layer("RUN rm").raw().whiteout("/usr/lib/libx.so.1.0").file("/usr/lib/libx.so.1", "copy");
  CHECK(lines(gone.check("package-files")) ==
        Lines{"missing /usr/lib/libx.so.1.0", "owned-without-digest /usr/lib/libx.so.1"});
}

TEST_CASE("package-files: two rpm packages that have one path, as for two processors") {
  ToyRpm other = rpm;
  other.files = {{"/usr/lib/libx.so.1.0", "other"}};
  ToyImage image;
  image.layer("FROM")
      .raw()
      .file(rpm_path, rpm_sqlite({other, rpm}))
      .file("/usr/lib/libx.so.1.0", "stock")
      .symlink("/usr/lib/libx.so.1", "libx.so.1.0")
      .file("/etc/x.conf", "conf");
  CHECK(lines(image.check("package-files")) == Lines{});
}

TEST_CASE("package-files: Python's files are warnings unless they are shared libraries") {
  ToyImage image;
  python(image.layer("FROM").raw(), "edited", "patched");
  image.layer("RUN rm").raw().whiteout("/usr/bin/a");
  const Answer answer = image.check("package-files");
  CHECK(lines(answer) == Lines{"missing /usr/bin/a", "modified " + site + "/a/b.py", "modified " + site + "/a/c.so"});
  for (const Finding& finding : answer.findings())
    CHECK(finding.severity == (finding.subject.ends_with(".so") ? std::nullopt : std::optional(Severity::warning)));
}

TEST_CASE("package-files: distributions that a package of the system owns are left to it") {
  ToyImage image;
  image.layer("FROM").install(
      {.name = "python3-a", .files = {{site + "/a-1.0.dist-info/METADATA", "Name: a\nVersion: 1.0\n\n"}}});
  python(image.layer("RUN").raw(), "edited", "patched");
  const Answer answer = image.check("package-files");
  CHECK(lines(answer) == Lines{});
  CHECK(says(answer, "1 distributions of Python are an operating system's packages"));
}

TEST_CASE("package-files: must_differ and may_differ mean the same for every manager") {
  for (const bool with_apk : {true, false}) {
    INFO(with_apk);
    ToyImage stock;
    (with_apk ? apk_base : rpm_base)(stock);
    CHECK(lines(stock.check("package-files", {{"must_differ", paths({"/usr/lib/libx.so.*"})}})) ==
          Lines{"stock /usr/lib/libx.so.1.0"});
    ToyImage replaced;
    (with_apk ? apk_base : rpm_base)(replaced);
    replaced.layer("COPY").raw().file("/usr/lib/libx.so.1.0", "mine");
    const Answer good = replaced.check("package-files", {{"must_differ", paths({"/usr/lib/libx.so.*"})}});
    CHECK(lines(good) == Lines{});
    CHECK(good.outcome() == Outcome::pass);
    CHECK(says(good, "1 of 1 files that a package owns differ from it"));
    CHECK(lines(replaced.check("package-files", {{"may_differ", paths({"/usr/lib/*"})}})) == Lines{});
    CHECK(fails_with(replaced.check("package-files", {{"must_differ", paths({"/opt/*"})}}), "must_differ"));
    CHECK(lines(replaced.check("package-files", {{"exclude", paths({"/usr/lib/*"})}})) == Lines{});
    CHECK(fails_with(replaced.check("package-files", {{"under", paths({"/opt/**"})}}), "no file could be compared"));
  }
}

TEST_CASE("package-files: managers chooses, and one that is not there is no pass") {
  ToyImage image;
  apk_base(image);
  image.layer("RUN").raw().file("/usr/lib/libx.so.1.0", "mine");
  const auto with = [&](std::vector<std::string> names) {
    return image.check("package-files", {{"managers", std::move(names)}});
  };
  CHECK(lines(with({"apk"})) == Lines{"modified /usr/lib/libx.so.1.0"});
  CHECK(fails_with(with({"rpm"}), "no packages of rpm"));
  CHECK(fails_with(with({"python"}), "no packages of python"));
  CHECK(fails_with(with({"dpkg"}), "apk"));
  CHECK(with({"apk", "rpm"}).outcome() != Outcome::pass);
}

TEST_CASE("package-files: a database that is there and cannot be read is never a pass") {
  std::string berkeley(4096, '\0');
  berkeley.replace(12, 4, little_endian(0x053162, 4));
  const std::string good = rpm_sqlite({rpm});
  const std::vector<std::pair<std::string, std::string>> databases = {{apk_path, "nonsense"},
                                                                      {apk_path, "P:a\n\n"},
                                                                      {"/usr/lib/apk/db/installed", "P:a\n"},
                                                                      {rpm_path, "text"},
                                                                      {rpm_path, ""},
                                                                      {rpm_path, good.substr(0, good.size() / 2)},
                                                                      {"/var/lib/rpm/Packages", berkeley},
                                                                      {"/usr/lib/sysimage/rpm/Packages.db", "RpmPx"},
                                                                      {"/usr/share/rpm/rpmdb.sqlite", "x"},
                                                                      {"/var/lib/pacman/local/ALPM_DB_VERSION", "9"}};
  for (const auto& [path, content] : databases) {
    INFO(path << " " << content.size());
    ToyImage alone, beside;
    alone.layer("FROM").raw().file(path, content);
    CHECK(alone.check("package-files").outcome() == Outcome::error);
    beside.layer("FROM").install({.name = "x", .files = {{"/usr/x", "1"}}}).raw().file(path, content);
    CHECK(beside.check("package-files").outcome() == Outcome::error);
  }
  ToyImage journal;
  rpm_base(journal).file(std::string(rpm_path) + "-journal", "x");
  CHECK(fails_with(journal.check("package-files"), "never finished"));
  ToyImage removed;
  apk_base(removed);
  removed.layer("RUN apk del").raw().whiteout(apk_path);
  CHECK(fails_with(removed.check("package-files"), "layer 1 removed /lib/apk/db/installed"));
  ToyImage two;
  rpm_base(two).file("/usr/lib/sysimage/rpm/rpmdb.sqlite", good);
  CHECK(fails_with(two.check("package-files"), "two databases of rpm"));
  ToyImage linked;
  rpm_base(linked).symlink("/usr/lib/sysimage/rpm", "/var/lib/rpm");
  CHECK(linked.check("package-files").outcome() == Outcome::pass);
  ToyImage record;
  python(record.layer("FROM").raw(), "module", "native")
      .file(site + "/b-1.dist-info/METADATA", "Name: b\nVersion: 1\n\n")
      .file(site + "/b-1.dist-info/RECORD", "b.py,md5,x\n");
  CHECK(fails_with(record.check("package-files"), "b 1"));
  // Where the policy does not look, it is not asked.
  CHECK(record.check("package-files", {{"under", paths({"/usr/bin/**"})}}).outcome() == Outcome::pass);
}

TEST_CASE("package-files: Python alone, with nothing to compare, makes no image one of packages") {
  ToyImage image;
  image.layer("FROM").raw().file(site + "/a-1.0.dist-info/METADATA", "Name: a\nVersion: 1.0\n\n");
  CHECK(image.check("package-files").outcome() == Outcome::not_applicable);
  CHECK(fails_with(image.check("package-files", {{"managers", std::vector<std::string>{"python"}}}),
                   "no file could be compared"));
  CHECK(fails_with(image.check("package-files", {{"must_differ", paths({"/x"})}}), "must_differ"));
  CHECK(fails_with(image.check("package-files", {{"managers", std::vector<std::string>{}}}), "empty list"));
  ToyImage excluded;
  python(excluded.layer("FROM").raw(), "module", "native");
  CHECK(excluded.check("package-files", {{"exclude", paths({"/usr/**"})}}).outcome() == Outcome::error);
}
