#include "cli/look.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <thread>

#include "cli/deadline.h"
#include "cli/limit_flags.h"
#include "cli/pager.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "report/escape.h"
#include "cli/variables.h"

namespace ocilint::cli {
namespace {

constexpr unsigned most_jobs = 256;  // as for check

When when_of(const std::string& text) {
  return text == "always" ? When::always : text == "never" ? When::never : When::automatic;
}

}  // namespace

void add_look_options(CLI::App& app, LookArguments& arguments, bool layers) {
  const auto choice = [&app](const char* name, std::string& into, const char* type, std::vector<std::string> of,
                             const char* what) {
    return app.add_option(name, into, what)->type_name(type)->check(CLI::IsMember(std::move(of)))->capture_default_str();
  };
  app.add_option("REF", arguments.reference, "an image, as for ocilint check")->required();
  choice("-o,--output", arguments.output, "FORMAT", {"text", "json"}, "text or json");
  app.add_option("--platform", arguments.platform, "which image of several: os/arch[/variant]")
      ->type_name("PLATFORM")
      ->envname("OCILINT_PLATFORM");
  add_registry_options(app, arguments.registry);
  choice("--color", arguments.color, "WHEN", {"auto", "always", "never"}, "auto, always or never")->group("Other");
  app.add_flag("--pager", arguments.pager, "through $PAGER, less unless stated, when standard output is a terminal")
      ->group("Other");
  add_timeout(app, arguments.timeout);
  // FORMAT means other things to check, so -o has no variable here.
  if (!layers) return name_variables(app, "output");
  choice("--view", arguments.view, "VIEW", {"overlay", "spec"},
         "overlay: what container engines show; spec: the cumulative reading of the specification")
      ->group("Other");
  app.add_option("-j,--jobs", arguments.jobs, "threads, at most 256; all cores unless stated")
      ->group("Other")
      ->type_name("N")
      ->check(CLI::Range(0u, most_jobs))
      ->envname("OCILINT_JOBS");
  choice("--progress", arguments.progress, "HOW", {"auto", "plain", "none"},
         "on standard error: auto (on a terminal), plain (a line a layer) or none")
      ->group("Other");
  add_limits(app, arguments.limits);
  name_variables(app, "output");
}

int look(const LookArguments& arguments, const std::function<Shown(const RunOptions&, const LookStyle&)>& verb) {
  RunOptions options;
  options.reference = arguments.reference;
  options.limits = arguments.limits;
  options.registry = registry_options(arguments.registry);
  if (!arguments.platform.empty()) options.platform = Platform::parse(arguments.platform);
  options.view = arguments.view == "spec" ? View::spec : View::overlay;
  options.jobs = arguments.jobs != 0 ? arguments.jobs : std::max(1u, std::thread::hardware_concurrency());
  const LookStyle style{.color = use_color(when_of(arguments.color)),
                        .width = output_is_terminal() ? terminal_width() : 0,
                        .now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now())};
  Deadline deadline(std::chrono::seconds(arguments.timeout), [&] {
    std::cerr << "ocilint: " << for_terminal(fmt::format("{}: not done within {} seconds (--timeout)", arguments.reference,
                                                         arguments.timeout))
              << "\n";
    return static_cast<int>(ExitStatus::unreadable);
  });
  Shown shown;
  {
    Progress progress(arguments.reference, arguments.progress);
    options.progress = [&](const LayerProgress& step) { progress.show(step); };
    shown = verb(options, style);
  }
  deadline.disarm();
  if (arguments.pager && output_is_terminal() && show_in_pager(shown.text)) return static_cast<int>(shown.status);
  if (!write_output(shown.text)) throw Error(ErrorKind::internal, "standard output could not be written");
  return static_cast<int>(shown.status);
}

}  // namespace ocilint::cli
