#include "cli/man.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "cli/help.h"
#include "cli/roff.h"

namespace ocilint::cli {
namespace {

/// A word of a list, or the page that it names: ocilint-check(1).
std::string page_of(const std::string& name) { return bold(name) + "(1)"; }

std::string synopsis(const std::string& name, const Command& command) {
  std::string out = bold(name);
  for (const CommandOption& operand : command.operands) {
    const std::string one = italic(operand.names[0]) + (operand.repeatable ? "..." : "");
    out += operand.required ? " " + one : " [" + one + "]";
  }
  if (!command.options.empty()) out += " [" + italic("OPTIONS") + "]";
  if (!command.commands.empty()) out += " " + italic("COMMAND");
  return out + "\n";
}

/// A sentence, but names keep their letters: "oci:DIR …", "text, json …".
std::string described(const std::string& what) {
  const std::string first = what.substr(0, what.find(' '));
  const bool name = first.find(':') != std::string::npos || first.ends_with(',');
  return name ? what + (what.ends_with('.') ? "" : ".") : sentence(what);
}

std::string option_entry(const CommandOption& option) {
  std::string tag;
  for (const std::string& name : option.names) tag += (tag.empty() ? "" : ", ") + bold(name);
  if (option.takes_value()) tag += " " + italic(option.value.name);
  std::string text = described(option.what);
  if (!option.preset.empty()) text += " Unless stated: " + option.preset + ".";
  if (!option.variable.empty()) text += "\nEnvironment: " + option.variable + ".";
  return entry(tag, escaped(text));
}

std::string operands(const Command& command) {
  std::string out;
  for (const CommandOption& operand : command.operands)
    out += entry(italic(operand.names[0]), escaped(described(operand.what)));
  return out;
}

/// By group, in the order of their declaration.
std::string options(const Command& command) {
  std::vector<std::string> groups;
  for (const CommandOption& option : command.options)
    if (!option.group.empty() && std::ranges::find(groups, option.group) == groups.end())
      groups.push_back(option.group);
  std::string out;
  for (const std::string& group : groups) {
    if (groups.size() > 1 && group != groups.front()) out += ".SS " + escaped(group) + "\n";
    for (const CommandOption& option : command.options)
      if (option.group == group) out += option_entry(option);
  }
  return out;
}

struct Footer {
  std::string notes, examples, statuses;
};

/// What stands below the options of --help: examples, what else is to be known, and the exit status.
Footer parse(const std::string& text) {
  Footer out;
  std::istringstream lines(text);
  std::string* into = &out.notes;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      into = &out.notes;
      if (!out.notes.empty() && !out.notes.ends_with("\n\n")) out.notes += "\n";
      continue;
    }
    if (line == "Examples:") {
      into = &out.examples;
      continue;
    }
    constexpr std::string_view mark = "Exit status: ";
    if (const std::size_t at = line.find(mark); at != std::string::npos && into == &out.notes) {
      out.notes += line.substr(0, at) + (at > 0 ? "\n" : "");
      into = &out.statuses;
      line = line.substr(at + mark.size());
    }
    *into += line + "\n";
  }
  return out;
}

std::string paragraphs(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out += line.empty() ? ".PP\n" : escaped(line) + "\n";
  while (out.ends_with(".PP\n")) out.resize(out.size() - 4);
  return out;
}

std::string examples(const std::string& text) { return text.empty() ? "" : ".nf\n" + escaped(text) + ".fi\n"; }

std::string below(const Command& command, const std::string& name) {
  std::string out;
  for (const Command& one : command.commands)
    if (!one.group.empty())
      out += ".SS " + escaped(one.name) + "\n" + synopsis(name + " " + one.name, one) + ".PP\n" +
             escaped(sentence(one.summary)) + "\n" + operands(one) + options(one);
  return out;
}

constexpr const char* statuses = R"(.TP
.B 0
Every check passed, is waived, or lies below \fB\-\-fail\-on\fR.
.TP
.B 1
Findings.
.TP
.B 2
The answer cannot be trusted: a wrong call or policy, a check that could not be evaluated, a report not written.
.TP
.B 3
An image could not be read, or is not what its digests say.
.TP
.B 130
Interrupted.
.PP
Of several reasons the greatest of 1, 2 and 3 wins.
)";

constexpr const char* files = R"(.TP
.I .ocilint.yaml
The policy without \fB\-p\fR, in this folder or one above it, up to the root of the repository.
.TP
.I $XDG_CONFIG_HOME/ocilint/policy.yaml
The policy where there is none above.
.TP
.I /usr/share/doc/ocilint/policy.md
How policies are written; their keys are in \fBocilint\-policy\fR(5).
.TP
.I $XDG_RUNTIME_DIR/containers/auth.json, ~/.docker/config.json
Credentials for registries, as in \fBcontainers\-auth.json\fR(5).
)";

constexpr const char* usual_variables = R"(.TP
\fBNO_COLOR\fR, \fBCLICOLOR_FORCE\fR, \fBFORCE_COLOR\fR
No colour, or colour also where standard output is no terminal; the later of these win.
.TP
\fBHTTPS_PROXY\fR, \fBNO_PROXY\fR, \fBDOCKER_HOST\fR
The proxy to registries, and the socket of the engine for \fIdocker\-daemon:\fR.
)";

/// Every variable of an option, with the commands that have it.
std::string variables(const Command& root) {
  std::map<std::string, std::pair<std::string, std::vector<std::string>>> found;
  for (const NamedCommand& one : all_commands(root))
    for (const CommandOption& option : one.command->options)
      if (!option.variable.empty()) {
        auto& [name, verbs] = found[option.variable];
        name = option.names.back();
        verbs.push_back(one.path);
      }
  std::string out;
  for (const auto& [variable, use] : found)
    out += ".TP\n" + bold(variable) + "\nFor " + bold(use.first) + " of " +
           escaped(fmt::format("{}", fmt::join(use.second, ", "))) + ".\n";
  return out + usual_variables;
}

}  // namespace

std::string manual(const Command& root, const std::string& date) {
  std::string commands, pages;
  for (const Command& one : root.commands) {
    if (one.group.empty()) continue;
    commands += ".TP\n" + page_of("ocilint-" + one.name) + "\n" + escaped(sentence(one.summary)) + "\n";
    pages += (pages.empty() ? "" : ",\n") + page_of("ocilint-" + one.name);
  }
  const Footer footer = parse(root.footer);
  return roff_head({"ocilint", 1, "User Commands"}, "what an OCI image carries, layer by layer, against a policy",
                   date) +
         section("SYNOPSIS", synopsis("ocilint", root)) +
         section("DESCRIPTION", escaped(sentence(root.summary)) + "\n" + paragraphs(footer.notes)) +
         section("COMMANDS", commands) + section("OPTIONS", options(root)) +
         section("EXAMPLES", examples(footer.examples)) + section("EXIT STATUS", statuses) +
         section("ENVIRONMENT", variables(root)) + section("FILES", files) +
         section("SEE ALSO", pages + ",\n" + bold("ocilint-policy") + "(5)\n");
}

std::string manual(const Command& root, const Command& command, const std::string& date) {
  const std::string name = root.name + " " + command.name;
  // A command without a text of its own has inherited the one of the program.
  const Footer footer = parse(command.footer == root.footer ? "" : command.footer);
  return roff_head({root.name + "-" + command.name, 1, "User Commands"}, command.summary, date) +
         section("SYNOPSIS", synopsis(name, command)) +
         section("DESCRIPTION", escaped(sentence(command.summary)) + "\n" +
                                    (footer.notes.empty() ? "" : ".PP\n" + paragraphs(footer.notes))) +
         section("OPERANDS", operands(command)) + section("COMMANDS", below(command, name)) +
         section("OPTIONS", options(command)) + section("EXAMPLES", examples(footer.examples)) +
         section("EXIT STATUS", footer.statuses.empty() ? statuses : escaped(footer.statuses)) +
         section("SEE ALSO", page_of("ocilint") + ",\n" + bold("ocilint-policy") + "(5)\n");
}

}  // namespace ocilint::cli
