// Secrets in texts that are published with an image: history lines, environment, labels, attestations.
//
// find_secrets() applies the table of detectors (secret_detectors.h) and the names of variables to one
// decoded text: `NAME=value` in every way that builders write it (secret_pairs.h), escaped once more or not.
// What stands where a value would (references, masks, placeholders, paths, checksums) is no hit. Hits do not
// overlap, are sorted, and cover the union of what was found, under the name of the most specific detector. Pure;
// any thread; linear in the text, with bounded patterns. Nothing is thrown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "facts/secret_detectors.h"
#include "facts/secret_pairs.h"

namespace ocilint {

struct SecretHit {
  std::size_t begin = 0, end = 0;  // of the value in the text
  std::string value;               // decoded, where the text holds it escaped
  std::string detector;            // the id of a detector, "secret-variable" or "never"
  std::string name;                // of the variable or field that holds it, "" when there is none
  Confidence confidence = Confidence::medium;
};

struct SecretQuery {
  std::vector<std::string> never;          // variables that must have no value at all; case does not count
  std::vector<std::string> allow;          // variables whose values are fine, unless they are in `never`
  const DetectorSet* detectors = nullptr;  // null: DetectorSet::standard()

  const DetectorSet& set() const { return detectors == nullptr ? DetectorSet::standard() : *detectors; }
};

std::vector<SecretHit> find_secrets(std::string_view text, const SecretQuery& query, TextForm form = TextForm::words);

/// Of a text that may be either: what both forms give, so hits may overlap. One search of the detectors.
std::vector<SecretHit> find_secrets_in_any_form(std::string_view text, const SecretQuery& query);

/// The exact value of a variable, a label or another named field.
std::vector<SecretHit> find_secrets_in_value(std::string_view name, std::string_view value, const SecretQuery& query);

/// "[secret, 12 bytes]": what is shown in place of a value.
std::string secret_mark(std::size_t bytes);
/// The text with a mark in place of every hit in it.
std::string masked(std::string_view text, const std::vector<SecretHit>& hits);

}  // namespace ocilint
