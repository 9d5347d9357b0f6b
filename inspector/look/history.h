// `ocilint history`: how an image came about, an entry of its history (OCI config.md) a row, each with its
// layer and the secrets that stand in it.
//
// Reads documents only. Secrets are those of the rule history-secrets without parameters; their values are in
// no string of the result. A document that cannot be read is listed, so that "no secret" is never said of
// what nobody looked at. Throws what opening an image throws. Cost: linear in the documents, and 25 ms for
// every secret's id.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "look/command_text.h"
#include "look/open_image.h"

namespace ocilint {

struct HistorySecret {
  std::string name;   // of the variable or field that holds it, "" when none does
  std::string what;   // "a GitHub token"
  std::string id;     // of the value, equal wherever it stands; "" beyond what SecretSettings makes
  std::string place;  // "history entry 7", "config Env"

  friend bool operator==(const HistorySecret&, const HistorySecret&) = default;
};

struct HistoryRow {
  std::optional<std::size_t> entry;  // unset: a layer that the history does not tell of
  bool empty_layer = false;
  std::string created, created_by, comment, author;
  Command command;                   // of created_by
  std::optional<std::size_t> layer;  // base = 0; unset: empty, or an entry beyond the layers
  std::string layer_name;            // digest, or the path in a docker archive
  std::optional<std::uint64_t> stored_bytes;
  std::vector<HistorySecret> secrets;
};

struct ImageHistory {
  LookedAt image;
  std::vector<HistoryRow> rows;
  bool pairing_certain = true;           // as many entries with a layer as there are layers
  std::vector<HistorySecret> elsewhere;  // in other documents than the history
  std::size_t documents = 0, documents_read = 0;
  std::vector<std::string> unread;  // why the others could not be read
};

ImageHistory look_at_history(const RunOptions& options);

}  // namespace ocilint
