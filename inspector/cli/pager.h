// --pager: a long text goes through $PAGER, less unless stated, when standard output is a terminal.
#pragma once

#include <string>
#include <string_view>

namespace ocilint::cli {

/// Runs the pager of the environment with `text` as its input and waits for it. What a person leaves unread is no
/// failure. False when there is no pager that runs: the caller writes the text itself.
bool show_in_pager(std::string_view text);

}  // namespace ocilint::cli
