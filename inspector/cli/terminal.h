// What the terminal is like, and writing to it so that a failure is seen.
#pragma once

#include <string_view>

namespace ocilint::cli {

enum class When { automatic, always, never };

/// Colour for standard output: the flag, else NO_COLOR over CLICOLOR_FORCE, FORCE_COLOR over both, else whether
/// it is a terminal.
bool use_color(When when);
std::size_t terminal_width();  // 100 where it is not known

struct TerminalSize {
  std::size_t columns = 100, rows = 24;
};
TerminalSize error_size();  // of standard error
bool output_is_terminal();
bool error_is_terminal();

/// A standard descriptor that came closed is opened so that using it fails: no file may get its number and be
/// taken for standard output. Call first.
void hold_standard_descriptors();

/// Writes and flushes; false when the system refused any of it.
bool write_all(int descriptor, std::string_view text);
bool write_output(std::string_view text);  // to standard output
bool flush_output();

}  // namespace ocilint::cli
