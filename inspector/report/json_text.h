// JSON as it is written by every report that is JSON: ASCII, so that no control character reaches a terminal,
// and without a text that a CI system would take for a command in a log. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ocilint {

std::string json_text(const nlohmann::ordered_json& value);

}  // namespace ocilint
