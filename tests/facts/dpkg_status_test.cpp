#include "facts/dpkg_status.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "base/error.h"
#include "facts/dpkg_names.h"
#include "facts/limits.h"

using namespace ocilint;

TEST_CASE("a stanza of the status file", "[dpkg_status]") {
  const auto status = DpkgStatus::parse(
      "Package: libdw1\n"
      "Essential: yes\n"
      "Protected: YES\n"
      "Status: hold ok installed\n"
      "Priority: optional\n"
      "Section: libs\n"
      "Architecture: amd64\n"
      "Multi-Arch: same\n"
      "Source: elfutils (0.188-2)\n"
      "Version: 0.188-2.1\n"
      "Depends: libc6 (>= 2.34), libelf1 (= 0.188-2.1) | x,\n more\n"
      "Provides: y (= 1)\n"
      "Conffiles:\n"
      " /etc/a b 0123456789abcdef0123456789abcdef\n"
      " /etc/old 0123456789ABCDEF0123456789abcdef obsolete\n"
      " /etc/new newconffile\n"
      " /etc/gone 0123456789abcdef0123456789abcdef obsolete remove-on-upgrade\n"
      "Description: x\n y\n");
  REQUIRE(status.packages.size() == 1);
  const DpkgPackage& package = status.packages[0];
  CHECK(package.name == "libdw1");
  CHECK(package.architecture == "amd64");
  CHECK(package.version == "0.188-2.1");
  CHECK(package.source == "elfutils");
  CHECK(package.source_version == "0.188-2");
  CHECK(package.multi_arch == MultiArch::same);
  CHECK(package.want == DpkgWant::hold);
  CHECK(package.flag == DpkgFlag::ok);
  CHECK(package.state == DpkgState::installed);
  CHECK(package.status_text() == "hold ok installed");
  CHECK(package.installed());
  CHECK(package.essential);
  CHECK(package.is_protected);
  CHECK_FALSE(package.important);
  CHECK(package.priority == "optional");
  CHECK(package.section == "libs");
  CHECK(package.depends == "libc6 (>= 2.34), libelf1 (= 0.188-2.1) | x,\n more");
  CHECK(package.provides == "y (= 1)");
  CHECK(package.recommends.empty());
  REQUIRE(package.conffiles.size() == 4);
  CHECK(package.conffiles[0].path == "/etc/a b");
  CHECK(package.conffiles[0].digest.hex() == "0123456789abcdef0123456789abcdef");
  CHECK(package.conffiles[1].obsolete);
  CHECK(package.conffiles[1].digest == package.conffiles[0].digest);
  CHECK(package.conffiles[2].newconffile);
  CHECK(package.conffiles[2].digest.empty());
  CHECK(package.conffiles[3].remove_on_upgrade);
  CHECK(package.conffiles[3].obsolete);
  CHECK(status.notes.empty());
}

TEST_CASE("the third word tells whether a package is installed", "[dpkg_status]") {
  const std::tuple<std::string, bool, bool> cases[] = {{"install ok installed", true, true},
                                                       {"deinstall ok installed", true, true},
                                                       {"purge ok installed", true, true},
                                                       {"deinstall ok config-files", false, false},
                                                       {"install ok not-installed", false, false},
                                                       {"install reinstreq half-installed", false, true},
                                                       {"install ok unpacked", false, true},
                                                       {"install ok half-configured", false, true},
                                                       {"install ok triggers-awaited", false, true},
                                                       {"install ok triggers-pending", false, true},
                                                       {"unknown hold-reinstreq installed", true, true}};
  for (const auto& [words, installed, unpacked] : cases) {
    INFO(words);
    const auto status = DpkgStatus::parse("Package: a\nVersion: 1\nArchitecture: all\nStatus: " + words + "\n");
    CHECK(status.packages.at(0).installed() == installed);
    CHECK(status.packages.at(0).unpacked() == unpacked);
    CHECK(status.packages.at(0).status_text() == words);
  }
}

TEST_CASE("distroless stanzas have no Status and are installed", "[dpkg_status]") {
  const std::string_view text = "Package: tzdata\nVersion: 2024a-0+deb12u1\nArchitecture: all";
  CHECK(DpkgStatus::parse(text, DpkgStatus::Variant::status_d).packages.at(0).installed());
  const auto usual = DpkgStatus::parse(std::string(text) + "\n");
  CHECK_FALSE(usual.packages.at(0).installed());
  CHECK(usual.notes.size() == 1);
}

TEST_CASE("status files that cannot be trusted are refused", "[dpkg_status]") {
  using Catch::Contains;
  const std::string good = "Package: a\nStatus: install ok installed\nArchitecture: all\nVersion: 1\n";
  CHECK_NOTHROW(DpkgStatus::parse(good));
  CHECK(DpkgStatus::parse("").packages.empty());
  CHECK_THROWS_WITH(DpkgStatus::parse(good.substr(0, good.size() - 1)), Contains("cut"));
  CHECK_THROWS_WITH(DpkgStatus::parse("Status: install ok installed\n"), Contains("without Package"));
  CHECK_THROWS_WITH(DpkgStatus::parse("Package: ../x\n"), Contains("line 1"));
  CHECK_THROWS_WITH(DpkgStatus::parse("Package: a\nStatus: install ok installed\n"), Contains("no Version"));
  CHECK_THROWS_WITH(DpkgStatus::parse(good + "Package: b\n"), Contains("stands twice"));
  CHECK_THROWS_WITH(DpkgStatus::parse(good + "\n" + good), Contains("line 6") && Contains("twice"));
  for (const auto words : {"install ok", "install ok installed x", "install ok instaled", "x ok installed", ""})
    CHECK_THROWS_WITH(DpkgStatus::parse("Package: a\nVersion: 1\nStatus: " + std::string(words) + "\n"),
                      Contains("line 3"));
  for (const auto line : {"/etc/a", "/etc/a 123", "etc/a 0123456789abcdef0123456789abcdef", "newconffile",
                          "/etc/../a 0123456789abcdef0123456789abcdef", "obsolete"})
    CHECK_THROWS_WITH(DpkgStatus::parse(good + "Conffiles:\n " + line + "\n"), Contains("line 6"));
  std::string wide = good + "Depends: a";
  for (std::size_t i = 0; i < dependency_atoms; ++i) wide += ",b";
  CHECK_THROWS_AS(DpkgStatus::parse(wide + "\n"), Error);
}

TEST_CASE("info file names", "[dpkg_names]") {
  CHECK(info_base_name("libdw1", "amd64", MultiArch::same, 1) == "libdw1:amd64");
  CHECK(info_base_name("libdw1", "amd64", MultiArch::same, 0) == "libdw1");
  CHECK(info_base_name("bash", "amd64", MultiArch::foreign, 1) == "bash");
  CHECK(info_base_name("bash", "amd64", MultiArch::no, 1) == "bash");
  const auto name = split_info_file_name("libstdc++6:amd64.md5sums");
  REQUIRE(name);
  CHECK(name->name == "libstdc++6");
  CHECK(name->architecture == "amd64");
  CHECK(name->extension == "md5sums");
  CHECK(split_info_file_name("python3.11.list")->name == "python3.11");
  CHECK(split_info_file_name("python3.11.list")->architecture.empty());
  for (const auto bad : {"format", "a.", ".list", "a:.list", "-a.list", ""}) CHECK_FALSE(split_info_file_name(bad));
  CHECK(parse_info_format("1\n") == 1);
  CHECK(parse_info_format("0") == 0);
  for (const auto bad : {"", "2\n", "1\n\n", " 1"}) CHECK_THROWS_AS(parse_info_format(bad), Error);
}

TEST_CASE("the status file of this machine is read as by dpkg-query", "[dpkg_status]") {
  std::ifstream file("/var/lib/dpkg/status", std::ios::binary);
  FILE* answers = popen(
      "dpkg-query -W -f '${Package}\\t${Architecture}\\t${Version}\\t${Status}\\t"
      "${source:Package}\\t${source:Version}\\n' 2>/dev/null",
      "r");
  REQUIRE(answers);
  std::map<std::pair<std::string, std::string>, std::string> expected;
  char line[4096];
  while (std::fgets(line, sizeof line, answers)) {
    const std::string text(line);
    const auto tab = text.find('\t');
    const auto next = text.find('\t', tab + 1);
    expected[{text.substr(0, tab), text.substr(tab + 1, next - tab - 1)}] = text.substr(next + 1);
  }
  pclose(answers);
  if (!file || expected.empty()) {
    WARN("skipped: no dpkg here");
    return;
  }
  std::stringstream text;
  text << file.rdbuf();
  const auto status = DpkgStatus::parse(text.str());
  CHECK(status.packages.size() >= expected.size());
  std::size_t seen = 0;
  for (const auto& package : status.packages) {
    const auto at = expected.find({package.name, package.architecture});
    if (at == expected.end()) continue;
    ++seen;
    CHECK(package.version + "\t" + package.status_text() + "\t" + package.source + "\t" + package.source_version +
              "\n" ==
          at->second);
  }
  CHECK(seen == expected.size());
}
