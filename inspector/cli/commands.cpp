#include "cli/commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <set>

#include "cli/discover.h"
#include "oci/reference.h"
#include "report/report.h"

namespace ocilint::cli {
namespace {

using Kind = Value::Kind;

const std::map<std::string, Kind, std::less<>> kinds_by_name = {
    {"FILE", Kind::file},
    {"PLACE", Kind::file},
    {"DIR", Kind::folder},
    {"REF", Kind::reference},
    {"OTHER", Kind::reference},
    {"NAME=REF", Kind::named_reference},
    {"POLICY", Kind::policy},
    {"RULE", Kind::rule},
    {"CHECK", Kind::check},
    {"NAME=MODE", Kind::gate},
    {"FORMAT[=FILE]", Kind::format},
};

/// "{a,b,c}", as CLI11 describes a choice.
std::vector<std::string> choices_of(const std::string& text) {
  std::vector<std::string> out;
  const std::size_t open = text.find('{');
  if (open == std::string::npos || !text.ends_with('}')) return out;
  std::istringstream words(text.substr(open + 1, text.size() - open - 2));
  for (std::string word; std::getline(words, word, ',');) out.push_back(word);
  return out;
}

Value value_of(const std::string& name, const std::string& described) {
  Value out{Kind::none, name, choices_of(described)};
  if (!out.words.empty()) {
    out.kind = Kind::words;
  } else if (const auto known = kinds_by_name.find(name); known != kinds_by_name.end()) {
    out.kind = known->second;
  }
  return out;
}

CommandOption option_of(const CLI::Option& option) {
  CommandOption out;
  const bool operand = option.get_positional();
  const std::string described = option.get_type_name();
  if (operand) {
    out.names = {option.get_name(true, false)};
  } else {
    for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  }
  out.what = option.get_description();
  out.preset = option.get_default_str();
  out.variable = option.get_envname();
  out.group = option.get_group();
  out.repeatable = option.get_items_expected_max() > 1;
  out.required = option.get_required();
  const bool flag = !operand && option.get_expected_min() == 0;
  if (!flag) out.value = value_of(operand ? out.names[0] : described.substr(0, described.find(':')), described);
  return out;
}

void list(const Command& command, const std::string& path, std::vector<NamedCommand>& into) {
  into.push_back({path, &command});
  for (const Command& below : command.commands)  // verbs of verbs; there is no third level
    list(below, path.empty() ? below.name : path + " " + below.name, into);
}

}  // namespace

Command command_tree(const CLI::App& app) {
  Command out{app.get_name(), app.get_description(), app.get_footer(), app.get_group(), {}, {}, {}};
  for (const CLI::Option* const option : app.get_options({}))
    (option->get_positional() ? out.operands : out.options).push_back(option_of(*option));
  for (const CLI::App* const verb : app.get_subcommands({})) out.commands.push_back(command_tree(*verb));
  return out;
}

std::vector<NamedCommand> all_commands(const Command& root) {
  std::vector<NamedCommand> out;
  list(root, "", out);
  return out;
}

std::vector<std::string> known_values(Kind kind) {
  std::set<std::string> out;
  switch (kind) {
    case Kind::reference:
      for (const Transport transport : {Transport::oci, Transport::oci_archive, Transport::docker_archive,
                                        Transport::dir, Transport::docker_daemon})
        out.insert(std::string(to_string(transport)) + ":");
      out.insert(std::string(to_string(Transport::registry)) + "://");
      break;
    case Kind::policy:
      for (const ShippedPolicy& policy : shipped_policies()) out.emplace(policy.name);
      break;
    case Kind::rule:
      for (const Rule* const rule : all_rules()) out.emplace(rule->doc.id);
      break;
    case Kind::format:
      for (const Format& format : formats()) out.emplace(format.name);
      break;
    case Kind::check:
    case Kind::gate:
      for (const Policy& policy : load_shipped()) {
        if (kind == Kind::check)
          for (const Check& check : policy.checks) out.insert(check.id);
        else
          for (const auto& [name, gate] : policy.gates) out.insert({name + "=required", name + "=auto"});
      }
      break;
    case Kind::none:
    case Kind::words:
    case Kind::named_reference:
    case Kind::file:
    case Kind::folder: break;
  }
  return {out.begin(), out.end()};
}

std::string known_words(Kind kind) { return fmt::format("{}", fmt::join(known_values(kind), " ")); }

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::none: return "none";
    case Kind::words: return "words";
    case Kind::file: return "file";
    case Kind::folder: return "folder";
    case Kind::named_reference: return "named";
    case Kind::reference: return "reference";
    case Kind::policy: return "policy";
    case Kind::rule: return "rule";
    case Kind::check: return "check";
    case Kind::gate: return "gate";
    case Kind::format: return "format";
  }
  return "none";
}

}  // namespace ocilint::cli
