#include "check/document_texts.h"

#include <fmt/format.h>

#include <array>

#include "base/base64.h"
#include "base/error.h"
#include "base/json.h"
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
  return key == "moby.buildkit.buildinfo.v1" || key == "moby.buildkit.buildinfo.v0" ||
         key == "moby.buildkit.cache.v0";
}
bool may_decode(std::string_view key) { return key == "data" || key == "payload"; }

/// The depth of a document is bounded by parse_json(), and that of documents within by nested_documents.
class Walk {
 public:
  Walk(std::string_view kind, std::vector<DocumentText>& texts) : kind_(kind), texts_(texts) {}

  void value(const Json& json, const std::string& path, std::string_view key, unsigned nested) {
    if (json.is_string()) {
      string(json.get_ref<const std::string&>(), path, key, nested);
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
  void object(const Json& json, const std::string& path, unsigned nested) {
    // {"name": …, "value": …}: the text beside it names the value (CycloneDX, build definitions).
    const Json* const name = member(json, "name");
    const bool named = name != nullptr && name->is_string();
    for (auto item = json.begin(); item != json.end(); ++item) {
      const std::string& key = item.key();
      const std::string at = path.empty() ? key : path + "." + key;
      add(at + " (key)", "", key);
      const bool paired = named && key == "value";
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
    if (nested >= nested_documents) return;
    if (must_decode(key) || may_decode(key)) {
      const auto decoded = decode_base64(text);
      if (decoded) {
        add(path + " (decoded)", "", *decoded);
        embedded(*decoded, path, must_decode(key), nested);
      } else if (must_decode(key)) {
        undecoded.push_back(path + ": no base64");
      }
    } else {
      embedded(text, path, false, nested);
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
      for (std::size_t i = history.size(); i < close; ++i)
        entry = entry * 10 + static_cast<std::size_t>(path[i] - '0');
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
    ++out.listed;
    Walk walk(kind, out.texts);
    try {
      walk.value(parse_json(document.text), "", "", 0);
      if (walk.undecoded.empty()) ++out.scanned;
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
    out.unread.push_back(fmt::format("attestation {}: {}", oddity.subject, oddity.text));
  }
  return out;
}

std::vector<SecretHit> find_secrets(const DocumentText& text, const SecretQuery& query) {
  if (!text.name.empty()) return find_secrets_in_value(text.name, text.text, query);
  return find_secrets(text.text, query, text.form);
}

}  // namespace ocilint
