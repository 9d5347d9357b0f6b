#include "facts/secret_pairs.h"

#include <algorithm>
#include <optional>

namespace ocilint {
namespace {

constexpr std::size_t most_blanks = 8;     // around a sign: values stand in columns
constexpr std::size_t longest_name = 128;  // of a variable: looked for backwards from every '='
constexpr std::size_t nop_within = 256;    // "#(nop)" stands behind the shell, which SHELL may have changed
constexpr std::size_t none = std::string_view::npos;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; }
bool is_name(char c) { return is_word(c) || c == '.' || c == '-'; }
bool is_label(char c) { return is_name(c) || c == '/'; }
bool is_quote(char c) { return c == '"' || c == '\''; }

/// Blanks, and the backslash at the end of a Dockerfile's line.
std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (is_blank(text[at])) {
      ++at;
    } else if (text[at] == '\\' && at + 1 < text.size() && (text[at + 1] == '\n' || text[at + 1] == '\r')) {
      at += 2;
    } else {
      break;
    }
  }
  return at;
}

struct Key {
  std::string_view name;
  std::size_t after = 0;  // behind the '='
};

/// `NAME=` or `"NAME"=` at this place.
std::optional<Key> key_at(std::string_view text, std::size_t at) {
  const bool quoted = at < text.size() && is_quote(text[at]);
  const std::size_t begin = at + quoted;
  std::size_t end = begin;
  while (end < text.size() && is_label(text[end])) ++end;
  if (end == begin || !is_word(text[begin])) return std::nullopt;
  std::size_t equals = end;
  if (quoted) {
    if (equals >= text.size() || text[equals] != text[at]) return std::nullopt;
    ++equals;
  }
  if (equals >= text.size() || text[equals] != '=') return std::nullopt;
  return Key{text.substr(begin, end - begin), equals + 1};
}

/// The shell that follows the build arguments of a RUN, at a blank.
bool command_at(std::string_view text, std::size_t at, bool any_path) {
  const std::string_view rest = text.substr(at + 1);
  if (any_path && rest.starts_with('/')) return true;
  constexpr std::string_view shells[] = {"/bin/", "/usr/bin/", "/busybox/", "cmd ", "cmd.exe", "powershell", "pwsh"};
  return std::ranges::any_of(shells, [&](std::string_view shell) { return rest.starts_with(shell); });
}

std::size_t closing_quote(std::string_view text, std::size_t open) {
  for (std::size_t i = open + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[open]) {
      return i;
    }
  }
  return none;
}

class PairFinder {
 public:
  explicit PairFinder(std::string_view text) : text_(text) {}

  void history() {
    std::size_t at = 0;
    const std::size_t nop = text_.substr(0, nop_within).find("#(nop)");
    if (nop != none) at = nop + 6;
    at = skip_blanks(text_, at);
    while (take_word("ONBUILD", at)) at = skip_blanks(text_, at);
    if (const auto instruction = list_instruction(at)) {
      list(*instruction, without_suffix());
      return;
    }
    if (take_word("RUN", at)) at = skip_blanks(text_, at);
    at = arguments(at);
    words(at, text_.size());
  }

  /// Named values within the values that were found: connection strings, options of an interpreter.
  void within() {
    const std::vector<NamedValue> outer = pairs_;
    for (const NamedValue& pair : outer)
      if (pair.exact) words(pair.begin, pair.end);
  }

  void lines() {
    for (std::size_t at = 0; at < text_.size();) {
      std::size_t first = at;
      while (first < text_.size() && (text_[first] == ' ' || text_[first] == '\t')) ++first;
      if (const auto instruction = list_instruction(first)) {
        const std::size_t end = logical_line(at);
        list(*instruction, end);
        at = end + 1;
      } else {
        const std::size_t end = std::min(text_.find('\n', at), text_.size());
        words(at, end);
        at = end + 1;
      }
    }
  }

  std::vector<NamedValue> take() { return std::move(pairs_); }

 private:
  struct Instruction {
    std::size_t at;
    bool names_alone;  // ARG: a word without '=' is a name, not the old form `ENV NAME value`
  };

  bool take_word(std::string_view word, std::size_t& at) const {
    if (!text_.substr(at).starts_with(word)) return false;
    const std::size_t end = at + word.size();
    if (end >= text_.size() || !is_blank(text_[end])) return false;
    at = end;
    return true;
  }

  std::optional<Instruction> list_instruction(std::size_t at) const {
    if (take_word("ARG", at)) return Instruction{at, true};
    if (take_word("ENV", at) || take_word("LABEL", at)) return Instruction{at, false};
    return std::nullopt;
  }

  /// Newer Buildah appends how it was built.
  std::size_t without_suffix() const {
    std::size_t end = text_.size();
    for (const std::string_view suffix : {"|unsetLabel=", "|force-mtime="}) end = std::min(end, text_.find(suffix));
    return end;
  }

  std::size_t logical_line(std::size_t at) const {
    for (;; ++at) {
      at = std::min(text_.find('\n', at), text_.size());
      std::size_t before = at;
      while (before > 0 && (text_[before - 1] == '\r' || text_[before - 1] == ' ')) --before;
      if (at == text_.size() || before == 0 || text_[before - 1] != '\\') return at;
    }
  }

  void add(std::string_view name, std::size_t begin, std::size_t end, bool exact) {
    while (begin < end && is_blank(text_[begin])) ++begin;
    while (end > begin && is_blank(text_[end - 1])) --end;
    if (begin < end) pairs_.push_back({name, begin, end, exact});
  }

  /// Where the next ` NAME=` begins, looked for from a blank on; `end` when there is none.
  std::size_t next_key(std::size_t at, std::size_t end) const {
    const std::string_view text = text_.substr(0, end);
    while (at < end) {
      if (!is_blank(text[at])) {
        ++at;
        continue;
      }
      const std::size_t next = skip_blanks(text, at);
      if (key_at(text, next)) return at;
      at = std::max(next, at + 1);
    }
    return end;
  }

  void list(Instruction instruction, std::size_t end) {
    const std::string_view text = text_.substr(0, end);
    std::size_t at = skip_blanks(text, instruction.at);
    for (bool first = true; at < end; first = false) {
      const auto key = key_at(text, at);
      if (!key && first && !instruction.names_alone) {
        std::size_t stop = at;
        while (stop < end && !is_blank(text[stop])) ++stop;
        add(text.substr(at, stop - at), stop, end, true);
        return;
      }
      if (!key) {
        while (at < end && !is_blank(text[at])) ++at;
        at = skip_blanks(text, at);
        continue;
      }
      std::size_t stop = none;
      if (key->after < end && is_quote(text[key->after])) {
        const std::size_t closing = closing_quote(text, key->after);
        // A quote that ends within a word is part of an unquoted value: {"a":"b"}.
        if (closing != none && (closing + 1 == end || is_blank(text[closing + 1]))) {
          add(key->name, key->after + 1, closing, true);
          stop = closing + 1;
        }
      }
      if (stop == none) {
        stop = next_key(key->after, end);
        add(key->name, key->after, stop, true);
      }
      at = skip_blanks(text, stop);
    }
  }

  /// `|N A=x B=y` before the command of a RUN; returns where the command begins.
  std::size_t arguments(std::size_t at) {
    if (at >= text_.size() || text_[at] != '|') return at;
    std::size_t digits = at + 1;
    std::size_t count = 0;
    while (digits < text_.size() && is_digit(text_[digits]) && count < text_.size())
      count = count * 10 + static_cast<std::size_t>(text_[digits++] - '0');
    if (digits == at + 1) return at;
    at = skip_blanks(text_, digits);
    for (; count > 0; --count) {
      const auto key = key_at(text_, at);
      if (!key) return at;  // Buildah counts blanks, not pairs
      const std::size_t next = next_key(key->after, text_.size());
      std::size_t stop = command_between(key->after, next, count == 1);
      const bool command = stop != none;
      if (!command) stop = count == 1 ? first_blank(key->after) : next;
      add(key->name, key->after, stop, true);
      at = skip_blanks(text_, stop);
      if (command) return at;
    }
    return at;
  }

  std::size_t command_between(std::size_t at, std::size_t end, bool any_path) const {
    for (; at < end; ++at)
      if (is_blank(text_[at]) && command_at(text_, at, any_path)) return at;
    return end < text_.size() && command_at(text_, end, any_path) ? end : none;
  }

  std::size_t first_blank(std::size_t at) const {
    while (at < text_.size() && !is_blank(text_[at])) ++at;
    return at;
  }

  void words(std::size_t at, std::size_t end) {
    Region region{end};
    for (std::size_t i = at; i < end; ++i) {
      if (text_[i] == '=') {
        equals_pair(at, i, region);
      } else if (text_[i] == ':' && i + 1 < end) {
        colon_pair(at, i, region);
      }
    }
  }

  struct Region {
    std::size_t end;
    std::size_t unquoted = 0;  // the end of the last value without quotes, and the next '&': searched once
    std::size_t ampersand = 0;
    bool no_double = false, no_single = false, no_brace = false;  // no closing one follows any more
  };

  /// `NAME: value`, `"NAME":"value"`, `${NAME:-value}`.
  void colon_pair(std::size_t at, std::size_t colon, Region& region) {
    const char next = text_[colon + 1];
    if (next == '-' || next == '=') {
      const std::string_view name = name_before(at, colon);
      const std::size_t begin = colon + 2;
      const std::size_t open = colon - name.size();
      if (name.empty() || open < at + 2 || text_.substr(open - 2, 2) != "${") return;
      if (region.no_brace) return;
      const std::size_t brace = text_.find('}', begin);
      region.no_brace = brace == none;
      const std::size_t close = std::min(brace, region.end);
      add(name, begin, close, false);
      return;
    }
    std::size_t begin = colon + 1;
    while (begin < region.end && (text_[begin] == ' ' || text_[begin] == '\t')) ++begin;
    if (begin > colon + 1 || is_quote(next) || next == '\\') word_pair(at, colon, begin, region);
  }

  /// `NAME=value`, `name = value` of configuration files, `name := "value"`, `"name" => "value"`. `"$NAME" = value` is
  /// a comparison.
  void equals_pair(std::size_t at, std::size_t equals, Region& region) {
    const bool arrow = equals + 1 < region.end && text_[equals + 1] == '>';
    const std::size_t open = equals > at && text_[equals - 1] == ':' ? equals - 1 : equals;
    std::size_t stop = open, begin = equals + (arrow ? 2 : 1);
    while (stop > at && open - stop < most_blanks && text_[stop - 1] == ' ') --stop;
    const std::size_t behind = begin;
    while (begin < region.end && begin - behind < most_blanks && text_[begin] == ' ') ++begin;
    const bool spaced = stop < open && begin > behind;
    if (!spaced) {
      if (open == equals) word_pair(at, equals, behind, region);
      return;
    }
    if (stop == at || (!arrow && !is_word(text_[stop - 1]))) return;
    const std::string_view name = name_before(at, stop);
    if (name.empty()) return;
    const auto start = static_cast<std::size_t>(name.data() - text_.data());
    if (!arrow && start > at && !is_blank(text_[start - 1])) return;
    word_pair(at, stop, begin, region);
  }

  std::string_view name_before(std::size_t at, std::size_t separator) const {
    std::size_t stop = separator;
    if (stop > at && is_quote(text_[stop - 1])) --stop;
    if (stop < separator && stop > at && text_[stop - 1] == '\\') --stop;
    std::size_t start = stop;
    while (start > at && stop - start < longest_name && is_name(text_[start - 1])) --start;
    const bool defined = text_.substr(start, stop - start).starts_with("-D");
    if (defined) start += 2;
    while (start < stop && !is_word(text_[start])) ++start;
    return text_.substr(start, stop - start);
  }

  void word_pair(std::size_t at, std::size_t separator, std::size_t begin, Region& region) {
    const std::string_view name = name_before(at, separator);
    if (name.empty() || begin >= region.end || text_[begin] == '=') return;
    const bool escaped = text_[begin] == '\\' && begin + 1 < region.end && is_quote(text_[begin + 1]);
    const std::size_t open = begin + escaped;
    if (is_quote(text_[open])) {
      bool& hopeless = text_[open] == '"' ? region.no_double : region.no_single;
      if (!hopeless) {
        const std::size_t closing = escaped ? text_.substr(0, region.end).find(text_[open], open + 1)
                                            : closing_quote(text_.substr(0, region.end), open);
        if (closing != none) {
          add(name, open + 1, closing - (escaped && closing > open + 1 && text_[closing - 1] == '\\'), false);
          return;
        }
        hopeless = !escaped;
      }
      begin = open + 1;
    }
    if (begin >= region.unquoted) region.unquoted = unquoted_end(begin, region.end);
    std::size_t end = std::max(begin, region.unquoted);
    const auto start = static_cast<std::size_t>(name.data() - text_.data());
    const bool parameter = start > at && (text_[start - 1] == '?' || text_[start - 1] == '&');
    if (parameter) {
      if (begin > region.ampersand) region.ampersand = std::min(text_.find('&', begin), region.end);
      end = std::min(end, region.ampersand);
    }
    const std::size_t known = pairs_.size();
    add(name, begin, end, false);
    if (pairs_.size() > known) pairs_.back().parameter = parameter;
  }

  std::size_t unquoted_end(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i) {
      const char c = text_[i];
      const char next = i + 1 < end ? text_[i + 1] : '\0';
      if (is_blank(c) || is_quote(c) || c == ';' || c == '|' || c == ')' || c == '`' || c == '>') return i;
      if ((c == '\\' && is_quote(next)) || (c == '&' && next == '&') || (c == '<' && i > begin)) return i;
      // A '}' may close a reference: it stays.
      if ((c == ']' || c == '}' || c == ',') && (next == '\0' || is_blank(next))) return c == '}' ? i + 1 : i;
    }
    return end;
  }

  std::string_view text_;
  std::vector<NamedValue> pairs_;
};

}  // namespace

std::vector<NamedValue> find_pairs(std::string_view text, TextForm form) {
  PairFinder finder(text);
  if (form == TextForm::history) {
    finder.history();
  } else {
    finder.lines();
  }
  finder.within();
  std::vector<NamedValue> pairs = finder.take();
  std::ranges::stable_sort(pairs, {}, &NamedValue::begin);
  return pairs;
}

}  // namespace ocilint
