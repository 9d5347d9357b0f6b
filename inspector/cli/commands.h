// The command line as data: what the scripts of `ocilint completion` and the man pages are written from.
//
// Taken from the CLI11 tree, which is the only place where verbs and options are declared: what is added there shows
// up in completion and on its page. What an option takes is known by the name of its value (FILE, POLICY, RULE …) or
// by its choices. Plain values; any thread.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ocilint::cli {

struct Value {
  enum class Kind { none, words, file, folder, reference, named_reference, policy, rule, check, gate, format };

  Kind kind = Kind::none;
  std::string name;                // FILE; "" of a flag
  std::vector<std::string> words;  // kind words
};

struct CommandOption {
  std::vector<std::string> names;  // -p, --policy; of an operand its one name
  std::string what, preset, variable, group;
  bool repeatable = false, required = false;
  Value value;

  bool takes_value() const { return !value.name.empty(); }
};

struct Command {
  std::string name, summary, footer, group;
  std::vector<CommandOption> options, operands;
  std::vector<Command> commands;
};

Command command_tree(const CLI::App& app);

/// "policy validate" for each command that has no commands of its own, and every one above it, the root first.
struct NamedCommand {
  std::string path;
  const Command* command;
};
std::vector<NamedCommand> all_commands(const Command& root);

/// What a value of that kind may be, sorted; empty for files and what nobody can list.
std::vector<std::string> known_values(Value::Kind kind);
std::string known_words(Value::Kind kind);  // the same in one line, with spaces between
std::string_view to_string(Value::Kind kind);

}  // namespace ocilint::cli
