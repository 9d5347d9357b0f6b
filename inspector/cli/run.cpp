#include "cli/run.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <new>

#include "base/error.h"
#include "base/nearest.h"
#include "cli/help.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "cli/version.h"
#include "report/escape.h"
#include "run/verdict.h"

namespace ocilint::cli {
namespace {

constexpr int untrusted = static_cast<int>(ExitStatus::untrusted);
constexpr int unreadable = static_cast<int>(ExitStatus::unreadable);

int complain(std::string_view text) {
  std::cerr << "ocilint: " << for_terminal(text) << "\n";
  return untrusted;
}

int status_of(ErrorKind kind) {
  const bool image = kind == ErrorKind::not_found || kind == ErrorKind::corrupt || kind == ErrorKind::unsupported ||
                     kind == ErrorKind::auth || kind == ErrorKind::network || kind == ErrorKind::limit;
  return image ? unreadable : untrusted;
}

/// A word that is no verb gets the nearest one.
void suggest_verb(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> verbs;
  for (const CLI::App* const verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
  const std::string word = argv[1];
  if (std::ranges::find(verbs, word) == verbs.end())
    throw Error(ErrorKind::usage, "'" + word + "' is no command" + did_you_mean(word, verbs) +
                                      "; ocilint --help lists them");
}

}  // namespace

int run(int argc, char** argv) {
  // A report that nobody reads to the end must not look like a pass: writing fails instead of ending the program.
  std::signal(SIGPIPE, SIG_IGN);
  hold_standard_descriptors();
  CLI::App app{"Checks what an OCI image carries, layer by layer, against a policy; without running it", "ocilint"};
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "print this and end");
  app.set_version_flag("--version", std::string("ocilint ") + std::string(version()), "print the version and end");
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  ocilint check oci:build/image:tag -p debian-baseline\n"
      "  docker save name:tag | ocilint check - -p policy.yaml\n"
      "  ocilint explain same-file\n"
      "  ocilint policy list\n"
      "\n"
      "Exit status: 0 good, 1 findings, 2 the answer cannot be trusted,\n"
      "3 the image could not be read.\n");

  std::vector<std::pair<CLI::App*, Action>> verbs;
  const auto add = [&](const char* name, const char* summary, Action (*make)(CLI::App&)) {
    CLI::App* const verb = app.add_subcommand(name, summary);
    verbs.emplace_back(verb, make(*verb));
  };
  add("check", "check images against policies", add_check);
  add("diff", "what two images show differently: files, packages, configuration, symbols", add_diff);
  add("elf", "what a program or library needs, and which files of the image it gets", add_elf);
  add("history", "how an image came about, and the secrets that its history tells", add_history);
  add("layers", "what each layer brings, takes away and hides", add_layers);
  add("ls", "what a folder of the image holds", add_ls);
  add("stat", "everything that the layers say of one name", add_stat);
  add("cat", "the content of one file", add_cat);
  add("blame", "which layers wrote, linked and removed a name, and what changed", add_blame);
  add("find", "names by glob, type, size, mode, owner, package and layer", add_find);
  add("packages", "packages, their files that differ, and why apt keeps each", add_packages);
  add("rules", "list the rules", add_rules);
  add("explain", "what a rule asserts, its parameters and its findings", add_explain);
  add("policy", "list the shipped policies, or validate your own", add_policy);
  add("schema", "JSON Schema of the policy language", add_schema);

  try {
    suggest_verb(app, argc, argv);
    app.parse(argc, argv);
    for (const auto& [verb, action] : verbs)
      if (verb->parsed()) return action();
    return untrusted;
  } catch (const CLI::Success& help) {
    app.exit(help);
    return flush_output() ? 0 : untrusted;
  } catch (const CLI::ParseError& error) {
    return complain(std::string(error.what()) + "; see ocilint " +
                    (app.get_subcommands().empty() ? "" : app.get_subcommands()[0]->get_name() + " ") + "--help");
  } catch (const Error& error) {
    complain(error.what());
    return status_of(error.kind());
  } catch (const std::bad_alloc&) {
    return complain("out of memory");
  } catch (const std::exception& error) {
    return complain(std::string("internal error: ") + error.what());
  }
}

}  // namespace ocilint::cli
