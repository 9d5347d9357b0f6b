// Files that no package owns, and the packages that they need (rows E-1, E-2).
#include <catch2/catch.hpp>

#include <elf.h>

#include "support/toy_packages.h"

using namespace ocilint;
using namespace ocilint::test;
using Lines = std::vector<std::string>;
using Texts = std::vector<std::string>;

namespace {

constexpr std::string_view sdk = "/opt/sdk/lib/libprofiler-sdk.so.1";
constexpr std::string_view torch = "/usr/local/lib/python3.12/dist-packages/torch/lib/libtorch.so";
constexpr std::string_view dw = "/usr/lib/x86_64-linux-gnu/libdw.so.1";
constexpr std::string_view states = "/var/lib/apt/extended_states";

std::shared_ptr<const ElfFacts> library(std::string soname, std::vector<std::string> needed) {
  auto facts = std::make_shared<ElfFacts>();
  facts->kind = ElfKind::elf;
  facts->elf_class = ElfClass::elf64;
  facts->machine = EM_X86_64;
  facts->type = ET_DYN;
  facts->has_dynamic = true;
  facts->soname = std::move(soname);
  facts->needed = std::move(needed);
  facts->runpath = "/lib/x86_64-linux-gnu:/opt/sdk/lib:/usr/lib/x86_64-linux-gnu";
  return facts;
}

const Toy setup{.name = "acme-setup", .control = "Depends: libdw1\n"};
// The list spells the path through the link /lib, as old packages do.
const Toy libdw{
    .name = "libdw1", .version = "0.188-2.1", .files = {{"/lib/x86_64-linux-gnu/libdw.so.1", "x"}}, .same = true};
const std::string automatic = "Package: libdw1\nArchitecture: amd64\nAuto-Installed: 1\n\n";

const std::string bytes(64, 'x');  // the loader refuses what is shorter than a header

/// The profiler's library, copied from a builder stage, and what loads it; libdw as the loader finds it.
void add_files(LayerBuilder& raw, bool with_libdw = true) {
  raw.symlink("/lib", "usr/lib");
  if (with_libdw) raw.file(dw, bytes).elf(library("libdw.so.1", {}));
  raw.file(sdk, bytes).elf(library("libprofiler-sdk.so.1", {"libdw.so.1"}));
  raw.file(torch, bytes).elf(library("libtorch.so", {"libprofiler-sdk.so.1"}));
  raw.file("/opt/sdk/lib/notes.so.txt", "text").elf(std::make_shared<const ElfFacts>());
}

Answer ask(ToyImage& image, ToyImage::With more = {}) {
  Params with(rule_of("autoremove-safe").doc.params);
  with.set("files", paths({"/opt/sdk/lib/*", "/usr/local/lib/python3*/dist-packages/**/*.so"}));
  for (const auto& [name, value] : more) with.set(name, value);
  Answer answer;
  rule_of("autoremove-safe").check(with, image.view("autoremove-safe", with), answer);
  return answer;
}

}  // namespace

TEST_CASE("E-1: a copied library needs a package that autoremove takes, before it is gone") {
  ToyImage image;
  ToyLayer& layer = image.layer("FROM").record(libdw);
  add_files(layer.raw());
  layer.raw().file(states, automatic);
  const Answer answer = ask(image);
  REQUIRE(lines(answer) == Lines{"exposed libdw1"});
  CHECK_FALSE(answer.findings().front().severity);
  CHECK(says(answer, std::string(sdk) + ", which no package owns, needs a library of libdw1 0.188-2.1"));
  CHECK(says(answer, std::string(sdk) + " needs libdw.so.1"));
  CHECK(says(answer, "2 of 3 files"));
}

TEST_CASE("Story 1 before the purge: only automatic, kept by the setup package") {
  ToyImage image;
  ToyLayer& layer = image.layer("FROM").record(libdw).install(setup);
  add_files(layer.raw());
  layer.raw().file(states, automatic);
  const Answer answer = ask(image);
  REQUIRE(lines(answer) == Lines{"kept-by-chain libdw1"});
  CHECK(answer.findings().front().severity == Severity::warning);
  CHECK(says(answer, "acme-setup (manual) -> libdw1 (Depends)"));
  CHECK(says(answer, std::string(sdk) + " needs libdw.so.1"));

  // INV-102: the setup package is on the list of what will be removed.
  const Answer purge = ask(image, {{"if_removed", Texts{"acme-setup"}}});
  REQUIRE(lines(purge) == Lines{"exposed libdw1"});
  CHECK(says(purge, "after a purge of acme-setup"));
  CHECK(lines(ask(image, {{"if_removed", Texts{"libdw1"}}})) == Lines{"exposed libdw1"});
  CHECK(ask(image, {{"if_removed", Texts{"other"}}}).outcome() == Outcome::pass);
  CHECK(ask(image, {{"allow", Texts{"libdw1"}}}).outcome() == Outcome::pass);
}

TEST_CASE("E-1 after: the library is gone") {
  ToyImage image;
  ToyLayer& layer = image.layer("FROM").install({.name = "base-files"});
  add_files(layer.raw(), false);
  const Answer answer = ask(image);
  REQUIRE(lines(answer) == Lines{"unresolved " + std::string(sdk)});
  CHECK(says(answer, "it needs libdw.so.1"));
}

TEST_CASE("E-2: the owner is found behind the links of the image, and a manual package is safe") {
  ToyImage image;
  ToyLayer& layer = image.layer("FROM").record(libdw);
  add_files(layer.raw());
  layer.raw().file(states, "");
  const Answer answer = ask(image);
  CHECK(answer.outcome() == Outcome::pass);
  CHECK(says(answer, "libdw1 0.188-2.1 stays: libdw1 (manual)"));
}

TEST_CASE("autoremove-safe: what packages need of each other is dpkg's business") {
  Toy owned{.name = "sdk", .files = {{std::string(sdk), "s"}}};
  ToyImage image;
  ToyLayer& layer = image.layer("FROM").record(libdw).record(owned);
  add_files(layer.raw());
  layer.raw().file(states, automatic + "Package: sdk\nArchitecture: amd64\nAuto-Installed: 1\n\n");
  // torch needs the SDK's package; that this needs libdw1 its own dependencies would have to say.
  CHECK(lines(ask(image)) == Lines{"exposed sdk"});
}

TEST_CASE("autoremove-safe: files of which none was looked at are no pass") {
  const auto image_of = [](ToyImage& image) -> ToyImage& {
    image.layer("FROM")
        .record(libdw)
        .raw()
        .file(states, "")
        .file("/opt/sdk/lib/notes.txt", "text")
        .elf(std::make_shared<const ElfFacts>())
        .symlink("/opt/sdk/lib/gone.so", "nowhere")
        .dir("/opt/sdk/lib/folder");
    return image;
  };
  ToyImage texts;
  const Answer answer = ask(image_of(texts));
  REQUIRE(answer.findings().size() == 1);
  CHECK(answer.findings().front().kind == "missing");
  CHECK(says(answer, "nothing was looked at"));
  ToyImage allowed;
  CHECK(ask(image_of(allowed), {{"allow_empty", true}}).outcome() == Outcome::pass);
  ToyImage named;
  CHECK(lines(ask(image_of(named), {{"files", paths({"/opt/sdk/lib/gone.so"})}, {"allow_empty", true}})) ==
        Lines{"missing /opt/sdk/lib/gone.so"});
  // Files that packages own were looked at: their packages' dependencies speak for them.
  ToyImage owned;
  owned.layer("FROM")
      .record({.name = "sdk", .files = {{std::string(sdk), "s"}}})
      .raw()
      .file(states, "")
      .file(sdk, bytes)
      .elf(library("libprofiler-sdk.so.1", {}));
  const Answer fine = ask(owned);
  CHECK(fine.outcome() == Outcome::pass);
  CHECK(says(fine, "1 belong to one, whose dependencies speak for it"));
}

TEST_CASE("autoremove-safe: files that match nothing") {
  ToyImage image;
  image.layer("FROM").record(libdw).raw().file(states, automatic);
  const Answer answer = ask(image);
  REQUIRE(answer.findings().size() == 1);
  CHECK(answer.findings().front().kind == "missing");
  CHECK(ask(image, {{"allow_empty", true}}).outcome() == Outcome::pass);
}
