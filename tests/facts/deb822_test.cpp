#include "facts/deb822.h"

#include <catch2/catch.hpp>

#include "base/error.h"
#include "facts/limits.h"

using namespace ocilint;

namespace {

void read_all(std::string_view text) {
  Deb822Reader reader(text);
  for (Deb822Stanza stanza; reader.next(stanza);) {
  }
}

}  // namespace

TEST_CASE("stanzas and fields", "[deb822]") {
  Deb822Reader reader(
      "\n\nPackage: a\nDescription: short\n long\n .\n end \nEmpty:\n\n\nPackage:b\nX : y\t\nL:\n one\n two\n");
  Deb822Stanza stanza;
  REQUIRE(reader.next(stanza));
  CHECK(stanza.line() == 3);
  CHECK(stanza.fields().size() == 3);
  CHECK(stanza.value("package") == "a");
  CHECK(stanza.value("DESCRIPTION") == "short\n long\n .\n end");
  CHECK(stanza.find("Empty"));
  CHECK(stanza.value("Empty").empty());
  CHECK_FALSE(stanza.find("Version"));
  REQUIRE(reader.next(stanza));
  CHECK(stanza.line() == 11);
  CHECK(stanza.value("Package") == "b");
  CHECK(stanza.value("X") == "y");
  CHECK(stanza.value("L") == "one\n two");
  CHECK(stanza.find("L")->line == 13);
  CHECK(stanza.find("L")->value_line == 14);
  CHECK_FALSE(reader.next(stanza));
  CHECK_FALSE(reader.next(stanza));
}

TEST_CASE("malformed stanzas are refused with their line", "[deb822]") {
  using Catch::Contains;
  CHECK_THROWS_WITH(read_all("A: 1\nB: 2\na: 3\n"), Contains("line 3"));
  CHECK_THROWS_WITH(read_all("A: 1\nno field\n"), Contains("line 2"));
  CHECK_THROWS_WITH(read_all(" x\n"), Contains("line 1"));
  CHECK_THROWS_WITH(read_all("A: 1\n\n x\n"), Contains("line 3"));
  CHECK_THROWS_WITH(read_all("A: 1\n \nB: 2\n"), Contains("line 2"));
  CHECK_THROWS_WITH(read_all("A b: 1\n"), Contains("line 1"));
  CHECK_THROWS_WITH(read_all("#A: 1\n"), Contains("line 1"));
  CHECK_THROWS_WITH(read_all("-A: 1\n"), Contains("line 1"));
  CHECK_THROWS_WITH(read_all(": 1\n"), Contains("line 1"));
  CHECK_THROWS_WITH(read_all("A: 1\nB: cut he"), Contains("line 2"));
  CHECK_THROWS_WITH(read_all(std::string_view("A: 1\0\n", 6)), Contains("NUL"));
  CHECK_THROWS_WITH(read_all("A: 1\r\n\r\n"), Contains("line 2"));
}

TEST_CASE("limits of stanzas", "[deb822]") {
  std::string many;
  for (std::size_t i = 0; i <= stanza_fields; ++i) many += "F" + std::to_string(i) + ": x\n";
  CHECK_THROWS_AS(read_all(many), Error);
  std::string large = "A: x\n";
  while (large.size() <= stanza_bytes) large += " " + std::string(1000, 'y') + "\n";
  CHECK_THROWS_AS(read_all(large), Error);
  std::string stanzas;
  for (int i = 0; i < 20; ++i) stanzas += "A: " + std::string(100'000, 'y') + "\n\n";
  CHECK_NOTHROW(read_all(stanzas));
}
