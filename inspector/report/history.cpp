#include "report/history.h"

#include <fmt/format.h>

#include "base/json.h"
#include "report/age.h"
#include "report/escape.h"
#include "report/json_text.h"
#include "report/report.h"
#include "report/table.h"

namespace ocilint {
namespace {

using Ordered = nlohmann::ordered_json;

std::string size_of(const HistoryRow& row) {
  if (!row.layer) return row.empty_layer ? "empty" : "no layer";
  return row.stored_bytes ? human_bytes(*row.stored_bytes) : "";
}

/// The command as its author would have it before him, or the comment where builders write nothing else.
std::string command_of(const HistoryRow& row, const LookStyle& style, bool raw) {
  if (!row.entry) return "(the history does not tell of this layer)";
  if (row.created_by.empty()) return row.comment.empty() ? "" : "(comment) " + for_terminal(row.comment);
  if (raw) return for_terminal(row.created_by);
  if (style.width == 0) {
    const std::string with = for_terminal(row.command.arguments);
    return for_terminal(row.command.text()) + (with.empty() ? "" : "  (with " + with + ")");
  }
  std::string out = row.command.instruction;
  for (const std::string& line : row.command.lines) {
    const bool first = &line == &row.command.lines.front();
    out += first ? (out.empty() ? "" : " ") + for_terminal(line) : "\n    " + for_terminal(line);
  }
  return out;
}

std::string text_of(const HistorySecret& secret) {
  std::string out = "secret: ";
  if (!secret.name.empty()) out += for_terminal(secret.name) + ", ";
  out += for_terminal(secret.what);
  if (!secret.id.empty()) out += ", value id " + for_terminal(secret.id);
  return out;
}

std::size_t count_secrets(const ImageHistory& history) {
  std::size_t out = 0;
  for (const HistoryRow& row : history.rows) out += row.secrets.size();
  return out;
}

Ordered of(const HistorySecret& secret) {
  Ordered out;
  put_text(out, "name", secret.name);
  out["what"] = for_json(secret.what);
  if (!secret.id.empty()) out["value_id"] = for_json(secret.id);
  put_text(out, "place", secret.place);
  return out;
}

Ordered of(const std::vector<HistorySecret>& secrets) {
  Ordered out = Ordered::array();
  for (const HistorySecret& secret : secrets) out.push_back(of(secret));
  return out;
}

Ordered of(const HistoryRow& row) {
  Ordered out;
  out["entry"] = row.entry ? Ordered(*row.entry) : Ordered();
  out["layer"] = row.layer ? Ordered(*row.layer) : Ordered();
  out["empty_layer"] = row.empty_layer;
  if (row.layer) put_text(out, "layer_name", row.layer_name);
  if (row.stored_bytes) out["stored_bytes"] = *row.stored_bytes;
  put_text(out, "created", row.created);
  put_text(out, "created_by", row.created_by);
  if (!row.comment.empty()) put_text(out, "comment", row.comment);
  if (!row.author.empty()) put_text(out, "author", row.author);
  Ordered command;
  command["instruction"] = for_json(row.command.instruction);
  put_text(command, "arguments", row.command.arguments);
  command["lines"] = Ordered::array();
  for (const std::string& line : row.command.lines) command["lines"].push_back(for_json(line));
  out["command"] = std::move(command);
  out["secrets"] = of(row.secrets);
  return out;
}

}  // namespace

std::string write_history_text(const ImageHistory& history, const LookStyle& style, bool raw) {
  Table table({{"layer", Table::Align::right}, {"size", Table::Align::right}, {"digest"}, {"age"}, {"command"}});
  for (const HistoryRow& row : history.rows) {
    table.row({row.layer ? std::to_string(*row.layer) : "-", size_of(row), short_name(row.layer_name),
               age_text(row.created, style.now), command_of(row, style, raw)},
              row.empty_layer ? Hue::grey : Hue::plain);
    if (style.width != 0 && !raw && !row.command.arguments.empty())
      table.below("with " + for_terminal(row.command.arguments), Hue::grey);
    if (raw && !row.comment.empty() && !row.created_by.empty())
      table.below("comment: " + for_terminal(row.comment), Hue::grey);
    for (const HistorySecret& secret : row.secrets) table.below(text_of(secret), Hue::red);
  }
  std::string out = heading(history.image, style) + "\n";
  out += table.write(raw ? 0 : style.width, style.color);
  if (!history.rows.empty()) out += "\n";
  if (!history.pairing_certain)
    out += paint("warning", Hue::yellow, style.color) +
           ": the history does not tell of as many layers as there are; which entry belongs to which is a guess\n";
  for (const HistorySecret& secret : history.elsewhere)
    out += paint(text_of(secret) + ", in " + for_terminal(secret.place), Hue::red, style.color) + "\n";
  const std::size_t secrets = count_secrets(history);
  out += fmt::format("{}; {} in the history, {} elsewhere in {}", count_of(history.rows.size(), "row"),
                     count_of(secrets, "secret"), history.elsewhere.size(), count_of(history.documents, "document"));
  out += secrets + history.elsewhere.size() > 0 ? "; more: ocilint explain history-secrets\n" : "\n";
  for (const std::string& why : history.unread)
    out += paint("not to be trusted", Hue::red, style.color) + ": " + for_terminal(why) + "\n";
  return out;
}

std::string write_history_json(const ImageHistory& history) {
  Ordered out = look_document("history", history.image);
  out["pairing_certain"] = history.pairing_certain;
  out["history"] = Ordered::array();
  for (const HistoryRow& row : history.rows) out["history"].push_back(of(row));
  out["secrets_elsewhere"] = of(history.elsewhere);
  out["documents_listed"] = history.documents;
  out["documents_read"] = history.documents_read;
  out["unread"] = Ordered::array();
  for (const std::string& why : history.unread) out["unread"].push_back(for_json(why));
  return json_text(out);
}

}  // namespace ocilint
