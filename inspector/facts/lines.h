// The lines of a text, one after the other, with their numbers. A view of a text that the caller keeps.
//
// require_text() is what every parser of lines asks first: no more than `most` bytes (Error{limit}) and no NUL
// (Error{corrupt} with its line), since a text with NUL bytes is another kind of file.
#pragma once

#include <string_view>

namespace ocilint {

void require_text(std::string_view text, std::size_t most);

class Lines {
 public:
  explicit Lines(std::string_view text) : left_(text) {}

  bool next();
  std::string_view text() const { return line_; }  // without the newline
  std::size_t number() const { return number_; }   // from 1
  bool terminated() const { return terminated_; }  // by a newline

 private:
  std::string_view left_;
  std::string_view line_;
  std::size_t number_ = 0;
  bool terminated_ = true;
};

/// Blank and tab.
std::string_view trim_blanks(std::string_view text);
/// Does the path have a component `..`?
bool has_dot_dot(std::string_view path);

}  // namespace ocilint
