// `ocilint diff` as a page: what differs, where in the tree, and file by file.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/diff.h"
#include "report/escape.h"
#include "report/html_parts.h"
#include "report/treemap.h"

namespace ocilint {
namespace {

constexpr std::size_t files_most = 3'000;  // rows of the page; JSON has everything
constexpr std::size_t rows_most = 3'000;   // of configuration, history, packages, libraries
constexpr std::size_t symbols_most = 200;  // of a library, either way
constexpr std::size_t page_symbols_most = 10'000;
constexpr std::size_t hidden_most = 20;
constexpr std::size_t tiles_most = 2'500;
constexpr std::size_t open_most = 40;  // files of a group that stands open
constexpr Box canvas = {0, 0, 1200, 420};

std::string_view sign_of(Change change) {
  return change == Change::added ? "+" : change == Change::removed ? "−" : "~";
}

std::string sign(Change change) {
  return fmt::format("<span class=\"sign {0}\" aria-hidden=\"true\">{1}</span><span class=\"vh\">{0} </span>",
                     to_string(change), sign_of(change));
}

std::uint64_t size_of(const DiffFile& file) {
  return std::max(file.bytes_before.value_or(0), file.bytes_after.value_or(0));
}

/// Folders and files that differ, with the bytes of the bigger version.
struct ChangeTree {
  std::vector<SizeNode> nodes;
  std::vector<const DiffFile*> files;  // by node; null for folders
  std::size_t left_out = 0;            // smaller ones

  explicit ChangeTree(const ImageDiff& diff) {
    std::vector<const DiffFile*> order;
    for (const DiffFile& file : diff.files)
      if (!file.only_time() && size_of(file) > 0) order.push_back(&file);
    std::ranges::stable_sort(order, std::greater(), [](const DiffFile* file) { return size_of(*file); });
    if (order.size() > tiles_most) {
      left_out = order.size() - tiles_most;
      order.resize(tiles_most);
    }
    folder("/", SizeNode::none);
    for (const DiffFile* const file : order) enter(*file);
  }

 private:
  std::uint32_t folder(const std::string& path, std::uint32_t parent) {
    const auto [place, fresh] = known_.emplace(path, static_cast<std::uint32_t>(nodes.size()));
    if (fresh) {
      SizeNode& node = nodes.emplace_back();
      node.path = path;
      node.folder = true;
      node.parent = parent;
      files.push_back(nullptr);
    }
    return place->second;
  }

  void enter(const DiffFile& file) {
    constexpr std::size_t deepest = 30;
    std::uint32_t parent = 0;
    std::size_t depth = 0;
    for (std::size_t slash = file.path.find('/', 1); slash != std::string::npos && depth < deepest;
         slash = file.path.find('/', slash + 1), ++depth)
      parent = folder(file.path.substr(0, slash), parent);
    SizeNode& node = nodes.emplace_back();
    node.path = file.path;
    node.bytes = size_of(file);
    node.files = 1;
    node.parent = parent;
    files.push_back(&file);
    for (std::uint32_t at = parent; at != SizeNode::none; at = nodes[at].parent) {
      nodes[at].bytes += size_of(file);
      ++nodes[at].files;
    }
  }

  std::map<std::string, std::uint32_t> known_;
};

class DiffPage {
 public:
  explicit DiffPage(const ImageDiff& diff)
      : diff_(diff), before_{"d-b", row_count(diff.layers_before)}, after_{"d-a", row_count(diff.layers_after)} {}

  std::string write() {
    head();
    map();
    layers(diff_.layers_before, before_, "Layers before");
    layers(diff_.layers_after, after_, "Layers after");
    documents();
    packages();
    libraries();
    files();
    return html_look_page(fmt::format("{}: {} and {}", verdict().second, diff_.before.reference, diff_.after.reference),
                          "diff", "d", out_);
  }

 private:
  std::pair<std::string_view, std::string_view> verdict() const {
    if (!diff_.unread.empty()) return {"unsure", "Not to be trusted"};
    return diff_.equal() ? std::pair<std::string_view, std::string_view>{"good", "Equal"}
                         : std::pair<std::string_view, std::string_view>{"bad", "Different"};
  }

  std::size_t count(Change change) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        diff_.files, [&](const DiffFile& file) { return file.change == change && !file.only_time(); }));
  }

  static std::string image(std::string_view label, const LookedAt& image) {
    return fmt::format("<div><dt>{}</dt><dd><b>{}</b><br/><code>{}</code><br/>{}{}, {} stored</dd></div>", label,
                       for_html(image.full_reference), for_html(image.manifest_digest),
                       image.platform.empty() ? "" : for_html(image.platform) + ", ", count_text(image.layers, "layer"),
                       human_bytes(image.stored_bytes));
  }

  void head() {
    const auto [kind, word] = verdict();
    const std::string of = diff_.before.layers == diff_.after.layers
                               ? count_text(diff_.after.layers, "layer")
                               : fmt::format("{} and {} layers", diff_.before.layers, diff_.after.layers);
    out_ += fmt::format(
        "<header class=\"head\">\n<p class=\"verdict {}\"><span class=\"word\">{}</span> <span class=\"means\">{} compared{}; {} of {} {} equal, from the base on.</span></p>\n",
        kind, word, count_text(diff_.names_compared, "name"), diff_.ignore_timestamps ? ", times not" : "",
        diff_.equal_layers, of, diff_.equal_layers == 1 ? "is" : "are");
    out_ += "<h1>What two images show differently</h1>\n<dl class=\"facts\">" + image("before", diff_.before) +
            image("after", diff_.after) + "</dl>\n";
    out_ += html_holes("could not be compared: ", diff_.unread);
    out_ += "<dl class=\"figures\">" + html_figure("files added", count(Change::added), "some") +
            html_figure("files removed", count(Change::removed), "some") +
            html_figure("files changed", count(Change::changed), "some") +
            html_figure("packages", diff_.packages.size(), "some") +
            html_figure("shared libraries", diff_.libraries.size(), "some") +
            html_figure("configuration", diff_.fields.size(), "some") + "</dl>\n</header>\n";
  }

  std::string tip(const SizeNode& node, const DiffFile* file) const {
    std::string out = for_html(node.path) + "\n" + human_bytes(node.bytes);
    if (file == nullptr) return out + " in " + count_text(node.files, "file");
    out += fmt::format(", {}", to_string(file->change));
    if (!file->package.empty()) out += ", package " + for_html(file->package);
    return out;
  }

  void map() {
    const ChangeTree tree(diff_);
    const std::vector<Tile> tiles = lay_out(tree.nodes, canvas);
    if (tiles.size() < 2) return;
    open_part("map", "Where they differ");
    out_ += fmt::format(
        "<p class=\"lead\">Files that differ, by the size of the bigger version: {} in all.</p>\n<div class=\"mapbox\"><div class=\"canvas\"><svg class=\"map\" viewBox=\"0 0 {} {}\" role=\"img\" "
        "aria-label=\"Treemap of the files that differ; the list below says the same\">\n",
        human_bytes(tree.nodes.front().bytes), canvas.width, canvas.height);
    for (const Tile& tile : tiles) {
      if (tile.depth == 0 || tile.box.width < 0.6 || tile.box.height < 0.6) continue;
      const SizeNode& node = tree.nodes[tile.node];
      const DiffFile* const file = tree.files[tile.node];
      const std::string kind = tile.frame        ? "fr"
                               : file == nullptr ? "t g-changed"
                                                 : fmt::format("t g-{}", to_string(file->change));
      out_ += html_tile(tile, kind, node.path + (node.folder ? "/" : ""), node.bytes, tip(node, file));
    }
    out_ +=
        "</svg></div>\n<p class=\"readout\" hidden=\"\"></p>\n<ul class=\"legend of-change\"><li><i class=\"sw g-added\"></i>added</li><li><i class=\"sw g-removed\"></i>removed</li><li><i class=\"sw g-changed\"></i>changed</li></ul></div>\n";
    out_ += html_left_out(tree.left_out, "they are the smallest") + "</section>\n";
  }

  static std::size_t row_count(const std::optional<ImageLayers>& layers) { return layers ? layers->rows.size() : 0; }

  void layers(const std::optional<ImageLayers>& layers, const HtmlPlace& place, std::string_view title) {
    if (!layers) return;
    std::vector<HtmlLayer> shown;
    for (const LayerRow& row : layers->rows)
      shown.push_back({row.name, row.created_by, row.compression, row.unpacked_bytes, row.stored_bytes, &row.use,
                       shown.size() < diff_.equal_layers});
    const Efficiency& efficiency = layers->efficiency;
    const HtmlLayerSums sums = {efficiency.content_bytes, efficiency.hidden_bytes, efficiency.score(),
                                std::span(efficiency.hidden).first(std::min(hidden_most, efficiency.hidden.size()))};
    out_ += html_layers(shown, &sums, place, title);
  }

  void open_part(std::string_view id, std::string_view title) {
    out_ += fmt::format("<section class=\"part\" aria-labelledby=\"d-{0}\">\n<h2 id=\"d-{0}\">{1}</h2>\n", id, title);
  }

  template <typename Row>
  static std::span<const Row> first(const std::vector<Row>& rows) {
    return std::span(rows).first(std::min(rows.size(), rows_most));
  }
  template <typename Row>
  static std::string beyond(const std::vector<Row>& rows) {
    return html_left_out(rows.size() - std::min(rows.size(), rows_most));
  }

  static std::string values(Change change, const std::string& before, const std::string& after) {
    std::string out;
    if (change != Change::added) out += "<del>" + for_html(before) + "</del>";
    if (change == Change::changed) out += " → ";
    if (change != Change::removed) out += "<ins>" + for_html(after) + "</ins>";
    return out;
  }

  void documents() {
    if (diff_.fields.empty() && diff_.history.empty()) return;
    open_part("documents", "Configuration and history");
    if (!diff_.fields.empty()) {
      out_ +=
          "<div class=\"wide\"><table><thead><tr><th scope=\"col\">what</th><th scope=\"col\">value</th></tr></thead><tbody>\n";
      for (const DiffField& field : first(diff_.fields))
        out_ += fmt::format("<tr><th scope=\"row\">{}{}</th><td><code>{}</code></td></tr>\n", sign(field.change),
                            for_html(field.name), values(field.change, field.before, field.after));
      out_ += "</tbody></table></div>\n" + beyond(diff_.fields);
    }
    if (!diff_.history.empty()) {
      out_ += "<h3>History</h3>\n<ul class=\"rows\">\n";
      for (const DiffHistory& entry : first(diff_.history))
        out_ += "<li>" + sign(entry.change) +
                (entry.created_by.empty() ? "(comment) " + for_html(entry.comment) : html_command(entry.created_by)) +
                "</li>\n";
      out_ += "</ul>\n" + beyond(diff_.history);
    }
    out_ += "</section>\n";
  }

  void packages() {
    if (diff_.packages.empty()) return;
    open_part("packages", "Packages");
    out_ +=
        "<div class=\"wide\"><table><thead><tr><th scope=\"col\">package</th><th scope=\"col\">version</th></tr></thead><tbody>\n";
    for (const DiffPackage& package : first(diff_.packages))
      out_ += fmt::format("<tr><th scope=\"row\">{}{}</th><td><code>{}</code></td></tr>\n", sign(package.change),
                          for_html(package.title()), values(package.change, package.before, package.after));
    out_ += "</tbody></table></div>\n" + beyond(diff_.packages) + "</section>\n";
  }

  void symbol_list(Change change, std::string_view what, const std::vector<std::string>& texts) {
    const std::size_t shown = std::min({texts.size(), symbols_most, page_symbols_most - symbols_});
    symbols_ += shown;
    for (std::size_t i = 0; i < shown; ++i)
      out_ += "<li>" + sign(change) + std::string(what) + "<code>" + for_html(texts[i]) + "</code></li>\n";
    if (texts.size() > shown)
      out_ += fmt::format("<li class=\"more\">and {} more {}; <code>-o json</code> has every one</li>\n",
                          grouped(texts.size() - shown), to_string(change));
  }

  void libraries() {
    if (diff_.libraries.empty()) return;
    open_part("libraries", "Shared libraries");
    for (const DiffLibrary& library : first(diff_.libraries)) {
      const std::size_t lines = library.needed_added.size() + library.needed_removed.size() +
                                library.symbols_added.size() + library.symbols_removed.size();
      out_ += fmt::format(
          "<details class=\"aside\"{}><summary><code>{}</code>{}<span>{} symbols added, {} removed</span></summary>\n<ul class=\"rows\">\n",
          lines <= open_most ? " open=\"\"" : "", for_html(library.before),
          library.before == library.after ? "" : " → <code>" + for_html(library.after) + "</code>",
          grouped(library.symbols_added.size()), grouped(library.symbols_removed.size()));
      if (library.soname_before != library.soname_after)
        out_ += "<li>" + sign(Change::changed) + "SONAME " +
                values(Change::changed, library.soname_before, library.soname_after) + "</li>\n";
      symbol_list(Change::removed, "needs ", library.needed_removed);
      symbol_list(Change::added, "needs ", library.needed_added);
      symbol_list(Change::removed, "", library.symbols_removed);
      symbol_list(Change::added, "", library.symbols_added);
      out_ += "</ul></details>\n";
    }
    out_ += beyond(diff_.libraries) + "</section>\n";
  }

  std::string row(const DiffFile& file) const {
    std::string what;
    for (const std::string& text : file.what)
      if (file.change == Change::changed || text != "file") what += (what.empty() ? "" : ", ") + for_html(text);
    const auto bytes = [](const std::optional<std::uint64_t>& size) {
      return size ? human_bytes(*size) : std::string();
    };
    if (file.change == Change::changed && file.bytes_before && file.bytes_after &&
        file.bytes_before != file.bytes_after)
      what += fmt::format(", {} → {}", bytes(file.bytes_before), bytes(file.bytes_after));
    else if (file.change != Change::changed)
      what += (what.empty() ? "" : ", ") + bytes(file.change == Change::added ? file.bytes_after : file.bytes_before);
    return fmt::format("<li class=\"item\" data-state=\"{}\">{}<code>{}</code> <span class=\"quiet\">{}</span></li>\n",
                       to_string(file.change), sign(file.change), for_html(file.path), what);
  }

  std::string layer_of(std::optional<std::uint32_t> layer) const {
    if (!layer) return "no layer names it";
    const std::string line = *layer < diff_.layer_lines.size() ? diff_.layer_lines[*layer] : "";
    return (*layer < after_.layers ? after_.layer_link(*layer) : fmt::format("layer {}", *layer)) +
           (line.empty() ? "" : " " + html_command(line));
  }

  /// By package, and of no package by the layer of the second image that did it.
  void files() {
    std::map<std::pair<std::string, std::optional<std::uint32_t>>, std::vector<const DiffFile*>> groups;
    std::size_t times = 0;
    for (const DiffFile& file : diff_.files) {
      times += file.only_time();
      if (!file.only_time()) groups[{file.package, file.layer_after}].push_back(&file);
    }
    if (groups.empty() && times == 0) return;
    open_part("files", "Files");
    if (times > 0)
      out_ += fmt::format("<p class=\"lead\">{} with another time only, not shown.</p>\n", count_text(times, "file"));
    out_ +=
        "<div class=\"filter\" role=\"search\" hidden=\"\"><label for=\"d-q\">Filter</label><input id=\"d-q\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\" placeholder=\"path\"/>";
    for (const Change change : {Change::added, Change::removed, Change::changed})
      if (count(change) > 0)
        out_ += fmt::format("<button type=\"button\" data-state=\"{0}\" aria-pressed=\"true\">{0}</button>",
                            to_string(change));
    out_ += "<output aria-live=\"polite\"></output></div>\n";
    std::size_t shown = 0, all = 0;
    for (const auto& [key, files] : groups) {
      all += files.size();
      if (shown == files_most) continue;
      out_ += fmt::format(
          "<details class=\"group\"{}><summary><b>{}</b> <span class=\"quiet\">{}</span> {}</summary>\n<ul class=\"rows\">\n",
          files.size() <= open_most ? " open=\"\"" : "", key.first.empty() ? "of no package" : for_html(key.first),
          count_text(files.size(), "file"), layer_of(key.second));
      for (const DiffFile* const file : files) {
        if (shown == files_most) break;
        ++shown;
        out_ += row(*file);
      }
      out_ += "</ul></details>\n";
    }
    out_ += html_left_out(all - shown);
    out_ += "</section>\n";
  }

  const ImageDiff& diff_;
  const HtmlPlace before_, after_;
  std::size_t symbols_ = 0;  // written
  std::string out_;
};

}  // namespace

std::string write_diff_html(const ImageDiff& diff) { return DiffPage(diff).write(); }

}  // namespace ocilint
