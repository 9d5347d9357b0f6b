// Bytes of an image on their way into a policy's texts: escaped where they could act as a pattern, refused
// where they could lead elsewhere. Inside the stage. Pure functions; path_part throws Error{corrupt}.
#pragma once

#include <string>
#include <string_view>

namespace ocilint {

/// Any byte below a blank, or DEL.
bool has_control(std::string_view text);

/// For messages: in quotes, one line, cut after some bytes.
std::string in_quotes(std::string_view text);

/// Without blanks and newlines at the end: files end in one, values do not.
std::string_view without_end(std::string_view text);

/// A text that matches itself and nothing else in a glob.
std::string glob_escaped(std::string_view text);

/// A value as a part of a path. At its front (`leading`) it must be absolute; elsewhere it may only have a
/// slash where `slashes` says so. Components that are `.`, `..` or empty are refused anywhere.
std::string path_part(std::string_view variable, std::string_view value, bool leading, bool slashes);

}  // namespace ocilint
