// Every text of the documents that are published with an image, decoded and with its place: what a search for
// secrets reads.
//
// Keys and strings of the config (unknown keys too), of manifests, indexes and attestations, at any depth; a
// command is one text, its words put together; a string that is JSON itself is entered, base64 of the known carriers
// (BuildKit's buildinfo and cache, the Dockerfile in provenance, the payload of an envelope) is decoded. What does
// not parse or decode is unread, and the raw bytes of a document that does not are one text. Copies; pure; cost: the
// documents are parsed once. Throws nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "facts/secrets.h"
#include "source/source.h"

namespace ocilint {

struct DocumentText {
  std::string place;  // "history entry 7", "config Env", "attestation predicate.…": holds keys of the image
  std::string name;   // of a field whose exact value this is, "" for a text that stands alone
  std::string text;
  TextForm form = TextForm::words;
  std::optional<std::size_t> history_entry;
};

struct DocumentTexts {
  std::vector<DocumentText> texts;
  std::size_t listed = 0, scanned = 0;                            // documents
  std::size_t attestations_listed = 0, attestations_scanned = 0;  // those of them
  std::vector<std::string> unread;                                // "config sha256:…: JSON: byte 7: …"
};

DocumentTexts texts_of(const Image& image);

std::vector<SecretHit> find_secrets(const DocumentText& text, const SecretQuery& query);

}  // namespace ocilint
