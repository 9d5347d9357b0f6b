#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "cases/run_case.h"
#include "cli/discover.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/registry_flags.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "policy/schema.h"
#include "report/cases.h"
#include "report/escape.h"
#include "report/policy.h"
#include "report/starter.h"

namespace ocilint::cli {
namespace {

std::string list_shipped() {
  std::string out;
  for (const Policy& policy : load_shipped())
    out += fmt::format("{:<22} {} checks   {}\n", policy.name, policy.checks.size(), policy.summary);
  return out;
}

int validate(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    const Policy policy = load_named(name, load_context());
    out += fmt::format("{}: policy {}, {} checks, {} waivers\n", for_terminal(name), for_terminal(policy.name),
                       policy.checks.size(), policy.waivers.size());
  }
  return print(out);
}

struct TestArguments {
  std::vector<std::string> policies, cases;
};

std::vector<PolicyCase> cases_of(const std::string& name, const Policy& policy, const std::vector<std::string>& files) {
  std::vector<PolicyCase> out;
  for (const std::string& file : files)
    for (PolicyCase& one : load_cases(load_context().read_file(file), file, policy, all_rules()))
      out.push_back(std::move(one));
  if (out.empty())
    throw Error(ErrorKind::policy, name +
                                       ": it has no cases: none are in NAME.cases.yaml or NAME.cases/ beside it, and "
                                       "none were named with --cases");
  return out;
}

ExitStatus test_one(const std::string& name, const std::vector<std::string>& files, std::string& out) {
  const Policy policy = load_named(name, load_context());
  std::vector<CaseResult> results;
  for (const PolicyCase& one : cases_of(name, policy, files.empty() ? case_files_beside(name) : files))
    results.push_back(
        run_case(policy, one, all_rules(), load_context().today, std::max(1u, std::thread::hardware_concurrency())));
  out += write_cases(name, policy, results, use_color(When::automatic));
  ExitStatus status = ExitStatus::good;
  for (const CaseResult& one : results)
    status = std::max(status, !one.evaluated      ? ExitStatus::untrusted
                              : one.as_expected() ? ExitStatus::good
                                                  : ExitStatus::findings);
  return status;
}

int test(const TestArguments& arguments) {
  if (!arguments.cases.empty() && arguments.policies.size() > 1)
    throw Error(ErrorKind::usage, "--cases are of one policy, and several are named");
  std::string out;
  ExitStatus status = ExitStatus::good;
  for (const std::string& name : arguments.policies) status = std::max(status, test_one(name, arguments.cases, out));
  return std::max(print(out), static_cast<int>(status));
}

int show(const std::vector<std::string>& names, bool json) {
  const std::vector<Policy> policies = find_policies(names);
  const PolicyStyle style{.color = use_color(When::automatic),
                          .width = output_is_terminal() ? terminal_width() : 0,
                          .today = load_context().today};
  return print(json ? write_policies_json(policies, all_rules(), style)
                    : write_policies_text(policies, all_rules(), style));
}

/// What --only, --skip and explain take, for people and for completion.
std::string checks_of(const std::vector<std::string>& names) {
  std::string out;
  for (const Policy& policy : find_policies(names))
    for (const Check& check : policy.checks)
      out += fmt::format("{:<28} {:<20} {}\n", check.id, check.rule->doc.id, to_string(check.level()));
  return out;
}

struct InitArguments {
  std::string file = ".ocilint.yaml", from, platform;
  RegistryArguments registry;
};

/// The starter for an image: looked at, proposed, and held against it, so that the file says what its checks come to.
std::string starter_for(const InitArguments& arguments, const std::string& name) {
  RunOptions options;
  options.reference = arguments.from;
  options.jobs = std::max(1u, std::thread::hardware_concurrency());
  options.today = load_context().today;
  if (!arguments.platform.empty()) options.platform = Platform::parse(arguments.platform);
  options.registry = registry_options(arguments.registry);
  Progress progress(arguments.from, "auto");
  options.progress = [&](const LayerProgress& step) { progress.show(step); };
  const ImageTraits traits = look_for_starter(options);
  const std::string proposed = write_starter(name, {&traits, nullptr});
  options.policies = {load_policy(proposed, arguments.file, load_context())};
  const ImageResult result = check_image(options, all_rules());
  if (result.unreadable) throw *result.unreadable;
  return write_starter(name, {&traits, &result});
}

int init(const InitArguments& arguments) {
  std::error_code failed;
  if (std::filesystem::symlink_status(arguments.file, failed).type() != std::filesystem::file_type::not_found)
    throw Error(ErrorKind::usage, arguments.file + " is there already; it is not overwritten");
  if (arguments.from == "-" || arguments.from.ends_with(":-"))
    throw Error(ErrorKind::usage, "--from reads the image twice, and standard input can be read once");
  const std::string name = std::filesystem::absolute(arguments.file, failed).parent_path().filename().string();
  const std::string text = arguments.from.empty() ? write_starter(name, {}) : starter_for(arguments, name);
  const Policy policy = load_policy(text, arguments.file, load_context());
  write_new(arguments.file, text);
  return print(fmt::format("{}: policy {}, {} checks; ocilint policy show {} lists them\n",
                           for_terminal(arguments.file), policy.name, policy.checks.size(),
                           for_terminal(arguments.file)));
}

}  // namespace

Action add_policy(CLI::App& app) {
  app.require_subcommand(1);
  CLI::App* const validating = app.add_subcommand("validate", "load policies and say what is wrong with them");
  CLI::App* const listing = app.add_subcommand("list", "the policies that come with ocilint");
  CLI::App* const testing =
      app.add_subcommand("test", "run the cases of policies: described images, what must be found");
  CLI::App* const showing =
      app.add_subcommand("show", "a policy as it is evaluated: which checks run, and what they assert");
  CLI::App* const checks = app.add_subcommand("checks", "the checks of policies by name, a line each");
  CLI::App* const starting = app.add_subcommand("init", "write a policy to begin with, for an image when one is given");
  auto names = std::make_shared<std::vector<std::string>>();
  validating->add_option("POLICY", *names, "shipped names or files")->required();
  auto tests = std::make_shared<TestArguments>();
  testing
      ->add_option("POLICY", tests->policies,
                   "files; the cases of NAME.yaml stand in NAME.cases.yaml or in the folder NAME.cases beside it")
      ->required();
  testing->add_option("--cases", tests->cases, "files with cases, in place of those beside the policy; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  testing->footer(
      "Examples:\n"
      "  ocilint policy test .ocilint.yaml\n"
      "  ocilint policy test debian-baseline --cases baseline.cases.yaml\n"
      "\n"
      "Exit status: 0 good, 1 findings: a case did not come out as expected, 2 the\n"
      "answer cannot be trusted: the policy or a case is wrong, or there is no case.\n");
  auto json = std::make_shared<std::string>("text");
  auto shown = std::make_shared<std::vector<std::string>>();
  showing->add_option("POLICY", *shown, "shipped names or files; without: those that ocilint check would take here")
      ->envname("OCILINT_POLICY");
  showing->add_option("-o,--output", *json, "text or json")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "json"}));
  checks->add_option("POLICY", *shown, "shipped names or files; without: those that ocilint check would take here")
      ->envname("OCILINT_POLICY");
  auto starter = std::make_shared<InitArguments>();
  starting->add_option("FILE", starter->file,
                       "where to; .ocilint.yaml unless stated. What is there is not overwritten");
  starting->add_option("--from", starter->from, "an image: checks that fit it, and what each comes to today")
      ->type_name("REF");
  starting->add_option("--platform", starter->platform, "which image of several: os/arch[/variant]")
      ->type_name("PLATFORM");
  add_registry_options(*starting, starter->registry);
  return [=] {
    if (showing->parsed()) return show(*shown, *json == "json");
    if (checks->parsed()) return print(checks_of(*shown));
    if (starting->parsed()) return init(*starter);
    if (listing->parsed()) return print(list_shipped());
    if (testing->parsed()) return test(*tests);
    return validate(*names);
  };
}

Action add_schema(CLI::App&) {
  return [] { return print(policy_schema(all_rules()).dump(2) + "\n"); };
}

}  // namespace ocilint::cli
