#include "cli/help.h"

#include <algorithm>
#include <sstream>

namespace ocilint::cli {
namespace {

constexpr std::size_t page = 80;
constexpr std::size_t margin = 26;  // where descriptions begin

/// Words of `text` in lines of at most `page` columns; lines after the first begin at `indent`.
std::string wrapped(const std::string& text, std::size_t column, std::size_t indent) {
  std::string out;
  std::istringstream words(text);
  bool first = true;
  for (std::string word; words >> word; first = false) {
    if (!first && column + 1 + word.size() > page) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out + "\n";
}

std::string entry(const std::string& name, const std::string& text) {
  std::string out = "  " + name;
  if (out.size() + 1 > margin) out += "\n";
  const std::size_t column = out.ends_with('\n') ? 0 : out.size();
  return out + std::string(margin - column, ' ') + wrapped(text, margin, margin);
}

}  // namespace

std::string HelpFormatter::make_option(const CLI::Option* option, bool positional) const {
  std::string name = make_option_name(option, positional);
  // What a validator adds behind the colon is said in the description.
  const std::string type = option->get_type_name();
  const std::string shown = type.substr(0, type.find(':'));
  if (!positional && !shown.empty()) name += " " + shown;
  std::string text = option->get_description();
  if (!option->get_default_str().empty()) text += " [" + option->get_default_str() + "]";
  if (!option->get_envname().empty()) text += " (or $" + option->get_envname() + ")";
  return entry(name, text);
}

std::string HelpFormatter::make_subcommand(const CLI::App* verb) const {
  return entry(verb->get_name(), verb->get_description());
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  std::string text = app->get_description() + ".";
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return wrapped(text, 0, 0);
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
  std::string out = "\nUsage: " + name;
  for (const CLI::Option* const option : app->get_options({}))
    if (option->get_positional())
      out += " " + make_option_name(option, true) + (option->get_items_expected_max() > 1 ? "..." : "");
  if (!app->get_options([](const CLI::Option* option) { return option->nonpositional(); }).empty())
    out += " [OPTIONS]";
  if (!app->get_subcommands({}).empty()) out += " COMMAND";
  return out + "\n";
}

}  // namespace ocilint::cli
