#include "facts/os_release.h"

#include <algorithm>

#include "facts/limits.h"
#include "facts/lines.h"

namespace ocilint {
namespace {

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// One word of the shell, without expansion. Pieces may follow each other, as in a'b'"c".
class Word {
 public:
  Word(std::string_view text, std::size_t line, Notes& notes) : text_(text), line_(line), notes_(notes) {}

  std::string read() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '\'')
        single_quoted();
      else if (c == '"')
        double_quoted();
      else if (c == '\\')
        escaped();
      else if (c == ' ' || c == '\t')
        return behind_word();
      else
        plain(c);
    }
    return std::move(value_);
  }

 private:
  void single_quoted() {
    const auto end = text_.find('\'', at_);
    if (end == text_.npos) corrupt_line(line_, "a quote that does not end");
    value_ += text_.substr(at_, end - at_);
    at_ = end + 1;
  }
  void double_quoted() {
    while (true) {
      if (at_ >= text_.size()) corrupt_line(line_, "a quote that does not end");
      const char c = text_[at_++];
      if (c == '"') return;
      if (c != '\\') {
        plain(c);
        continue;
      }
      if (at_ >= text_.size()) corrupt_line(line_, "a quote that does not end");
      if (std::string_view("\"$\\`").find(text_[at_]) == std::string_view::npos) value_ += '\\';
      value_ += text_[at_++];
    }
  }
  void escaped() {
    if (at_ >= text_.size()) corrupt_line(line_, "a backslash at the end");
    value_ += text_[at_++];
  }
  void plain(char c) {
    if (c == '$' || c == '`') add_note(notes_, line_, "an expansion, which is not done");
    value_ += c;
  }
  std::string behind_word() {
    const auto rest = trim_blanks(text_.substr(at_));
    if (!rest.empty() && rest.front() != '#') add_note(notes_, line_, "text behind the value");
    return std::move(value_);
  }

  std::string_view text_;
  std::size_t line_;
  Notes& notes_;
  std::size_t at_ = 0;
  std::string value_;
};

}  // namespace

OsRelease OsRelease::parse(std::string_view text) {
  require_text(text, small_text_bytes);
  OsRelease release;
  for (Lines lines(text); lines.next();) {
    auto line = lines.text();
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
      add_note(release.notes, lines.number(), "a CR at the end");
    }
    line = trim_blanks(line);
    if (line.empty() || line.front() == '#') continue;
    const auto equals = line.find('=');
    if (equals == line.npos || !is_name(line.substr(0, equals))) {
      add_note(release.notes, lines.number(), "no assignment");
      continue;
    }
    const auto name = line.substr(0, equals);
    std::string value = Word(line.substr(equals + 1), lines.number(), release.notes).read();
    const auto same = std::find_if(release.variables.begin(), release.variables.end(),
                                   [&](const auto& variable) { return variable.first == name; });
    if (same == release.variables.end()) {
      if (release.variables.size() == os_release_variables) limit_line(lines.number(), "too many variables");
      release.variables.emplace_back(name, std::move(value));
      continue;
    }
    add_note(release.notes, lines.number(), std::string(name) + " is set again");
    same->second = std::move(value);
  }
  return release;
}

std::optional<std::string_view> OsRelease::find(std::string_view name) const {
  for (const auto& [key, value] : variables)
    if (key == name) return value;
  return std::nullopt;
}

std::string_view OsRelease::id() const { return find("ID").value_or("linux"); }
std::string_view OsRelease::version_id() const { return find("VERSION_ID").value_or(""); }
std::string_view OsRelease::version_codename() const { return find("VERSION_CODENAME").value_or(""); }
std::string_view OsRelease::pretty_name() const { return find("PRETTY_NAME").value_or(""); }

std::vector<std::string_view> OsRelease::id_like() const {
  std::vector<std::string_view> ids;
  std::string_view left = find("ID_LIKE").value_or("");
  while (!(left = trim_blanks(left)).empty()) {
    const auto id = left.substr(0, left.find_first_of(" \t"));
    ids.push_back(id);
    left.remove_prefix(id.size());
  }
  return ids;
}

}  // namespace ocilint
