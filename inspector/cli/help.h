// What --help looks like: a screen of the options that most calls need, each with its first clause; --help-all, as the
// manual, has every option with all that is to be said. Wrapped to 80 columns whatever the terminal, because it is also
// read in logs and pasted into pages. Options in a group of their own (Registries, Limits) are left to --help-all.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ocilint::cli {

/// A description as a sentence: "list the rules" -> "List the rules."
std::string sentence(std::string text);

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  /// Whole, for --help-all.
  std::string make_option(const CLI::Option* option, bool positional) const override;
  std::string make_subcommand(const CLI::App* verb) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
};

}  // namespace ocilint::cli
