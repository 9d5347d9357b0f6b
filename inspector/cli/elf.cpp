#include <CLI/CLI.hpp>
#include <memory>

#include "cli/look.h"
#include "cli/verbs.h"
#include "look/elf.h"
#include "report/elf.h"

namespace ocilint::cli {

Action add_elf(CLI::App& app) {
  constexpr unsigned best_level = 5;
  struct Arguments : LookArguments {
    ElfQuestion question;
    bool tree = false;
  };
  auto arguments = std::make_shared<Arguments>();
  add_look_options(app, *arguments, true);
  app.add_option("PATH", arguments->question.path, "a program or library of the image; links are followed")->required();
  app.add_flag("--tree", arguments->tree, "every library below the one that needs it");
  app.add_option("--symbols", arguments->question.symbols, "its symbols whose whole name matches this RE2 expression")
      ->type_name("PATTERN")
      ->expected(1);
  app.add_option("--cpu-level", arguments->question.cpu_level, "of the processor: 1 plain, 3 for x86-64-v3")
      ->type_name("N")
      ->check(CLI::Range(1u, best_level))
      ->capture_default_str();
  app.footer(
      "Examples:\n"
      "  ocilint elf oci:build/image:tag /usr/bin/python3\n"
      "  ocilint elf image.tar /opt/app/lib/liba.so --tree\n"
      "  ocilint elf image.tar /usr/lib/libx.so.1 --symbols 'x_.*'\n"
      "\n"
      "Exit status: 0 shown, 2 something could not be told or there is no\n"
      "such file, 3 the image could not be read. Whether a library that is\n"
      "missing is a fault is for the rule elf-needed to say.\n");
  return [arguments] {
    return look(*arguments, [&](const RunOptions& options, const LookStyle& style) {
      const ElfLook seen = look_at_elf(options, arguments->question);
      return Shown{arguments->json() ? write_elf_json(seen) : write_elf_text(seen, style, arguments->tree),
                   seen.unread.empty() ? ExitStatus::good : ExitStatus::untrusted};
    });
  };
}

}  // namespace ocilint::cli
