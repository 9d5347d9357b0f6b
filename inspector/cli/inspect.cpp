#include <CLI/CLI.hpp>
#include <memory>

#include "cli/discover.h"
#include "cli/look.h"
#include "cli/verbs.h"
#include "look/inspect.h"
#include "report/inspect.h"

namespace ocilint::cli {

Action add_inspect(CLI::App& app) {
  constexpr std::size_t shown = 10;  // of each list, unless all are wanted
  struct Arguments : LookArguments {
    std::vector<std::string> policies;
    bool all = false;
  };
  auto arguments = std::make_shared<Arguments>();
  arguments->page = true;
  add_look_options(app, *arguments, true);
  app.add_option("-p,--policy", arguments->policies,
                 "judge by these instead of debian-baseline and image-secrets; repeatable")
      ->type_name("POLICY")
      ->allow_extra_args(false);
  app.add_flag("--all", arguments->all, "every file, secret, variable and label, not just the first of each list");
  app.footer(
      "Examples:\n"
      "  ocilint inspect oci:build/image:tag\n"
      "  ocilint inspect image.tar -o json\n"
      "  ocilint inspect image.tar -o html=image.html\n"
      "  ocilint inspect image.tar -p rocm-vllm --all\n"
      "\n"
      "Exit status: 0 shown, whatever was found; 2 something could not be told;\n"
      "3 the image could not be read. To fail over what is found: ocilint check\n");
  return [arguments] {
    return look(*arguments, [&](const RunOptions& given, const LookStyle& style) {
      RunOptions options = given;
      options.policies = find_policies(arguments->policies.empty() ? default_policies() : arguments->policies);
      options.today = load_context().today;
      options.survey = arguments->html();
      const Inspection seen = inspect_image(options);
      const ExitStatus status = seen.unread.empty() ? ExitStatus::good : ExitStatus::untrusted;
      if (arguments->html()) return Shown{write_inspect_html(seen), status};
      return Shown{
          arguments->json() ? write_inspect_json(seen) : write_inspect_text(seen, style, arguments->all ? 0 : shown),
          status};
    });
  };
}

}  // namespace ocilint::cli
