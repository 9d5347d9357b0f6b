#include <catch2/catch.hpp>

#include "base/error.h"
#include "support/toy_packages.h"

using namespace ocilint;
using namespace ocilint::test;
using Lines = std::vector<std::string>;

namespace {

const Toy stock{.name = "libx", .version = "1.0", .files = {{"/opt/x/lib/libx.so.1.0", "stock"}}};
const Toy other{.name = "curl", .files = {{"/usr/bin/curl", "x"}}};
const std::pair<std::string_view, ParamValue> files{"files", paths({"/opt/x/lib/libx.so*"})};
const std::pair<std::string_view, ParamValue> after{"after", std::string("package-database")};

}  // namespace

TEST_CASE("layer-order: replaced after the last change of the packages") {
  ToyImage image;
  image.layer("FROM").install(stock);
  image.layer("RUN apt-get install curl").install(other);
  image.layer("COPY libx").raw().file("/opt/x/lib/libx.so.1.0", "mine").symlink("/opt/x/lib/libx.so.1", "libx.so.1.0");
  const Answer answer = image.check("layer-order", {files, after});
  CHECK(answer.outcome() == Outcome::pass);
  CHECK(says(answer, "layer 2: COPY libx"));
  CHECK(says(answer, "the last to touch the package database is layer 1: RUN apt-get install curl"));
}

TEST_CASE("layer-order: packages that come after the replacement") {
  ToyImage image;
  image.layer("FROM").install(stock);
  image.layer("COPY libx").raw().file("/opt/x/lib/libx.so.1.0", "mine");
  image.layer("RUN apt-get install curl").install(other);
  const Answer answer = image.check("layer-order", {files, after});
  REQUIRE(lines(answer) == Lines{"too-early /opt/x/lib/libx.so.1.0"});
  CHECK(answer.findings().front().layer == 2u);
  CHECK(says(answer, "the file: layer 1: COPY libx"));
  CHECK(says(answer, "/var/lib/dpkg/status in layer 2: RUN apt-get install curl"));
}

TEST_CASE("layer-order: every package manager's database is one") {
  for (const char* const database :
       {"/lib/apk/db/installed", "/var/lib/rpm/Packages", "/var/lib/rpm/Packages.db", "/var/lib/rpm/rpmdb.sqlite",
        "/usr/lib/sysimage/rpm/rpmdb.sqlite-wal", "/usr/lib/sysimage/rpm/Packages", "/usr/share/rpm/rpmdb.sqlite",
        "/var/lib/pacman/local/curl-8-1/desc"}) {
    INFO(database);
    ToyImage image;
    image.layer("FROM").raw().file("/opt/x/lib/libx.so.1.0", "mine");
    image.layer("RUN install").raw().file(database, "x");
    CHECK(lines(image.check("layer-order", {files, after})) == Lines{"too-early /opt/x/lib/libx.so.1.0"});
  }
}

TEST_CASE("layer-order: a link of the set counts by the file that it leads to") {
  ToyImage image;
  image.layer("FROM").install(stock);
  image.layer("RUN apt-get install curl").install(other);
  image.layer("RUN ln -s").raw().symlink("/opt/x/lib/libx.so.1", "libx.so.1.0");
  CHECK(lines(image.check("layer-order", {files, after})) ==
        Lines{"too-early /opt/x/lib/libx.so.1", "too-early /opt/x/lib/libx.so.1.0"});
}

TEST_CASE("layer-order: one layer that does both says so") {
  ToyImage image;
  image.layer("FROM").install(other);
  image.layer("RUN apt-get install x && cp").install(stock).raw().file("/opt/x/lib/libx.so.1", "mine");
  const Answer answer = image.check("layer-order", {files, after});
  CHECK(answer.outcome() == Outcome::pass);
  CHECK(says(answer, "what came first within it cannot be told"));
}

TEST_CASE("layer-order: other files, before and after, and files that are gone") {
  ToyImage image;
  image.layer("A").raw().file("/opt/x/lib/libx.so.1", "mine");
  image.layer("B").raw().file("/etc/ld.so.cache", "c").file("/tmp/lock", "");
  image.layer("C").raw().whiteout("/tmp/lock");
  CHECK(lines(image.check("layer-order", {files, {"after_files", paths({"/etc/ld.so.cache"})}})) ==
        Lines{"too-early /opt/x/lib/libx.so.1"});
  const auto rule_again = [&](ToyImage::With with) {
    Params params(rule_of("layer-order").doc.params);
    for (const auto& [name, value] : with) params.set(name, value);
    Answer answer;
    rule_of("layer-order").check(params, image.again("layer-order", params), answer);
    return answer;
  };
  CHECK(rule_again({files, {"before_files", paths({"/etc/ld.so.cache"})}}).outcome() == Outcome::pass);
  const Answer late = rule_again({{"files", paths({"/etc/ld.so.cache"})}, {"before_files", paths({"/opt/x/**"})}});
  CHECK(lines(late) == Lines{"too-late /etc/ld.so.cache"});
  const Answer gone = rule_again({files, {"after_files", paths({"/tmp/lock"})}});
  REQUIRE(lines(gone) == Lines{"too-early /opt/x/lib/libx.so.1"});
  CHECK(gone.findings().front().layer == 2u);
}

TEST_CASE("layer-order: nothing to compare with, nothing asked, nothing there") {
  ToyImage image;
  image.layer("A").raw().file("/opt/x/lib/libx.so.1", "mine");
  CHECK(image.check("layer-order", {files, after}).outcome() == Outcome::error);
  ToyImage plain;
  plain.layer("A").raw().file("/opt/x/lib/libx.so.1", "mine");
  CHECK_THROWS_AS(plain.check("layer-order", {files}), Error);
  ToyImage none;
  none.layer("A").install(other);
  CHECK(lines(none.check("layer-order", {files, after})) == Lines{"missing /opt/x/lib/libx.so*"});
}

TEST_CASE("layer-order: untouched_after compares bytes") {
  const std::pair<std::string_view, ParamValue> untouched{"untouched_after", true};
  const auto with = [&](std::initializer_list<const char*> versions) {
    ToyImage image;
    for (const char* const bytes : versions) image.layer(bytes).raw().file("/opt/x/lib/libx.so.1", bytes);
    image.layer("last").raw().file("/else", "");
    return lines(image.check("layer-order", {files, untouched}));
  };
  CHECK(with({"stock", "mine"}).empty());
  CHECK(with({"stock", "mine", "mine"}) == Lines{"touched /opt/x/lib/libx.so.1"});
  CHECK(with({"stock", "mine", "stock"}) == Lines{"reverted /opt/x/lib/libx.so.1"});
  CHECK(with({"stock", "mine", "stock", "stock"}) ==
        Lines{"reverted /opt/x/lib/libx.so.1", "touched /opt/x/lib/libx.so.1"});
  CHECK(with({"stock"}).empty());
}

TEST_CASE("layer-order: untouched_after of a name that has no bytes is no pass") {
  ToyImage image;
  image.layer("FROM").raw().file("/opt/x/lib/libx.so.1", "mine").symlink("/opt/link", "x");
  image.layer("last").raw().file("/opt/x/lib/libx.so.1", "mine");
  const auto ask = [&](std::initializer_list<std::string_view> globs) {
    Params with(rule_of("layer-order").doc.params);
    with.set("files", paths(globs));
    with.set("untouched_after", true);
    Answer answer;
    rule_of("layer-order").check(with, image.view("layer-order", with), answer);
    return answer;
  };
  const Answer folder = ask({"/opt/x"});
  CHECK(folder.outcome() == Outcome::error);
  CHECK(says(folder, "/opt/x leads to a directory"));
  CHECK(says(folder, "/opt/x/**"));
  CHECK(ask({"/opt/link"}).outcome() == Outcome::error);
  // A pattern may meet folders beside the files that it is for; it may not meet nothing else.
  CHECK(lines(ask({"/opt/x/**"})) == Lines{"touched /opt/x/lib/libx.so.1"});
  CHECK(says(ask({"/opt/x/**"}), "1 names lead to no regular file"));
  CHECK(ask({"/opt/x/l*"}).outcome() == Outcome::error);
}

TEST_CASE("layer-order: removed and brought back with the same bytes is reverted") {
  ToyImage image;
  image.layer("A").raw().file("/opt/x/lib/libx.so.1", "mine");
  image.layer("B").raw().whiteout("/opt/x/lib/libx.so.1");
  image.layer("C").raw().file("/opt/x/lib/libx.so.1", "mine");
  const Answer answer = image.check("layer-order", {files, {"untouched_after", true}});
  REQUIRE(lines(answer) == Lines{"reverted /opt/x/lib/libx.so.1"});
  CHECK(answer.findings().front().layer == 2u);
}

TEST_CASE("layer-order: a pattern also stands for files that are gone") {
  ToyImage image;
  image.layer("FROM").raw().file("/opt/x/lib/libx.so.1.0", "stock");
  image.layer("RUN apt-get install").raw().file("/opt/pkg/a.done", "x").file("/opt/pkg/b.done", "x");
  image.layer("COPY libx").raw().file("/opt/x/lib/libx.so.1.0", "mine");
  image.layer("RUN rm").raw().whiteout("/opt/pkg/a.done");
  CHECK(lines(image.check("layer-order", {files, {"after_files", paths({"/opt/pkg/*.done"})}})) ==
        Lines{"too-early /opt/x/lib/libx.so.1.0"});
}
