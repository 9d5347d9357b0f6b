#include "cli/help.h"

#include <algorithm>
#include <sstream>

namespace ocilint::cli {
namespace {

constexpr std::size_t page = 80;
constexpr const char* usual_group = "Options";  // CLI11's own name for options without a group
constexpr std::size_t margin = 26;              // where descriptions begin

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

/// -p,--policy POLICY
std::string name_of(const CLI::Option& option) {
  std::string name;
  for (const std::string& one : option.get_snames()) name += (name.empty() ? "-" : ",-") + one;
  for (const std::string& one : option.get_lnames()) name += (name.empty() ? "--" : ",--") + one;
  // What a validator adds behind the colon is said in the description.
  const std::string type = option.get_type_name();
  const std::string shown = type.substr(0, type.find(':'));
  return shown.empty() ? name : name + " " + shown;
}

std::string first_clause(const CLI::Option& option) {
  const std::string& text = option.get_description();
  const std::string clause = text.substr(0, text.find("; "));
  return option.get_default_str().empty() ? clause : clause + " [" + option.get_default_str() + "]";
}

}  // namespace

std::string sentence(std::string text) {
  if (text.empty()) return text;
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text.ends_with('.') ? text : text + ".";
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  const bool all = mode == CLI::AppFormatMode::All;
  std::string out = make_description(app) + make_usage(app, name) + make_positionals(app), left_out;
  for (const std::string& group : app->get_groups()) {
    const auto options = app->get_options([&](const CLI::Option* option) {
      return option->get_group() == group && option->nonpositional() && option != app->get_help_all_ptr();
    });
    if (group.empty() || options.empty()) continue;
    if (!all && group != usual_group) {
      left_out += (left_out.empty() ? "" : ", ") + group;
      continue;
    }
    out += "\n" + group + ":\n";
    for (const CLI::Option* const option : options)
      out += all ? make_option(option, false) : entry(name_of(*option), first_clause(*option));
  }
  if (!left_out.empty()) out += entry("--help-all", "more options: " + left_out);
  return out + make_subcommands(app, CLI::AppFormatMode::Normal) + "\n" + app->get_footer();
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool positional) const {
  const std::string name = positional ? make_option_name(option, true) : name_of(*option);
  std::string text = option->get_description();
  if (!option->get_default_str().empty()) text += " [" + option->get_default_str() + "]";
  if (!option->get_envname().empty()) text += " (or $" + option->get_envname() + ")";
  return entry(name, text);
}

std::string HelpFormatter::make_subcommand(const CLI::App* verb) const {
  return entry(verb->get_name(), verb->get_description());
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return wrapped(sentence(app->get_description()), 0, 0);
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
  std::string out = "\nUsage: " + name;
  for (const CLI::Option* const option : app->get_options({}))
    if (option->get_positional())
      out += " " + make_option_name(option, true) + (option->get_items_expected_max() > 1 ? "..." : "");
  if (!app->get_options([](const CLI::Option* option) { return option->nonpositional(); }).empty()) out += " [OPTIONS]";
  if (!app->get_subcommands({}).empty()) out += " COMMAND";
  return out + "\n";
}

}  // namespace ocilint::cli
