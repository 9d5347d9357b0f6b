#include <catch2/catch.hpp>

#include "base/error.h"
#include "facts/python_requirement.h"

using namespace ocilint;

namespace {

int order(const char* left, const char* right) {
  const auto a = PythonVersion::parse(left), b = PythonVersion::parse(right);
  REQUIRE(a);
  REQUIRE(b);
  const int out = compare(*a, *b);
  CHECK((compare(*b, *a) < 0) == (out > 0));
  return out < 0 ? -1 : out > 0 ? 1 : 0;
}

bool fits(const char* specifiers, const char* version) { return PythonSpecifiers::parse(specifiers).matches(version); }

}  // namespace

TEST_CASE("Python versions: the order of PEP 440") {
  const char* const ascending[] = {
      "0.0.dev0",  "1.dev0", "1.0a1.dev1", "1.0a1",     "1.0a2", "1.0b1",
      "1.0rc1",    "1.0",    "1.0+abc.5",  "1.0+abc.7", "1.0+5", "1.0.post1.dev2",
      "1.0.post1", "1.0.1",  "1.1.dev1",   "1.10",      "2",     "99999999999999999999999999",
      "1!0.1"};
  for (std::size_t i = 1; i < std::size(ascending); ++i) {
    INFO(ascending[i - 1] << " " << ascending[i]);
    CHECK(order(ascending[i - 1], ascending[i]) == -1);
  }
  for (const auto& [left, right] : {std::pair("1.0", "1.0.0"),
                                    {"1.0-1", "1.0.post1"},
                                    {"v1.0-ALPHA.1", "1a1"},
                                    {"1.0c1", "1.0rc1"},
                                    {"1.0+ubuntu-1", "1.0+ubuntu.01"},
                                    {"1.0r", "1.0.post0"}})
    CHECK(order(left, right) == 0);
}

TEST_CASE("Python versions: one spelling") {
  const auto normal = [](const char* text) { return PythonVersion::parse(text).value().normal(); };
  CHECK(normal(" v01.002-Beta_3.Post.dev07+CU-12.04 ") == "1.2b3.post0.dev7+cu.12.4");
  CHECK(normal("2.9.0+rocm7.0.2.git64359f59") == "2.9.0+rocm7.0.2.git64359f59");
  CHECK(normal("1!1.0") == "1!1.0");
  for (const char* none : {"", "1.", "a", "1.0+", "1.0+a..b", "1.0.*", "1 0", "1.0-", "1!", "1.0+a_", "french toast"}) {
    INFO(none);
    CHECK_FALSE(PythonVersion::parse(none));
  }
  CHECK_FALSE(PythonVersion::parse(std::string(1000, '1')));
  CHECK(normal_python_name("Ruamel_.-yaml.CLIB") == "ruamel-yaml-clib");
}

TEST_CASE("Python versions: conditions") {
  CHECK(fits("", "1.0"));
  CHECK(fits("== 2.2.6", "2.2.6"));
  CHECK(fits("==0.1.21.post1", "0.1.21.post1"));
  CHECK_FALSE(fits("==0.1.21", "0.1.21.post1"));
  CHECK(fits("==2.9.0", "2.9.0+rocm7.0"));  // a local part is no other version
  CHECK_FALSE(fits("==2.9.0+cu128", "2.9.0+rocm7.0"));
  CHECK(fits("==1.*", "1.0.dev3"));
  CHECK(fits("==1.0.*", "1"));
  CHECK_FALSE(fits("!=1.2.*", "1.2.3rc1"));
  CHECK(fits("~=2.2", "2.9"));
  CHECK_FALSE(fits("~=2.2", "3.0"));
  CHECK_FALSE(fits("~=2.2.1", "2.3"));
  CHECK(fits(">=1,<2,!=1.5", "1.6rc1"));
  CHECK_FALSE(fits("<2", "2.0rc1"));  // its own pre-releases are not below it
  CHECK(fits("<2.0rc2", "2.0rc1"));
  CHECK_FALSE(fits(">1.7", "1.7.0.post1"));
  CHECK(fits(">1.7.post1", "1.7.0.post2"));
  CHECK_FALSE(fits(">1.7", "1.7+local"));
  CHECK(fits("<=1.7", "1.7+local"));
  CHECK(fits("===Weird_1", "weird_1"));
  CHECK_FALSE(fits(">=0", "weird_1"));
  CHECK(fits(">=1.0,", "1.0"));
  for (const char* none :
       {"1.0", "=1.0", "=>1", "~=1", ">=1.*", "<1.0+x", "==1.0a1.*", "==", ">=1,,<2", "(>=1)", ">dev"}) {
    INFO(none);
    CHECK_THROWS_AS(PythonSpecifiers::parse(none), Error);
  }
}
