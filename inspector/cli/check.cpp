#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "base/error.h"
#include "cli/baseline_file.h"
#include "cli/deadline.h"
#include "cli/discover.h"
#include "cli/interrupt.h"
#include "cli/limit_flags.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/references.h"
#include "cli/registry_flags.h"
#include "cli/terminal.h"
#include "cli/variables.h"
#include "cli/verbs.h"
#include "cli/version.h"
#include "report/attest.h"
#include "report/escape.h"
#include "run/run.h"
#include "run/waive.h"

namespace ocilint::cli {
namespace {

constexpr unsigned most_jobs = 256;  // more threads than layers help nobody

struct CheckArguments {
  ReferenceArguments references;
  std::vector<std::string> policies, outputs, sets, gates, only, skip, others;
  std::string baseline, new_baseline;
  std::string platform, fail_on = "error", view = "overlay", color = "auto", progress = "auto", anchor, digest_file,
                        attest;
  unsigned jobs = 0;
  unsigned timeout = 0;
  ImageLimits limits;
  RegistryArguments registry;
  bool stats = false, sarif_suppressed = false, strict_waivers = false;
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

/// FILE[:LINE], below the repository: other viewers than ours must find it there.
void set_anchor(ReportStyle& style, const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::string line = colon == std::string::npos ? "" : text.substr(colon + 1);
  const bool numbered = !line.empty() && line.find_first_not_of("0123456789") == std::string::npos;
  style.anchor_file = numbered ? text.substr(0, colon) : text;
  if (numbered) {
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), style.anchor_line);
    if (error != std::errc() || style.anchor_line == 0)
      throw Error(ErrorKind::usage, "--anchor " + text + ": lines are counted from 1");
  }
  const std::filesystem::path path = std::filesystem::path(style.anchor_file).lexically_normal();
  if (style.anchor_file.empty() || path.is_absolute() || *path.begin() == "..")
    throw Error(ErrorKind::usage, "--anchor " + text + ": a file of the repository is wanted, relative to its root");
}

std::string working_folder() {
  std::error_code failed;
  return std::filesystem::current_path(failed).string();
}

std::map<std::string, std::string, std::less<>> others_of(const CheckArguments& arguments) {
  std::map<std::string, std::string, std::less<>> out;
  for (const std::string& text : arguments.others) {
    const auto [name, reference] = assignment(text, "--with");
    if (reference.empty()) throw Error(ErrorKind::usage, "--with " + text + ": the image is missing");
    if (!out.emplace(name, reference).second)
      throw Error(ErrorKind::usage, "--with " + text + ": another image has that name already");
  }
  return out;
}

std::vector<std::string> references_of(const std::map<std::string, std::string, std::less<>>& others) {
  std::vector<std::string> out;
  for (const auto& [name, reference] : others) out.push_back(reference);
  return out;
}

Severity severity_of(const std::string& text) {
  return text == "note" ? Severity::note : text == "warning" ? Severity::warning : Severity::error;
}

std::string format_names() {
  std::string out;
  for (const Format& format : formats()) out += (out.empty() ? "" : ", ") + std::string(format.name);
  return out + "; repeatable";
}

/// An image that could not be read is seen once: in the text report, or else on standard error.
void say_unreadable(const std::vector<ImageResult>& results, const std::vector<Output>& outputs) {
  for (const Output& output : outputs)
    if (output.file.empty() && output.format->name == "text") return;
  for (const ImageResult& result : results)
    if (result.unreadable)
      std::cerr << "ocilint: " << for_terminal(result.reference)
                << (result.platform.empty() ? "" : " " + for_terminal(result.platform)) << ": "
                << for_terminal(result.unreadable->what()) << "\n";
}

RunSettings settings_of(const CheckArguments& arguments) {
  RunSettings out{std::string(version()), arguments.only, arguments.skip, {}, {}};
  for (const std::string& text : arguments.gates) out.gates.push_back(assignment(text, "--gate"));
  for (const std::string& text : arguments.sets) out.variables.push_back(assignment(text, "--set").first);
  return out;
}

/// What is asserted about digests: promoted when all is good, signed when it is known whether all is good.
ExitStatus write_for_later_jobs(const CheckArguments& arguments, const std::vector<ImageResult>& results,
                                const ReportStyle& style, ExitStatus status) {
  bool done = true;
  std::optional<std::string> text;
  if (!arguments.digest_file.empty()) {
    if (status == ExitStatus::good) text = digests(results);
    done = write_trusted(arguments.digest_file, "digest file", text);
  }
  if (!arguments.attest.empty()) {
    text.reset();
    if (status <= ExitStatus::findings) text = write_statements(results, style, settings_of(arguments));
    done = write_trusted(arguments.attest, "statement", text) && done;
  }
  return done ? ExitStatus::good : ExitStatus::untrusted;
}

/// Whatever ends the run early, what an earlier one asserted does not stay.
void forget_earlier(const CheckArguments& arguments) {
  for (const std::string& file : {arguments.digest_file, arguments.attest})
    if (!file.empty() && !write_trusted(file, "file of an earlier run", {}))
      throw Error(ErrorKind::usage, file + ": is there already and cannot be replaced");
}

int check(const CheckArguments& arguments) {
  forget_earlier(arguments);
  RunOptions options;
  options.policies = find_policies(arguments.policies);
  options.overrides = overrides_of(arguments);
  options.only = arguments.only;
  options.skip = arguments.skip;
  options.view = arguments.view == "spec" ? View::spec : View::overlay;
  options.jobs = arguments.jobs != 0 ? arguments.jobs : std::max(1u, std::thread::hardware_concurrency());
  options.today = load_context().today;
  options.every_platform = arguments.platform == "all";
  if (!arguments.platform.empty() && !options.every_platform) options.platform = Platform::parse(arguments.platform);
  options.others = others_of(arguments);
  options.strict_waivers = arguments.strict_waivers;
  options.limits = arguments.limits;
  options.registry = registry_options(arguments.registry);
  const std::vector<std::string> others = references_of(options.others);
  verify(arguments.references, others);
  const std::vector<Output> outputs = parse_outputs(arguments.outputs);
  ReportStyle style{.color = use_color(arguments.color == "auto"     ? When::automatic
                                       : arguments.color == "always" ? When::always
                                                                     : When::never),
                    .width = terminal_width(),
                    .fail_on = severity_of(arguments.fail_on),
                    .stats = arguments.stats,
                    .folder = working_folder(),
                    .sarif_suppressed = arguments.sarif_suppressed};
  if (!arguments.anchor.empty()) set_anchor(style, arguments.anchor);
  options.survey = std::ranges::any_of(outputs, [](const Output& output) { return output.format->draws; });
  if (!arguments.new_baseline.empty() && (!arguments.only.empty() || !arguments.skip.empty()))
    throw Error(ErrorKind::usage, "--write-baseline: with --only or --skip it would lose what other checks find");
  std::optional<Baseline> baseline;
  if (!arguments.baseline.empty()) baseline = read_baseline(arguments.baseline);
  const auto finish = [&](std::vector<ImageResult>& results) {
    settle_waivers(results);
    if (baseline) {
      baseline->mark(results);
      const bool all = all_evaluated(results) && options.only.empty() && options.skip.empty();
      style.baseline.emplace(
          BaselineUse{arguments.baseline, all ? baseline->fixed(results) : std::vector<std::string>()});
    }
    const std::size_t closed = write_reports(outputs, results, style);
    say_unreadable(results, outputs);
    ExitStatus status = verdict(results, style.fail_on, outputs.size(), closed);
    if (!arguments.new_baseline.empty() && !write_baseline(arguments.new_baseline, baseline, results))
      status = std::max(status, ExitStatus::untrusted);
    return static_cast<int>(std::max(status, write_for_later_jobs(arguments, results, style, status)));
  };

  std::vector<ImageResult> results;
  std::vector<std::string> waiting = unread_names(arguments.references);
  std::size_t done = 0;  // of these
  Deadline deadline(std::chrono::seconds(arguments.timeout), [&] {
    end_progress();
    // Called while the run is stuck: what is done counts, what is not is unreadable.
    for (; done < waiting.size(); ++done)
      results.push_back(
          unread(options, waiting[done],
                 Error(ErrorKind::limit, fmt::format("not done within {} seconds (--timeout)", arguments.timeout))));
    return finish(results);
  });
  References references = gather(arguments.references, others, options.registry);
  deadline.guard([&] {
    for (const auto& [repository, why] : references.unlisted) results.push_back(unread(options, repository, why));
    waiting = references.images;
  });
  std::optional<Progress> progress;
  options.begins = [&](const std::string& name) { progress.emplace(name, arguments.progress); };
  options.progress = [&](const LayerProgress& step) { progress->show(step); };
  check_images(options, references.images, all_rules(), [&](ImageResult result, bool last) {
    progress.reset();
    deadline.guard([&] {
      results.push_back(std::move(result));
      done += last;
    });
  });
  deadline.disarm();
  return finish(results);
}

}  // namespace

Action add_check(CLI::App& app) {
  auto arguments = std::make_shared<CheckArguments>();
  // One value an option, so that `-p NAME REF` is a policy and an image.
  const auto repeatable = [&app](const char* names, std::vector<std::string>& into, const char* type,
                                 const std::string& what) {
    return app.add_option(names, into, what)->type_name(type)->allow_extra_args(false);
  };
  const auto choice = [&app](const char* name, std::string& into, const char* type, std::vector<std::string> of,
                             const char* what) {
    return app.add_option(name, into, what)
        ->type_name(type)
        ->check(CLI::IsMember(std::move(of)))
        ->capture_default_str();
  };
  add_reference_options(app, arguments->references);
  repeatable(
      "-p,--policy", arguments->policies, "POLICY",
      "a shipped policy by name (ocilint policy list) or a file; repeatable. Without: .ocilint.yaml here or in a "
      "parent folder of the repository, your own, else debian-baseline and image-secrets")
      ->envname("OCILINT_POLICY");
  repeatable("-o,--output", arguments->outputs, "FORMAT[=FILE]", format_names());
  app.add_option("--digest-file", arguments->digest_file,
                 "write the digest of what was checked; if and only if the exit status is 0, a line an image")
      ->type_name("FILE");
  app.add_option("--attest", arguments->attest,
                 "write the result as an unsigned in-toto statement; if and only if the exit status is 0 or 1")
      ->type_name("FILE")
      ->group("Other");
  app.add_option("--platform", arguments->platform, "which image of several: os/arch[/variant], or all")
      ->type_name("PLATFORM")
      ->envname("OCILINT_PLATFORM");
  repeatable("--with", arguments->others, "NAME=REF", "another image, for checks that compare; repeatable");
  repeatable("--gate", arguments->gates, "NAME=MODE", "the image must be of this kind (required), or may be (auto)");
  repeatable("--set", arguments->sets, "NAME=VALUE", "a variable of the policy");
  repeatable("--only", arguments->only, "CHECK", "run these checks only; repeatable, or a,b")->delimiter(',');
  repeatable("--skip", arguments->skip, "CHECK", "do not run these checks; repeatable, or a,b")->delimiter(',');
  choice("--fail-on", arguments->fail_on, "SEVERITY", {"error", "warning", "note"},
         "lowest severity for exit status 1; error, warning or note")
      ->envname("OCILINT_FAIL_ON");
  const char* const known = "Known findings";
  app.add_option("--baseline", arguments->baseline,
                 "findings that are known and do not fail the run, as --write-baseline wrote them")
      ->type_name("FILE")
      ->group(known);
  app.add_option(
         "--write-baseline", arguments->new_baseline,
         "write what is found now as known; with --baseline: of that, what is still found. Only when every image "
         "could be evaluated; the exit status stays what it is")
      ->type_name("FILE")
      ->group(known);
  app.add_flag("--strict-waivers", arguments->strict_waivers,
               "a waiver that is expired or covers no finding is an error")
      ->group(known);
  app.add_option("--anchor", arguments->anchor,
                 "FILE or FILE:LINE of the repository, where sarif, github and gitlab show what is wrong; without: the "
                 "check's line in its policy")
      ->type_name("PLACE")
      ->group("Other");
  app.add_flag("--sarif-suppressed", arguments->sarif_suppressed,
               "waived findings too in sarif, as suppressed (GitHub shows them as open)")
      ->group("Other");
  choice("--view", arguments->view, "VIEW", {"overlay", "spec"},
         "overlay: what container engines show; spec: the cumulative reading of the specification")
      ->group("Other");
  app.add_option("-j,--jobs", arguments->jobs, "threads, at most 256; all cores unless stated")
      ->type_name("N")
      ->check(CLI::Range(0u, most_jobs))
      ->group("Other");
  add_timeout(app, arguments->timeout);
  add_limits(app, arguments->limits);
  add_registry_options(app, arguments->registry);
  app.add_flag("--stats", arguments->stats, "say what was read, hashed and kept")->group("Other");
  choice("--color", arguments->color, "WHEN", {"auto", "always", "never"}, "auto, always or never")->group("Other");
  choice("--progress", arguments->progress, "HOW", {"auto", "plain", "none"},
         "on standard error: auto (on a terminal), plain (a line a layer) or none")
      ->group("Other");
  name_variables(app);
  app.footer(
      "Examples:\n"
      "  ocilint check oci:build/image:tag -p debian-baseline\n"
      "  ocilint check image.tar -p policy.yaml -o text -o html=report.html\n"
      "  docker save name:tag | ocilint check - -p rocm-vllm --gate apt=required\n"
      "  ocilint check docker://registry.example.org/name:tag --digest-file digest\n"
      "  ocilint check --tags docker://registry.example.org/name --match '7[.]2.*'\n"
      "\n"
      "Exit status: 0 good, 1 findings, 2 the answer cannot be trusted,\n"
      "3 the image could not be read. $OCILINT_FAIL_ON stands for --fail-on, and so\n"
      "for every option.\n");
  return [arguments] { return check(*arguments); };
}

}  // namespace ocilint::cli
