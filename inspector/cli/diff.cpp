#include <CLI/CLI.hpp>
#include <memory>

#include "cli/look.h"
#include "cli/verbs.h"
#include "look/diff.h"
#include "report/diff.h"

namespace ocilint::cli {

Action add_diff(CLI::App& app) {
  struct Arguments : LookArguments {
    DiffQuestion question;
    bool all = false;
  };
  auto arguments = std::make_shared<Arguments>();
  arguments->page = true;
  add_look_options(app, *arguments, true);
  app.add_option("OTHER", arguments->question.other, "the image to compare with")->required();
  app.add_flag("--ignore-timestamps", arguments->question.ignore_timestamps,
               "times of files, configuration and history");
  app.add_flag("--all", arguments->all, "every file and symbol, not just the first of each group");
  app.footer(
      "Examples:\n"
      "  ocilint diff oci:build/image:old oci:build/image:new\n"
      "  ocilint diff base.tar patched.tar --ignore-timestamps -o json\n"
      "  ocilint diff oci:image:old oci:image:new -o html=diff.html\n"
      "\n"
      "Exit status: 0 no difference, 1 some, 2 something could not be\n"
      "compared, 3 an image could not be read.\n");
  return [arguments] {
    return look(*arguments, [&](const RunOptions& options, const LookStyle& style) {
      DiffQuestion question = arguments->question;
      question.layers = arguments->html();
      const ImageDiff diff = diff_images(options, question);
      const ExitStatus status = !diff.unread.empty() ? ExitStatus::untrusted
                                : diff.equal()       ? ExitStatus::good
                                                     : ExitStatus::findings;
      if (arguments->html()) return Shown{write_diff_html(diff), status};
      return Shown{arguments->json() ? write_diff_json(diff) : write_diff_text(diff, style, arguments->all), status};
    });
  };
}

}  // namespace ocilint::cli
