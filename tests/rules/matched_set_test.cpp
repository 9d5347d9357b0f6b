#include <catch2/catch.hpp>

#include "base/error.h"
#include "support/toy_packages.h"

using namespace ocilint;
using namespace ocilint::test;
using Lines = std::vector<std::string>;

namespace {

const Toy hip{.name = "hip",
              .version = "7.2.4",
              .files = {{"/l/liba.so.7.2.70204", "a"}, {"/l/libb.so.7.2.70204", "b"}},
              .links = {{"/l/liba.so.7", "liba.so.7.2.70204"}, {"/l/libb.so.7", "libb.so.7.2.70204"}}};
const std::pair<std::string_view, ParamValue> files{"files", paths({"/l/liba.so.7", "/l/libb.so.7"})};
const std::pair<std::string_view, ParamValue> version{"version", std::string("\\.so\\.(.+)$")};

void replace(ToyLayer& layer, const std::string& name) {
  layer.raw()
      .file("/l/" + name + ".so.7.2.53211", "new " + name)
      .symlink("/l/" + name + ".so.7", name + ".so.7.2.53211");
}

}  // namespace

TEST_CASE("matched-set: all stock, all replaced") {
  ToyImage stock;
  stock.layer("FROM").install(hip);
  const Answer answer =
      stock.check("matched-set", {files, version, {"package_version", true}, {"same_directory", true}});
  CHECK(answer.outcome() == Outcome::pass);
  CHECK(says(answer, "as hip 7.2.4 brought it"));

  ToyImage replaced;
  replaced.layer("FROM").install(hip);
  ToyLayer& copy = replaced.layer("COPY");
  replace(copy, "liba");
  replace(copy, "libb");
  const Answer both = replaced.check("matched-set", {files, version});
  CHECK(both.outcome() == Outcome::pass);
  CHECK(says(both, "all 2 members are replaced"));
  CHECK(says(both, "no package owns /l/liba.so.7.2.53211"));
}

TEST_CASE("matched-set: one was left behind; a reason makes it evidence") {
  const auto with = [](std::initializer_list<std::pair<std::string_view, ParamValue>> more) {
    ToyImage image;
    image.layer("FROM").install(hip);
    replace(image.layer("COPY"), "liba");
    return image.check("matched-set", more);
  };
  const Answer mixed = with({files});
  REQUIRE(lines(mixed) == Lines{"mixed /l/libb.so.7"});
  CHECK(says(mixed, "1 of the 2 members are replaced"));
  CHECK(lines(with({files, version})) == Lines{"mixed /l/libb.so.7", "version /l/libb.so.7"});
  const Answer considered = with({files, version, {"considered", std::string("the compiler is untouched by the fix")}});
  CHECK(considered.outcome() == Outcome::pass);
  CHECK(says(considered, "considered: the compiler is untouched by the fix"));
}

TEST_CASE("matched-set: other bytes under the package's own name are a replacement") {
  ToyImage image;
  image.layer("FROM").install(hip);
  image.layer("COPY").raw().file("/l/liba.so.7.2.70204", "patched");
  const Answer answer = image.check("matched-set", {files});
  REQUIRE(lines(answer) == Lines{"mixed /l/libb.so.7"});
  CHECK(says(answer, "other bytes than hip 7.2.4 brought"));
}

TEST_CASE("matched-set: packages of two versions, files in two directories, versions in contents") {
  ToyImage image;
  image.layer("FROM").install({.name = "a", .version = "1", .files = {{"/l/a", "version 1"}}});
  image.layer("FROM").install({.name = "b", .version = "2", .files = {{"/m/b", "version 2"}}});
  const Answer answer = image.check("matched-set", {{"files", paths({"/l/a", "/m/b"})},
                                                    {"package_version", true},
                                                    {"same_directory", true},
                                                    {"content_version", std::string("version (\\d)")}});
  CHECK(lines(answer) == Lines{"directory /m/b", "version /m/b", "version /m/b"});
}

TEST_CASE("matched-set: names of one file are one member") {
  // A set of one file under two names would agree with itself, whatever became of the others.
  ToyImage links;
  links.layer("FROM").install(hip).raw().symlink("/l/libx.so.7", "liba.so.7");
  const auto names = [](std::string_view other) { return paths({"/l/liba.so.7", other}); };
  CHECK(lines(links.check("matched-set", {{"files", names("/l/libx.so.7")}})) == Lines{"missing /l/liba.so.7"});
  ToyImage hard;
  hard.layer("FROM").install(hip).raw().hardlink("/l/libx.so.7", "/l/liba.so.7.2.70204");
  const Answer answer = hard.check("matched-set", {{"files", names("/l/libx.so.7")}});
  CHECK(lines(answer) == Lines{"missing /l/liba.so.7"});
  CHECK(says(answer, "is the only member"));
  // Beside a true second member the further name says nothing.
  ToyImage more;
  more.layer("FROM").install(hip).raw().hardlink("/l/libx.so.7", "/l/liba.so.7.2.70204");
  const Answer three = more.check("matched-set", {{"files", paths({"/l/liba.so.7", "/l/libx.so.7", "/l/libb.so.7"})}});
  CHECK(three.outcome() == Outcome::pass);
  CHECK(says(three, "all 2 members"));
}

TEST_CASE("matched-set: a member that is missing, dangling or alone") {
  ToyImage image;
  image.layer("FROM").install(hip);
  image.layer("RUN rm").raw().whiteout("/l/libb.so.7.2.70204").whiteout("/l/libb.so.7");
  CHECK(lines(image.check("matched-set", {files})) == Lines{"missing /l/liba.so.7", "missing /l/libb.so.7"});
  ToyImage dangling;
  dangling.layer("FROM").install(hip);
  dangling.layer("RUN rm").raw().whiteout("/l/libb.so.7.2.70204");
  CHECK(lines(dangling.check("matched-set", {files})) == Lines{"dangling /l/libb.so.7", "missing /l/liba.so.7"});
}

TEST_CASE("matched-set: what cannot be told is no pass") {
  ToyImage none;
  none.layer("COPY").raw().file("/l/liba.so.7", "a").file("/l/libb.so.7", "b");
  CHECK(none.check("matched-set", {files}).outcome() == Outcome::error);
  ToyImage unlisted;
  unlisted.layer("FROM").record(hip, hip.list(), "").raw().file("/l/liba.so.7", "a").file("/l/libb.so.7", "b");
  CHECK(unlisted.check("matched-set", {files}).outcome() != Outcome::pass);
}
