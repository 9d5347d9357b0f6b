// The stories of README.md: what stands there is what the program prints about the scenes. `…` stands for anything
// within a line, and alone on a line for lines that are left out.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <sstream>

#include "base/file.h"
#include "cli/program.h"
#include "support/places.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

const std::string dots = "\u2026";

struct Shown {
  std::string command;
  std::vector<std::string> lines;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

/// "$ ocilint …" lines of the stories, each with what the page shows below it.
std::vector<Shown> shown_in_page() {
  std::vector<Shown> out;
  bool story = false, block = false;
  for (const std::string& line : lines_of(read_file(std::string(test::source_dir) + "/README.md", 1u << 20))) {
    if (line.starts_with("<!-- held by tests/scenes/readme_test.cpp")) story = true;
    if (line == "<!-- end -->") story = false;
    if (line == "```") {
      block = !block;
    } else if (story && block) {
      if (line.starts_with("$ ocilint "))
        out.push_back({line.substr(10), {}});
      else if (!out.empty())
        out.back().lines.push_back(line);
    }
  }
  for (Shown& one : out)
    while (!one.lines.empty() && one.lines.back().empty()) one.lines.pop_back();
  return out;
}

bool fits(const std::string& shown, const std::string& printed) {
  std::size_t at = 0, from = 0;
  bool first = true;
  for (;;) {
    const std::size_t gap = shown.find(dots, from);
    const std::string part = shown.substr(from, gap == std::string::npos ? std::string::npos : gap - from);
    const std::size_t found =
        gap == std::string::npos && !first
            ? (printed.size() < at + part.size() ? std::string::npos : printed.size() - part.size())
            : printed.find(part, at);
    if (found == std::string::npos || (first && found != 0) || printed.compare(found, part.size(), part) != 0)
      return false;
    at = found + part.size();
    if (gap == std::string::npos) return at == printed.size();
    from = gap + dots.size();
    first = false;
  }
}

/// The first line of the page that the program does not print in its place; "" when all are.
std::string first_wrong(const std::vector<std::string>& page, const std::vector<std::string>& printed) {
  std::size_t at = 0;
  bool skipping = false;
  for (const std::string& line : page) {
    if (line == dots) {
      skipping = true;
      continue;
    }
    if (skipping)
      while (at < printed.size() && !fits(line, printed[at])) ++at;
    if (at == printed.size() || !fits(line, printed[at])) return line.empty() ? "(an empty line)" : line;
    skipping = false;
    ++at;
  }
  return skipping || at == printed.size() ? "" : "(the program prints more: " + printed[at] + ")";
}

std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> out;
  std::istringstream in(command);
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

}  // namespace

TEST_CASE("the comparison of pages: dots are anything, nothing else is") {
  CHECK(fits("abc", "abc"));
  CHECK_FALSE(fits("abc", "abcd"));
  CHECK_FALSE(fits("abc", "xabc"));
  CHECK(fits("a" + dots + "c", "abbbc"));
  CHECK_FALSE(fits("a" + dots + "c", "abbb"));
  CHECK(fits("a" + dots, "abbb"));
  CHECK(fits(dots + "c" + dots, "abcd"));
  CHECK(first_wrong({"a", dots, "d"}, {"a", "b", "c", "d"}).empty());
  CHECK(first_wrong({"a", "d"}, {"a", "b", "d"}) == "d");
  CHECK_FALSE(first_wrong({"a"}, {"a", "b"}).empty());
}

TEST_CASE("README.md shows what the program prints: three commands for one story, two for the other") {
  const char* const folder = std::getenv("OCILINT_SCENES");
  if (folder == nullptr) {
    WARN("skipped: OCILINT_SCENES names no folder; ctest sets it");
    return;
  }
  Program run;
  run.where = std::string(folder) + "/images";
  const std::vector<Shown> stories = shown_in_page();
  REQUIRE(stories.size() == 5);
  for (const Shown& story : stories) {
    const Finished got = run(words_of(story.command));
    INFO(story.command << "\n" << got.out << got.err);
    CHECK(got.err == "");
    CHECK(story.lines.size() > 2);
    CHECK(first_wrong(story.lines, lines_of(got.out)) == "");
  }
}
