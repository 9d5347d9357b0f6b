#include <catch2/catch.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "check/apt_cases.h"
#include "check/package_set.h"
#include "support/oci_writer.h"

using namespace ocilint;
using namespace ocilint::test;

namespace {

/// "Remv NAME" lines of the real tool, which runs on nothing but these files; sorted.
Names removed_by_apt_get(const AptCase& of) {
  const testing::TempDir temp;
  const std::filesystem::path root = std::filesystem::path(temp.path()) / "root";
  for (const char* const part : {"etc/apt/apt.conf.d", "etc/apt/preferences.d", "var/lib/apt/lists/partial",
                                 "var/cache/apt/archives/partial", "var/log/apt"})
    std::filesystem::create_directories(root / part);
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(std::filesystem::path(temp.path()) / name, std::ios::binary) << text;
  };
  write("status", of.status);
  write("states", of.states);
  write("root/etc/apt/apt.conf.d/case", of.conf);
  write("apt.conf", "Dir \"" + root.string() + "/\"; Dir::State::status \"" + temp / "status" +
                        "\"; Dir::State::extended_states \"" + temp / "states" +
                        "\"; Dir::Log \"var/log/apt\"; Dir::Cache::pkgcache \"\"; Dir::Cache::srcpkgcache \"\"; "
                        "Debug::NoLocking \"1\"; APT::Architecture \"amd64\"; Dir::Bin::dpkg \"/usr/bin/dpkg\";\n");
  std::string command = "APT_CONFIG=" + temp / "apt.conf" + " LC_ALL=C apt-get";
  for (const std::string& architecture : of.architectures) command += " -o APT::Architectures::=" + architecture;
  // The tool reads the case's file itself, as it would in the image.
  command += " -s autoremove 2>&1";
  FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, got);
  const int status = pclose(pipe);
  INFO(text);
  REQUIRE(status == 0);
  Names out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("Remv ")) out.push_back(line.substr(5, line.find(' ', 5) - 5));
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE("what autoremove takes, case by case") {
  for (const AptCase& of : apt_cases()) {
    INFO(of.name);
    PackageSet set(of.status, of.states, of.architectures);
    set.configure(of.conf);
    CHECK(set.universe().unmet().empty());
    CHECK(set.removed() == of.removed);
    CHECK(set.removed(true) == of.removed);
  }
}

TEST_CASE("the cases are as the real apt-get has them") {
  if (std::system("apt-get --version >/dev/null 2>&1") != 0) {
    WARN("skipped: no apt-get here");
    return;
  }
  for (const AptCase& of : apt_cases()) {
    INFO(of.name);
    CHECK(removed_by_apt_get(of) == of.removed);
  }
}

TEST_CASE("levels say what keeps a package") {
  PackageSet kept(setup_package + two_libraries, both_automatic);
  CHECK(kept.level("acme-setup") == AptLevel::manual);
  CHECK(kept.level("libdw1") == AptLevel::kept_by_chain);
  CHECK(kept.chain("libdw1") == "acme-setup (manual) -> libdw1 (Depends)");
  CHECK(kept.chain("libelf1") == "acme-setup (manual) -> libelf1 (Depends)");

  PackageSet suggested(stanza("tool", "Suggests: libdw1\n") + two_libraries, both_automatic);
  CHECK(suggested.level("libdw1") == AptLevel::kept_by_suggests);
  CHECK(suggested.chain("libelf1") == "tool (manual) -> libdw1 (Suggests) -> libelf1 (Depends)");
  suggested.options().suggests = false;
  CHECK(suggested.level("libdw1") == AptLevel::removable);
  CHECK(suggested.chain("libdw1").empty());

  PackageSet recommended(stanza("tool", "Recommends: libdw1\nSuggests: libdw1\n") + two_libraries, both_automatic);
  CHECK(recommended.level("libdw1") == AptLevel::kept_by_recommends);

  PackageSet held(stanza("libdw1", "Depends: libelf1\n", "hold ok installed") + stanza("libelf1"), both_automatic);
  CHECK(held.level("libdw1") == AptLevel::is_protected);
  CHECK(held.level("libelf1") == AptLevel::kept_by_system);
  CHECK(held.chain("libelf1") == "libdw1 (on hold) -> libelf1 (Depends)");
}

TEST_CASE("a protected package goes before a manual one as the reason") {
  PackageSet set(
      stanza("tool", "Depends: libelf1\n") + stanza("base", "Essential: yes\nDepends: libdw1\n") + two_libraries,
      both_automatic);
  CHECK(set.level("libelf1") == AptLevel::kept_by_system);
  CHECK(set.chain("libelf1") == "base (Essential) -> libdw1 (Depends) -> libelf1 (Depends)");
}

TEST_CASE("where apt's order decides, both answers are given") {
  // apt looks no further at a name that it followed once with nothing left out. Here `a` accepts both providers, of
  // one source, and follows the newer; `b` accepts the older alone, if it is looked at first.
  PackageSet set(stanza("a", "Depends: v\n") + stanza("b", "Depends: v (<< 2)\n") +
                     stanza("old", "Source: s (1.0)\nProvides: v (= 1)\n") +
                     stanza("new", "Source: s (2.0)\nProvides: v (= 2)\n"),
                 automatic("old") + automatic("new"));
  CHECK(set.removed().empty());
  CHECK(set.removed(true) == Names{"old"});
  CHECK(set.level("old") == AptLevel::perhaps);
}

TEST_CASE("kernels depend on the machine of the build") {
  CHECK(is_kernel_package("linux-image-6.1.0-18-amd64"));
  CHECK(is_kernel_package("linux-headers-5.15.0-91-generic"));
  CHECK_FALSE(is_kernel_package("linux-libc-dev"));
  CHECK_FALSE(is_kernel_package("linux-image-amd64"));
  CHECK_FALSE(is_kernel_package("libelf1"));
  PackageSet set(stanza("linux-image-6.1.0-18-amd64", "Depends: kmod\n") + stanza("kmod"),
                 automatic("linux-image-6.1.0-18-amd64") + automatic("kmod"));
  CHECK(set.removed().empty());
  CHECK(set.removed(true) == Names{"kmod", "linux-image-6.1.0-18-amd64"});
}

TEST_CASE("unmet dependencies and conflicts") {
  PackageSet set(stanza("a", "Depends: b (>= 2) | c, d\nSuggests: e\n") + stanza("b") + stanza("d"), "");
  REQUIRE(set.universe().unmet().size() == 1);
  const AptUniverse::Unmet unmet = set.universe().unmet().front();
  CHECK(set.universe().relation(unmet.member, unmet.field, unmet.group) == "b (>= 2) | c");

  PackageSet clash(stanza("a", "Conflicts: mail\nProvides: mail\n") + stanza("b", "Provides: mail\n") +
                       stanza("c", "Breaks: b (<< 1)\n"),
                   "");
  REQUIRE(clash.universe().clashes().size() == 1);
  CHECK(clash.universe().name(clash.universe().clashes().front().with) == "b");
}

TEST_CASE("a purge takes what depends on it, and leaves the rest to autoremove (A-13)") {
  PackageSet set(setup_package + stanza("plugin", "Depends: acme-setup | other\n") +
                     stanza("tool", "Depends: acme-setup | libelf1\n") + two_libraries,
                 both_automatic);
  const std::vector<std::uint32_t> gone = set.universe().purged_with({set.member("acme-setup")});
  CHECK(set.names(gone) == Names{"acme-setup", "plugin"});
  const AptUniverse after = set.universe().without(gone);
  const AptAutoremove then(after, set.options());
  REQUIRE(then.removed().size() == 1);
  CHECK(after.name(then.removed().front()) == "libdw1");
}

TEST_CASE("a relation that apt could not read is an error") {
  for (const char* const field : {"Depends: a b\n", "Depends: a (>= 1\n", "Suggests: a |\n", "Provides: (x)\n",
                                  "Recommends: a [amd64]\n", "Pre-Depends: a (~ 1)\n"}) {
    INFO(field);
    CHECK_THROWS_AS(PackageSet(stanza("x", field), ""), Error);
  }
}

TEST_CASE("hostile databases end in a limit, soon") {
  // Everything provides one name, everybody asks for it in another version.
  std::string status;
  for (int i = 0; i < 3000; ++i) {
    const std::string number = std::to_string(i);
    status += "Package: p" + number +
              "\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1\nProvides: v (= " + number +
              ")\nDepends: v (>= " + number + ")\n\n";
  }
  CHECK_THROWS_AS(PackageSet(status, ""), Error);
  // A chain of dependencies as long as the file allows: no recursion.
  std::string chain, states;
  for (int i = 0; i < 50'000; ++i) {
    const std::string number = std::to_string(i);
    chain += "Package: p" + number + "\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1\nDepends: p" +
             std::to_string(i + 1) + "\n\n";
    if (i > 0) states += automatic("p" + number);
  }
  PackageSet set(chain, states);
  CHECK(set.removed().empty());
  CHECK(set.universe().purged_with({set.member("p49999")}).size() == 50'000);
}
