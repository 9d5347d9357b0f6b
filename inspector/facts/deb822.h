// deb822(5) stanzas: fields `Name: value`, lines beginning with a blank go on, an empty line ends the stanza.
//
// A reader over a text that the caller keeps; fields are views of it. Error{corrupt} with the line: a line that
// is no field, a name that is empty or has blanks or begins with `-` or `#`, a field that stands twice (names
// are compared without case), NUL, a line of blanks only, a last line without newline unless allowed (a cut file).
// Error{limit}: stanza_bytes, stanza_fields. Linear in the text. One thread at a time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ocilint {

struct Deb822Field {
  std::string_view name;
  std::string_view value;      // blanks at both ends removed; inner lines as they are, with newline and indent
  std::size_t line = 0;        // of the name
  std::size_t value_line = 0;  // of the first byte of value
};

class Deb822Stanza {
 public:
  const std::vector<Deb822Field>& fields() const { return fields_; }
  std::size_t line() const { return line_; }
  const Deb822Field* find(std::string_view name) const;  // without case
  std::string_view value(std::string_view name) const;   // empty when absent

 private:
  friend class Deb822Reader;
  std::vector<Deb822Field> fields_;
  std::size_t line_ = 0;
};

class Deb822Reader {
 public:
  enum class LastLine { newline_required, newline_optional };

  explicit Deb822Reader(std::string_view text, LastLine last = LastLine::newline_required);

  /// The next stanza, which has at least one field; false at the end.
  bool next(Deb822Stanza& stanza);

 private:
  void check_duplicates(const Deb822Stanza& stanza) const;

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  LastLine last_;
};

/// ASCII only, whatever the locale.
bool equal_without_case(std::string_view left, std::string_view right);
std::string lower_case(std::string_view text);

}  // namespace ocilint
