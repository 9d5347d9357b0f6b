#include <catch2/catch.hpp>

#include "base/error.h"
#include "facts/python_requirement.h"

using namespace ocilint;
using Texts = std::vector<std::string>;

namespace {

PythonEnvironment linux_312() {
  return {{"python_version", "3.12"},
          {"python_full_version", "3.12"},
          {"implementation_version", "3.12"},
          {"os_name", "posix"},
          {"sys_platform", "linux"},
          {"platform_system", "Linux"},
          {"platform_machine", "x86_64"},
          {"implementation_name", "cpython"},
          {"extra", ""},
          {"platform_python_implementation", "CPython"}};
}

std::optional<bool> value(const std::string& marker, PythonEnvironment environment = linux_312()) {
  return PythonMarker::parse(marker).evaluate(environment);
}

}  // namespace

TEST_CASE("Python requirements: every part") {
  const auto all = PythonRequirement::parse(
      " Ruamel.Yaml [ Jinja_2 , docs ] (>= 0.17, < 0.19) ; python_version >= '3.8' and extra == 'X_y'");
  CHECK(all.name == "Ruamel.Yaml");
  CHECK(all.normal == "ruamel-yaml");
  CHECK(all.extras == Texts{"jinja-2", "docs"});
  CHECK(all.specifiers.text() == ">=0.17,<0.19");
  CHECK(all.marker.text() == "python_version >= '3.8' and extra == 'X_y'");

  const auto bare = PythonRequirement::parse("numpy");
  CHECK(bare.specifiers.empty());
  CHECK(bare.marker.empty());
  CHECK(PythonRequirement::parse("a-b>=1,!=2;os_name=='posix'").specifiers.text() == ">=1,!=2");
  CHECK(PythonRequirement::parse("a[]").extras.empty());

  const auto url = PythonRequirement::parse("torch @ file:///app/torch-2.9.0%2Brocm.whl#sha256=00 ; os_name == 'nt'");
  CHECK(url.url == "file:///app/torch-2.9.0%2Brocm.whl#sha256=00");
  CHECK(url.marker.text() == "os_name == 'nt'");
}

TEST_CASE("Python requirements: what is none") {
  for (const char* text : {"",
                           ">=1",
                           "-a",
                           "a b",
                           "a[b",
                           "a[b c]",
                           "a[,]",
                           "a (>=1",
                           "a >=1; ",
                           "a ; os_name",
                           "a ; os_name == 'x' or",
                           "a ; (os_name == 'x'",
                           "a ; os_name == 'x')",
                           "a ; 'x' == 'y'",
                           "a ; os_name == sys_platform",
                           "a @",
                           "a ; x == '1'",
                           "a ; os_name == 'x",
                           "a ; os_name notin 'x'",
                           "a (>dev)",
                           "a==1.*.1",
                           "a ; os_name == 'a\\x41'"}) {
    INFO(text);
    CHECK_THROWS_AS(PythonRequirement::parse(text), Error);
  }
  CHECK_THROWS_AS(PythonRequirement::parse("a ; " + std::string(1000, '(') + "os_name == 'x'"), Error);
  CHECK_THROWS_AS(PythonRequirement::parse("a" + std::string(100'000, ' ') + "b"), Error);
}

TEST_CASE("Python markers: values") {
  CHECK(value("python_version >= '3.8'") == true);
  CHECK(value("python_version < '3.9'") == false);  // as versions, not as texts
  CHECK(value("'3.13' > python_version") == true);
  CHECK(value("python_version in '3.11 3.12'") == true);
  CHECK(value("sys_platform == 'linux' and platform_machine not in 'arm64 aarch64'") == true);
  CHECK(value("os.name == 'nt' or sys.platform == 'linux'") == true);
  // "and" before "or", and parentheses.
  CHECK(value("os_name == 'posix' or os_name == 'nt' and os_name == 'x'") == true);
  CHECK(value("(os_name == 'posix' or os_name == 'nt') and os_name == 'x'") == false);
  CHECK(value("python_implementation == 'CPython'") == true);
  CHECK(value("platform_system < 'M'") == false);  // texts have no order
  CHECK(value(std::string(150, '(') + "os_name=='posix'" + std::string(150, ')')) == true);
  CHECK_THROWS_AS(value("platform_system ~= 'Linux'"), Error);
}

TEST_CASE("Python markers: extras are compared as names") {
  PythonEnvironment with = linux_312();
  CHECK(value("extra == 'dev'", with) == false);
  with["extra"] = "grpc-tools";
  CHECK(value("extra == 'GRPC_tools'", with) == true);
}

TEST_CASE("Python markers: what nobody knows is unknown, unless it does not matter") {
  CHECK(value("platform_release >= '5'") == std::nullopt);
  CHECK(value("platform_release >= '5' and os_name == 'nt'") == false);
  CHECK(value("platform_release >= '5' or os_name == 'posix'") == true);
  CHECK(value("platform_release >= '5' or os_name == 'nt'") == std::nullopt);
  // Of 3.12.? the third number matters only within 3.12.
  CHECK(value("python_full_version >= '3.11.4'") == true);
  CHECK(value("python_full_version < '3.12.4'") == std::nullopt);
  CHECK(value("python_full_version == '3.12.4'") == std::nullopt);
  CHECK(value("python_full_version != '3.12.4'") == std::nullopt);
  CHECK(value("python_full_version == '3.11.4'") == false);
  CHECK(value("python_full_version == '3.12.*'") == true);
  CHECK(value("python_full_version < '3.13'") == true);
  CHECK(value("python_full_version in '3.12.4 3.12.5'") == std::nullopt);
}
