#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/error.h"
#include "cli/look.h"
#include "cli/verbs.h"
#include "look/packages.h"
#include "report/packages.h"
#include "report/sbom.h"

namespace ocilint::cli {

Action add_packages(CLI::App& app) {
  struct Arguments : LookArguments {
    PackagesQuestion question;
  };
  auto arguments = std::make_shared<Arguments>();
  add_look_options(app, *arguments, true);
  app.remove_option(app.get_option("--output"));  // more formats than other verbs have
  CLI::Option* const output =
      app.add_option("-o,--output", arguments->output, "text, json, spdx (SPDX 2.3, JSON) or cyclonedx (1.5, JSON)")
          ->type_name("FORMAT")
          ->check(CLI::IsMember({"text", "json", "spdx", "cyclonedx"}))
          ->capture_default_str();
  CLI::Option* const why =
      app.add_option("--why", arguments->question.why,
                     "who asks for this package and what keeps it; of Debian's also which layer removed it")
          ->type_name("PACKAGE");
  app.add_option("--files", arguments->question.files,
                 "every file of this package, and whether it is still the package's")
      ->type_name("PACKAGE")
      ->excludes(why);
  app.footer(
      "Examples:\n"
      "  ocilint packages oci:build/image:tag\n"
      "  ocilint packages image.tar --why libdw1\n"
      "  ocilint packages image.tar --files libc6 -o json\n"
      "  ocilint packages image.tar -o cyclonedx > bom.json\n"
      "\n"
      "Exit status: 0 shown, 2 something could not be told or there is no\n"
      "such package, 3 the image could not be read. Whether a file that\n"
      "differs is a fault is for the rule package-files to say.\n");
  return [arguments, output] {
    const std::string& format = arguments->output;
    const bool bill = format == "spdx" || format == "cyclonedx";
    PackagesQuestion& question = arguments->question;
    if (bill && !(question.why.empty() && question.files.empty()))
      throw Error(ErrorKind::usage, output->get_name() + " " + format + " is of all packages: no --why, no --files");
    question.inventory = bill;
    return look(*arguments, [&](const RunOptions& options, const LookStyle& style) {
      const PackagesLook seen = look_at_packages(options, arguments->question);
      const bool whole = seen.unread.empty() &&
                         std::ranges::all_of(seen.reasons, [](const auto& one) { return one.before_problem.empty(); });
      return Shown{format == "spdx"        ? write_packages_spdx(seen)
                   : format == "cyclonedx" ? write_packages_cyclonedx(seen)
                   : arguments->json()     ? write_packages_json(seen)
                                           : write_packages_text(seen, style),
                   whole ? ExitStatus::good : ExitStatus::untrusted};
    });
  };
}

}  // namespace ocilint::cli
