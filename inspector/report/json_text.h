// JSON as it is written by every report that is JSON: ASCII, so that no control character reaches a terminal,
// and without a text that a CI system would take for a command in a log. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ocilint {

std::string json_text(const nlohmann::ordered_json& value);
std::string json_line(const nlohmann::ordered_json& value);  // the same, on one line

/// Texts of the image, as an array.
nlohmann::ordered_json json_texts(const std::vector<std::string>& texts);

/// A text of the image under `key`; where its bytes are no UTF-8, they are kept beside it ("path_base64").
void put_text(nlohmann::ordered_json& object, const char* key, std::string_view text);

}  // namespace ocilint
