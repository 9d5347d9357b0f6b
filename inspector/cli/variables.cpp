#include "cli/variables.h"

#include <CLI/CLI.hpp>

namespace ocilint::cli {

void name_variables(CLI::App& app, std::string_view without) {
  for (CLI::Option* const option : app.get_options({})) {
    if (option->get_positional() || option->get_lnames().empty() || !option->get_envname().empty()) continue;
    const std::string& name = option->get_lnames()[0];
    if (name.starts_with("help") || name == without) continue;
    std::string variable = "OCILINT_";
    for (const char c : name) variable += c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    option->envname(variable);
  }
}

}  // namespace ocilint::cli
