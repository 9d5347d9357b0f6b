// What the verbs that look at an image have in common: the reference, how it is read, how it is shown.
//
// look() runs a verb with progress shown meanwhile and prints what it gives; standard output that cannot be
// written is exit status 2, and a verb that is not done within --timeout is 3. Throws what the verb throws.
#pragma once

#include <functional>
#include <string>

#include "cli/registry_flags.h"
#include "report/look_head.h"
#include "run/run.h"
#include "run/verdict.h"

namespace CLI {
class App;
}

namespace ocilint::cli {

struct LookArguments {
  std::string reference, platform, output = "text", view = "overlay", color = "auto", progress = "auto";
  unsigned jobs = 0, timeout = 0;
  bool pager = false;
  ImageLimits limits;
  RegistryArguments registry;

  bool page = false;  // the verb has a page too (html); set before add_look_options()

  std::string format() const;  // of `output`
  std::string file() const;    // "": standard output
  bool json() const { return format() == "json"; }
  bool html() const { return format() == "html"; }
};

/// `layers`: the verb reads layers, and has the options that matter then.
void add_look_options(CLI::App& app, LookArguments& arguments, bool layers);

struct Shown {
  std::string text;
  ExitStatus status = ExitStatus::good;
};

int look(const LookArguments& arguments, const std::function<Shown(const RunOptions&, const LookStyle&)>& verb);

}  // namespace ocilint::cli
