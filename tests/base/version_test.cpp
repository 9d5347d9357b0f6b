#include "base/version.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "base/error.h"

using namespace ocilint;

namespace {

std::string random_version(std::mt19937& random) {
  static constexpr std::string_view alphabet = "0011239abzAZ~~++..";
  const auto pick = [&](unsigned most) { return static_cast<unsigned>(random() % (most + 1)); };
  const auto part = [&](unsigned most) {
    std::string text;
    for (unsigned i = pick(most); i > 0; --i) text += alphabet[random() % alphabet.size()];
    return text;
  };
  std::string version;
  if (pick(4) == 0) version += std::to_string(pick(2)) + ":";
  version += std::to_string(pick(11)) + part(5);
  if (pick(3) == 0) version += "-" + part(3);
  if (pick(1) == 0) version += "-" + std::to_string(pick(3)) + part(3);
  return version;
}

bool has_dpkg() { return std::system("command -v dpkg >/dev/null 2>&1") == 0; }

}  // namespace

TEST_CASE("Debian versions are ordered as by dpkg", "[version]") {
  if (!has_dpkg()) {
    WARN("skipped: no dpkg");
    return;
  }
  std::mt19937 random(20240229);
  std::vector<std::pair<std::string, std::string>> pairs = {
      {"1.0", "1.0-0"},  {"1.0", "0:1.0"}, {"1.0~rc1", "1.0"},   {"1.0~~", "1.0~"},
      {"1.0+b1", "1.0"}, {"09", "9"},      {"1.2-1-1", "1.2-1"}, {"6.4.0.60400-47~22.04", "6.4.0.60400-47~24.04"}};
  while (pairs.size() < 500) {
    auto left = random_version(random);
    // Relatives of each other more often than not, else the first byte decides.
    auto right = random() % 3 == 0 ? random_version(random) : left;
    if (right == left && !right.empty()) right.insert(1 + random() % right.size(), 1, "~0a+."[random() % 5]);
    if (is_debian_version(left) && is_debian_version(right)) pairs.emplace_back(left, right);
  }
  std::string script =
      "order() { if dpkg --compare-versions \"$1\" lt \"$2\"; then echo -1; "
      "elif dpkg --compare-versions \"$1\" eq \"$2\"; then echo 0; else echo 1; fi; }\n";
  for (const auto& [left, right] : pairs) script += "order '" + left + "' '" + right + "'\n";
  FILE* answers = popen(("exec 2>/dev/null\n" + script).c_str(), "r");
  REQUIRE(answers);
  for (const auto& [left, right] : pairs) {
    int expected = 9;
    REQUIRE(std::fscanf(answers, "%d", &expected) == 1);
    INFO(left << " and " << right);
    CHECK(compare_debian(left, right) == expected);
    CHECK(compare_debian(right, left) == -expected);
  }
  pclose(answers);
}

TEST_CASE("what dpkg accepts as a version", "[version]") {
  for (const auto good : {"1", "1.0-1", "2:1.0~rc1+b2-1~deb12u1", "0:1:2-3", "1-2-3", "20240101"})
    CHECK(is_debian_version(good));
  for (const auto bad : {"", ":1", "a1", "1 ", "1_0", "1-", "1:", "99999999999:1", "1-1:2", "1/2", "x:1"})
    CHECK_FALSE(is_debian_version(bad));
}

TEST_CASE("numbers of any length are compared without overflow", "[version]") {
  const std::string nines(400, '9');
  CHECK(compare_debian(nines, "1" + std::string(400, '0')) < 0);
  CHECK(compare_debian(std::string(300, '0') + "1", "1") == 0);
  CHECK(compare_dotted(nines + ".1", nines + ".2") < 0);
}

TEST_CASE("any bytes are ordered the same from both sides", "[version]") {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string left, right;
    for (unsigned n = random() % 8; n > 0; --n) left += static_cast<char>(random() % 256);
    for (unsigned n = random() % 8; n > 0; --n) right += "~-:.0a\0\xff"[random() % 8];
    CHECK(compare_debian(left, right) == -compare_debian(right, left));
    CHECK(compare_debian(left, left) == 0);
  }
}

TEST_CASE("dotted order", "[version]") {
  CHECK(compare_dotted("22.04", "22.10") < 0);
  CHECK(compare_dotted("9", "12") < 0);
  CHECK(compare_dotted("12", "12.0") == 0);
  CHECK(compare_dotted("12.1", "12") > 0);
  CHECK(compare_dotted("3.20.3", "3.9.9") > 0);
  CHECK(compare_dotted("22.04", "22.4") == 0);
  CHECK(compare_dotted("8.10", "8.10-beta") < 0);
  CHECK(compare_dotted("", "0") == 0);
}

TEST_CASE("constraints", "[version]") {
  CHECK(VersionConstraint::parse(">= 1.2").matches("1.2"));
  CHECK(VersionConstraint::parse(">=1.2").matches("1:0"));
  CHECK_FALSE(VersionConstraint::parse(">= 1.2").matches("1.2~rc1"));
  CHECK(VersionConstraint::parse("<< 3").matches("3~"));
  CHECK_FALSE(VersionConstraint::parse("<< 3").matches("3"));
  CHECK(VersionConstraint::parse("<= 3").matches("3"));
  CHECK(VersionConstraint::parse(" >> 3 ").matches("3.0"));
  CHECK_FALSE(VersionConstraint::parse(">> 3").matches("3"));
  CHECK(VersionConstraint::parse("= 1").matches("1-0"));
  CHECK(VersionConstraint::parse("1.2").matches("1.2"));
  CHECK_FALSE(VersionConstraint::parse("1.2").matches("1.2-1"));
  CHECK(VersionConstraint::parse("1.2").text() == "= 1.2");
  CHECK(VersionConstraint::parse(">= 12").matches_dotted("12.0"));
  CHECK_FALSE(VersionConstraint::parse(">= 22.10").matches_dotted("22.9"));
}

TEST_CASE("what is no constraint is an error of the policy", "[version]") {
  for (const auto bad : {"", ">=", "< 3", "> 3", "!= 3", "=> 3", ">= 1, << 2", ">= a b", "~> 3", ">= 1|2"}) {
    INFO(bad);
    try {
      VersionConstraint::parse(bad);
      FAIL("accepted");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::policy);
    }
  }
}
