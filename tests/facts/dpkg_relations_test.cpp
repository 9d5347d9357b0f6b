#include <catch2/catch.hpp>

#include "base/error.h"
#include "facts/dpkg_relations.h"
#include "facts/limits.h"

using namespace ocilint;

namespace {

std::string normal(std::string_view field) {
  std::string out;
  for (const DpkgRelations::Group& group : DpkgRelations::parse(field).groups)
    out += (out.empty() ? "" : ", ") + to_text(group);
  return out;
}

}  // namespace

TEST_CASE("relations: groups, alternatives, versions, qualifiers") {
  CHECK(normal("libc6 (>= 2.36), default-mta | mail-transport-agent, python3:any") ==
        "libc6 (>= 2.36), default-mta | mail-transport-agent, python3:any");
  CHECK(normal(" a(=1:2-3)|b:i386( << 1~ ),\n c ") == "a (= 1:2-3) | b:i386 (<< 1~), c");
  CHECK(normal("a (< 1), b (> 2), c (>> 3), d (<= 4)") == "a (<= 1), b (>= 2), c (>> 3), d (<= 4)");
  CHECK(normal("g++-12, libstdc++6.0") == "g++-12, libstdc++6.0");
}

TEST_CASE("relations: empty groups are passed over") {
  CHECK(normal("").empty());
  CHECK(normal(" , a,, b ,") == "a, b");
}

TEST_CASE("relations: what is none is refused with its text") {
  for (const char* const field : {"a b", "a | ", "| a", "a (1", "a (>=)", "a (>= 1", "a (>= 1 2)", "a ()", "(>= 1)",
                                  "a:", ":any", "a:b:c", "a [amd64]", "a <!x>", "$x", "a (=> 1)", "a (>= 1) b"}) {
    INFO(field);
    CHECK_THROWS_AS(DpkgRelations::parse(field), Error);
  }
  try {
    DpkgRelations::parse("good, bad one");
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(std::string_view(error.what()).find("\"bad one\"") != std::string_view::npos);
  }
}

TEST_CASE("relations: no more than the limit") {
  std::string field = "a";
  for (std::size_t i = 1; i < dependency_atoms; ++i) field += "|a";
  CHECK(DpkgRelations::parse(field).groups.front().size() == dependency_atoms);
  CHECK_THROWS_AS(DpkgRelations::parse(field + ",a"), Error);
}
