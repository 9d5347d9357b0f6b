#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/error.h"
#include "base/nearest.h"
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

Action add_explain(CLI::App& app) {
  auto id = std::make_shared<std::string>();
  app.add_option("RULE", *id, "the id of a rule")->required();
  app.footer(
      "Examples:\n"
      "  ocilint explain same-file\n"
      "\n"
      "Exit status: 0 shown, 2 there is no such rule.\n");
  return [id] {
    const Rule* const rule = find_rule(all_rules(), *id);
    if (rule == nullptr) {
      std::vector<std::string> ids;
      for (const Rule* const known : all_rules()) ids.emplace_back(known->doc.id);
      throw Error(ErrorKind::usage, "there is no rule " + *id + did_you_mean(*id, ids));
    }
    return print(rule_page(*rule));
  };
}

}  // namespace ocilint::cli
