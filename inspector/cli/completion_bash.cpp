// Tables of what each command takes, and one function that walks the words of the line along them.
#include <fmt/format.h>

#include <map>
#include <set>

#include "cli/completion.h"

namespace ocilint::cli {
namespace {

constexpr const char* functions = R"bash(
# Fills COMPREPLY: _ocilint_offer WORDS [files|folders], for what is typed of the word, without what $lead holds of it.
_ocilint_offer() {
  local rest=${cur#"$lead"} found
  local -i plain=0 paths=0
  while IFS= read -r found; do
    COMPREPLY+=("$lead$found")
    plain+=1
  done < <(compgen -W "$1" -- "$rest")
  if [[ ${2-} ]]; then
    while IFS= read -r found; do
      COMPREPLY+=("$lead$found")
      paths+=1
    done < <(if [[ $2 == folders ]]; then compgen -d -- "$rest"; else compgen -f -- "$rest"; fi)
    # Readline then quotes names and puts a slash behind folders; it would quote the colon of a transport too.
    if ((paths > 0 && (plain == 0 || plain + paths > 1))); then compopt -o filenames 2>/dev/null; fi
  fi
  if ((paths == 0 && plain == 1)) && [[ ${COMPREPLY[0]} == *[:/=] ]]; then compopt -o nospace 2>/dev/null; fi
}

# The checks of the policies on the line, or of those that would be taken here.
_ocilint_checks() {
  local name rest
  "${program/#~\//$HOME/}" policy checks -- "${policies[@]/#~\//$HOME/}" 2>/dev/null | while read -r name rest; do echo "$name"; done
}

_ocilint_value() {
  local kind=${1%+}
  case $kind in
    words=*)
      kind=${kind#words=}
      _ocilint_offer "${kind//,/ }"
      ;;
    file) _ocilint_offer "" files ;;
    folder) _ocilint_offer "" folders ;;
    policy) _ocilint_offer "${_ocilint_known[policy]}" files ;;
    check)
      lead+=${cur#"$lead"} lead=${lead%"${lead##*[,=]}"}
      _ocilint_offer "$(_ocilint_checks)"
      ;;
    format)
      if [[ ${cur#"$lead"} == *=* ]]; then
        lead+=${cur#"$lead"} lead=${lead%"${lead##*=}"}
        _ocilint_offer "" files
      else
        _ocilint_offer "${_ocilint_known[format]}"
      fi
      ;;
    named)
      if [[ ${cur#"$lead"} == *=* ]]; then
        word=${cur#"$lead"}
        lead+=${word%%=*}=
        _ocilint_value reference
      fi
      ;;
    reference)
      case ${cur#"$lead"} in
        oci:* | dir:*)
          lead=${cur%%:*}:
          _ocilint_offer "" folders
          ;;
        oci-archive:* | docker-archive:*)
          lead=${cur%%:*}:
          _ocilint_offer "" files
          ;;
        docker:* | docker-daemon:*) ;;
        *) _ocilint_offer "${_ocilint_known[reference]}" files ;;
      esac
      ;;
    rule)
      # A check is explained, too: of the policies that are named, else of any.
      if ((${#policies[@]})); then
        _ocilint_offer "$(_ocilint_checks)"
      else
        _ocilint_offer "${_ocilint_known[rule]} ${_ocilint_known[check]} $(_ocilint_checks)"
      fi
      ;;
    gate) _ocilint_offer "${_ocilint_known[gate]}" ;;
  esac
}

_ocilint() {
  local line=${COMP_LINE:0:COMP_POINT} gap word cur lead="" command=ocilint want="" closed=""
  local words=() policies=() program=$1
  local -i i operand=0
  COMPREPLY=()
  # The words as they were typed: bash breaks them at : and = too.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    gap=${line%%[![:blank:]]*}
    line=${line#"$gap"}
    word=${COMP_WORDS[i]}
    if ((i == COMP_CWORD)); then word=$line; fi
    line=${line#"$word"}
    if [[ $gap || ${#words[@]} -eq 0 ]]; then words+=("$word"); else words[-1]+=$word; fi
  done
  cur=${words[-1]}
  for word in "${words[@]:1:${#words[@]}-2}"; do
    if [[ $want ]]; then
      if [[ ${want%+} == policy ]]; then policies+=("$word"); fi
      want=""
    elif [[ ! $closed && $word == -- ]]; then
      closed=1
    elif [[ ! $closed && $word == -?* ]]; then
      want=${_ocilint_values["$command $word"]-}
      if [[ $word == --policy=* ]]; then policies+=("${word#*=}"); fi
    elif [[ " ${_ocilint_commands["$command"]-} " == *" $word "* ]]; then
      command+=" $word"
    else
      operand+=1
    fi
  done
  if [[ $want ]]; then
    _ocilint_value "$want"
  elif [[ ! $closed && $cur == --*=* ]]; then
    lead=${cur%%=*}=
    _ocilint_value "${_ocilint_values["$command ${cur%%=*}"]-}"
  elif [[ ! $closed && $cur == -* ]]; then
    _ocilint_offer "${_ocilint_options["$command"]-}"
  elif [[ ${_ocilint_commands["$command"]-} ]]; then
    _ocilint_offer "${_ocilint_commands["$command"]}"
  else
    read -ra words <<<"${_ocilint_operands["$command"]-}"
    i=${#words[@]}
    if ((operand >= i && i > 0)) && [[ ${words[i - 1]} == *+ ]]; then operand=$((i - 1)); fi
    _ocilint_value "${words[operand]-}"
  fi
  # Readline replaces what stands behind the last break only.
  lead=""
  if [[ $COMP_WORDBREAKS == *:* && $cur == *:* ]]; then lead=${cur%"${cur##*:}"}; fi
  if [[ $COMP_WORDBREAKS == *=* && ${cur#"$lead"} == *=* ]]; then lead=${cur%"${cur##*=}"}; fi
  COMPREPLY=("${COMPREPLY[@]#"$lead"}")
}

complete -F _ocilint ocilint
)bash";

std::string word_of(const CommandOption& option) {
  std::string out(to_string(option.value.kind));
  if (option.value.kind == Value::Kind::words) out += fmt::format("={}", fmt::join(option.value.words, ","));
  return option.repeatable ? out + "+" : out;
}

std::string table(const char* name, const std::map<std::string, std::string>& entries) {
  std::string out = fmt::format("declare -gA {}=(\n", name);
  for (const auto& [key, text] : entries) out += fmt::format("  [\"{}\"]=\"{}\"\n", key, text);
  return out + ")\n";
}

void join(std::string& into, const std::string& word) { into += (into.empty() ? "" : " ") + word; }

}  // namespace

std::string bash_completion(const Command& root) {
  std::map<std::string, std::string> commands, options, operands, values, known;
  std::set<Value::Kind> used;
  for (const NamedCommand& one : all_commands(root)) {
    const std::string key = one.path.empty() ? "ocilint" : "ocilint " + one.path;
    for (const Command& below : one.command->commands)
      if (!below.group.empty()) join(commands[key], below.name);
    for (const CommandOption& option : one.command->options)
      for (const std::string& name : option.names) {
        join(options[key], name);
        if (option.takes_value()) values[key + " " + name] = word_of(option);
        used.insert(option.value.kind);
      }
    for (const CommandOption& operand : one.command->operands) {
      join(operands[key], word_of(operand));
      used.insert(operand.value.kind);
    }
  }
  used.insert(Value::Kind::check);  // what can be explained without a policy
  for (const Value::Kind kind : used)
    for (const std::string& word : known_values(kind)) join(known[std::string(to_string(kind))], word);
  return "# bash completion for ocilint, written by `ocilint completion bash`.\n" +
         table("_ocilint_commands", commands) + table("_ocilint_options", options) +
         table("_ocilint_operands", operands) + table("_ocilint_values", values) + table("_ocilint_known", known) +
         functions;
}

}  // namespace ocilint::cli
