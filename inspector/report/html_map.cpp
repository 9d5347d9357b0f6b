#include <fmt/format.h>

#include <algorithm>

#include "report/escape.h"
#include "report/html_parts.h"
#include "report/treemap.h"

namespace ocilint {
namespace {

constexpr Box canvas = {0, 0, 1200, 620};
constexpr std::size_t package_colours = 8;  // of report/html/report.css; the others share one
constexpr std::size_t biggest_most = 25;
constexpr double letter = 6.1, big_letter = 6.5;  // widths at the sizes of the style

std::string_view base_of(std::string_view path) {
  const std::size_t slash = path.rfind('/', path.size() < 2 ? 0 : path.size() - 2);
  return slash == std::string_view::npos || path.size() == 1 ? path : path.substr(slash + 1);
}

void label(std::string& out, std::string_view kind, std::string_view text, double x, double y, double room,
           double width) {
  const auto fit = static_cast<std::size_t>(std::max(0.0, room / width));
  if (fit < 4 && columns(for_terminal(text)) > fit) return;
  out += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", kind, x, y, for_html(text, fit));
}

class Map {
 public:
  Map(const ImageSurvey& survey, const HtmlPlace& place, bool findings)
      : survey_(survey), place_(place), findings_(findings) {}

  std::string write() {
    const std::vector<Tile> tiles = lay_out(survey_.sizes, canvas);
    if (tiles.empty()) return "";
    const SizeNode& root = survey_.sizes.front();
    out_ = fmt::format(
        "<section class=\"part\" aria-labelledby=\"{0}-map\">\n<h2 id=\"{0}-map\">Where the bytes are</h2>\n<p class=\"lead\">{1} in {2} of the merged file system; "
        "a hard link counts once. Areas are in proportion to bytes.</p>\n<div class=\"mapbox\">\n",
        place_.id, human_bytes(root.bytes), count_text(root.files, "file"));
    choices();
    out_ += fmt::format(
        "<div class=\"canvas\"><svg class=\"map\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Treemap of the merged file system by size; the biggest are in the table below\">\n",
        canvas.width, canvas.height);
    std::size_t small = 0;
    for (const Tile& tile : tiles) small += !draw(tile);
    out_ += "</svg></div>\n<p class=\"readout\" hidden=\"\"></p>\n";
    legends();
    out_ += "</div>\n";
    if (small > 0)
      out_ += fmt::format("<p class=\"more\">{} too small to be drawn.</p>\n",
                          small == 1 ? "1 more box is" : grouped(small) + " more boxes are");
    biggest();
    out_ += "</section>\n";
    return std::move(out_);
  }

 private:
  /// Without a script too: the style looks at which of them is checked.
  void choices() {
    const auto one = [&](std::string_view key, std::string_view word, bool checked, bool enabled) {
      out_ += fmt::format(
          "<input type=\"radio\" class=\"pick by-{1}\" name=\"{0}-by\" id=\"{0}-by-{1}\"{2}{3}/><label for=\"{0}-by-{1}\">{4}</label>\n",
          place_.id, key, checked ? " checked=\"\"" : "", enabled ? "" : " disabled=\"\"", word);
    };
    out_ += "<span class=\"pickword\">Colour by</span>\n";
    one("layer", "layer", true, true);
    one("package", survey_.packages_known ? "package" : "package (no check read them)", false, survey_.packages_known);
    if (findings_) one("finding", "finding", false, true);
  }

  std::string classes(const SizeNode& node) const {
    std::string out = place_.colour(node.layer);
    if (survey_.packages_known)
      out += node.package == SizeNode::none   ? " pn"
             : node.package < package_colours ? fmt::format(" p{}", node.package)
                                              : " px";
    if (node.severity) out += fmt::format(" f{}", *node.severity);
    return out;
  }

  std::string name_of(const SizeNode& node) const { return node.rest ? "the rest of " + node.path : node.path; }

  std::string tip(const SizeNode& node) const {
    std::string out = fmt::format("{}\n{}", for_html(name_of(node)), human_bytes(node.bytes));
    if (node.folder || node.rest) out += " in " + count_text(node.files, "file");
    out += fmt::format("{}layer {}", node.folder || node.rest ? ", most of it from " : ", ", node.layer);
    if (node.package != SizeNode::none && node.package < survey_.packages.size())
      out += ", package " + for_html(survey_.packages[node.package]);
    if (node.severity) out += fmt::format(", has a finding: {}", to_string(static_cast<Severity>(*node.severity)));
    return out;
  }

  /// False when it is too small to be seen.
  bool draw(const Tile& tile) {
    const SizeNode& node = survey_.sizes[tile.node];
    if (tile.depth == 0 && tile.frame) return true;
    const std::string drawn =
        tile.frame ? html_tile(tile, "fr", node.path + "/", node.bytes, tip(node))
                   : html_tile(tile, "t " + classes(node),
                               node.rest ? count_text(node.files, "file") : node.path + (node.folder ? "/" : ""),
                               node.bytes, tip(node));
    out_ += drawn;
    return !drawn.empty();
  }

  void legend(std::string_view of, const std::string& items) {
    out_ += fmt::format("<ul class=\"legend of-{}\">{}</ul>\n", of, items);
  }
  static std::string swatch(const std::string& colour, const std::string& text) {
    return "<li><i class=\"sw " + colour + "\"></i>" + text + "</li>";
  }

  void legends() {
    std::string layers;
    if (place_.layers <= 12) {
      for (std::uint32_t i = 0; i < place_.layers; ++i)
        layers += swatch(place_.colour(i), "layer " + std::to_string(i));
    } else {
      layers = "<li>layer 0</li><li class=\"ramp\">";
      for (std::uint32_t i = 0; i < 12; ++i) layers += "<i class=\"sw c" + std::to_string(i) + "\"></i>";
      layers += "</li><li>layer " + std::to_string(place_.layers - 1) + "</li>";
    }
    legend("layer", layers);
    std::string packages;
    for (std::size_t i = 0; i < std::min(package_colours, survey_.packages.size()); ++i)
      packages += swatch("p" + std::to_string(i), for_html(survey_.packages[i], 40));
    if (survey_.packages.size() > package_colours)
      packages += swatch("px", count_text(survey_.packages.size() - package_colours, "other package"));
    legend("package", packages + swatch("pn", "of no package"));
    if (findings_)
      legend("finding",
             swatch("f2", "error") + swatch("f1", "warning") + swatch("f0", "note") + swatch("fn", "no finding"));
  }

  void biggest() {
    std::vector<const SizeNode*> order;
    for (const SizeNode& node : survey_.sizes)
      if (!node.folder && !node.rest) order.push_back(&node);
    std::ranges::stable_sort(order, std::greater(), [](const SizeNode* node) { return node->bytes; });
    if (order.size() > biggest_most) order.resize(biggest_most);
    if (order.empty()) return;
    const std::size_t files = survey_.sizes.front().files;
    const std::string title =
        order.size() < files ? fmt::format("The biggest {} of {} as a table", order.size(), count_text(files, "file"))
                             : "The files as a table";
    out_ +=
        "<details class=\"aside\"><summary>" + title +
        "</summary>\n<div class=\"wide\"><table><thead><tr><th scope=\"col\" class=\"num\">size</th><th scope=\"col\">path</th>"
        "<th scope=\"col\">from</th>";
    if (survey_.packages_known) out_ += "<th scope=\"col\">package</th>";
    out_ += "</tr></thead><tbody>\n";
    for (const SizeNode* const node : order) {
      out_ += fmt::format("<tr><td class=\"num\">{}</td><td><code>{}</code></td><td>{}</td>", human_bytes(node->bytes),
                          for_html(node->path), place_.layer_link(node->layer));
      if (survey_.packages_known)
        out_ += "<td>" +
                (node->package < survey_.packages.size() ? for_html(survey_.packages[node->package])
                                                         : "<span class=\"quiet\">none</span>") +
                "</td>";
      out_ += "</tr>\n";
    }
    out_ += "</tbody></table></div></details>\n";
  }

  const ImageSurvey& survey_;
  const HtmlPlace& place_;
  bool findings_;
  std::string out_;
};

}  // namespace

std::string html_tile(const Tile& tile, const std::string& kind, std::string_view name, std::uint64_t bytes,
                      const std::string& tip) {
  const Box& box = tile.box;
  if (box.width < 0.6 || box.height < 0.6) return "";
  std::string out = fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{}</title></rect>", kind,
      box.x, box.y, box.width, box.height, tip);
  if (tile.frame) {
    if (tile.heading > 0) label(out, "fh", base_of(name), box.x + 5, box.y + 12.5, box.width - 8, big_letter);
  } else if (box.width >= 34 && box.height >= 15) {
    label(out, "tl", base_of(name), box.x + 4, box.y + 12, box.width - 6, letter);
    if (box.height >= 30 && box.width >= 50)
      label(out, "ts", human_bytes(bytes), box.x + 4, box.y + 25, box.width - 6, letter);
  }
  return out + "\n";
}

std::string html_map(const ImageSurvey& survey, const HtmlPlace& place, bool findings) {
  return Map(survey, place, findings).write();
}

}  // namespace ocilint
