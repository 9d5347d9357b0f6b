// Ctrl-C leaves nothing behind: the lines of progress are erased, a report that is not whole is removed, and the
// program ends by the signal, so that a shell sees 130 and stops its loop too. The same for SIGTERM and SIGHUP, unless
// the caller ignores them (nohup). State of the whole process; the handler calls only what a handler may.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ocilint::cli {

void tidy_on_signals();

/// A file that is removed when a signal ends the program before remove_on_signal("") or another name. One at a time.
void remove_on_signal(const std::string& file);

/// Draws lines of progress on standard error; `lines` of them stand then, the cursor in the last one. It begins in the
/// first of those that stand already; to clear them is for `text`.
void draw_progress(std::string_view text, std::size_t lines);
/// Erases them, from any thread.
void erase_progress();
/// Erases them, and none is drawn any more: the program ends while other threads go on.
void end_progress();

}  // namespace ocilint::cli
