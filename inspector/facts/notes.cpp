#include "facts/notes.h"

#include "base/error.h"

namespace ocilint {
namespace {

std::string located(std::size_t line, std::string_view text) {
  return "line " + std::to_string(line) + ": " + std::string(text);
}

}  // namespace

void add_note(Notes& notes, std::size_t line, std::string_view text) {
  if (notes.size() < notes_kept)
    notes.push_back(located(line, text));
  else if (notes.size() == notes_kept)
    notes.push_back("more of them from line " + std::to_string(line) + " on");
}

void corrupt_line(std::size_t line, std::string_view text) { corrupt(located(line, text)); }
void limit_line(std::size_t line, std::string_view text) { throw Error(ErrorKind::limit, located(line, text)); }

}  // namespace ocilint
