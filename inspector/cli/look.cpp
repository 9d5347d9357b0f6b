#include "cli/look.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <thread>

#include "base/error.h"
#include "cli/deadline.h"
#include "cli/interrupt.h"
#include "cli/limit_flags.h"
#include "cli/outputs.h"
#include "cli/pager.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "cli/variables.h"
#include "report/escape.h"

namespace ocilint::cli {
namespace {

constexpr unsigned most_jobs = 256;  // as for check

When when_of(const std::string& text) {
  return text == "always" ? When::always : text == "never" ? When::never : When::automatic;
}

/// FORMAT[=FILE]; described as a choice, for help and completion.
CLI::Validator format_of(bool page) {
  return CLI::Validator(
      [page](std::string& text) {
        LookArguments given;
        given.output = text;
        const bool known = given.format() == "text" || given.format() == "json" || (page && given.format() == "html");
        if (!known) return text + " not in {text,json" + (page ? ",html}" : "}");
        const bool named = text.find('=') == std::string::npos || !given.file().empty();
        return named ? std::string() : text + ": the name of the file is missing";
      },
      page ? "{text,json,html}" : "{text,json}");
}

int write_shown(const std::string& file, const Shown& shown) {
  if (!write_file(file, shown.text))
    throw Error(ErrorKind::internal, file + " could not be written: " + std::strerror(errno));
  return static_cast<int>(shown.status);
}

}  // namespace

std::string LookArguments::format() const { return output.substr(0, output.find('=')); }

std::string LookArguments::file() const {
  const std::size_t equals = output.find('=');
  return equals == std::string::npos ? "" : output.substr(equals + 1);
}

void add_look_options(CLI::App& app, LookArguments& arguments, bool layers) {
  const auto choice = [&app](const char* name, std::string& into, const char* type, std::vector<std::string> of,
                             const char* what) {
    return app.add_option(name, into, what)
        ->type_name(type)
        ->check(CLI::IsMember(std::move(of)))
        ->capture_default_str();
  };
  app.add_option("REF", arguments.reference, "an image, as for ocilint check")->required();
  app.add_option(
         "-o,--output", arguments.output,
         arguments.page ? "text, json or html; html=FILE writes a file" : "text or json; json=FILE writes a file")
      ->type_name("FORMAT")
      ->check(format_of(arguments.page))
      ->capture_default_str();
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
    end_progress();
    std::cerr << "ocilint: "
              << for_terminal(
                     fmt::format("{}: not done within {} seconds (--timeout)", arguments.reference, arguments.timeout))
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
  if (!arguments.file().empty()) return write_shown(arguments.file(), shown);
  if (arguments.pager && output_is_terminal() && show_in_pager(shown.text)) return static_cast<int>(shown.status);
  if (!write_output(shown.text)) throw Error(ErrorKind::internal, "standard output could not be written");
  return static_cast<int>(shown.status);
}

}  // namespace ocilint::cli
