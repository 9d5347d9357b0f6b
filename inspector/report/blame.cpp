#include "report/blame.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/mode.h"
#include "report/escape.h"
#include "report/files.h"
#include "report/json_text.h"
#include "report/table.h"

namespace ocilint {
namespace {

using Ordered = nlohmann::ordered_json;

constexpr std::size_t most_names = 8;  // of one inode in the text; JSON has them all

std::string deeds_of(const BlameRow& row) {
  std::string out;
  for (const Deed deed : row.deeds) out += (out.empty() ? "" : ", ") + std::string(to_string(deed));
  return out;
}

std::string state_of(const FileRow& file) {
  std::string out = mode_letters(file.type, file.mode) + fmt::format(" {}:{}", file.uid, file.gid);
  if (file.type == EntryType::file) out += fmt::format(" {} bytes", file.size);
  if (file.type == EntryType::symlink) out += " -> " + for_terminal(file.link);
  return out;
}

std::string list_of(const std::vector<std::string>& texts, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < std::min(most, texts.size()); ++i) out += (i == 0 ? "" : ", ") + for_terminal(texts[i]);
  if (texts.size() > most) out += fmt::format(" and {} more", texts.size() - most);
  return out;
}

}  // namespace

std::string write_blame_text(const Blame& blame, const LookStyle& style) {
  Table table({{"layer", Table::Align::right}, {"digest"}, {"deed"}, {"command"}});
  for (std::size_t i = 0; i < blame.rows.size(); ++i) {
    const BlameRow& row = blame.rows[i];
    const std::string command = row.command.text();
    table.row({std::to_string(row.layer), short_name(row.layer_name), deeds_of(row),
               command.empty() ? "(no history line)" : for_terminal(command)});
    if (!row.after) continue;
    const std::string content = row.sha256.empty() ? "" : ", " + short_name(row.sha256);
    table.below("now " + state_of(*row.after) + content, Hue::grey);
    const std::string changes = row.changes.empty() ? "nothing" : list_of(row.changes, row.changes.size());
    if (i > 0 && blame.rows[i - 1].after) table.below("changed: " + changes, Hue::yellow);
    if (!row.shared.empty()) table.below("one file with " + list_of(row.shared, most_names));
  }
  std::string out =
      heading(blame.image, style) + for_terminal(blame.path) + "\n\n" + table.write(style.width, style.color);
  if (!blame.rows.empty() && !blame.rows.back().after && blame.rows.size() <= most_blamed_layers)
    out += fmt::format("\nit is gone since layer {}\n", blame.rows.back().layer);
  if (blame.rows.size() > most_blamed_layers)
    out += fmt::format("\nonly the first {} layers were looked into\n", most_blamed_layers);
  if (!blame.history_certain)
    out += "\n" + paint("warning", Hue::yellow, style.color) + ": which command made which layer is a guess\n";
  return out;
}

std::string write_blame_json(const Blame& blame) {
  Ordered out = look_document("blame", blame.image);
  put_text(out, "asked", blame.asked);
  put_text(out, "path", blame.path);
  out["history_certain"] = blame.history_certain;
  out["story"] = Ordered::array();
  for (const BlameRow& row : blame.rows) {
    Ordered entry;
    entry["layer"] = row.layer;
    put_text(entry, "layer_name", row.layer_name);
    entry["deeds"] = Ordered::array();
    for (const Deed deed : row.deeds) entry["deeds"].push_back(to_string(deed));
    put_text(entry, "created_by", row.created_by);
    entry["there"] = row.after.has_value();
    if (row.after) {
      entry["type"] = to_string(row.after->type);
      entry["mode"] = mode_text(row.after->mode);
      entry["uid"] = row.after->uid;
      entry["gid"] = row.after->gid;
      entry["size"] = row.after->size;
      entry["mtime"] = row.after->mtime;
      if (row.after->type == EntryType::symlink) put_text(entry, "link", row.after->link);
    }
    if (!row.sha256.empty()) entry["sha256"] = for_json(row.sha256);
    for (const auto& [key, list] : {std::pair("changes", &row.changes), std::pair("shared_with", &row.shared)}) {
      entry[key] = Ordered::array();
      for (const std::string& text : *list) entry[key].push_back(for_json(text));
    }
    out["story"].push_back(std::move(entry));
  }
  return json_text(out);
}

}  // namespace ocilint
