#include "oci/platform.h"

#include <catch2/catch.hpp>

#include "base/error.h"

using namespace ocilint;

namespace {
std::optional<int> far(std::string_view wanted, std::string_view offered) {
  return distance(Platform::parse(wanted), Platform::parse(offered));
}
std::string normal(std::string_view text) { return Platform::parse(text).normalised().text(); }
}  // namespace

TEST_CASE("platform: aliases are one platform") {
  CHECK(normal("linux/x86_64") == "linux/amd64");
  CHECK(normal("Linux/AMD64/v1") == "linux/amd64");
  CHECK(normal("linux/aarch64") == "linux/arm64");
  CHECK(normal("linux/arm64/v8") == "linux/arm64");
  CHECK(normal("linux/arm64/8") == "linux/arm64");
  CHECK(normal("linux/arm") == "linux/arm/v7");
  CHECK(normal("linux/armhf") == "linux/arm/v7");
  CHECK(normal("linux/armel") == "linux/arm/v6");
  CHECK(normal("linux/i386") == "linux/386");
  CHECK(normal("linux/s390x") == "linux/s390x");
}

TEST_CASE("platform: an older variant serves, a newer one and another architecture do not") {
  CHECK(far("linux/amd64", "linux/x86_64") == 0);
  CHECK(far("linux/arm/v7", "linux/arm/v7") == 0);
  CHECK(far("linux/arm/v7", "linux/arm/v6") == 1);
  CHECK(far("linux/arm/v7", "linux/arm/v5") == 2);
  CHECK_FALSE(far("linux/arm/v6", "linux/arm/v7"));
  CHECK(far("linux/amd64/v3", "linux/amd64") == 2);
  CHECK_FALSE(far("linux/amd64", "linux/amd64/v2"));
  CHECK_FALSE(far("linux/amd64", "linux/386"));
  CHECK_FALSE(far("linux/amd64", "windows/amd64"));
  CHECK_FALSE(far("linux/ppc64le/power9", "linux/ppc64le"));
}

TEST_CASE("platform: the version counts on Windows only") {
  const Platform wanted{"windows", "amd64", "", "10.0.1"};
  CHECK_FALSE(distance(wanted, {"windows", "amd64", "", "10.0.2"}));
  CHECK(distance(wanted, {"windows", "amd64", "", "10.0.1"}) == 0);
  CHECK(distance({"linux", "amd64", "", "1"}, {"linux", "amd64", "", "2"}) == 0);
}

TEST_CASE("platform: malformed ones are a usage error") {
  for (const char* text : {"", "linux", "linux/", "/amd64", "linux/amd64/", "linux/a/b/c", "linux/a b", "linux/../x/y"})
    CHECK_THROWS_AS(Platform::parse(text), Error);
  CHECK(Platform::host().os == "linux");
  CHECK_FALSE(Platform::host().architecture.empty());
  CHECK(Platform().text().empty());
}
