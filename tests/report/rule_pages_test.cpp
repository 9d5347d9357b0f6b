// docs/rules is made from the rules. To renew it: OCILINT_APPROVE=1 ctest -R ^report
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "support/places.h"
#include "report/rule_page.h"

using namespace ocilint;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most = 1 << 20;
const fs::path folder = fs::path(test::source_dir) / "docs" / "rules";

std::string index_page() {
  std::string out =
      "# Rules\n\nMade from the rules themselves; `ocilint explain RULE` prints the same pages. How rules are put into a "
      "policy: [policy.md](../policy.md).\n\n| rule | what it asserts |\n|---|---|\n";
  for (const Rule* const rule : all_rules())
    out += "| [" + std::string(rule->doc.id) + "](" + std::string(rule->doc.id) + ".md) | " +
           std::string(rule->doc.summary) + (rule->doc.built_in ? " Always runs." : "") + " |\n";
  return out;
}

void check_page(const std::string& name, const std::string& text) {
  if (std::getenv("OCILINT_APPROVE") != nullptr) std::ofstream(folder / name, std::ios::binary) << text;
  INFO(name << ": renew it with: OCILINT_APPROVE=1 ctest -R ^report  (in the build folder)");
  REQUIRE(fs::exists(folder / name));
  const bool same = read_file((folder / name).string(), most) == text;
  CHECK(same);
}

}  // namespace

TEST_CASE("every rule has its page, and the page is not stale") {
  for (const Rule* const rule : all_rules()) check_page(std::string(rule->doc.id) + ".md", rule_page(*rule));
  check_page("README.md", index_page());
}

TEST_CASE("no page is left of a rule that is gone") {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string id = entry.path().stem().string();
    INFO(id);
    const bool known = id == "README" || find_rule(all_rules(), id) != nullptr;
    CHECK(known);
  }
}

TEST_CASE("a page says what a policy can write and what a report can say") {
  for (const Rule* const rule : all_rules()) {
    const std::string page = rule_page(*rule);
    INFO(rule->doc.id);
    CHECK(page.starts_with("# " + std::string(rule->doc.id) + "\n"));
    for (const Param& param : rule->doc.params)
      CHECK(page.find("- `" + std::string(param.name) + "`") != std::string::npos);
    for (const FindingKind& kind : rule->doc.kinds)
      CHECK(page.find("- *" + std::string(kind.name) + "*") != std::string::npos);
    CHECK_FALSE(rule->doc.details.empty());
  }
}
