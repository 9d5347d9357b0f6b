#include "facts/deb822.h"

#include <algorithm>

#include "facts/limits.h"
#include "facts/lines.h"
#include "facts/notes.h"

namespace ocilint {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_field_name(std::string_view name) {
  return !name.empty() && name.front() != '-' && name.front() != '#' &&
         std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 127 && c != ':'; });
}

}  // namespace

bool equal_without_case(std::string_view left, std::string_view right) {
  return left.size() == right.size() &&
         std::equal(left.begin(), left.end(), right.begin(), [](char a, char b) { return lower(a) == lower(b); });
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

const Deb822Field* Deb822Stanza::find(std::string_view name) const {
  for (const Deb822Field& field : fields_)
    if (equal_without_case(field.name, name)) return &field;
  return nullptr;
}

std::string_view Deb822Stanza::value(std::string_view name) const {
  const Deb822Field* field = find(name);
  return field ? field->value : std::string_view{};
}

Deb822Reader::Deb822Reader(std::string_view text, LastLine last) : text_(text), last_(last) {}

bool Deb822Reader::next(Deb822Stanza& stanza) {
  stanza.fields_.clear();
  std::size_t start = 0;       // of the stanza
  std::size_t value_from = 0;  // of the last field, up to at_
  const auto end_value = [&] {
    if (stanza.fields_.empty()) return;
    Deb822Field& field = stanza.fields_.back();
    std::size_t from = value_from, to = at_;
    while (to > from && is_space(text_[to - 1])) --to;
    for (; from < to && is_space(text_[from]); ++from)
      if (text_[from] == '\n') ++field.value_line;
    field.value = text_.substr(from, to - from);
  };
  for (; at_ < text_.size(); ++line_) {
    const auto newline = text_.find('\n', at_);
    if (newline == text_.npos && last_ == LastLine::newline_required)
      corrupt_line(line_, "the last line has no newline; the file may be cut");
    const std::size_t end = std::min(newline, text_.size());
    const std::size_t behind = end == text_.size() ? end : end + 1;
    const auto line = text_.substr(at_, end - at_);
    if (line.find('\0') != line.npos) corrupt_line(line_, "a NUL byte");
    if (line.empty()) {
      end_value();
      at_ = behind;
      if (stanza.fields_.empty()) continue;
      ++line_;
      check_duplicates(stanza);
      return true;
    }
    if (stanza.fields_.empty()) {
      start = at_;
      stanza.line_ = line_;
    }
    if (behind - start > stanza_bytes) limit_line(line_, "a stanza of more bytes than is allowed");
    // For dpkg an error, for others the end of a stanza: there is no telling.
    if (trim_blanks(line).empty()) corrupt_line(line_, "a line of blanks");
    if (line.front() != ' ' && line.front() != '\t') {
      const auto colon = line.find(':');
      if (colon == line.npos) corrupt_line(line_, "a field without colon");
      auto name = line.substr(0, colon);
      while (name.ends_with(' ') || name.ends_with('\t')) name.remove_suffix(1);  // as dpkg does
      if (!is_field_name(name)) corrupt_line(line_, "this is no name of a field");
      if (stanza.fields_.size() == stanza_fields) limit_line(line_, "too many fields in a stanza");
      end_value();
      stanza.fields_.push_back({name, {}, line_, line_});
      value_from = at_ + colon + 1;
    } else if (stanza.fields_.empty()) {
      corrupt_line(line_, "a stanza begins with a continuation line");
    }
    at_ = behind;
  }
  end_value();
  check_duplicates(stanza);
  return !stanza.fields_.empty();
}

// At most stanza_fields of them, and names of one length only are compared byte by byte.
void Deb822Reader::check_duplicates(const Deb822Stanza& stanza) const {
  const auto& fields = stanza.fields_;
  for (std::size_t i = 1; i < fields.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (equal_without_case(fields[i].name, fields[j].name))
        corrupt_line(fields[i].line, "field " + std::string(fields[i].name) + " stands twice in a stanza");
}

}  // namespace ocilint
