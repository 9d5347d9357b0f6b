// The parts of the HTML report: each gives markup for one section of the page (report/html.cpp puts them together).
//
// Strings of an image get into markup through for_html() only. Nothing has a style attribute or an event handler: the
// page's policy would refuse both. `id` is the image's prefix for ids within the page: "i0". Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"
#include "report/treemap.h"

namespace ocilint {

/// Written by CMake from report/html/.
extern const std::string_view html_style, html_script;

/// A whole page: `title` is a text, `body` markup.
std::string html_page(std::string_view title, const std::string& body);

/// Where the image of one section stands, and how many steps its layers have on the scale of colours.
struct HtmlPlace {
  std::string id;
  std::size_t layers = 0;

  std::string layer_id(std::uint32_t layer) const;
  /// "c0" … "c11", base to top.
  std::string colour(std::uint32_t layer) const;
  /// A link to the layer's row: "layer 3".
  std::string layer_link(std::uint32_t layer) const;
};

std::string html_checks(const ImageResult& result, const HtmlPlace& place);
/// `culprit`: the layer that the finding names.
std::string html_story(const NameStory& story, const std::vector<LayerResult>& layers, std::optional<std::uint32_t> culprit, const HtmlPlace& place);

/// A layer as strip and table show it.
struct HtmlLayer {
  std::string name, created_by, compression;
  std::uint64_t unpacked_bytes = 0, stored_bytes = 0;
  const LayerUse* use = nullptr;  // null: layers were not read
};
std::string html_layers(const std::vector<HtmlLayer>& layers, const ImageSurvey* survey, const HtmlPlace& place);
std::string html_map(const ImageSurvey& survey, const HtmlPlace& place, bool findings);

/// One box of a treemap. `kind`: its classes; `name`: a path, of which the last part is written on it; `tip`: markup.
std::string html_tile(const Tile& tile, const std::string& kind, std::string_view name, std::uint64_t bytes, const std::string& tip);

/// Everything below the head: checks, layers, map, grounds.
std::string html_image_parts(const ImageResult& result, const HtmlPlace& place);

/// Policies, gates, and what the verdict rests on.
std::string html_grounds(const ImageResult& result);

/// A history line as its author wrote it, a line each.
std::string html_command(std::string_view created_by);

/// "3 layers", "1 layer", "12,345 files"
std::string count_text(std::uint64_t count, std::string_view what);
std::string grouped(std::uint64_t number);

}  // namespace ocilint
