// How long ago a time of a document was: "3 weeks". Pure; throws nothing.
//
// Takes RFC 3339, as configs have it. "" for what is no such time, and for times up to 1970-01-02: builders
// that want the same bytes twice write the beginning of some clock.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace ocilint {

/// RFC 3339, to whole seconds of UTC.
std::optional<std::chrono::sys_seconds> parse_time(std::string_view text);

std::string age_text(std::string_view created, std::chrono::sys_seconds now);

}  // namespace ocilint
