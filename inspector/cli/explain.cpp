#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/error.h"
#include "base/nearest.h"
#include "check/rule.h"
#include "cli/discover.h"
#include "cli/outputs.h"
#include "cli/verbs.h"
#include "report/escape.h"
#include "report/rule_page.h"

namespace ocilint::cli {
namespace {

std::string text_of(const Argument& argument);

struct ValueText {
  std::string operator()(const std::vector<Template>& texts) const {
    std::string out;
    for (const Template& text : texts) out += (out.empty() ? "" : ", ") + text.text;
    return out;
  }
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(std::uint64_t number) const { return std::to_string(number); }
  std::string operator()(const FileSet& files) const { return files.text; }
  std::string operator()(const Argument::Records& records) const {
    std::string out;
    for (const std::vector<Argument>& record : records) {
      std::string fields;
      for (const Argument& field : record) fields += (fields.empty() ? "" : ", ") + text_of(field);
      out += (out.empty() ? "{" : ", {") + fields + "}";
    }
    return out;
  }
};

std::string text_of(const Argument& argument) {
  return std::string(argument.param->name) + ": " + std::visit(ValueText{}, argument.value);
}

std::string check_page(const Policy& policy, const Check& check) {
  std::string out = fmt::format("# {}/{}\n\n", for_terminal(policy.name), for_terminal(check.id));
  if (!check.why.empty()) out += for_terminal(check.why) + "\n\n";
  out += fmt::format("Rule {}, severity {}, {}\n", check.rule->doc.id, to_string(check.level()),
                     for_terminal(check.place.text()));
  std::string gates;
  for (const std::string& gate : check.when) gates += (gates.empty() ? "" : ", ") + for_terminal(gate);
  if (!gates.empty()) out += "Applies when the image is: " + gates + "\n";
  if (!check.with.empty()) out += "\n## As this check has it\n\n";
  for (const Argument& argument : check.with) out += "- " + for_terminal(text_of(argument)) + "\n";
  for (const Waiver& waiver : policy.waivers)
    if (waiver.check == check.id)
      out += fmt::format("\nWaived until {}: {} ({})\n", waiver.expires_text(), for_terminal(waiver.reason),
                         for_terminal(waiver.owner));
  return out;
}

/// "CHECK" or "POLICY/CHECK" in each policy that has it, with the page of the rule behind.
std::string checks_named(const std::string& name, const std::vector<Policy>& policies) {
  const std::size_t slash = name.find('/');
  const std::string id = slash == std::string::npos ? name : name.substr(slash + 1);
  std::string out;
  std::vector<const Rule*> rules;
  for (const Policy& policy : policies) {
    if (slash != std::string::npos && policy.name != name.substr(0, slash)) continue;
    const Check* const check = policy.find_check(id);
    if (check == nullptr) continue;
    out += (out.empty() ? "" : "\n") + check_page(policy, *check);
    if (std::ranges::find(rules, check->rule) == rules.end()) rules.push_back(check->rule);
  }
  for (const Rule* const rule : rules) out += "\n" + rule_page(*rule);
  return out;
}

std::string explain(const std::string& name, const std::vector<std::string>& named) {
  if (named.empty())
    if (const Rule* const rule = find_rule(all_rules(), name)) return rule_page(*rule);
  std::vector<Policy> policies = find_policies(named);
  std::string out = checks_named(name, policies);
  if (out.empty() && named.empty()) {
    policies = load_shipped();
    out = checks_named(name, policies);
  }
  if (!out.empty()) return out;
  std::vector<std::string> known;
  const bool with_policy = name.find('/') != std::string::npos;
  if (!with_policy)
    for (const Rule* const rule : all_rules()) known.emplace_back(rule->doc.id);
  for (const Policy& policy : policies)
    for (const Check& check : policy.checks) known.push_back(with_policy ? policy.name + "/" + check.id : check.id);
  throw Error(ErrorKind::usage,
              fmt::format("there is no rule{} {}{}", named.empty() ? " and no check" : " or check of these policies",
                          name, did_you_mean(name, known)));
}

}  // namespace

Action add_explain(CLI::App& app) {
  struct Arguments {
    std::string name;
    std::vector<std::string> policies;
  };
  auto arguments = std::make_shared<Arguments>();
  app.add_option("RULE", arguments->name, "a rule, or a check: CHECK or POLICY/CHECK")->required();
  app.add_option("-p,--policy", arguments->policies,
                 "the policy that has the check; without: the one that a check would use, else the shipped ones")
      ->type_name("POLICY")
      ->allow_extra_args(false);
  app.footer(
      "Examples:\n"
      "  ocilint explain same-file\n"
      "  ocilint explain debian-baseline/known-setuid\n"
      "  ocilint explain backport-symbol -p policy.yaml\n"
      "\n"
      "Exit status: 0 shown, 2 there is no such rule or check.\n");
  return [arguments] { return print(explain(arguments->name, arguments->policies)); };
}

}  // namespace ocilint::cli
