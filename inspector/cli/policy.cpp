#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/json.h"
#include "cli/discover.h"
#include "cli/outputs.h"
#include "cli/verbs.h"
#include "policy/schema.h"
#include "report/escape.h"

namespace ocilint::cli {

Action add_policy(CLI::App& app) {
  app.require_subcommand(1);
  CLI::App* const validate = app.add_subcommand("validate", "load policies and say what is wrong with them");
  CLI::App* const list = app.add_subcommand("list", "the policies that come with ocilint");
  auto names = std::make_shared<std::vector<std::string>>();
  validate->add_option("POLICY", *names, "shipped names or files")->required();
  return [=] {
    std::string out;
    if (list->parsed()) {
      for (const Policy& policy : [] {
             std::vector<Policy> all;
             for (const ShippedPolicy& shipped : shipped_policies())
               all.push_back(load_named(std::string(shipped.name), load_context()));
             return all;
           }())
        out += fmt::format("{:<22} {} checks   {}\n", policy.name, policy.checks.size(), policy.summary);
      return print(out);
    }
    for (const std::string& name : *names) {
      const Policy policy = load_named(name, load_context());
      out += fmt::format("{}: policy {}, {} checks, {} waivers\n", for_terminal(name), for_terminal(policy.name),
                         policy.checks.size(), policy.waivers.size());
    }
    return print(out);
  };
}

Action add_schema(CLI::App&) {
  return [] { return print(policy_schema(all_rules()).dump(2) + "\n"); };
}

}  // namespace ocilint::cli
