#include "check/document_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/base64.h"
#include "base/error.h"
#include "base/json.h"
#include "facts/secret_names.h"

namespace ocilint {
namespace {

constexpr unsigned nested_documents = 4;  // JSON in base64 in JSON …: real ones are two deep
constexpr std::size_t longest_place = 200;

std::string_view kind_of(Document::Kind kind) {
  switch (kind) {
    case Document::Kind::index: return "index";
    case Document::Kind::manifest: return "manifest";
    case Document::Kind::config: return "config";
    case Document::Kind::attestation_manifest: return "attestation manifest";
    case Document::Kind::attestation: return "attestation";
    case Document::Kind::legacy_config: return "legacy config";
  }
  return "document";
}

/// Fields that hold base64 by definition.
bool must_decode(std::string_view key) {
  return key == "moby.buildkit.buildinfo.v1" || key == "moby.buildkit.buildinfo.v0" || key == "moby.buildkit.cache.v0";
}
bool may_decode(std::string_view key) { return key == "data" || key == "payload"; }

/// Lists of the words of one command: the name of an option and its value stand in two of them.
bool is_command(std::string_view key) {
  constexpr std::string_view keys[] = {"Cmd", "Entrypoint", "Test", "Shell", "args"};
  return std::ranges::any_of(keys, [&](std::string_view command) { return same_name(key, command); });
}

/// The depth of a document is bounded by parse_json(), and that of documents within by nested_documents.
class Walk {
 public:
  Walk(std::string_view kind, std::vector<DocumentText>& texts) : kind_(kind), texts_(texts) {}

  void value(const Json& json, const std::string& path, std::string_view key, unsigned nested) {
    if (json.is_string()) {
      string(json.get_ref<const std::string&>(), path, key, nested);
    } else if (json.is_array() && is_command(key) && is_text_list(json)) {
      std::string command;
      for (const Json& word : json) {
        if (!command.empty()) command += ' ';
        command += word.get_ref<const std::string&>();
      }
      add(path, "", std::move(command));
    } else if (json.is_array()) {
      const bool variables = same_name(key, "Env");
      for (std::size_t i = 0; i < json.size(); ++i) {
        const std::string at = fmt::format("{}[{}]", path, i);
        if (variables && json[i].is_string()) {
          variable(json[i].get_ref<const std::string&>(), path, at);
        } else {
          value(json[i], at, "", nested);
        }
      }
    } else if (json.is_object()) {
      object(json, path, nested);
    }
  }

  std::vector<std::string> undecoded;

 private:
  static bool is_text_list(const Json& json) {
    return std::all_of(json.begin(), json.end(), [](const Json& word) { return word.is_string(); });
  }

  void object(const Json& json, const std::string& path, unsigned nested) {
    const Json* const payload_type = member(json, "payloadType");
    const bool envelope = payload_type != nullptr && payload_type->is_string();
    const bool holds_json = envelope && payload_type->get_ref<const std::string&>().find("json") != std::string::npos;
    // A signed envelope (DSSE) has a type for its payload, which is the document and must be readable.
    // {"name": …, "value": …}: the text beside it names the value (CycloneDX, build definitions).
    const Json* const name = member(json, "name");
    const bool named = name != nullptr && name->is_string();
    for (auto item = json.begin(); item != json.end(); ++item) {
      const std::string& key = item.key();
      const std::string at = path.empty() ? key : path + "." + key;
      add(at + " (key)", "", key);
      const bool paired = named && key == "value";
      if (envelope && key == "payload" && item.value().is_string()) {
        decode(item.value().get_ref<const std::string&>(), at, true, holds_json, nested);
        continue;
      }
      value(item.value(), at, paired ? std::string_view(name->get_ref<const std::string&>()) : key, nested);
    }
  }

  void variable(const std::string& pair, const std::string& path, const std::string& at) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      add(at, "", pair);
    } else {
      add(path, pair.substr(0, equals), pair.substr(equals + 1));
    }
  }

  void string(const std::string& text, const std::string& path, std::string_view key, unsigned nested) {
    add(path, key, text);
    if (must_decode(key) || may_decode(key)) {
      decode(text, path, must_decode(key), must_decode(key), nested);
    } else if (nested < nested_documents) {
      embedded(text, path, false, nested);
    }
  }

  void decode(const std::string& text, const std::string& path, bool must, bool must_parse, unsigned nested) {
    if (nested >= nested_documents) {
      if (must) undecoded.push_back(path + ": documents within documents, more than can be read");
      return;
    }
    const auto decoded = decode_base64(text);
    if (decoded) {
      add(path + " (decoded)", "", *decoded);
      embedded(*decoded, path, must_parse, nested);
    } else if (must) {
      undecoded.push_back(path + ": no base64");
    }
  }

  void embedded(const std::string& text, const std::string& path, bool must_parse, unsigned nested) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const bool likely = first != std::string::npos && (text[first] == '{' || text[first] == '[');
    if (!likely && !must_parse) return;
    try {
      value(parse_json(text), path, "", nested + 1);
    } catch (const Error& error) {
      if (must_parse) undecoded.push_back(path + ": " + error.what());
    }
  }

  void add(const std::string& path, std::string_view name, std::string text) {
    if (text.empty()) return;
    DocumentText& out = texts_.emplace_back();
    out.name = name;
    out.text = std::move(text);
    place(out, path);
  }

  void place(DocumentText& out, const std::string& path) const {
    constexpr std::string_view history = "history[";
    if (kind_ == "config" && path.starts_with(history)) {
      const std::size_t close = path.find(']');
      std::size_t entry = 0;
      for (std::size_t i = history.size(); i < close; ++i) entry = entry * 10 + static_cast<std::size_t>(path[i] - '0');
      out.history_entry = entry;
      const std::string_view field = std::string_view(path).substr(std::min(path.size(), close + 2));
      out.place = fmt::format("history entry {}", entry);
      if (same_name(field, "created_by")) {
        out.form = TextForm::history;
        out.name.clear();
      } else {
        out.place += fmt::format(", {}", field);
      }
      return;
    }
    std::string_view shown = path;
    if (kind_ == "config" && shown.starts_with("config.")) shown.remove_prefix(7);
    out.place = fmt::format("{} {}", kind_, shown.substr(0, longest_place));
    while (out.place.ends_with(' ')) out.place.pop_back();
  }

  std::string_view kind_;
  std::vector<DocumentText>& texts_;
};

}  // namespace

DocumentTexts texts_of(const Image& image) {
  DocumentTexts out;
  for (const Document& document : image.documents) {
    const std::string_view kind = kind_of(document.kind);
    const bool attestation =
        document.kind == Document::Kind::attestation || document.kind == Document::Kind::attestation_manifest;
    ++out.listed;
    out.attestations_listed += attestation;
    Walk walk(kind, out.texts);
    try {
      walk.value(parse_json(document.text), "", "", 0);
      out.scanned += walk.undecoded.empty();
      out.attestations_scanned += attestation && walk.undecoded.empty();
    } catch (const Error& error) {
      out.unread.push_back(fmt::format("{} {}: {}", kind, document.name, error.what()));
      DocumentText& raw = out.texts.emplace_back();
      raw.place = fmt::format("{} {}", kind, document.name);
      raw.text = document.text;
    }
    for (const std::string& why : walk.undecoded)
      out.unread.push_back(fmt::format("{} {}: {}", kind, document.name, why));
  }
  // What the source met and could not read is a document too.
  for (const Oddity& oddity : image.oddities) {
    if (oddity.id != "attestation-unreadable") continue;
    ++out.listed;
    ++out.attestations_listed;
    out.unread.push_back(fmt::format("attestation {}: {}", oddity.subject, oddity.text));
  }
  return out;
}

std::vector<SecretHit> find_secrets(const DocumentText& text, const SecretQuery& query) {
  if (!text.name.empty()) return find_secrets_in_value(text.name, text.text, query);
  return find_secrets(text.text, query, text.form);
}

}  // namespace ocilint
