// The verbs ls, stat and cat.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/look.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "look/ls.h"
#include "report/files.h"

namespace ocilint::cli {
namespace {

constexpr const char* statuses =
    "Exit status: 0 shown, 2 there is no such path or layer,\n"
    "3 the image could not be read.\n";

void add_path(CLI::App& app, std::string& into) { app.add_option("PATH", into, "a path inside the image")->required(); }

void add_layer(CLI::App& app, std::optional<std::size_t>& into) {
  app.add_option("--layer", into, "as it was after this layer; the first is 0")->type_name("N");
}

}  // namespace

Action add_ls(CLI::App& app) {
  struct Arguments : LookArguments {
    ListOptions wanted;
    bool details = false;
  };
  auto arguments = std::make_shared<Arguments>();
  add_look_options(app, *arguments, true);
  app.add_option("PATH", arguments->wanted.path, "a folder or file inside the image")->capture_default_str();
  app.add_flag("-l,--long", arguments->details, "mode, names, owner, size, time and layer too");
  app.add_flag("-R,--recursive", arguments->wanted.recursive, "everything below, with whole paths");
  add_layer(app, arguments->wanted.layer);
  app.footer(std::string("Examples:\n"
                         "  ocilint ls image.tar /usr/lib -l\n"
                         "  ocilint ls oci:image / -R --layer 0\n"
                         "\n") +
             statuses);
  return [arguments] {
    return look(*arguments, [&](const RunOptions& options, const LookStyle& style) {
      const FileList files = look_at_folder(options, arguments->wanted);
      return Shown{arguments->json() ? write_files_json(files, "ls")
                                     : write_files_text(files, style, arguments->details, arguments->wanted.recursive)};
    });
  };
}

Action add_stat(CLI::App& app) {
  struct Arguments : LookArguments {
    StatOptions wanted;
    bool keep = false;
  };
  auto arguments = std::make_shared<Arguments>();
  add_look_options(app, *arguments, true);
  add_path(app, arguments->wanted.path);
  app.add_flag("--no-follow", arguments->keep, "of a link itself, not of what it leads to");
  app.footer(
      std::string("Examples:\n"
                  "  ocilint stat image.tar /lib/libc.so.6\n"
                  "\n"
                  "Exit status: 0 shown, 2 there is no such path, or the packages that\n"
                  "may own it could not be read, 3 the image could not be read.\n"));
  return [arguments] {
    return look(*arguments, [&](const RunOptions& options, const LookStyle& style) {
      arguments->wanted.follow = !arguments->keep;
      const FileStory story = look_at_file(options, arguments->wanted);
      return Shown{arguments->json() ? write_stat_json(story) : write_stat_text(story, style),
                   story.packages_unread ? ExitStatus::untrusted : ExitStatus::good};
    });
  };
}

Action add_cat(CLI::App& app) {
  struct Arguments : LookArguments {
    CatOptions wanted;
  };
  auto arguments = std::make_shared<Arguments>();
  add_look_options(app, *arguments, true);
  add_path(app, arguments->wanted.path);
  add_layer(app, arguments->wanted.layer);
  app.footer(std::string("Examples:\n"
                         "  ocilint cat image.tar /etc/os-release\n"
                         "  ocilint cat image.tar /etc/passwd --layer 0 > passwd\n"
                         "\n"
                         "To a terminal control characters are escaped and known secrets\n"
                         "replaced; a file or a pipe gets the exact bytes. To a terminal\n"
                         "and as JSON at most 64 MiB.\n") +
             statuses);
  return [arguments] {
    return look(*arguments, [&](const RunOptions& options, const LookStyle& style) {
      if (!arguments->json() && style.width == 0) {
        stream_file(options, arguments->wanted, [](Bytes piece) {
          if (!write_output(as_text(piece))) throw Error(ErrorKind::internal, "standard output could not be written");
        });
        return Shown{};
      }
      const FileContent content = look_into_file(options, arguments->wanted);
      return Shown{arguments->json() ? write_content_json(content) : write_content_text(content)};
    });
  };
}

}  // namespace ocilint::cli
