// What a fact parser says beside the facts: tolerable oddities with their line, and the end of its patience.
//
// A parser throws Error{corrupt} (or Error{limit}) with the line for input that it cannot use; what it can use
// but should not be so becomes a note. Notes may hold bytes of the image. Hostile input makes no more than
// notes_kept of them: one more line then says that there were others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ocilint {

inline constexpr std::size_t notes_kept = 100;  // enough to see what is wrong with a file

using Notes = std::vector<std::string>;  // "line 12: one blank between digest and path"

void add_note(Notes& notes, std::size_t line, std::string_view text);

[[noreturn]] void corrupt_line(std::size_t line, std::string_view text);
[[noreturn]] void limit_line(std::size_t line, std::string_view text);

}  // namespace ocilint
