#include "report/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "report/escape.h"
#include "report/json_text.h"
#include "report/report.h"
#include "report/table.h"

namespace ocilint {
namespace {

using Ordered = nlohmann::ordered_json;

constexpr std::size_t digest_least = 100, stored_least = 72;  // columns of a terminal

std::string layer_list(const std::vector<std::uint32_t>& layers) {
  constexpr std::size_t most = 6;
  std::string out;
  for (std::size_t i = 0; i < std::min(layers.size(), most); ++i)
    out += (i == 0 ? "" : ", ") + std::to_string(layers[i]);
  return layers.size() > most ? out + ", …" : out;
}

std::string hidden_bytes(std::uint64_t bytes) { return bytes == 0 ? "-" : human_bytes(bytes); }

}  // namespace

std::string percent(double share) { return fmt::format("{:.1f} %", std::floor(share * 1000) / 10); }

std::string write_layers_text(const ImageLayers& layers, const LookStyle& style, std::size_t top) {
  using Align = Table::Align;
  // Where there is little room, the command says more than digits.
  const bool digests = style.width == 0 || style.width >= digest_least;
  const bool both_sizes = style.width == 0 || style.width >= stored_least;
  std::vector<Table::Column> columns = {{"layer", Align::right}, {"size", Align::right}};
  if (both_sizes) columns.push_back({"stored", Align::right});
  for (const char* const title : {"added", "changed", "removed", "hidden"}) columns.push_back({title, Align::right});
  if (digests) columns.push_back({"digest"});
  columns.push_back({"command"});
  Table table(std::move(columns), Table::Last::cut);
  for (std::size_t i = 0; i < layers.rows.size(); ++i) {
    const LayerRow& row = layers.rows[i];
    std::vector<std::string> cells = {std::to_string(i), human_bytes(row.unpacked_bytes)};
    if (both_sizes) cells.push_back(human_bytes(row.stored_bytes));
    for (const std::size_t count : {row.use.added, row.use.changed, row.use.removed})
      cells.push_back(std::to_string(count));
    cells.push_back(hidden_bytes(row.use.hidden_bytes));
    if (digests) cells.push_back(short_name(row.name));
    cells.push_back(for_terminal(row.command.text()));
    table.row(std::move(cells));
  }
  const Efficiency& efficiency = layers.efficiency;
  std::string out = heading(layers.image, style) + "\n";
  out += table.write(style.width, style.color);
  if (!layers.rows.empty()) out += "\n";
  if (!layers.rows.empty() && !layers.rows.front().history_certain)
    out += paint("warning", Hue::yellow, style.color) + ": which command made which layer is a guess\n";
  const std::string sums = fmt::format(
      "efficiency {} (as dive counts it); {} of {} in files are hidden by later layers", percent(efficiency.score()),
      human_bytes(efficiency.hidden_bytes), human_bytes(efficiency.content_bytes));
  for (const std::string& line : wrap(sums, style.width, 2)) out += line + "\n";
  if (efficiency.hidden.empty() || top == 0) return out;

  Table paths({{"hidden", Align::right}, {"in layers"}, {"by", Align::right}, {"path"}});
  for (std::size_t i = 0; i < std::min(top, efficiency.hidden.size()); ++i) {
    const HiddenPath& path = efficiency.hidden[i];
    paths.row(
        {human_bytes(path.bytes), layer_list(path.layers), std::to_string(path.last_layer), for_terminal(path.path)});
  }
  out += "\n" + paths.write(style.width, style.color);
  if (efficiency.hidden.size() > top) out += fmt::format("and {} more (--top)\n", efficiency.hidden.size() - top);
  return out;
}

std::string write_layers_json(const ImageLayers& layers, std::size_t top) {
  Ordered out = look_document("layers", layers.image);
  out["layers"] = Ordered::array();
  for (std::size_t i = 0; i < layers.rows.size(); ++i) {
    const LayerRow& row = layers.rows[i];
    Ordered entry;
    entry["layer"] = i;
    put_text(entry, "name", row.name);
    entry["diff_id"] = for_json(row.diff_id);
    entry["compression"] = for_json(row.compression);
    entry["stored_bytes"] = row.stored_bytes;
    entry["unpacked_bytes"] = row.unpacked_bytes;
    entry["entries"] = row.entries;
    entry["added"] = row.use.added;
    entry["changed"] = row.use.changed;
    entry["removed"] = row.use.removed;
    entry["content_bytes"] = row.use.content_bytes;
    entry["hidden_bytes"] = row.use.hidden_bytes;
    put_text(entry, "created_by", row.created_by);
    entry["history_certain"] = row.history_certain;
    out["layers"].push_back(std::move(entry));
  }
  const Efficiency& efficiency = layers.efficiency;
  out["content_bytes"] = efficiency.content_bytes;
  out["hidden_bytes"] = efficiency.hidden_bytes;
  out["efficiency"] = {{"score", efficiency.score()},
                       {"least_bytes", efficiency.least_bytes},
                       {"stated_bytes", efficiency.stated_bytes},
                       {"repeated_bytes", efficiency.repeated_bytes}};
  out["hidden_paths"] = Ordered::array();
  for (std::size_t i = 0; i < std::min(top, efficiency.hidden.size()); ++i) {
    const HiddenPath& path = efficiency.hidden[i];
    Ordered entry;
    put_text(entry, "path", path.path);
    entry["bytes"] = path.bytes;
    entry["layers"] = path.layers;
    entry["last_layer"] = path.last_layer;
    out["hidden_paths"].push_back(std::move(entry));
  }
  out["hidden_paths_listed"] = out["hidden_paths"].size();
  out["hidden_paths_found"] = efficiency.hidden.size();
  return json_text(out);
}

}  // namespace ocilint
