#include "facts/doc_blocks.h"

#include <catch2/catch.hpp>

#include <string>

using namespace ocilint;

namespace {

/// Of the place where '@' stands.
unsigned at_mark(const std::string& text) { return DocBlocks(text).open_at(text.find('@')); }

}  // namespace

TEST_CASE("documentation: block comments begin a line") {
  CHECK(at_mark("/*\n @ */") == DocBlock::comment);
  CHECK(at_mark("  /** one\n   two\n   @\n") == DocBlock::comment);
  CHECK(at_mark("/* @ */") == DocBlock::comment);
  CHECK(at_mark("/* a */ @") == 0);
  CHECK(at_mark("/* a\n b */\n@") == 0);
  CHECK(at_mark("glob('src/**/*.js');\n@") == 0);
  CHECK(at_mark("x = 1; /*\n@ */") == 0);
}

TEST_CASE("documentation: POD and =begin begin in the first column") {
  CHECK(at_mark("=head1 A\n\n@\n\n=cut\n") == DocBlock::pod);
  CHECK(at_mark("=begin\n@\n=end\n") == DocBlock::pod);
  CHECK(at_mark("=item a\n\n=over\n\n@") == DocBlock::pod);
  CHECK(at_mark("=head1 A\n\n=cut\n@") == 0);
  CHECK(at_mark("=begin\n=end\n@") == 0);
  CHECK(at_mark(" =head1 A\n@") == 0);
  CHECK(at_mark("==\n@") == 0);
}

TEST_CASE("documentation: strings that nothing is done with") {
  CHECK(at_mark("\"\"\"A\n@\n\"\"\"") == DocBlock::string);
  CHECK(at_mark("  r'''A\n\"\"\" @\n'''") == DocBlock::string);
  CHECK(at_mark("\"\"\"A\"\"\"\nx = \"\"\"\n@\"\"\"") == 0);
  CHECK(at_mark("\"\"\"A\n\"\"\"\n@") == 0);
  CHECK(at_mark("call(\"\"\"\n@\n\"\"\")") == 0);
  CHECK(at_mark("return \"\"\"\n\"\"\"\n\"\"\"b\n@") == DocBlock::string);
}

TEST_CASE("documentation: one walk serves places that come in order") {
  const std::string text = "a\n/*\nb\n*/\nc\n\"\"\"d\n\"\"\"\ne";
  DocBlocks blocks(text);
  CHECK(blocks.open_at(text.find('a')) == 0);
  CHECK(blocks.open_at(text.find('b')) == DocBlock::comment);
  CHECK(blocks.open_at(text.find('c')) == 0);
  CHECK(blocks.open_at(text.find('d')) == DocBlock::string);
  CHECK(blocks.open_at(text.find('e')) == 0);
  CHECK(DocBlocks("").open_at(0) == 0);
  // A line of a program that was made small.
  CHECK(at_mark("/*\n" + std::string(500, 'x') + "@") == DocBlock::comment);
  CHECK(at_mark("/*\n" + std::string(5000, 'x') + "@") == 0);
}
