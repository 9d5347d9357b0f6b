// Columns that a terminal needs: wide and combining characters, emoji, bytes that are no UTF-8.
#include <catch2/catch.hpp>

#include <sstream>

#include "report/escape.h"
#include "report/table.h"

using namespace ocilint;

namespace {

const std::string wide = "\u65e5\u672c\u8a9e";        // three ideographs
const std::string combined = "e\u0301a\u0308\u0301";  // two letters, three marks
const std::string emoji = "\U0001f600\U0001f680";

}  // namespace

TEST_CASE("columns: of what a terminal shows, not of bytes or characters") {
  CHECK(columns("") == 0);
  CHECK(columns("abc") == 3);
  CHECK(columns("\u00e9\u00fc\u2026\u00b7") == 4);
  CHECK(columns(wide) == 6);
  CHECK(columns(combined) == 2);
  CHECK(columns(emoji) == 4);
  CHECK(columns("\uff21\uff71") == 3);  // a fullwidth letter, a halfwidth one
  CHECK(columns("\u1100\u1161") == 2);  // parts of a Hangul syllable are put together
  CHECK(columns("\xff\xc3") == 2);      // no UTF-8: a byte each
}

TEST_CASE("a text is cut before the character that does not fit, marks stay with their letter") {
  CHECK(for_terminal(wide, 6) == wide);
  CHECK(for_terminal(wide + wide, 6) == "\u65e5\u672c \u2026");
  CHECK(for_terminal(wide + wide, 7) == "\u65e5\u672c \u2026");
  CHECK(for_terminal("e\u0301e\u0301e\u0301e\u0301", 3) == "e\u0301 \u2026");
  for (std::size_t most = 2; most < 20; ++most)
    CHECK(columns(for_terminal(wide + emoji + combined + "abc" + wide, most)) <= most);
  CHECK(for_terminal("a\xff", 20) == "a\\xff");
}

TEST_CASE("columns of a table stand below each other whatever its texts are made of") {
  Table table({{"name"}, {"size", Table::Align::right}, {"what"}});
  for (const std::string& name : {std::string("plain"), wide, combined, emoji}) table.row({name, "1", "|"});
  std::istringstream lines(table.write(60, false));
  std::string line;
  std::getline(lines, line);
  const std::size_t place = columns(line.substr(0, line.find("what")));
  for (int i = 0; i < 4; ++i) {
    std::getline(lines, line);
    INFO(line);
    CHECK(columns(line.substr(0, line.find('|'))) == place);
  }
}

TEST_CASE("what has no room beside its row stands below it, and a column of nothing has no title") {
  Table table({{"name"}, {"what"}});
  const std::string name(50, 'n');
  table.row({name, "short"});
  table.row({name, "a sentence that is far too long for what is left of the line"});
  table.below("and another one below it");
  CHECK(table.write(60, false) == std::string("name") + std::string(48, ' ') + "what\n" + name + "  short\n" + name +
                                      "\n    a sentence that is far too long for what is left of the\n        line\n"
                                      "    and another one below it\n");
  // With room for it, and in a file, it is a column.
  CHECK(table.write(90, false).find(name + "  a sentence that is far too long for\n") != std::string::npos);
  CHECK(table.write(0, false).find(name + "  a sentence that is far too long for what is left of the line\n") !=
        std::string::npos);
  Table nothing({{"name"}, {"what"}});
  nothing.row({"a", ""});
  CHECK(nothing.write(60, false) == "name\na\n");
}
