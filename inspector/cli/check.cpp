#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <thread>

#include "base/error.h"
#include "cli/deadline.h"
#include "cli/discover.h"
#include "cli/interrupt.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/registry_flags.h"
#include "cli/terminal.h"
#include "cli/variables.h"
#include "cli/verbs.h"
#include "report/escape.h"
#include "run/run.h"

namespace ocilint::cli {
namespace {

constexpr unsigned most_jobs = 256;  // more threads than layers help nobody
constexpr unsigned longest_timeout = 7 * 24 * 3600;

struct CheckArguments {
  std::vector<std::string> references, policies, outputs, sets, gates, only, skip, others;
  std::string platform, fail_on = "error", view = "overlay", color = "auto", progress = "auto", anchor, digest_file;
  unsigned jobs = 0;
  unsigned timeout = 0;
  ImageLimits limits;
  RegistryArguments registry;
  bool stats = false, sarif_suppressed = false;
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

bool is_standard_input(const std::string& reference) { return reference == "-" || reference.ends_with(":-"); }

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

/// It can be read once; a second time it is empty, and that would be said of an image that is whole.
void refuse_input_twice(const RunOptions& options, const std::vector<std::string>& references) {
  auto count = std::ranges::count_if(references, is_standard_input);
  for (const auto& [name, reference] : options.others)
    if (is_standard_input(reference)) count += static_cast<std::ptrdiff_t>(references.size());
  if (count > 1) throw Error(ErrorKind::usage, "standard input is named for more than one image; it is read once");
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
      std::cerr << "ocilint: " << for_terminal(result.reference) << ": " << for_terminal(result.unreadable->what()) << "\n";
}

RunOptions options_for(const RunOptions& options, const std::string& reference) {
  RunOptions out = options;
  out.reference = reference;
  return out;
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
  options.others = others_of(arguments);
  options.limits = arguments.limits;
  options.registry = registry_options(arguments.registry);
  refuse_input_twice(options, arguments.references);
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
  const auto finish = [&](const std::vector<ImageResult>& results) {
    const std::size_t closed = write_reports(outputs, results, style);
    say_unreadable(results, outputs);
    ExitStatus status = verdict(results, style.fail_on, outputs.size(), closed);
    if (!arguments.digest_file.empty() && !write_digests(arguments.digest_file, results, status))
      status = std::max(status, ExitStatus::untrusted);
    return static_cast<int>(status);
  };

  std::vector<ImageResult> results;
  Deadline deadline(std::chrono::seconds(arguments.timeout), [&] {
    erase_progress();
    // Called while the run is stuck: what is done counts, what is not is unreadable.
    for (std::size_t i = results.size(); i < arguments.references.size(); ++i) {
      RunOptions left = options_for(options, arguments.references[i]);
      results.push_back(unread(left, Error(ErrorKind::limit, fmt::format("not done within {} seconds (--timeout)",
                                                                         arguments.timeout))));
    }
    return finish(results);
  });
  for (const std::string& reference : arguments.references) {
    RunOptions one = options_for(options, reference);
    Progress progress(reference, arguments.progress);
    one.progress = [&](const LayerProgress& step) { progress.show(step); };
    ImageResult result = check_image(one, all_rules());
    deadline.guard([&] { results.push_back(std::move(result)); });
  }
  deadline.disarm();
  return finish(results);
}

/// Limits that an image which is only large may meet. The others are beyond what a runtime takes.
void add_limits(CLI::App& app, ImageLimits& limits) {
  const std::string usual = app.option_defaults()->get_group();
  app.option_defaults()->group("Limits");
  app.add_option("--max-entries", limits.entries, "entries of all layers together, 4 million unless stated")
      ->type_name("N");
  const auto size = [&app](const char* name, std::uint64_t& into, const char* what) {
    app.add_option(name, into, what)->transform(CLI::AsSizeValue(false))->type_name("SIZE");
  };
  size("--max-layer", limits.layer_unpacked_bytes, "unpacked bytes of one layer, as in 100GiB; 64GiB unless stated");
  size("--max-unpacked", limits.unpacked_bytes, "unpacked bytes of all layers together; 256GiB unless stated");
  size("--max-kept", limits.kept_bytes, "bytes of file contents kept for checks; 1GiB unless stated");
  app.option_defaults()->group(usual);
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
    return app.add_option(name, into, what)->type_name(type)->check(CLI::IsMember(std::move(of)))->capture_default_str();
  };
  app.add_option("REF", arguments->references,
                 "oci:DIR, oci-archive:FILE or docker-archive:FILE, each with :NAME or :@N where it holds several "
                 "images; dir:DIR; docker://HOST/NAME:TAG of a registry; docker-daemon:NAME of an engine; - for an "
                 "archive on standard input; or a path")
      ->required();
  repeatable("-p,--policy", arguments->policies, "POLICY",
             "a shipped policy by name (ocilint policy list) or a file; repeatable. Without: .ocilint.yaml here or in a "
             "parent folder of the repository, your own, else debian-baseline and image-secrets")
      ->envname("OCILINT_POLICY");
  repeatable("-o,--output", arguments->outputs, "FORMAT[=FILE]", format_names());
  app.add_option("--digest-file", arguments->digest_file,
                 "write the digest of what was checked; if and only if the exit status is 0, a line an image")
      ->type_name("FILE");
  app.add_option("--platform", arguments->platform, "which image of several: os/arch[/variant]")
      ->type_name("PLATFORM")
      ->envname("OCILINT_PLATFORM");
  repeatable("--with", arguments->others, "NAME=REF",
             "another image, for checks that compare; repeatable");
  repeatable("--gate", arguments->gates, "NAME=MODE", "the image must be of this kind (required), or may be (auto)");
  repeatable("--set", arguments->sets, "NAME=VALUE", "a variable of the policy");
  repeatable("--only", arguments->only, "CHECK", "run these checks only; repeatable, or a,b")->delimiter(',');
  repeatable("--skip", arguments->skip, "CHECK", "do not run these checks; repeatable, or a,b")->delimiter(',');
  choice("--fail-on", arguments->fail_on, "SEVERITY", {"error", "warning", "note"},
         "lowest severity for exit status 1; error, warning or note")
      ->envname("OCILINT_FAIL_ON");
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
  app.add_option("--timeout", arguments->timeout, "end the run after so many seconds, with exit status 3")
      ->type_name("SECONDS")
      ->check(CLI::Range(1u, longest_timeout))
      ->group("Other");
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
      "  ocilint check image.tar -p policy.yaml -o json=report.json -o text\n"
      "  ocilint check oci:build/image:tag -o html=report.html\n"
      "  docker save name:tag | ocilint check - -p rocm-vllm --gate apt=required\n"
      "  ocilint check docker://registry.example.org/name:tag --digest-file digest\n"
      "\n"
      "Exit status: 0 good, 1 findings, 2 the answer cannot be trusted,\n"
      "3 the image could not be read. $OCILINT_FAIL_ON stands for --fail-on, and so\n"
      "for every option.\n");
  return [arguments] { return check(*arguments); };
}

}  // namespace ocilint::cli
