// docs/rocm.md: every invariant of a ROCm image has a row, and the check that a row names is there.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <set>
#include <sstream>

#include "base/file.h"
#include "support/places.h"
#include "policy/policy.h"

using namespace ocilint;

namespace {

const std::string root = test::source_dir;

/// The numbers were given once and are never used again for something else.
std::set<std::string> all_numbers() {
  constexpr std::pair<int, int> ranges[] = {{1, 17},  {20, 28},   {30, 44},   {50, 81},
                                            {90, 96}, {100, 115}, {120, 133}, {140, 159}};
  std::set<std::string> out;
  for (const auto& [first, last] : ranges)
    for (int number = first; number <= last; ++number) out.insert(fmt::format("INV-{:03}", number));
  return out;
}

struct Row {
  std::string number, severity, what, rule, where;
};

std::vector<Row> rows() {
  std::vector<Row> out;
  std::istringstream page(read_file(root + "/docs/rocm.md", 1u << 20));
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| INV-")) continue;
    std::vector<std::string> cells;
    for (std::size_t at = 2; at < line.size();) {
      const std::size_t end = line.find(" |", at);
      REQUIRE(end != std::string::npos);
      cells.push_back(line.substr(at, end - at));
      at = end + 3;
    }
    REQUIRE(cells.size() == 5);
    out.push_back({cells[0], cells[1], cells[2], cells[3], cells[4]});
  }
  return out;
}

/// What stands between backquotes.
std::vector<std::string> quoted(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = text.find('`'); at != std::string::npos;) {
    const std::size_t end = text.find('`', at + 1);
    REQUIRE(end != std::string::npos);
    out.push_back(text.substr(at + 1, end - at - 1));
    at = text.find('`', end + 1);
  }
  return out;
}

Policy example() {
  const std::string file = "policies/examples/rocm-invariants.yaml";
  const LoadContext context{all_rules(), shipped_policies(),
                            [](const std::string& path) { return read_file(path, yaml_bytes); },
                            std::chrono::sys_days(std::chrono::year(2026) / 12 / 1)};
  return load_policy(read_file(root + "/" + file, yaml_bytes), file, context);
}

}  // namespace

TEST_CASE("every invariant has one row") {
  std::set<std::string> seen;
  for (const Row& row : rows()) {
    INFO(row.number);
    CHECK(seen.insert(row.number).second);
    CHECK(!row.what.empty());
  }
  CHECK(seen == all_numbers());
  CHECK(seen.size() == 130);
}

TEST_CASE("a row names checks of the example policy, of the rule that it says, or why there is none") {
  const Policy policy = example();
  std::set<std::string> named;
  for (const Row& row : rows()) {
    INFO(row.number << ": " << row.where);
    const std::vector<std::string> rules = quoted(row.rule);
    for (const std::string& rule : rules) CHECK(find_rule(all_rules(), rule) != nullptr);
    if (!row.where.starts_with("`inv-")) {
      CHECK(row.where.size() > 20);
      continue;
    }
    for (const std::string& id : quoted(row.where)) {
      const Check* const check = policy.find_check(id);
      REQUIRE(check != nullptr);
      CHECK(std::find(rules.begin(), rules.end(), check->rule->doc.id) != rules.end());
      CHECK(to_string(check->level()) == row.severity);
      CHECK(named.insert(id).second);
    }
  }
  for (const Check& check : policy.checks) {
    INFO(check.id << " has no row");
    CHECK(named.contains(check.id));
  }
}
