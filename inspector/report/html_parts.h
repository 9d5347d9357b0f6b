// The parts of the HTML report: each gives markup for one section of the page (report/html.cpp puts them together).
//
// Strings of an image get into markup through for_html() only. Nothing has a style attribute or an event handler: the
// page's policy would refuse both. `id` is the image's prefix for ids within the page: "i0". Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"
#include "report/treemap.h"

namespace ocilint {

/// Written by CMake from report/html/.
extern const std::string_view html_style, html_script;

/// A whole page: `title` is a text, `articles` and `footer`, a sentence, are markup.
std::string html_page(std::string_view title, const std::string& articles, std::string_view footer);

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
std::string html_story(const NameStory& story, const std::vector<LayerResult>& layers,
                       std::optional<std::uint32_t> culprit, const HtmlPlace& place);

/// A layer as strip and table show it.
struct HtmlLayer {
  std::string name, created_by, compression;
  std::uint64_t unpacked_bytes = 0, stored_bytes = 0;
  const LayerUse* use = nullptr;  // null: layers were not read
  bool shared = false;            // of a difference: the other image has it too
};

/// What all layers come to, where they were read.
struct HtmlLayerSums {
  std::uint64_t content_bytes = 0, hidden_bytes = 0;
  double score = 1;
  std::span<const HiddenPath> hidden;  // the biggest
};
std::string html_layers(const std::vector<HtmlLayer>& layers, const HtmlLayerSums* sums, const HtmlPlace& place,
                        std::string_view title = "Layers");
std::string html_map(const ImageSurvey& survey, const HtmlPlace& place, bool findings);

/// One box of a treemap. `kind`: its classes; `name`: a path, of which the last part is written on it; `tip`: markup.
std::string html_tile(const Tile& tile, const std::string& kind, std::string_view name, std::uint64_t bytes,
                      const std::string& tip);

/// Everything below the head: checks, layers, map, grounds.
std::string html_image_parts(const ImageResult& result, const HtmlPlace& place);

/// Policies, gates, and what the verdict rests on.
std::string html_grounds(const ImageResult& result);

/// A history line as its author wrote it, a line each.
std::string html_command(std::string_view created_by);

/// A text in the letters of paths and commands.
std::string html_code(std::string_view text);
/// A line of a list of facts; "" without markup.
std::string html_fact(std::string_view label, const std::string& markup);
/// A number of the head: `kind` is its class, "nil" too for 0. What nobody looked for is no 0 but "?".
std::string html_figure(std::string_view label, std::optional<std::size_t> count, std::string_view kind);
/// What could not be told; `before` is markup.
std::string html_holes(std::string_view before, const std::vector<std::string>& texts);
/// "12 more are not shown here; -o json has every one."
std::string html_left_out(std::size_t count, std::string_view where = "<code>-o json</code> has every one");
/// The page of a verb that looks: one article.
std::string html_look_page(std::string_view title, std::string_view verb, std::string_view id,
                           const std::string& article);

/// "3 layers", "1 layer", "12,345 files"
std::string count_text(std::uint64_t count, std::string_view what);
std::string grouped(std::uint64_t number);

}  // namespace ocilint
