#include <CLI/CLI.hpp>
#include <memory>

#include "cli/look.h"
#include "cli/verbs.h"
#include "look/layers.h"
#include "report/layers.h"

namespace ocilint::cli {

Action add_layers(CLI::App& app) {
  struct Arguments : LookArguments {
    std::size_t top = 10;
  };
  auto arguments = std::make_shared<Arguments>();
  add_look_options(app, *arguments, true);
  app.add_option("--top", arguments->top, "so many of the paths whose bytes later layers hide")
      ->type_name("N")
      ->capture_default_str();
  app.footer(
      "Examples:\n"
      "  ocilint layers oci:build/image:tag\n"
      "  ocilint layers image.tar --top 50 -o json\n"
      "\n"
      "Files are everything but folders. Hidden are bytes that no name shows\n"
      "in the end. Exit status: 0 shown, 3 the image could not be read. To\n"
      "check against a bound: ocilint explain image-efficiency\n");
  return [arguments] {
    return look(*arguments, [&](const RunOptions& options, const LookStyle& style) {
      const ImageLayers layers = look_at_layers(options);
      return Shown{arguments->json() ? write_layers_json(layers, arguments->top)
                                     : write_layers_text(layers, style, arguments->top)};
    });
  };
}

}  // namespace ocilint::cli
