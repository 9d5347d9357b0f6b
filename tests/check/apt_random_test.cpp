// Random databases against libapt-pkg (tests/oracles/apt_garbage.cpp).
//
// `certain` may not exceed what apt takes and `perhaps` must cover it: a difference means that apt's own order of
// packages decides, which the answer says. These are counted, and few.
#include <catch2/catch.hpp>

#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "check/package_set.h"
#include "check/random_packages.h"
#include "support/oci_writer.h"
#include "support/places.h"

using namespace ocilint;
using namespace ocilint::test;

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
}

struct Expected {
  Names garbage, broken;
};

/// What the oracle says of each case, by its number.
std::map<std::size_t, Expected> ask(const std::filesystem::path& folder, std::string_view architectures,
                                    const std::string& cases) {
  write(folder / "cases", cases);
  for (const char* const part : {"etc/apt", "var/lib/apt/lists/partial", "var/cache/apt/archives/partial"})
    std::filesystem::create_directories(folder / "root" / part);
  const std::string command = std::string(test::apt_garbage) + " " + folder.string() + " " +
                              std::string(architectures) + " < " + (folder / "cases").string();
  std::map<std::size_t, Expected> out;
  FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, got);
  REQUIRE(pclose(pipe) == 0);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    Expected& expected = out[std::stoul(line.substr(0, colon))];
    std::istringstream words(line.substr(colon + 1));
    for (std::string word; words >> word;)
      (word.front() == '!' ? expected.broken : expected.garbage).push_back(word.substr(word.front() == '!'));
    std::sort(expected.garbage.begin(), expected.garbage.end());
    std::sort(expected.broken.begin(), expected.broken.end());
  }
  return out;
}

struct Figures {
  std::size_t cases = 0, garbage = 0, broken = 0, undecided = 0, undecided_taken = 0, doubtful = 0, wrong = 0;
};

Figures compare(std::size_t count, std::uint64_t first_seed, RandomDatabase::Kind kind) {
  const testing::TempDir temp;
  const std::filesystem::path folder = temp.path();
  std::vector<RandomPackages> all;
  std::string cases;
  for (std::size_t i = 0; i < count; ++i) {
    const RandomPackages& made = all.emplace_back(RandomDatabase::make(first_seed + i, kind));
    write(folder / (std::to_string(i) + ".status"), made.status);
    write(folder / (std::to_string(i) + ".states"), made.states);
    cases += std::to_string(i) + (made.suggests ? " 1" : " 0") + (made.recommends ? " 1\n" : " 0\n");
  }
  const auto answers = ask(folder, kind.foreign ? "amd64 i386" : "amd64", cases);
  REQUIRE(answers.size() == count);

  Figures out;
  for (const auto& [number, expected] : answers) {
    const RandomPackages& made = all[number];
    PackageSet set(made.status, made.states, kind.foreign ? Names{"amd64", "i386"} : Names{"amd64"});
    set.options().suggests = made.suggests;
    set.options().recommends = made.recommends;
    const Names certain = set.removed(), perhaps = set.removed(true);
    ++out.cases;
    out.garbage += expected.garbage.size();
    out.broken += !expected.broken.empty();
    out.undecided += certain != perhaps;
    out.undecided_taken += certain != expected.garbage;
    const bool right =
        std::includes(expected.garbage.begin(), expected.garbage.end(), certain.begin(), certain.end()) &&
        std::includes(perhaps.begin(), perhaps.end(), expected.garbage.begin(), expected.garbage.end());
    Names differing;
    const Names broken = set.broken(), doubtful = set.doubtful();
    std::set_symmetric_difference(broken.begin(), broken.end(), expected.broken.begin(), expected.broken.end(),
                                  std::back_inserter(differing));
    out.doubtful += !differing.empty();
    const bool same_broken = std::all_of(differing.begin(), differing.end(), [&](const std::string& name) {
      return std::binary_search(doubtful.begin(), doubtful.end(), name);
    });
    std::string shown;
    if ((!right || !same_broken) && ++out.wrong <= 3) {
      const auto text = [](std::string_view of, const Names& names) {
        std::string line = "\n" + std::string(of) + ": ";
        for (const std::string& name : names) line += name + " ";
        return line;
      };
      shown = text("apt", expected.garbage) + text("certain", certain) + text("perhaps", perhaps) +
              text("unmet for apt", expected.broken) + text("unmet", set.broken()) + "\n" + made.status + made.states;
    }
    INFO("seed " << first_seed + number << " suggests " << made.suggests << " recommends " << made.recommends << shown);
    CHECK(right);
    CHECK(same_broken);
  }
  return out;
}

void run(std::size_t count, RandomDatabase::Kind kind, std::size_t most_undecided) {
  if (std::string_view(test::apt_garbage).empty()) {
    WARN("skipped: libapt-pkg-dev was not there when this was built");
    return;
  }
  const Figures figures = compare(count, 20'000'000, kind);
  WARN(figures.cases << " databases, " << figures.garbage << " packages removed, " << figures.broken
                     << " databases with unmet dependencies; apt's order decides in " << figures.undecided
                     << ", in which it takes more than the certain ones " << figures.undecided_taken
                     << " times; it decides whether a dependency is met in " << figures.doubtful);
  CHECK(figures.garbage > count / 2);
  CHECK(figures.undecided <= most_undecided);
}

}  // namespace

TEST_CASE("autoremove agrees with libapt-pkg on random databases") { run(100, {}, 5); }
TEST_CASE("autoremove agrees with libapt-pkg on several architectures") { run(100, {.foreign = true}, 5); }
TEST_CASE("autoremove agrees with libapt-pkg where sources and order decide") { run(60, {.concentrated = true}, 20); }
TEST_CASE("unmet dependencies and conflicts are libapt-pkg's") { run(40, {.conflicts = true}, 5); }

TEST_CASE("autoremove agrees with libapt-pkg on thousands of databases", "[.full]") {
  run(1500, {}, 60);
  run(1500, {.foreign = true}, 60);
  run(1000, {.concentrated = true}, 300);
  run(500, {.foreign = true, .conflicts = true}, 30);
}
