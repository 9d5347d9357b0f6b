#include <CLI/CLI.hpp>
#include <memory>

#include "cli/look.h"
#include "cli/verbs.h"
#include "look/find.h"
#include "report/files.h"

namespace ocilint::cli {
namespace {

struct FindArguments : LookArguments {
  std::vector<std::string> globs, sizes;
  std::string type, mode, owner, package;
  std::optional<std::size_t> layer;
  bool details = false;
};

FindOptions conditions_of(const FindArguments& arguments) {
  FindOptions out;
  for (const std::string& glob : arguments.globs) out.paths.include.push_back(Glob::parse(glob));
  if (!arguments.type.empty()) out.type = parse_type(arguments.type);
  for (const std::string& size : arguments.sizes) out.sizes.push_back(SizeTerm::parse(size));
  if (!arguments.mode.empty()) out.mode = ModeSpec::parse(arguments.mode);
  out.owner = arguments.owner;
  out.package = arguments.package;
  out.layer = arguments.layer;
  return out;
}

}  // namespace

Action add_find(CLI::App& app) {
  auto arguments = std::make_shared<FindArguments>();
  add_look_options(app, *arguments, true);
  app.add_option("GLOB", arguments->globs,
                 "paths, as in policies: '/etc/*.conf', '**/*.so.*'; everything unless stated");
  app.add_option("--type", arguments->type, "f, d, l, c, b or p")->type_name("TYPE");
  app.add_option("--size", arguments->sizes, "of files: +1M at least, -4K at most, 0 exactly; repeatable")
      ->type_name("SIZE")
      ->allow_extra_args(false);
  app.add_option("--mode", arguments->mode, "'o+w': these bits at least; '4755': exactly this")->type_name("MODE");
  app.add_option("--owner", arguments->owner, "numbers: UID, UID:GID or :GID")->type_name("OWNER");
  app.add_option("--package", arguments->package, "owned by this Debian package")->type_name("NAME");
  app.add_option("--layer", arguments->layer, "written by this layer; the first is 0")->type_name("N");
  app.add_flag("-l,--long", arguments->details, "mode, names, owner, size, time and layer too");
  app.footer(
      "Examples:\n"
      "  ocilint find image.tar --mode u+s -l\n"
      "  ocilint find image.tar '**/*.a' --size +1M --layer 3\n"
      "\n"
      "Exit status: 0 done, also when nothing is found; 2 a condition means\n"
      "nothing, 3 the image could not be read.\n");
  return [arguments] {
    const FindOptions wanted = conditions_of(*arguments);
    return look(*arguments, [&](const RunOptions& options, const LookStyle& style) {
      const FileList files = find_files(options, wanted);
      return Shown{arguments->json() ? write_files_json(files, "find")
                                     : write_files_text(files, style, arguments->details, true)};
    });
  };
}

}  // namespace ocilint::cli
