#include <catch2/catch.hpp>

#include "base/error.h"
#include "support/toy_packages.h"

using namespace ocilint;
using namespace ocilint::test;
using Lines = std::vector<std::string>;
using Texts = std::vector<std::string>;

namespace {

const std::string site = "/usr/lib/python3.12/site-packages";

std::string base64url(Bytes raw) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const std::uint8_t byte : raw) {
    bits = bits << 8 | byte;
    for (held += 8; held >= 6; held -= 6) out += digits[bits >> (held - 6) & 63];
  }
  if (held > 0) out += digits[bits << (6 - held) & 63];
  return out;
}

std::string row(const std::string& path, const std::string& content) {
  return path + ",sha256=" + base64url(Digest::sha256_of(content).raw()) + "," + std::to_string(content.size()) + "\n";
}

/// A wheel as pip installs it: a module, a script outside of the site, compiled files, RECORD.
LayerBuilder& install(LayerBuilder& layer, const std::string& name, const std::string& more = {}) {
  const std::string info = name + "-1.dist-info", metadata = "Name: " + name + "\nVersion: 1\n\n";
  const std::map<std::string, std::string> files = {{name + "/__init__.py", "import _" + name + "\n"},
                                                    {name + "/_" + name + ".so", "elf " + name},
                                                    {info + "/METADATA", metadata},
                                                    {info + "/INSTALLER", "pip\n"},
                                                    {"../../../bin/" + name, "#!/usr/bin/python\n"}};
  std::string record;
  for (const auto& [path, content] : files) {
    record += row(path, content);
    layer.file(normalise(site + "/" + path).path, content);
  }
  record += name + "/__pycache__/__init__.cpython-312.pyc,,\n" + info + "/RECORD,,\n" + more;
  return layer.file(site + "/" + info + "/RECORD", record);
}

}  // namespace

TEST_CASE("wheel-record: as installed") {
  ToyImage image;
  install(image.layer("RUN pip install").raw(), "a");
  const Answer answer = image.check("wheel-record");
  CHECK(answer.outcome() == Outcome::pass);
  CHECK(says(answer, "1 distributions: 5 files have the digest of RECORD, 0 entries have none beside 2 compiled"));
}

TEST_CASE("wheel-record: modified, missing, another size; with the layer that did it") {
  ToyImage image;
  install(image.layer("RUN pip install").raw(), "a", "a/sized.txt,,7\n").file(site + "/a/sized.txt", "1234567");
  install(image.layer("RUN pip install").raw(), "b");
  image.layer("RUN strip").raw().file(site + "/a/_a.so", "stripped").file(site + "/a/sized.txt", "123");
  image.layer("RUN rm").raw().whiteout("/usr/bin/b");
  const Answer answer = image.check("wheel-record");
  REQUIRE(lines(answer) ==
          Lines{"missing /usr/bin/b", "modified " + site + "/a/_a.so", "size " + site + "/a/sized.txt"});
  for (const Finding& finding : answer.findings()) CHECK(finding.layer == (finding.kind == "missing" ? 3u : 2u));
  CHECK(says(answer, "size: 5 in RECORD, 8 here"));
  ToyImage named;
  install(named.layer("RUN pip install").raw(), "a");
  install(named.layer("RUN pip install").raw(), "b").file(site + "/b/_b.so", "other");
  CHECK(named.check("wheel-record", {{"dists", Texts{"A"}}}).outcome() == Outcome::pass);
}

TEST_CASE("wheel-record: what the policy allows is counted, not reported") {
  const auto edited = [] {
    ToyImage image;
    install(image.layer("RUN pip install").raw(), "torch");
    image.layer("RUN sed -i")
        .raw()
        .file(site + "/torch-1.dist-info/METADATA", "Name: torch\nVersion: 1\nLicense: x\n\n");
    return image;
  };
  CHECK(lines(edited().check("wheel-record")) == Lines{"modified " + site + "/torch-1.dist-info/METADATA"});
  const Answer answer = edited().check("wheel-record", {{"allow", paths({"**/torch-*.dist-info/METADATA"})}});
  CHECK(answer.outcome() == Outcome::pass);
  CHECK(says(answer, "1 differ, which the policy allows"));
}

TEST_CASE("wheel-record: an entry whose digest was blanked") {
  const auto blanked = [] {
    ToyImage image;
    install(image.layer("RUN").raw(), "a", "a/more.py,,\n").file(site + "/a/more.py", "x");
    return image;
  };
  const Answer counted = blanked().check("wheel-record");
  CHECK(counted.outcome() == Outcome::pass);
  CHECK(says(counted, "1 entries have none"));
  CHECK(lines(blanked().check("wheel-record", {{"every_hash", true}})) == Lines{"unhashed " + site + "/a/more.py"});
}

TEST_CASE("wheel-record: links and folders in the place of files") {
  ToyImage image;
  install(image.layer("RUN").raw(), "a");
  image.layer("RUN ln")
      .raw()
      .symlink(site + "/a/_a.so", "/opt/same.so")
      .file("/opt/same.so", "elf a")
      .symlink("/usr/bin/a", "/nowhere")
      .whiteout(site + "/a/__init__.py")
      .dir(site + "/a/__init__.py");
  CHECK(lines(image.check("wheel-record")) == Lines{"missing /usr/bin/a", "modified " + site + "/a/__init__.py"});
}

TEST_CASE("wheel-record: many files of one folder are one finding") {
  ToyImage image;
  std::string rows;
  for (int i = 0; i < 50; ++i) rows += row("a/tests/t" + std::to_string(i) + ".py", "x");
  install(image.layer("RUN").raw(), "a", rows);
  const Answer answer = image.check("wheel-record");
  REQUIRE(lines(answer) == Lines{"missing " + site + "/a/tests"});
  CHECK(says(answer, "each of 50 files"));
}

TEST_CASE("wheel-record: what cannot be compared is an error") {
  const auto with_rows = [](const std::string& rows, ToyImage::With values = {}) {
    ToyImage image;
    install(image.layer("RUN").raw(), "a", rows);
    return image.check("wheel-record", values).outcome();
  };
  CHECK(with_rows("") == Outcome::pass);
  CHECK(with_rows("x,sha256=short,1\n") == Outcome::error);
  CHECK(with_rows("../../../../../../etc/passwd,,\n") == Outcome::error);
  CHECK(with_rows("a/__init__.py,md5=1B2M2Y8AsgTpgAmY7PhCfg,3\n") == Outcome::error);
  CHECK(with_rows("", {{"dists", Texts{}}}) == Outcome::error);
  CHECK(with_rows("", {{"dists", Texts{"torch"}}}) == Outcome::fail);

  ToyImage egg;
  install(egg.layer("RUN").raw(), "a").file(site + "/old-1.egg-info", "Name: old\nVersion: 1\n\n");
  CHECK(says(egg.check("wheel-record"), "1 distributions have no RECORD"));
  ToyImage named;
  install(named.layer("RUN").raw(), "a").file(site + "/old-1.egg-info", "Name: old\nVersion: 1\n\n");
  CHECK(named.check("wheel-record", {{"dists", Texts{"old"}}}).outcome() == Outcome::error);
  ToyImage none;
  none.layer("RUN").raw().file("/x", "");
  CHECK(lines(none.check("wheel-record")) == Lines{"missing site-packages, dist-packages"});
}

TEST_CASE("wheel-record: files that no RECORD lists") {
  const auto smuggled = [] {
    ToyImage image;
    LayerBuilder& layer = image.layer("RUN").raw();
    install(layer, "a", row("shared/a.py", "a"));
    install(layer, "b", row("shared/b.py", "b"));
    layer.file(site + "/shared/a.py", "a").file(site + "/shared/b.py", "b");
    layer.file(site + "/a/__pycache__/__init__.cpython-312.pyc", "code");
    image.layer("COPY").raw().file(site + "/a/evil.py", "x");
    return image;
  };
  CHECK(smuggled().check("wheel-record").outcome() == Outcome::pass);
  CHECK(lines(smuggled().check("wheel-record", {{"unlisted", true}})) == Lines{"unlisted " + site + "/a/evil.py"});
  CHECK(lines(smuggled().check("wheel-record", {{"unlisted", true}, {"dists", Texts{"b"}}})).empty());
}

TEST_CASE("wheel-record: a RECORD that says nothing proves nothing") {
  for (const char* const text : {"", "a.py,,\n"}) {
    ToyImage image;
    image.layer("RUN pip install")
        .raw()
        .file(site + "/a-1.dist-info/METADATA", "Name: a\nVersion: 1\n\n")
        .file(site + "/a-1.dist-info/RECORD", text)
        .file(site + "/a.py", "x");
    const Answer named = image.check("wheel-record", {{"dists", Texts{"a"}}});
    CHECK(named.outcome() == Outcome::error);
    CHECK(says(named, "no file with a digest"));
  }
  ToyImage all;
  all.layer("RUN pip install")
      .raw()
      .file(site + "/a-1.dist-info/METADATA", "Name: a\nVersion: 1\n\n")
      .file(site + "/a-1.dist-info/RECORD", "");
  CHECK(all.check("wheel-record").outcome() == Outcome::error);
}

TEST_CASE("wheel-record: exclusions of allow count") {
  ToyImage image;
  install(image.layer("RUN pip install").raw(), "a");
  image.layer("RUN sed").raw().file(site + "/a/__init__.py", "other\n");
  PathSet allowed = paths({"**/a/**"});
  allowed.exclude.push_back(Glob::parse("**/__init__.py"));
  CHECK(lines(image.check("wheel-record", {{"allow", allowed}})) == Lines{"modified " + site + "/a/__init__.py"});
}
