// `ocilint packages`: who owns what, what differs, why apt keeps a package, and how one that is gone went.
// To accept new texts: OCILINT_APPROVE=1 ctest -R ^look
#include "report/packages.h"

#include "look_kit.h"
#include "support/toy_packages.h"

using namespace ocilint;
using namespace ocilint::testing;
using test::Toy;

namespace {

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// A layer that leaves these packages installed.
struct Step {
  std::string run;
  std::vector<Toy> packages;
  std::string automatic;                       // names, blank between them
  std::map<std::string, std::string> files{};  // besides those of the packages
  std::vector<std::string> removed{};
};

std::string tar_of(const Step& step, bool with_files) {
  test::TarWriter tar;
  std::string status, states;
  for (const Toy& toy : step.packages) {
    status += toy.stanza();
    tar.file("var/lib/dpkg/info/" + toy.info_name() + ".list", toy.list());
    tar.file("var/lib/dpkg/info/" + toy.info_name() + ".md5sums", toy.md5sums());
    if (!with_files) continue;
    for (const auto& [path, content] : toy.files) tar.file(path.substr(1), content);
  }
  std::istringstream names(step.automatic);
  for (std::string name; names >> name;) states += "Package: " + name + "\nArchitecture: amd64\nAuto-Installed: 1\n\n";
  tar.file("var/lib/dpkg/status", status);
  tar.file("var/lib/apt/extended_states", states);
  for (const auto& [path, content] : step.files) tar.file(path.substr(1), content);
  for (const std::string& path : step.removed) tar.whiteout(path.substr(1));
  return tar.finish();
}

TestImage image_of(const std::vector<Step>& steps) {
  TestImage image;
  for (const Step& step : steps) {
    image.layer_tars.push_back(tar_of(step, image.layer_tars.empty()));
    image.created_by.push_back(step.run);
  }
  return image;
}

const Toy base{.name = "base",
               .files = {{"/usr/bin/base", "b"}, {"/usr/share/doc/base/copyright", "c"}},
               .conffiles = {},
               .control = "Essential: yes\n"};
const Toy setup{
    .name = "repo-setup", .files = {{"/usr/bin/setup", "s"}}, .control = "Depends: base, libdw1 (>= 0.5)\n"};
const Toy dw{.name = "libdw1",
             .version = "0.188-2.1",
             .files = {{"/usr/lib/libdw.so.1", "dw"}},
             .control = "Depends: libelf1\n",
             .same = true};
const Toy elf{.name = "libelf1", .files = {{"/usr/lib/libelf.so.1", "elf"}}};
const Toy orphan{.name = "orphan", .files = {{"/usr/bin/orphan", "o"}}};
const Toy old{.name = "old", .status = "deinstall ok config-files"};

const Step first{"RUN /bin/sh -c apt-get update && apt-get install -y repo-setup # buildkit",
                 {base, dw, elf, old, orphan, setup},
                 "libdw1 libelf1 orphan"};
const Step edit{"COPY libdw.so.1 /usr/lib/ # buildkit",
                first.packages,
                first.automatic,
                {{"/usr/lib/libdw.so.1", "mine"}},
                {"/usr/share/doc/base/copyright"}};
const Step purge{"RUN /bin/sh -c apt-get purge -y repo-setup && apt-get autoremove -y # buildkit",
                 {base, old},
                 "",
                 {},
                 {"/usr/lib/libdw.so.1", "/usr/lib/libelf.so.1", "/var/lib/dpkg/info/libdw1:amd64.list"}};

PackagesLook packages_of(const TestImage& image, const PackagesQuestion& question = {}) {
  return look_at(image, [&](const RunOptions& options) { return look_at_packages(options, question); });
}

const PackageRow& row_of(const PackagesLook& look, const std::string& name) {
  const auto row = std::ranges::find(look.packages, name, &PackageRow::name);
  REQUIRE(row != look.packages.end());
  return *row;
}

}  // namespace

TEST_CASE("packages: the list, the files, the reasons and the JSON are the approved ones") {
  const TestImage image = image_of({first, edit}), purged = image_of({first, edit, purge});
  check_approved("look/packages.txt", write_packages_text(packages_of(image), looked_at(110)));
  check_approved("look/packages.json", without_version(write_packages_json(packages_of(image)), "version"));
  check_approved("look/packages_files.txt",
                 write_packages_text(packages_of(image, {.why = {}, .files = "base"}), looked_at(110)));
  const PackagesLook why = packages_of(image, {.why = "libelf1", .files = {}});
  check_approved("look/packages_why.txt", write_packages_text(why, looked_at(110)));
  check_approved("look/packages_why.json", without_version(write_packages_json(why), "version"));
  check_approved("look/packages_gone.txt",
                 write_packages_text(packages_of(purged, {.why = "libelf1", .files = {}}), looked_at(110)));
}

TEST_CASE("packages: marks, what keeps them, and files that differ or are gone with the layer that did it") {
  const PackagesLook look = packages_of(image_of({first, edit}));
  CHECK(look.found);
  CHECK(look.compared);
  CHECK(look.unread.empty());
  REQUIRE(look.packages.size() == 6);
  CHECK(row_of(look, "repo-setup").mark == "manual");
  CHECK(row_of(look, "repo-setup").chain.empty());
  CHECK(row_of(look, "base").keeps == "manual");
  CHECK(row_of(look, "orphan").removable);
  CHECK(row_of(look, "old").status == "config-files");
  const PackageRow& library = row_of(look, "libdw1:amd64");
  CHECK(library.mark == "automatic");
  CHECK(library.chain == "repo-setup (manual) -> libdw1 (Depends)");
  CHECK_FALSE(library.removable);
  REQUIRE(library.differing.size() == 1);
  CHECK(library.differing[0].path == "/usr/lib/libdw.so.1");
  CHECK(library.differing[0].state == "modified");
  CHECK(library.differing[0].layer == 1u);
  const PackageRow& of_base = row_of(look, "base");
  CHECK(of_base.files == 2);
  CHECK(of_base.compared == 1);
  CHECK(of_base.missing() == 1);
  CHECK(of_base.differing[0].layer == 1u);
}

TEST_CASE("packages: why one is kept, by whom, and whose purge lets it go") {
  const TestImage image = image_of({first});
  const PackagesLook look = packages_of(image, {.why = "libelf1", .files = {}});
  REQUIRE(look.reasons.size() == 1);
  const PackageReason& reason = look.reasons[0];
  CHECK(reason.installed);
  CHECK(reason.chain == "repo-setup (manual) -> libdw1 (Depends) -> libelf1 (Depends)");
  CHECK(reason.keepers == std::vector<std::string>{"repo-setup", "libdw1"});
  REQUIRE(reason.users.size() == 1);
  CHECK(reason.users[0].name == "libdw1");
  CHECK(reason.users[0].keeps == "kept by a chain");
  CHECK(packages_of(image, {.why = "repo-setup", .files = {}}).reasons[0].keepers.empty());
  CHECK(packages_of(image, {.why = "orphan", .files = {}}).reasons[0].keeps == "autoremove takes it");
  CHECK_THROWS_AS(packages_of(image, {.why = "nobody", .files = {}}), Error);
  CHECK_THROWS_AS(packages_of(image, {.why = {}, .files = "nobody"}), Error);

  // Two roots: no single purge lets it go.
  Step two = first;
  two.packages.push_back({.name = "tool", .control = "Recommends: libelf1 | other\n"});
  CHECK(packages_of(image_of({two}), {.why = "libelf1", .files = {}}).reasons[0].keepers.empty());
  CHECK(packages_of(image_of({two}), {.why = "libelf1", .files = {}}).reasons[0].users.size() == 2);
}

TEST_CASE("packages: one that autoremove took later tells who had kept it, and which layer let it go") {
  const Step only_setup{"RUN /bin/sh -c apt-get purge -y repo-setup # buildkit",
                        {base, dw, elf, old, orphan},
                        first.automatic,
                        {},
                        {"/usr/bin/setup"}};
  const Step unrelated{"RUN touch /x", only_setup.packages, only_setup.automatic, {{"/x", ""}}};
  const Step autoremove{
      "RUN /bin/sh -c apt-get autoremove -y # buildkit", {base, old}, "", {}, {"/usr/lib/libdw.so.1"}};
  const TestImage image = image_of({first, edit, only_setup, unrelated, autoremove});
  const PackagesLook look = packages_of(image, {.why = "libdw1", .files = {}});
  REQUIRE(look.reasons.size() == 1);
  const PackageReason& reason = look.reasons[0];
  CHECK(reason.removed_in == 4u);
  CHECK(reason.keeps == "autoremove takes it");
  CHECK(reason.let_go_in == 2u);
  CHECK(reason.let_go_by.find("purge -y repo-setup") != std::string::npos);
  CHECK(reason.chain_before == "repo-setup (manual) -> libdw1 (Depends)");
  CHECK(reason.gone_along == std::vector<std::string>{"repo-setup"});
  const std::string text = write_packages_text(look, looked_at(110));
  CHECK(text.find("up to layer 1 it was kept by a chain: repo-setup (manual) -> libdw1 (Depends)") !=
        std::string::npos);
  CHECK(text.find("let go in layer 2: RUN apt-get purge -y repo-setup") != std::string::npos);
  CHECK(parse_json(write_packages_json(look))["why"][0]["let_go_in"] == 2);

  // Nothing ever kept it: nobody let it go.
  const PackagesLook never = packages_of(image, {.why = "orphan", .files = {}});
  REQUIRE(never.reasons.size() == 1);
  CHECK_FALSE(never.reasons[0].let_go_in);
}

TEST_CASE("packages: one that is gone tells its layer and what held it before") {
  const PackagesLook look = packages_of(image_of({first, edit, purge}), {.why = "libdw1", .files = {}});
  REQUIRE(look.reasons.size() == 1);
  const PackageReason& reason = look.reasons[0];
  CHECK_FALSE(reason.installed);
  CHECK(reason.version == "0.188-2.1");
  CHECK(reason.removed_in == 2u);
  CHECK(reason.removed_by == purge.run);
  CHECK(reason.mark == "automatic");
  CHECK(reason.chain == "repo-setup (manual) -> libdw1 (Depends)");
  CHECK(reason.gone_along == std::vector<std::string>{"repo-setup"});
  CHECK(reason.before_problem.empty());
}

TEST_CASE("packages: no database is an answer, one that was taken away is not to be trusted") {
  const PackagesLook none = packages_of(describe_image("layers: [{files: {/a: x}}]"));
  CHECK_FALSE(none.found);
  CHECK(none.unread.empty());
  CHECK_FALSE(none.presence.empty());
  Step gone{"RUN rm -rf /var/lib/dpkg", {}, ""};
  TestImage image = image_of({first});
  test::TarWriter tar;
  tar.whiteout("var/lib/dpkg");
  image.layer_tars.push_back(tar.finish());
  image.created_by.push_back(gone.run);
  const PackagesLook removed = packages_of(image);
  CHECK_FALSE(removed.found);
  CHECK_FALSE(removed.unread.empty());
  CHECK(holds(write_packages_text(removed, looked_at()), "not to be trusted"));
  for (const TestImage& without : {image, describe_image("layers: [{files: {/a: x}}]")})
    CHECK_THROWS_AS(packages_of(without, {.why = "libdw1", .files = {}}), Error);
}

TEST_CASE("packages: a relation that apt refuses leaves the files, and says what is not known") {
  Step step = first;
  step.packages.push_back({.name = "bad", .control = "Depends: a (>> \n"});
  const PackagesLook look = packages_of(image_of({step}));
  CHECK(look.compared);
  CHECK_FALSE(look.unread.empty());
  CHECK(row_of(look, "base").compared == 2);
}

TEST_CASE("packages: hostile names act on nothing") {
  PackagesLook look;
  const std::string bad = hostile_text();
  look.image.full_reference = bad;
  look.found = look.compared = true;
  look.presence = look.states_problem = bad;
  look.unread = {bad};
  PackageFileRow file{bad, "modified", true, false, 3, bad};
  look.packages.push_back({bad,
                           bad,
                           bad,
                           bad,
                           bad,
                           "installed",
                           "manual",
                           "manual",
                           true,
                           bad,
                           1,
                           1,
                           std::vector<PackageFileRow>(9, file),
                           {},
                           bad});
  const auto check_all = [&] {
    for (const std::size_t width : {0u, 40u, 100u})
      CHECK(acting(write_packages_text(look, looked_at(width)), true) == "");
    CHECK(acting(write_packages_json(look), false) == "");
  };
  check_all();
  look.packages[0].all = {file};
  check_all();
  look.reasons = {
      {bad, true, bad, "manual", "manual", bad, {bad}, {{bad, "Depends", bad, "manual"}}, 1, bad, {bad}, bad},
      {bad, false, bad, "automatic", "kept by a chain", bad, {bad}, {}, 1, bad, {bad}, bad}};
  check_all();
}

TEST_CASE("packages: every fixture is listed, or is refused for what it is") {
  for (const std::string& reference : fixture_references()) {
    INFO(reference);
    try {
      const PackagesLook look = look_at_packages(look_options(reference), {});
      CHECK((look.found || !look.presence.empty()));
      CHECK(acting(write_packages_text(look, looked_at()), true) == "");
      CHECK(acting(write_packages_json(look), false) == "");
    } catch (const Error& error) {
      CHECK(error.kind() != ErrorKind::internal);
    }
  }
}
