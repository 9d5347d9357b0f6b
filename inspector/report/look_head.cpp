#include "report/look_head.h"

#include <fmt/format.h>

#include "base/json.h"
#include "report/escape.h"
#include "report/json_text.h"
#include "report/paint.h"
#include "report/report.h"

namespace ocilint {
namespace {

constexpr int schema_version = 1;  // fields are only ever added to a version
constexpr std::size_t short_digits = 12;

}  // namespace

std::string heading(const LookedAt& image, const LookStyle& style, std::string_view before) {
  std::string name = std::string(before) + for_terminal(image.full_reference);
  if (!image.manifest_digest.empty() && image.full_reference.find(image.manifest_digest) == std::string::npos)
    name += "@" + for_terminal(image.manifest_digest);
  std::string more = image.platform.empty() ? "" : for_terminal(image.platform) + " · ";
  more += count_of(image.layers, "layer");
  if (image.stored_bytes > 0) more += ", " + human_bytes(image.stored_bytes);
  const bool fits = style.width == 0 || columns(name) + 3 + columns(more) <= style.width;
  if (fits) return paint(name + " · " + more, Hue::bold, style.color) + "\n";
  return paint(name, Hue::bold, style.color) + "\n" + paint("  " + more, Hue::bold, style.color) + "\n";
}

nlohmann::ordered_json look_document(std::string_view verb, const LookedAt& image) {
  nlohmann::ordered_json out;
  out["schema_version"] = schema_version;
  out["tool"] = {{"name", "ocilint"}, {"version", OCILINT_VERSION}};
  out["verb"] = verb;
  nlohmann::ordered_json& head = out["image"];
  put_text(head, "reference", image.reference);
  put_text(head, "full_reference", image.full_reference);
  head["manifest_digest"] = for_json(image.manifest_digest);
  head["platform"] = for_json(image.platform);
  head["layers"] = image.layers;
  head["stored_bytes"] = image.stored_bytes;
  return out;
}

std::string count_of(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string short_name(std::string_view layer_name) {
  if (const std::size_t colon = layer_name.find(':'); colon != std::string_view::npos)
    layer_name.remove_prefix(colon + 1);
  return for_terminal(layer_name.substr(0, short_digits));
}

}  // namespace ocilint
