#include "cli/run.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <new>

#include "base/error.h"
#include "base/nearest.h"
#include "cli/help.h"
#include "cli/interrupt.h"
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

/// A word that is no verb gets the nearest one, also below a verb (policy valdate).
void suggest_verb(const CLI::App& app, int argc, char** argv) {
  const CLI::App* at = &app;
  std::string path = "ocilint";
  for (int i = 1; i < argc && argv[i][0] != '-' && !at->get_subcommands({}).empty(); ++i) {
    std::vector<std::string> verbs;
    const CLI::App* found = nullptr;
    const std::string word = argv[i];
    for (const CLI::App* const verb : at->get_subcommands({})) {
      if (verb->get_name() == word) found = verb;
      if (!verb->get_group().empty()) verbs.push_back(verb->get_name());
    }
    if (found == nullptr)
      throw Error(ErrorKind::usage, "'" + word + "' is no command" + (at == &app ? "" : " of " + path) +
                                        did_you_mean(word, verbs) + "; " + path + " --help lists them");
    at = found;
    path += " " + word;
  }
}

/// What CLI11 did not understand, with the nearest option; "" when something else is wrong.
std::string unknown_option(const CLI::App& app, const std::string& path) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : app.get_options({}))
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const std::string& word : app.remaining())
    if (word.starts_with('-') && word != "-" && word != "--") {
      const std::string name = word.substr(0, word.find('='));
      return "'" + name + "' is no option of " + path + (name.starts_with("--") ? did_you_mean(name, names) : "") +
             "; see " + path + " --help";
    }
  for (const CLI::App* const verb : app.get_subcommands())
    if (std::string found = unknown_option(*verb, path + " " + verb->get_name()); !found.empty()) return found;
  return "";
}

/// " ($OCILINT_FAIL_ON)" where the message is about an option that a variable set: who reads it typed no such option.
std::string variable_behind(const CLI::App& verb, const std::string& message, int argc, char** argv) {
  for (const CLI::Option* const option : verb.get_options({})) {
    const char* const value = option->get_envname().empty() ? nullptr : std::getenv(option->get_envname().c_str());
    if (value == nullptr || *value == '\0' || !message.starts_with(option->get_name() + ":")) continue;
    for (int i = 1; i < argc; ++i)
      for (const std::string& name : option->get_lnames())
        if (std::string_view(argv[i]).starts_with("--" + name)) return "";
    return " ($" + option->get_envname() + ")";
  }
  return "";
}

std::string what_is_wrong(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (std::string option = unknown_option(app, "ocilint"); !option.empty()) return option;
  std::string path = "ocilint";
  const CLI::App* at = &app;
  for (; !at->get_subcommands().empty(); path += " " + at->get_name()) at = at->get_subcommands()[0];
  return error.what() + variable_behind(*at, error.what(), argc, argv) + "; see " + path + " --help";
}

struct Verb {
  const char* name;
  const char* summary;
  Action (*make)(CLI::App&);
};

constexpr Verb known_verbs[] = {
    {"check", "check images against policies", add_check},
    {"inspect", "what an image is, and what stands out in it", add_inspect},
    {"diff", "what two images show differently", add_diff},
    {"elf", "what a program or library needs, and what it gets", add_elf},
    {"history", "how an image came about, with the secrets in it", add_history},
    {"layers", "what each layer brings, takes away and hides", add_layers},
    {"ls", "what a folder of the image holds", add_ls},
    {"stat", "everything that the layers say of one name", add_stat},
    {"cat", "the content of one file", add_cat},
    {"blame", "which layers wrote, linked and removed a name", add_blame},
    {"find", "names by glob, type, size, mode, owner, package, layer", add_find},
    {"packages", "packages, their files that differ, why apt keeps each", add_packages},
    {"rules", "list the rules", add_rules},
    {"explain", "what a rule or a check of a policy asserts", add_explain},
    {"policy", "list, show, validate and test policies, or begin one", add_policy},
    {"schema", "JSON Schema of the policy language", add_schema},
    {"completion", "completion scripts for bash, zsh and fish", add_completion},
    {"man", "manual pages, for packages", add_man},
};

/// The only verb whose options are needed; "" when all are. Setting up all of them costs more than a small image does.
std::string_view verb_meant(int argc, char** argv) {
  if (argc < 2) return "";
  const std::string_view named = argv[1];
  if (named == "completion" || named == "man") return "";  // they describe every verb
  return std::ranges::any_of(known_verbs, [&](const Verb& verb) { return verb.name == named; }) ? named : "";
}

}  // namespace

int run(int argc, char** argv) {
  // A report that nobody reads to the end must not look like a pass: writing fails instead of ending the program.
  std::signal(SIGPIPE, SIG_IGN);
  hold_standard_descriptors();
  tidy_on_signals();
  CLI::App app{"Checks what an OCI image carries, layer by layer, against a policy; without running it", "ocilint"};
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "print this and end");
  CLI::Option* const help_all = app.set_help_all_flag("--help-all", "print every option and end");
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
  const std::string_view meant = verb_meant(argc, argv);
  for (const Verb& known : known_verbs) {
    CLI::App* const verb = app.add_subcommand(known.name, known.summary);
    verbs.emplace_back(verb, meant.empty() || meant == known.name ? known.make(*verb) : Action());
  }

  // The verbs have it from here; a list of verbs has nothing more to say.
  help_all->group("");

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
    return complain(what_is_wrong(app, error, argc, argv));
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
