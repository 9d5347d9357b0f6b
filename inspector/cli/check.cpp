#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <thread>

#include "base/error.h"
#include "cli/discover.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "run/run.h"

namespace ocilint::cli {
namespace {

struct CheckArguments {
  std::vector<std::string> references, policies, outputs, sets, gates, only, skip;
  std::string platform, fail_on = "error", view = "overlay", color = "auto", progress = "auto";
  unsigned jobs = 0;
  bool stats = false;
};

std::pair<std::string, std::string> assignment(const std::string& text, const char* flag) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Error(ErrorKind::usage, fmt::format("{} {}: NAME=VALUE is wanted", flag, text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Overrides overrides_of(const CheckArguments& arguments) {
  Overrides out;
  for (const std::string& text : arguments.sets) out.variables.insert(assignment(text, "--set"));
  for (const std::string& text : arguments.gates) {
    const auto [name, mode] = assignment(text, "--gate");
    if (mode != "auto" && mode != "required")
      throw Error(ErrorKind::usage, "--gate " + text + ": the mode is auto or required");
    out.gates[name] = mode == "required" ? GateMode::required : GateMode::automatic;
  }
  return out;
}

Severity severity_of(const std::string& text) {
  return text == "note" ? Severity::note : text == "warning" ? Severity::warning : Severity::error;
}

int check(const CheckArguments& arguments) {
  RunOptions options;
  options.policies = find_policies(arguments.policies);
  options.overrides = overrides_of(arguments);
  options.only = arguments.only;
  options.skip = arguments.skip;
  options.view = arguments.view == "spec" ? View::spec : View::overlay;
  options.jobs = arguments.jobs != 0 ? arguments.jobs : std::max(1u, std::thread::hardware_concurrency());
  options.today = load_context().today;
  if (!arguments.platform.empty()) options.platform = Platform::parse(arguments.platform);
  std::vector<Output> outputs;
  for (const std::string& text : arguments.outputs) outputs.push_back(Output::parse(text));
  if (outputs.empty()) outputs.push_back(Output::parse("text"));

  std::vector<ImageResult> results;
  for (const std::string& reference : arguments.references) {
    options.reference = reference;
    Progress progress(reference, arguments.progress);
    options.progress = [&](const LayerProgress& step) { progress.show(step); };
    results.push_back(check_image(options, all_rules()));
  }
  const ReportStyle style{.color = use_color(arguments.color == "auto"     ? When::automatic
                                             : arguments.color == "always" ? When::always
                                                                           : When::never),
                          .width = terminal_width(),
                          .fail_on = severity_of(arguments.fail_on),
                          .stats = arguments.stats};
  const std::size_t closed = write_reports(outputs, results, style);
  return static_cast<int>(verdict(results, style.fail_on, outputs.size(), closed));
}

}  // namespace

Action add_check(CLI::App& app) {
  auto arguments = std::make_shared<CheckArguments>();
  app.add_option("REF", arguments->references,
                 "oci:DIR[:ref|@n], oci-archive:FILE[:ref], docker-archive:FILE[:ref|@n], dir:DIR, - or a path")
      ->required();
  app.add_option("-p,--policy", arguments->policies, "shipped policy by name, or a file; repeatable")
      ->envname("OCILINT_POLICY");
  app.add_option("-o,--output", arguments->outputs, "FORMAT[=FILE]: text or json; repeatable");
  app.add_option("--platform", arguments->platform, "os/arch[/variant]")->envname("OCILINT_PLATFORM");
  app.add_option("--gate", arguments->gates, "NAME=required|auto: must the image be of this kind?");
  app.add_option("--set", arguments->sets, "NAME=VALUE: a variable of the policy");
  app.add_option("--only", arguments->only, "run these checks only (ids)");
  app.add_option("--skip", arguments->skip, "do not run these checks (ids)");
  app.add_option("--fail-on", arguments->fail_on, "lowest severity that makes exit status 1")
      ->check(CLI::IsMember({"error", "warning", "note"}))
      ->envname("OCILINT_FAIL_ON")
      ->capture_default_str();
  app.add_option("--view", arguments->view, "overlay: what container engines show; spec: the cumulative reading")
      ->check(CLI::IsMember({"overlay", "spec"}))
      ->capture_default_str();
  app.add_option("-j,--jobs", arguments->jobs, "threads; all cores unless stated")->envname("OCILINT_JOBS");
  app.add_flag("--stats", arguments->stats, "what was read, hashed and kept");
  app.add_option("--color", arguments->color)->check(CLI::IsMember({"auto", "always", "never"}))->capture_default_str();
  app.add_option("--progress", arguments->progress, "on standard error")
      ->check(CLI::IsMember({"auto", "plain", "none"}))
      ->capture_default_str();
  return [arguments] { return check(*arguments); };
}

}  // namespace ocilint::cli
