#include "look/history.h"

#include <algorithm>
#include <map>
#include <set>

#include "check/document_texts.h"
#include "check/rule.h"
#include "check/secret_settings.h"

namespace ocilint {
namespace {

std::vector<HistoryRow> rows_of(const Image& image, const HistoryPairing& pairing) {
  std::map<std::size_t, std::size_t> layer_of;
  for (std::size_t layer = 0; layer < pairing.entry_of_layer.size(); ++layer)
    if (const auto entry = pairing.entry_of_layer[layer]) layer_of.emplace(*entry, layer);
  std::vector<HistoryRow> out;
  for (std::size_t i = 0; i < image.config.history.size(); ++i) {
    const History& history = image.config.history[i];
    HistoryRow& row = out.emplace_back();
    row.entry = i;
    row.empty_layer = history.empty_layer;
    row.created = history.created;
    row.created_by = history.created_by;
    row.comment = history.comment;
    row.author = history.author;
    if (const auto layer = layer_of.find(i); layer != layer_of.end()) row.layer = layer->second;
  }
  // Pairing is in order: what is left over are the last layers.
  for (std::size_t layer = 0; layer < pairing.entry_of_layer.size(); ++layer)
    if (!pairing.entry_of_layer[layer]) out.emplace_back().layer = layer;
  for (HistoryRow& row : out) {
    if (!row.layer) continue;
    row.layer_name = image.layers[*row.layer].name;
    row.stored_bytes = image.layers[*row.layer].size;
  }
  return out;
}

void add_once(std::vector<HistorySecret>& into, HistorySecret secret) {
  const auto same = [&](const HistorySecret& known) {
    return known == secret ||
           (known.id == secret.id && known.place == secret.place && (known.name.empty() || secret.name.empty()));
  };
  const auto known = std::ranges::find_if(into, same);
  if (known == into.end()) {
    into.push_back(std::move(secret));
  } else if (known->name.empty()) {
    *known = std::move(secret);
  }
}

class SecretSearch {
 public:
  SecretSearch(const Scanned& scanned, const RedactText& redact)
      : view_(scanned, {}), settings_(defaults(), view_, {}), redact_(redact) {}

  void run(ImageHistory& out) {
    const DocumentTexts documents = texts_of(view_.scanned().image);
    out.documents = documents.listed;
    out.documents_read = documents.scanned;
    for (std::string why : documents.unread) {
      redact_(why);
      out.unread.push_back(std::move(why));
    }
    const std::size_t entries = view_.config().history.size();
    for (const DocumentText& text : documents.texts) {
      for (const SecretHit& hit : find_secrets(text, settings_.query())) {
        const bool of_row = text.history_entry && *text.history_entry < entries;
        add_once(of_row ? out.rows[*text.history_entry].secrets : out.elsewhere, describe(text, hit));
      }
    }
  }

 private:
  static Params defaults() {
    const Rule* const rule = find_rule(all_rules(), "history-secrets");
    if (rule == nullptr) throw Error(ErrorKind::internal, "the rule history-secrets is not there");
    return Params(rule->doc.params);
  }

  HistorySecret describe(const DocumentText& text, const SecretHit& hit) {
    const auto [id, fresh] = ids_.try_emplace(hit.value);
    if (fresh) id->second = settings_.id_of(hit.value);
    HistorySecret out{hit.name, std::string(settings_.describe(hit.detector)), id->second, text.place};
    redact_(out.name);
    redact_(out.place);
    return out;
  }

  ImageView view_;
  SecretSettings settings_;
  const RedactText& redact_;
  std::map<std::string, std::string> ids_;
};

}  // namespace

ImageHistory look_at_history(const RunOptions& options) {
  ImageHistory out;
  with_image(options, [&](ReadImage& read, const RedactText& redact) {
    const Image& image = read.image();
    out.image = describe_image(options, image, redact);
    const HistoryPairing pairing = pair_history(image.config.history, image.layers.size());
    out.pairing_certain = pairing.certain;
    out.rows = rows_of(image, pairing);
    read.merge(options);
    SecretSearch(read.scanned(), redact).run(out);
    for (HistoryRow& row : out.rows) {
      for (std::string* const text : {&row.created, &row.created_by, &row.comment, &row.author, &row.layer_name})
        redact(*text);
      row.command = parse_command(row.created_by);
    }
  });
  return out;
}

}  // namespace ocilint
