// What --help looks like: an option a paragraph, wrapped to 80 columns whatever the terminal, because it is also
// read in logs and pasted into pages.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ocilint::cli {

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool positional) const override;
  std::string make_subcommand(const CLI::App* verb) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
};

}  // namespace ocilint::cli
