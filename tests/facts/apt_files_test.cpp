#include <catch2/catch.hpp>

#include "base/error.h"
#include "facts/apt_conf.h"
#include "facts/apt_extended_states.h"
#include "facts/limits.h"

using namespace ocilint;

TEST_CASE("extended_states", "[apt]") {
  const auto states = AptExtendedStates::parse(
      "Package: libdw1\nArchitecture: amd64\nAuto-Installed: 1\n\n"
      "Package: libdw1\nArchitecture: i386\nAuto-Installed: 0\n\n"
      "Package: any\nAuto-Installed: 1\n\n"
      "Package: twice\nArchitecture: amd64\nAuto-Installed: 1\n\n"
      "Package: twice\nArchitecture: amd64\nAuto-Installed: 0\n\n"
      "Package: plain\nArchitecture: amd64\n\n"
      "Package: odd\nArchitecture: amd64\nAuto-Installed: yes\n");
  CHECK(states.automatic("libdw1", "amd64"));
  CHECK_FALSE(states.automatic("libdw1", "i386"));
  CHECK(states.automatic("any", "arm64"));
  CHECK(states.automatic("twice", "amd64"));
  CHECK_FALSE(states.automatic("plain", "amd64"));
  CHECK_FALSE(states.automatic("odd", "amd64"));
  CHECK_FALSE(states.automatic("libdw", "amd64"));
  CHECK(states.entries.size() == 6);
  CHECK(states.notes.size() == 1);
  CHECK(AptExtendedStates::parse("").entries.empty());
  CHECK_THROWS_AS(AptExtendedStates::parse("Architecture: amd64\n"), Error);
  CHECK_THROWS_AS(AptExtendedStates::parse("Package: a"), Error);
}

TEST_CASE("apt.conf: both forms of keys", "[apt]") {
  const auto conf = AptConf::parse(
      "// comment; with { marks\n"
      "# another \"\n"
      "Apt::AutoRemove::SuggestsImportant \"false\";\n"
      "APT {\n"
      "  NeverAutoRemove { \"^linux-.*\"; \"^firmware\" };\n"
      "  /* long\n comment */ Install-Recommends \"0\"; AutoRemove { RecommendsImportant no; };\n"
      "};\n"
      "APT::NeverAutoRemove:: \"^postgresql-\"; DPkg::Post-Invoke { \"rm -f /var/cache/*.bin || true\"; };\n"
      "Acquire::http::Proxy \"http://proxy.example:3128/\";\n"
      "A::B::named \"x\";\n");
  CHECK(conf.find("apt::autoremove::suggestsimportant") == "false");
  CHECK_FALSE(conf.flag("APT::AutoRemove::SuggestsImportant", true));
  CHECK_FALSE(conf.flag("APT::AutoRemove::RecommendsImportant", true));
  CHECK_FALSE(conf.flag("APT::Install-Recommends", true));
  CHECK(conf.flag("APT::Absent", true));
  CHECK_FALSE(conf.find("APT::Absent"));
  CHECK(conf.list("APT::NeverAutoRemove") == std::vector<std::string>{"^linux-.*", "^firmware", "^postgresql-"});
  CHECK(conf.list("DPkg::Post-Invoke") == std::vector<std::string>{"rm -f /var/cache/*.bin || true"});
  CHECK(conf.list("A::B") == std::vector<std::string>{"x"});
  CHECK(conf.find("Acquire::HTTP::Proxy") == "http://proxy.example:3128/");
  CHECK(conf.notes.empty());
}

TEST_CASE("apt.conf: later files, #clear and #include", "[apt]") {
  auto conf = AptConf::parse("A::B \"1\"; A::L:: \"x\"; A::C { D \"2\"; };");
  conf.append("a::b \"3\"; A::L:: \"y\";");
  CHECK(conf.find("A::B") == "3");
  CHECK(conf.list("A::L") == std::vector<std::string>{"x", "y"});
  conf.append("#clear A::C;\n#clear A::L;\n#include \"/etc/apt/more\";\n");
  CHECK_FALSE(conf.find("A::C::D"));
  CHECK(conf.list("A::L").empty());
  CHECK(conf.find("A::B") == "3");
  CHECK(conf.notes == Notes{"line 3: #include is not followed"});
}

TEST_CASE("apt.conf that cannot be trusted is refused with its line", "[apt]") {
  using Catch::Contains;
  CHECK_THROWS_WITH(AptConf::parse("A \"x\";\nB \"y\"\n"), Contains("line 3") || Contains("line 2"));
  CHECK_THROWS_WITH(AptConf::parse("A {\nB \"y\";\n"), Contains("without \"}\""));
  CHECK_THROWS_WITH(AptConf::parse("A \"x\";\n};\n"), Contains("line 2"));
  CHECK_THROWS_WITH(AptConf::parse("A \"x;\n"), Contains("line 1"));
  CHECK_THROWS_WITH(AptConf::parse("\n/* x"), Contains("line 2"));
  CHECK_THROWS_WITH(AptConf::parse("A b c d;"), Contains("line 1"));
  CHECK_THROWS_WITH(AptConf::parse("{ A b; };"), Contains("without name"));
  CHECK_THROWS_AS(AptConf::parse(std::string("A \0;", 4)), Error);
}

TEST_CASE("apt.conf: limits", "[apt]") {
  std::string deep, many;
  for (std::size_t i = 0; i <= apt_conf_depth; ++i) deep += "A {";
  CHECK_THROWS_AS(AptConf::parse(deep), Error);
  for (std::size_t i = 0; i <= apt_conf_items; ++i) many += "A:: x;";
  CHECK_THROWS_AS(AptConf::parse(many), Error);
  CHECK_THROWS_AS(AptConf::parse(std::string(apt_conf_key_bytes + 1, 'a') + " x;"), Error);
  CHECK_THROWS_AS(AptConf::parse(std::string(small_text_bytes + 1, ' ')), Error);
}

TEST_CASE("apt.conf: which files count", "[apt]") {
  for (const auto good : {"01autoremove", "docker-autoremove-suggests", "70debconf", "x.conf", "a.b.conf"})
    CHECK(AptConf::counts(good));
  for (const auto bad : {"docker.autoremove", "x.conf.dpkg-old", "x~", "", ".hidden", "a b", "x.disabled"})
    CHECK_FALSE(AptConf::counts(bad));
}
