#include "look/command_text.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ocilint {
namespace {

constexpr std::size_t most_argument_words = 2'000;  // between |N and the shell: real lines have below a hundred
constexpr std::size_t most_shell_words = 8;         // /bin/busybox sh -e -o pipefail -c

constexpr std::array<std::string_view, 18> instructions = {
    "ADD",   "ARG",        "CMD",     "COPY", "ENTRYPOINT", "ENV",        "EXPOSE", "FROM",   "HEALTHCHECK",
    "LABEL", "MAINTAINER", "ONBUILD", "RUN",  "SHELL",      "STOPSIGNAL", "USER",   "VOLUME", "WORKDIR"};
constexpr std::array<std::string_view, 10> shells = {"sh",  "bash", "ash",     "dash", "zsh",
                                                     "ksh", "cmd",  "busybox", "pwsh", "powershell"};

constexpr std::string_view blanks = " \t\r\n";

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find_first_of(blanks)); }

bool is_shell(std::string_view word) {
  word = word.substr(word.find_last_of("/\\") + 1);  // npos + 1 is 0
  if (word.ends_with(".exe")) word.remove_suffix(4);
  return std::ranges::find(shells, word) != shells.end();
}

/// What a shell is called with: "/bin/bash -o pipefail -c make" gives "make".
std::optional<std::string_view> after_shell(std::string_view text) {
  if (!is_shell(first_word(text))) return std::nullopt;
  for (std::size_t words = 0; words < most_shell_words; ++words) {
    const std::string_view word = first_word(text);
    text = trim(text.substr(word.size()));
    const bool command = word.size() >= 2 && word[0] == '-' && word.back() == 'c' && word[1] != '-';
    if (command || word == "/C" || word == "-Command") return text;
    if (text.empty()) break;
  }
  return std::nullopt;
}

/// "|2 A=b C=d /bin/sh -c make": cut into the arguments and what ran.
std::optional<std::pair<std::string_view, std::string_view>> split_arguments(std::string_view text) {
  if (!text.starts_with('|') || text.size() < 2 || text[1] < '0' || text[1] > '9') return std::nullopt;
  const std::string_view rest = trim(text.substr(first_word(text).size()));
  std::size_t at = 0;
  for (std::size_t words = 0; words < most_argument_words && at < rest.size(); ++words) {
    if (const auto command = after_shell(rest.substr(at))) return std::pair(trim(rest.substr(0, at)), *command);
    at = std::min(rest.find_first_of(blanks, at), rest.size());
    at = std::min(rest.find_first_not_of(blanks, at), rest.size());
  }
  return std::nullopt;
}

class Breaker {
 public:
  Breaker(std::string_view text, bool shell) : text_(text), shell_(shell) {}

  std::vector<std::string> lines() {
    for (std::size_t at = 0; at < text_.size();) at += step(at);
    flush();
    if (out_.empty()) out_.emplace_back();
    return std::move(out_);
  }

 private:
  /// Takes what stands there; returns how many bytes it was.
  std::size_t step(std::size_t at) {
    const char c = text_[at];
    const std::size_t two = std::min<std::size_t>(2, text_.size() - at);
    if (c == '\n') {
      flush();
      return 1;
    }
    if (quote_ != '\0') {
      if (c == '\\' && quote_ == '"') return take(at, two);
      if (c == quote_) quote_ = '\0';
      return take(at, 1);
    }
    if (blanks.find(c) != std::string_view::npos) {
      blank_ = !line_.empty();
      return 1;
    }
    if (c == '\\') {
      if (two == 2 && text_[at + 1] == '\n') return two;  // a line that goes on
      return take(at, two);
    }
    if (shell_ && depth_ == 0 && text_.substr(at).starts_with("&&")) {
      flush();
      return take(at, two);
    }
    if (c == '"' || c == '\'') quote_ = c;
    if (c == '(') ++depth_;
    if (c == ')' && depth_ > 0) --depth_;
    return take(at, 1);
  }

  std::size_t take(std::size_t at, std::size_t count) {
    if (blank_) line_ += ' ';
    blank_ = false;
    line_ += text_.substr(at, count);
    return count;
  }

  void flush() {
    if (!line_.empty()) out_.push_back(std::move(line_));
    line_.clear();
    blank_ = false;
  }

  std::string_view text_;
  bool shell_;
  char quote_ = '\0';
  std::size_t depth_ = 0;
  bool blank_ = false;
  std::string line_;
  std::vector<std::string> out_;
};

}  // namespace

std::string Command::text() const {
  std::string out = instruction;
  for (const std::string& line : lines)
    if (!line.empty()) out += (out.empty() ? "" : " ") + line;
  return out;
}

Command parse_command(std::string_view created_by) {
  constexpr std::string_view suffix = "# buildkit", no_operation = "#(nop)";
  std::string_view text = trim(created_by);
  if (text.ends_with(suffix)) text = trim(text.substr(0, text.size() - suffix.size()));

  Command out;
  if (const auto command = after_shell(text)) {
    out.instruction = command->starts_with(no_operation) ? "" : "RUN";
    text = out.instruction.empty() ? trim(command->substr(no_operation.size())) : *command;
  }
  if (out.instruction.empty()) {
    const std::string_view word = first_word(text);
    if (std::ranges::find(instructions, word) != instructions.end()) {
      out.instruction = word;
      text = trim(text.substr(word.size()));
    }
  }
  if (out.instruction.empty() || out.instruction == "RUN") {
    if (const auto split = split_arguments(text)) {
      out.instruction = "RUN";
      out.arguments = split->first;
      text = split->second;
    } else if (const auto command = after_shell(text); command && out.instruction == "RUN") {
      text = *command;
    }
  }
  out.lines = Breaker(text, out.instruction == "RUN").lines();
  return out;
}

}  // namespace ocilint
