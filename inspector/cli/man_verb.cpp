// The verb man: not in the list of --help, since whoever has the package has the pages already.
#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>

#include "base/error.h"
#include "base/nearest.h"
#include "cli/man.h"
#include "cli/outputs.h"
#include "cli/verbs.h"

namespace ocilint::cli {
namespace {

/// Of SOURCE_DATE_EPOCH, as builds that can be repeated have it, else of today.
std::string date() {
  std::time_t seconds = std::time(nullptr);
  if (const char* const fixed = std::getenv("SOURCE_DATE_EPOCH"))
    std::from_chars(fixed, fixed + std::strlen(fixed), seconds);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[16];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d", &parts)};
}

void write_page(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text << std::flush;
  if (!out) throw Error(ErrorKind::usage, file + " could not be written");
}

void write_pages(const Command& root, const std::string& folder) {
  write_page(folder + "/ocilint.1", manual(root, date()));
  write_page(folder + "/ocilint-policy.5", policy_manual(date()));
  for (const Command& command : root.commands)
    if (!command.group.empty()) write_page(folder + "/ocilint-" + command.name + ".1", manual(root, command, date()));
}

}  // namespace

Action add_man(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  auto folder = std::make_shared<std::string>();
  app.add_option("COMMAND", *name,
                 "the page of this command, policy.5 for the language of policies; without: of ocilint itself");
  app.add_option("--into", *folder, "write every page into this folder instead")->type_name("DIR");
  app.group("");
  return [&app, name, folder] {
    const Command root = command_tree(*app.get_parent());
    if (!folder->empty()) {
      write_pages(root, *folder);
      return 0;
    }
    if (name->empty()) return print(manual(root, date()));
    if (*name == "policy.5") return print(policy_manual(date()));
    std::vector<std::string> names = {"policy.5"};
    for (const Command& command : root.commands) {
      if (command.group.empty()) continue;
      if (command.name == *name) return print(manual(root, command, date()));
      names.push_back(command.name);
    }
    throw Error(ErrorKind::usage, "'" + *name + "' is no command" + did_you_mean(*name, names));
  };
}

}  // namespace ocilint::cli
