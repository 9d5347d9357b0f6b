// Texts of an image made safe for one kind of output. Inside the program strings are raw bytes; each format
// escapes where it writes, and nothing else does. Pure.
//
// for_terminal(): everything outside printable UTF-8 becomes \xHH or \u{H}: C0, DEL, C1, bidi controls, line and
// paragraph separators; CR and LF always, so that no text of an image can begin a line. CI systems read commands
// out of logs, with blanks before them ("::error") or in the middle of a line ("##[error]", "##vso[…]"): a colon
// that begins a text (after blanks) and the first # of such a command are escaped too.
#pragma once

#include <string>
#include <string_view>

namespace ocilint {

std::string for_terminal(std::string_view text);

/// The same, cut to `most` characters with an ellipsis.
std::string for_terminal(std::string_view text, std::size_t most);

/// For texts and quoted attributes of HTML and SVG: for_terminal(), so that direction marks and control characters
/// are seen, and then no character with a meaning in markup.
std::string for_html(std::string_view text);
std::string for_html(std::string_view text, std::size_t most);

/// Valid UTF-8: bytes that are not become \xHH. Control characters stay, JSON escapes them itself.
std::string for_json(std::string_view text);

/// Does a command that a CI system would find anywhere in a line begin here: ##, letters, [?
bool begins_log_command(std::string_view text);

/// Columns that a terminal needs for a text that for_terminal() made.
std::size_t columns(std::string_view text);

}  // namespace ocilint
