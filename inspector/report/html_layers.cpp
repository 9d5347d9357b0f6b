#include <fmt/format.h>

#include <algorithm>

#include "report/escape.h"
#include "report/html_parts.h"
#include "report/layers.h"
#include "report/look_head.h"

namespace ocilint {
namespace {

constexpr double strip_width = 1200, strip_height = 56, least_width = 3;

double size_of(const HtmlLayer& layer) {
  return static_cast<double>(layer.unpacked_bytes > 0 ? layer.unpacked_bytes : layer.stored_bytes);
}

std::string tip(const HtmlLayer& layer, std::size_t number) {
  std::string out = fmt::format("layer {}: {}", number,
                                human_bytes(layer.unpacked_bytes > 0 ? layer.unpacked_bytes : layer.stored_bytes));
  if (layer.use != nullptr) {
    out += fmt::format(", {} added, {} changed, {} removed", grouped(layer.use->added), grouped(layer.use->changed),
                       grouped(layer.use->removed));
    if (layer.use->hidden_bytes > 0) out += ", " + human_bytes(layer.use->hidden_bytes) + " hidden by later layers";
  }
  if (layer.shared) out += ", the same in both images";
  return out;
}

/// A box a layer, as wide as it is big; what later layers hide of it is hatched.
std::string strip(const std::vector<HtmlLayer>& layers, const HtmlPlace& place) {
  double total = 0;
  for (const HtmlLayer& layer : layers) total += size_of(layer);
  const double least = std::min(least_width, strip_width / static_cast<double>(layers.size()));
  const double room = strip_width - least * static_cast<double>(layers.size());
  std::string out = fmt::format(
      "<svg class=\"strip\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Layers by size, base first; the table below says the same\">\n"
      "<defs><pattern id=\"{}-hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
      "<rect class=\"hatch\" width=\"2.4\" height=\"6\"/></pattern></defs>\n",
      strip_width, strip_height, place.id);
  double at = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const HtmlLayer& layer = layers[i];
    const auto number = static_cast<std::uint32_t>(i);
    const double width =
        least + (total > 0 ? room * size_of(layer) / total : room / static_cast<double>(layers.size()));
    out += fmt::format(
        "<a href=\"#{}\" tabindex=\"-1\"><title>{}</title><rect class=\"seg {}{}\" x=\"{:.2f}\" y=\"0\" width=\"{:.2f}\" height=\"{}\"/>",
        place.layer_id(number), for_html(tip(layer, i)), place.colour(number), layer.shared ? " both" : "", at, width,
        strip_height);
    if (layer.use != nullptr && layer.use->hidden_bytes > 0 && layer.use->content_bytes > 0) {
      const double share = static_cast<double>(layer.use->hidden_bytes) / static_cast<double>(layer.use->content_bytes);
      const double height = std::max(2.0, share * strip_height);
      out += fmt::format("<rect fill=\"url(#{}-hatch)\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/>",
                         place.id, at, strip_height - height, width, height);
    }
    out += "</a>\n";
    at += width;
  }
  return out + "</svg>\n";
}

std::string strip_numbers(const std::vector<HtmlLayer>& layers) {
  double total = 0;
  for (const HtmlLayer& layer : layers) total += size_of(layer);
  const double least = std::min(least_width, strip_width / static_cast<double>(layers.size()));
  const double room = strip_width - least * static_cast<double>(layers.size());
  std::string out = fmt::format("<svg class=\"ticks\" viewBox=\"0 0 {} 18\" aria-hidden=\"true\">", strip_width);
  double at = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const double width =
        least + (total > 0 ? room * size_of(layers[i]) / total : room / static_cast<double>(layers.size()));
    if (width >= 20) out += fmt::format("<text x=\"{:.1f}\" y=\"13\">{}</text>", at + width / 2, i);
    at += width;
  }
  return out + "</svg>\n";
}

std::string number_cell(std::uint64_t number) {
  return number == 0 ? "<td class=\"num nil\">0</td>" : fmt::format("<td class=\"num\">{}</td>", grouped(number));
}

std::string table(const std::vector<HtmlLayer>& layers, const HtmlPlace& place, bool read) {
  double most = 1;
  for (const HtmlLayer& layer : layers) most = std::max(most, size_of(layer));
  std::string out =
      "<div class=\"wide\"><table class=\"layers\"><thead><tr><th scope=\"col\" class=\"num\">layer</th><th scope=\"col\">command</th>"
      "<th scope=\"col\" class=\"num\">size</th><th scope=\"col\" class=\"num\">stored</th>";
  if (read)
    out +=
        "<th scope=\"col\" class=\"num\">added</th><th scope=\"col\" class=\"num\">changed</th><th scope=\"col\" class=\"num\">removed</th>"
        "<th scope=\"col\" class=\"num\">hidden later</th>";
  out += "</tr></thead><tbody>\n";
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const HtmlLayer& layer = layers[i];
    const auto number = static_cast<std::uint32_t>(i);
    out += fmt::format(
        "<tr id=\"{}\"><th scope=\"row\" class=\"num\"><i class=\"dot {}\"></i>{}</th><td>{}<span class=\"digest\">{}{}{}</span></td>",
        place.layer_id(number), place.colour(number), i,
        layer.created_by.empty() ? "<span class=\"quiet\">no history line</span>" : html_command(layer.created_by),
        for_html(short_name(layer.name)), layer.compression.empty() ? "" : " " + for_html(layer.compression),
        layer.shared ? ", the same in both" : "");
    out += fmt::format(
        "<td class=\"num\">{}<svg class=\"bar\" viewBox=\"0 0 100 3\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"seg {}\" "
        "width=\"{:.1f}\" height=\"3\"/></svg></td><td class=\"num\">{}</td>",
        layer.unpacked_bytes > 0 || read ? human_bytes(layer.unpacked_bytes) : "not read", place.colour(number),
        size_of(layer) / most * 100, human_bytes(layer.stored_bytes));
    if (read) {
      const LayerUse none;
      const LayerUse& use = layer.use != nullptr ? *layer.use : none;
      out += number_cell(use.added) + number_cell(use.changed) + number_cell(use.removed);
      out += use.hidden_bytes == 0 ? "<td class=\"num nil\">0</td>"
                                   : fmt::format("<td class=\"num\">{}</td>", human_bytes(use.hidden_bytes));
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string hidden_paths(const HtmlLayerSums& sums, const HtmlPlace& place) {
  if (sums.hidden.empty()) return "";
  std::string out =
      "<details class=\"aside\"><summary>Files that are stored, but hidden by later layers</summary>\n<div class=\"wide\"><table><thead><tr><th scope=\"col\" class=\"num\">hidden</th>"
      "<th scope=\"col\">path</th><th scope=\"col\">stored in</th><th scope=\"col\">last touched by</th></tr></thead><tbody>\n";
  for (const HiddenPath& hidden : sums.hidden) {
    std::string in;
    for (std::size_t i = 0; i < std::min<std::size_t>(hidden.layers.size(), 6); ++i)
      in += (i == 0 ? "" : " ") + place.layer_link(hidden.layers[i]);
    if (hidden.layers.size() > 6) in += fmt::format(" and {} more", hidden.layers.size() - 6);
    out += fmt::format("<tr><td class=\"num\">{}</td><td><code>{}</code></td><td>{}</td><td>{}</td></tr>\n",
                       human_bytes(hidden.bytes), for_html(hidden.path), in, place.layer_link(hidden.last_layer));
  }
  out += "</tbody></table></div>\n";
  std::uint64_t shown = 0;
  for (const HiddenPath& hidden : sums.hidden) shown += hidden.bytes;
  if (shown < sums.hidden_bytes)
    out += "<p class=\"more\">" + human_bytes(sums.hidden_bytes - shown) +
           " more in smaller files; <code>ocilint layers --top</code> shows as many as you like.</p>\n";
  return out + "</details>\n";
}

}  // namespace

std::string html_layers(const std::vector<HtmlLayer>& layers, const HtmlLayerSums* sums, const HtmlPlace& place,
                        std::string_view title) {
  if (layers.empty()) return "";
  std::string out = fmt::format(
      "<section class=\"part\" aria-labelledby=\"{0}-layers\">\n<h2 id=\"{0}-layers\">{1}</h2>\n", place.id, title);
  if (sums != nullptr) {
    out += fmt::format(
        "<p class=\"lead\">{} in files, of which {} are hidden by later layers; efficiency {} as dive counts it. Base at the left, hatched: hidden.</p>\n",
        human_bytes(sums->content_bytes), human_bytes(sums->hidden_bytes), percent(sums->score));
  } else {
    out += "<p class=\"lead\">What the layers hold is not shown: no check looked at files. Base at the left.</p>\n";
  }
  out += "<div class=\"stripbox\">" + strip(layers, place) + strip_numbers(layers) + "</div>" +
         table(layers, place, sums != nullptr);
  if (sums != nullptr) out += hidden_paths(*sums, place);
  return out + "</section>\n";
}

}  // namespace ocilint
