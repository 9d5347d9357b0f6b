#include <catch2/catch.hpp>

#include "base/error.h"
#include "support/toy_packages.h"

using namespace ocilint;
using namespace ocilint::test;
using Lines = std::vector<std::string>;

namespace {

using Argument = std::pair<std::string_view, ParamValue>;
const Argument path{"path", paths({"/opt/rocm"})};
const Argument hops{"hops", paths({"/etc/alternatives/rocm", "/opt/rocm-7.*"})};
const Argument never{"never_directory", true};

/// The usual two hops.
void base(ToyImage& image) {
  image.layer("FROM")
      .raw()
      .dir("/opt/rocm-7.2.4")
      .file("/opt/rocm-7.2.4/lib/libx.so", "x")
      .symlink("/etc/alternatives/rocm", "/opt/rocm-7.2.4")
      .symlink("/opt/rocm", "/etc/alternatives/rocm");
}

}  // namespace

TEST_CASE("link-chain: two hops, all as asked for") {
  ToyImage image;
  base(image);
  const Answer answer = image.check("link-chain", {path,
                                                   hops,
                                                   never,
                                                   {"ends_in", std::string("directory")},
                                                   {"target_non_empty", true},
                                                   {"max_hops", std::uint64_t{2}}});
  CHECK(answer.outcome() == Outcome::pass);
  CHECK(says(answer, "/opt/rocm -> /etc/alternatives/rocm -> /opt/rocm-7.2.4 is a directory"));
  CHECK(says(answer, "none of 1 layers has /opt/rocm as a directory"));
}

TEST_CASE("link-chain: another target, more or fewer hops") {
  ToyImage other;
  base(other);
  other.layer("RUN update-alternatives").raw().dir("/opt/rocm-6.4").symlink("/etc/alternatives/rocm", "/opt/rocm-6.4");
  const Answer answer = other.check("link-chain", {path, hops});
  REQUIRE(lines(answer) == Lines{"hop /opt/rocm"});
  CHECK(answer.findings().front().layer == 1u);
  CHECK(says(answer, "link 2 of the chain leads to /opt/rocm-6.4, not to /opt/rocm-7.*"));

  ToyImage fewer;
  base(fewer);
  fewer.layer("RUN ln -sfn").raw().symlink("/opt/rocm", "rocm-7.2.4");
  CHECK(lines(fewer.check("link-chain", {path, {"hops", paths({"/opt/rocm-7.*", "/opt/x"})}})) ==
        Lines{"hop /opt/rocm"});

  ToyImage longer;
  base(longer);
  CHECK(lines(longer.check("link-chain", {path, {"max_hops", std::uint64_t{1}}})) == Lines{"too-long /opt/rocm"});
}

TEST_CASE("link-chain: links in the folders of a target are no hops") {
  ToyImage image;
  image.layer("FROM").raw().symlink("/lib", "usr/lib").dir("/usr/lib/x").symlink("/x", "lib/x");
  CHECK(image.check("link-chain", {{"path", paths({"/x"})}, {"hops", paths({"/lib/x"})}}).outcome() == Outcome::pass);
}

TEST_CASE("link-chain: a loop, a target that is gone, one that climbs above the root") {
  ToyImage loop;
  loop.layer("A").raw().symlink("/opt/rocm", "/b").symlink("/b", "/opt/rocm");
  CHECK(lines(loop.check("link-chain", {path})) == Lines{"loop /opt/rocm"});

  ToyImage dangling;
  base(dangling);
  dangling.layer("RUN rm").raw().whiteout("/opt/rocm-7.2.4");
  const Answer gone = dangling.check("link-chain", {path, hops});
  REQUIRE(lines(gone) == Lines{"dangling /opt/rocm"});
  CHECK(gone.findings().front().layer == 1u);

  ToyImage escape;
  escape.layer("A").raw().dir("/opt/rocm-7").symlink("/opt/rocm", "../../../opt/rocm-7");
  CHECK(lines(escape.check("link-chain", {path})) == Lines{"escapes /opt/rocm"});
}

TEST_CASE("link-chain: no link at all, another end, an empty end") {
  ToyImage directory;
  directory.layer("A").raw().dir("/opt/rocm").file("/opt/rocm/f", "x");
  CHECK(lines(directory.check("link-chain", {path})) == Lines{"not-a-link /opt/rocm"});
  ToyImage none;
  none.layer("A").raw().dir("/opt");
  CHECK(lines(none.check("link-chain", {path})) == Lines{"missing /opt/rocm"});
  ToyImage file;
  file.layer("A").raw().file("/f", "").symlink("/opt/rocm", "/f");
  CHECK(lines(file.check("link-chain", {path, {"ends_in", std::string("directory")}, {"target_non_empty", true}})) ==
        Lines{"empty /opt/rocm", "type /opt/rocm"});
  ToyImage empty;
  empty.layer("A").raw().dir("/d").symlink("/opt/rocm", "/d");
  CHECK(lines(empty.check("link-chain", {path, {"target_non_empty", true}})) == Lines{"empty /opt/rocm"});
}

TEST_CASE("link-chain: a COPY that made a directory of the link") {
  ToyImage entry;
  base(entry);
  entry.layer("COPY lib /opt/rocm/lib").raw().dir("/opt/rocm").file("/opt/rocm/lib/libx.so", "y");
  const Answer answer = entry.check("link-chain", {path, never});
  REQUIRE(lines(answer) == Lines{"directory /opt/rocm", "not-a-link /opt/rocm"});
  CHECK(answer.findings().front().layer == 1u);
  CHECK(says(answer, "layer 1 has it as a directory"));

  ToyImage implied;
  base(implied);
  implied.layer("COPY lib /opt/rocm/lib").raw().file("/opt/rocm/lib/libx.so", "y");
  CHECK(
      says(implied.check("link-chain", {path, never}), "layer 1 has /opt/rocm/lib/libx.so below it and not the link"));
}

TEST_CASE("link-chain: a directory that a later layer made a link again still is in its layer") {
  ToyImage image;
  image.layer("A").raw().dir("/opt/rocm").file("/opt/rocm/f", "x");
  image.layer("B").raw().dir("/opt/rocm-7.2.4").file("/opt/rocm-7.2.4/f", "x").symlink("/opt/rocm", "rocm-7.2.4");
  const Answer answer = image.check("link-chain", {path, never});
  REQUIRE(lines(answer) == Lines{"directory /opt/rocm"});
  CHECK(answer.findings().front().layer == 0u);
}

TEST_CASE("link-chain: a whiteout below the name makes a directory, names behind the layer's own link make none") {
  ToyImage image;
  image.layer("A").raw().dir("/opt/r7").symlink("/opt/rocm", "r7").file("/opt/rocm/lib/libx.so", "x");
  CHECK(image.check("link-chain", {path, never}).outcome() == Outcome::pass);
  ToyImage marker;
  base(marker);
  marker.layer("RUN rm /opt/rocm/lib/liby.so").raw().whiteout("/opt/rocm/lib/liby.so");
  const Answer answer = marker.check("link-chain", {path, never});
  REQUIRE(lines(answer) == Lines{"directory /opt/rocm", "not-a-link /opt/rocm"});
  CHECK(answer.findings().front().layer == 1u);
}

TEST_CASE("link-chain: what links record") {
  ToyImage image;
  image.layer("A")
      .raw()
      .file("/l/liba.so.1.2", "x")
      .symlink("/l/liba.so.1", "liba.so.1.2")
      .symlink("/l/libb.so.1", "/l/liba.so.1.2")
      .symlink("/l/libc.so.1", "../m/libc.so.1.0")
      .file("/m/libc.so.1.0", "x");
  const auto again = [&](ToyImage::With with) {
    Params params(rule_of("link-chain").doc.params);
    params.set("path", paths({"/l/*"}));
    params.set("only_links", true);
    for (const auto& [name, value] : with) params.set(name, value);
    Answer answer;
    rule_of("link-chain").check(params, image.again("link-chain", params), answer);
    return lines(answer);
  };
  CHECK(lines(image.check("link-chain", {{"path", paths({"/l/*"})}})) == Lines{"not-a-link /l/liba.so.1.2"});
  CHECK(again({}).empty());
  CHECK(again({{"relative", true}}) == Lines{"absolute /l/libb.so.1"});
  CHECK(again({{"same_directory", true}}) == Lines{"elsewhere /l/libc.so.1"});
  CHECK(again({{"absolute_allow", paths({"/l/**"})}}).empty());
  CHECK(again({{"absolute_allow", paths({"/etc/alternatives/*"})}}) == Lines{"absolute /l/libb.so.1"});
}

TEST_CASE("link-chain: only_links does not pass over a link that became a directory, nor a set without links") {
  ToyImage replaced;
  base(replaced);
  replaced.layer("COPY lib /opt/rocm/lib").raw().dir("/opt/rocm").file("/opt/rocm/lib/libx.so", "y");
  CHECK(lines(replaced.check("link-chain", {path, never, {"only_links", true}})) ==
        Lines{"directory /opt/rocm", "not-a-link /opt/rocm"});

  ToyImage none;
  none.layer("A").raw().dir("/opt/rocm").file("/opt/rocm/f", "x");
  const auto ask = [&](bool allow_empty) {
    Params params(rule_of("link-chain").doc.params);
    params.set("path", paths({"/opt/rocm/**"}));
    params.set("only_links", true);
    params.set("allow_empty", allow_empty);
    Answer answer;
    rule_of("link-chain").check(params, none.view("link-chain", params), answer);
    return answer;
  };
  CHECK(lines(ask(false)) == Lines{"missing /opt/rocm/**"});
  CHECK(ask(true).outcome() == Outcome::pass);
}

TEST_CASE("link-chain: exclusions of absolute_allow count") {
  ToyImage image;
  image.layer("A").raw().file("/l/stub/a.so", "x").symlink("/l/a.so", "/l/stub/a.so");
  PathSet allowed = paths({"/l/**"});
  allowed.exclude.push_back(Glob::parse("/l/stub/**"));
  CHECK(lines(image.check("link-chain", {{"path", paths({"/l/a.so"})}, {"absolute_allow", allowed}})) ==
        Lines{"absolute /l/a.so"});
}
