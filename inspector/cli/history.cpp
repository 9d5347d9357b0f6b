#include <CLI/CLI.hpp>
#include <memory>

#include "cli/look.h"
#include "cli/verbs.h"
#include "look/history.h"
#include "report/history.h"

namespace ocilint::cli {

Action add_history(CLI::App& app) {
  struct Arguments : LookArguments {
    bool raw = false;
  };
  auto arguments = std::make_shared<Arguments>();
  add_look_options(app, *arguments, false);
  app.add_flag("--raw", arguments->raw, "history lines as the builder wrote them, unbroken; secrets stay hidden");
  app.footer(
      "Examples:\n"
      "  ocilint history oci:build/image:tag\n"
      "  ocilint history image.tar -o json\n"
      "\n"
      "Exit status: 0 shown, 2 the documents could not all be read,\n"
      "3 the image could not be read. Whether secrets are a fault is for\n"
      "ocilint check -p image-secrets to say.\n");
  return [arguments] {
    return look(*arguments, [&](const RunOptions& options, const LookStyle& style) {
      const ImageHistory history = look_at_history(options);
      const bool whole = history.unread.empty() && history.documents > 0 && history.documents == history.documents_read;
      return Shown{arguments->json() ? write_history_json(history) : write_history_text(history, style, arguments->raw),
                   whole ? ExitStatus::good : ExitStatus::untrusted};
    });
  };
}

}  // namespace ocilint::cli
