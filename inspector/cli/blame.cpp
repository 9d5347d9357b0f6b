#include <CLI/CLI.hpp>
#include <memory>

#include "cli/look.h"
#include "cli/verbs.h"
#include "look/blame.h"
#include "report/blame.h"

namespace ocilint::cli {

Action add_blame(CLI::App& app) {
  struct Arguments : LookArguments {
    std::string path;
  };
  auto arguments = std::make_shared<Arguments>();
  add_look_options(app, *arguments, true);
  app.add_option("PATH", arguments->path, "a path inside the image; it may be gone")->required();
  app.footer(
      "Examples:\n"
      "  ocilint blame image.tar /usr/lib/x86_64-linux-gnu/libdw.so.1\n"
      "\n"
      "Exit status: 0 shown, 2 no layer ever had the path,\n"
      "3 the image could not be read.\n");
  return [arguments] {
    return look(*arguments, [&](const RunOptions& options, const LookStyle& style) {
      const Blame blame = look_at_story(options, arguments->path);
      return Shown{arguments->json() ? write_blame_json(blame) : write_blame_text(blame, style)};
    });
  };
}

}  // namespace ocilint::cli
