// A line an option for fish, each behind the condition that the words so far name its command.
#include <fmt/format.h>

#include "cli/completion.h"

namespace ocilint::cli {
namespace {

using Kind = Value::Kind;

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

constexpr const char* walk_head = R"fish(
# Walks the words so far: prints the command that they name and how many operands it has.
function __ocilint_where
    set -l tokens (commandline -opc)
    set -l path ocilint
    set -l skip 0
    set -l operands 0
    for token in $tokens[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch "$path $token"
)fish";

constexpr const char* walk_tail = R"fish(
            case '* -*'
            case '*'
                set operands (math $operands + 1)
        end
    end
    echo $path
    echo $operands
end

function __ocilint_at
    set -l where (__ocilint_where)
    test "$where[1]" = "$argv"
end

# __ocilint_operand LEAST MOST COMMAND: is it the turn of such an operand?
function __ocilint_operand
    set -l where (__ocilint_where)
    test "$where[1]" = "$argv[3..-1]" -a $where[2] -ge $argv[1] -a $where[2] -le $argv[2]
end

# __ocilint_paths LEAD KIND: names that begin with the rest of the token, folders with a slash.
function __ocilint_paths
    set -l rest (string sub -s (math (string length -- "$argv[1]") + 1) -- (commandline -ct))
    for path in $rest*
        if test -d $path
            echo "$argv[1]$path/"
        else if test "$argv[2]" != folders
            echo "$argv[1]$path"
        end
    end
end

function __ocilint_format
    set -l token (commandline -ct)
    # The word may be --output=json=FILE.
    set -l lead (string match -r -- '^--[^=]*=' $token)
    set -l rest (string sub -s (math (string length -- "$lead") + 1) -- $token)
    if string match -q -- '*=*' $rest
        __ocilint_paths "$lead"(string match -r -- '^[^=]*=' $rest) files
    else
        __ocilint_known format
    end
end

# The policies on the line.
function __ocilint_policies
    set -l next 0
    for token in (commandline -opc)
        if test $next = 1
            echo $token
            set next 0
        else if contains -- $token -p --policy
            set next 1
        else
            string replace -f -- '--policy=' '' $token
        end
    end
end

# Their checks, or those of the policies that would be taken here.
function __ocilint_checks
    ocilint policy checks -- (__ocilint_policies) 2>/dev/null | string replace -r -- ' .*' ''
end

function __ocilint_check
    set -l token (commandline -ct | string replace -r -- '^--[^=]*=' '')
    set -l lead (string match -r -- '^.*,' $token)
    for word in (__ocilint_checks)
        echo "$lead$word"
    end
end

# A check is explained, too: of the policies that are named, else of any.
function __ocilint_rule
    if test (count (__ocilint_policies)) = 0
        __ocilint_known rule
        __ocilint_known check
    end
    __ocilint_checks
end

# __ocilint_reference [LEAD]: an image, behind what the token holds already.
function __ocilint_reference
    set -l token (string sub -s (math (string length -- "$argv[1]") + 1) -- (commandline -ct))
    switch $token
        case 'oci:*' 'dir:*'
            __ocilint_paths "$argv[1]"(string match -r -- '^[^:]*:' $token) folders
        case 'oci-archive:*' 'docker-archive:*'
            __ocilint_paths "$argv[1]"(string match -r -- '^[^:]*:' $token) files
        case 'docker:*' 'docker-daemon:*'
        case '*'
            for word in (__ocilint_known reference)
                echo "$argv[1]$word"
            end
            __ocilint_paths "$argv[1]" files
    end
end

function __ocilint_named
    set -l lead (string match -r -- '^.*=' (commandline -ct))
    and __ocilint_reference $lead
end

function __ocilint_policy
    __ocilint_known policy
    __ocilint_paths '' files
end

complete -c ocilint -f
)fish";

/// What a word of that kind may be, as fish's -a takes it; "" for files.
std::string candidates(const Value& value) {
  switch (value.kind) {
    case Kind::none:
    case Kind::file: return "";
    case Kind::words: return quoted(fmt::format("{}", fmt::join(value.words, " ")));
    case Kind::folder: return quoted("(__ocilint_paths '' folders)");
    case Kind::gate: return quoted("(__ocilint_known " + std::string(to_string(value.kind)) + ")");
    default: return quoted("(__ocilint_" + std::string(to_string(value.kind)) + ")");
  }
}

std::string option_line(const CommandOption& option, const std::string& command) {
  std::string out = "complete -c ocilint -n '__ocilint_at " + command + "'";
  for (const std::string& name : option.names)
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.takes_value()) {
    out += option.value.kind == Kind::file ? " -r -F" : " -x";
    if (const std::string words = candidates(option.value); !words.empty()) out += " -a " + words;
  }
  return out + " -d " + quoted(short_text(option.what)) + "\n";
}

std::string operand_line(const CommandOption& operand, const std::string& command, std::size_t number) {
  const std::string words = candidates(operand.value);
  if (words.empty() && operand.value.kind != Kind::file) return "";
  constexpr std::size_t no_end = 9999;
  return fmt::format("complete -c ocilint -n '__ocilint_operand {} {} {}' {}\n", number,
                     operand.repeatable ? no_end : number, command, words.empty() ? "-F" : "-a " + words);
}

}  // namespace

std::string fish_completion(const Command& root) {
  std::string takes, names, lines;
  for (const NamedCommand& one : all_commands(root)) {
    const std::string key = one.path.empty() ? "ocilint" : "ocilint " + one.path;
    if (!one.path.empty() && one.command->group.empty()) continue;
    if (!one.path.empty()) names += " " + quoted(key);
    for (const CommandOption& option : one.command->options) {
      lines += option_line(option, key);
      if (!option.takes_value()) continue;
      for (const std::string& name : option.names) takes += " " + quoted(key + " " + name);
    }
    for (const Command& below : one.command->commands)
      if (!below.group.empty())
        lines += fmt::format("complete -c ocilint -n '__ocilint_operand 0 0 {}' -a {} -d {}\n", key, below.name,
                             quoted(short_text(below.summary)));
    std::size_t number = 0;
    for (const CommandOption& operand : one.command->operands) lines += operand_line(operand, key, number++);
  }
  std::string known = "function __ocilint_known\n    switch $argv[1]\n";
  for (const Kind kind : {Kind::reference, Kind::policy, Kind::rule, Kind::check, Kind::gate, Kind::format})
    known += fmt::format("        case {}\n            string split ' ' -- {}\n", to_string(kind),
                         quoted(known_words(kind)));
  known += "    end\nend\n";
  return "# fish completion for ocilint, written by `ocilint completion fish`.\n" + known + walk_head +
         "            case" + takes + "\n                set skip 1\n            case" + names +
         "\n                set path \"$path $token\"" + walk_tail + lines;
}

}  // namespace ocilint::cli
