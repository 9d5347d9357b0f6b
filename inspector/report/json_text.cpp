#include "report/json_text.h"

#include "base/base64.h"
#include "base/json.h"
#include "report/escape.h"

namespace ocilint {
namespace {

std::string harmless(std::string text) {
  // # stands only inside strings, where \u0023 means the same.
  for (std::size_t at = 0; (at = text.find("##", at)) != std::string::npos; ++at)
    if (begins_log_command(std::string_view(text).substr(at))) text.replace(at, 1, "\\u0023");
  return text + "\n";
}

}  // namespace

std::string json_text(const nlohmann::ordered_json& value) { return harmless(value.dump(2, ' ', true)); }

std::string json_line(const nlohmann::ordered_json& value) { return harmless(value.dump(-1, ' ', true)); }

nlohmann::ordered_json json_texts(const std::vector<std::string>& texts) {
  auto out = nlohmann::ordered_json::array();
  for (const std::string& text : texts) out.push_back(for_json(text));
  return out;
}

void put_text(nlohmann::ordered_json& object, const char* key, std::string_view text) {
  const std::string safe = for_json(text);
  object[key] = safe;
  if (safe != text) object[std::string(key) + "_base64"] = encode_base64(text);
}

}  // namespace ocilint
