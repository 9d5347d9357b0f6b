#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "check/rule.h"
#include "cli/outputs.h"
#include "cli/verbs.h"
#include "report/rule_page.h"

namespace ocilint::cli {

Action add_rules(CLI::App& app) {
  auto format = std::make_shared<std::string>("text");
  app.add_option("-o,--output", *format, "text, or markdown: one page a rule, for docs/rules")
      ->check(CLI::IsMember({"text", "markdown"}));
  app.footer(
      "Examples:\n"
      "  ocilint rules\n"
      "\n"
      "Exit status: 0 listed.\n");
  return [format] {
    std::string out;
    for (const Rule* const rule : all_rules())
      out += *format == "markdown" ? rule_page(*rule) + "\n"
                                   : fmt::format("{:<20} {}{}\n", rule->doc.id, rule->doc.summary,
                                                 rule->doc.built_in ? " (always runs)" : "");
    return print(out);
  };
}

}  // namespace ocilint::cli
