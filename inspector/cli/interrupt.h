// Ctrl-C leaves nothing behind: the line of progress is erased, a report that is not whole is removed, and the program
// ends by the signal, so that a shell sees 130 and stops its loop too. The same for SIGTERM and SIGHUP, unless the
// caller ignores them (nohup). State of the whole process; the handler calls only what a handler may.
#pragma once

#include <string>

namespace ocilint::cli {

void tidy_on_signals();

/// A file that is removed when a signal ends the program before remove_on_signal("") or another name. One at a time.
void remove_on_signal(const std::string& file);

/// Whether a line of progress stands on standard error now.
void progress_stands(bool stands);
/// Erases it, from any thread.
void erase_progress();

}  // namespace ocilint::cli
