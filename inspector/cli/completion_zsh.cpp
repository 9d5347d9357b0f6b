// A function a command for zsh's _arguments, and one a kind of value.
#include <fmt/format.h>

#include <algorithm>

#include "cli/completion.h"

namespace ocilint::cli {
namespace {

using Kind = Value::Kind;

/// Inside single quotes; in specifications brackets and colons have a meaning.
std::string quoted(const std::string& text, bool specification) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (specification && (c == '[' || c == ']' || c == ':' || c == '\\'))
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string function_of(const std::string& path) {
  std::string out = path.empty() ? "_ocilint" : "_ocilint_" + path;
  std::replace(out.begin(), out.end(), ' ', '_');
  return out;
}

std::string action_of(const Value& value) {
  switch (value.kind) {
    case Kind::none: return " ";
    case Kind::words: return fmt::format("({})", fmt::join(value.words, " "));
    case Kind::file: return "_files";
    case Kind::folder: return "_files -/";
    default: return "__ocilint_" + std::string(to_string(value.kind));
  }
}

/// '(-p --policy)--policy=[text]:POLICY:_function'
std::string option_lines(const CommandOption& option) {
  std::string out;
  for (const std::string& name : option.names) {
    std::string line = option.repeatable ? "*" : fmt::format("({})", fmt::join(option.names, " "));
    line += name;
    if (option.takes_value()) line += name.starts_with("--") ? "=" : "+";
    line += "[" + quoted(short_text(option.what), true) + "]";
    if (option.takes_value())
      line += ":" + quoted(option.value.name, true) + ":" + quoted(action_of(option.value), false);
    out += fmt::format("    '{}' \\\n", line);
  }
  return out;
}

std::string operand_line(const CommandOption& operand, std::size_t number) {
  const std::string place = operand.repeatable ? "*" : std::to_string(number) + (operand.required ? "" : ":");
  return fmt::format("    '{}:{}:{}' \\\n", place, quoted(operand.value.name, true),
                     quoted(action_of(operand.value), false));
}

std::string command_function(const NamedCommand& one) {
  const Command& command = *one.command;
  std::string out = function_of(one.path) + "() {\n";
  const bool has_commands = !command.commands.empty();
  if (has_commands) out += "  local curcontext=$curcontext state line\n  typeset -A opt_args\n";
  out += has_commands ? "  _arguments -C -s -S \\\n" : "  _arguments -s -S \\\n";
  for (const CommandOption& option : command.options) out += option_lines(option);
  std::size_t number = 0;
  for (const CommandOption& operand : command.operands) out += operand_line(operand, ++number);
  if (!has_commands) return out + "    && return 0\n}\n\n";
  out +=
      "    '1: :->command' '*:: :->arguments' && return 0\n  case $state in\n    command)\n      local -a commands=(\n";
  std::string cases;
  for (const Command& below : command.commands) {
    if (below.group.empty()) continue;
    out += fmt::format("        '{}:{}'\n", below.name, quoted(short_text(below.summary), true));
    cases += fmt::format("        {}) {} ;;\n", below.name,
                         function_of(one.path.empty() ? below.name : one.path + " " + below.name));
  }
  return out +
         "      )\n      _describe -t commands command commands\n      ;;\n    arguments)\n      case $words[1] in\n" +
         cases + "      esac\n      ;;\n  esac\n}\n\n";
}

constexpr const char* of_the_line = R"zsh(# Fills $policies with those on the line.
__ocilint_policies() {
  local -i at
  for ((at = 2; at < $#words; at++)); do
    case $words[at] in
      -p | --policy) (( at + 1 != CURRENT )) && policies+=("${(Q)words[at + 1]}") ;;
      --policy=*) policies+=("${(Q)words[at]#*=}") ;;
    esac
  done
  policies=("${policies[@]/#\~\//$HOME/}")
}

# Their checks, or those of the policies that would be taken here.
__ocilint_checks() {
  local name rest
  _call_program checks ocilint policy checks -- ${(q)policies} 2>/dev/null | while read -r name rest; do print -r -- $name; done
}

)zsh";

std::string value_functions() {
  return "__ocilint_policy() {\n  compadd -- " + known_words(Kind::policy) + "\n  _files -g '*.(yaml|yml)'\n}\n\n" +
         of_the_line +
         "__ocilint_rule() {\n  local -a policies\n  __ocilint_policies\n"
         "  # A check is explained, too: of the policies that are named, else of any.\n"
         "  if (( ! $#policies )); then compadd -- " +
         known_words(Kind::rule) + " " + known_words(Kind::check) +
         "; fi\n  compadd -- $(__ocilint_checks)\n}\n\n__ocilint_gate() {\n  compadd -- " + known_words(Kind::gate) +
         "\n}\n\n__ocilint_check() {\n  local -a policies\n  __ocilint_policies\n"
         "  _sequence compadd - $(__ocilint_checks)\n}\n\n__ocilint_format() {\n  if compset -P '*='; then\n    _files\n  else\n    compadd -- " +
         known_words(Kind::format) +
         "\n  fi\n}\n\n"
         "__ocilint_named() {\n  if compset -P '*='; then __ocilint_reference; else _message 'NAME='; fi\n}\n\n"
         "__ocilint_reference() {\n"
         "  if compset -P 'oci:' || compset -P 'dir:'; then\n    _files -/\n"
         "  elif compset -P 'oci-archive:' || compset -P 'docker-archive:'; then\n    _files\n"
         "  elif [[ $PREFIX == docker(|-daemon):* ]]; then\n    _message 'image of a registry or an engine'\n"
         "  else\n    compadd -S '' -- " +
         known_words(Kind::reference) + "\n    _files\n  fi\n}\n\n";
}

}  // namespace

std::string zsh_completion(const Command& root) {
  std::string out =
      "#compdef ocilint\n# zsh completion for ocilint, written by `ocilint completion zsh`.\n\n" + value_functions();
  for (const NamedCommand& one : all_commands(root))
    if (one.path.empty() || !one.command->group.empty()) out += command_function(one);
  // Autoloaded from $fpath the file is the function; sourced it names it.
  return out + "if [[ $funcstack[1] == _ocilint ]]; then\n  _ocilint \"$@\"\nelse\n  compdef _ocilint ocilint\nfi\n";
}

}  // namespace ocilint::cli
