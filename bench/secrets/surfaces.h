// The places of an image that publish a text, each in the encoding of the builder that writes it (docs/secrets.md):
// what carries a given text there is one document.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "source/source.h"

namespace ocilint::bench {

struct Surface {
  std::string_view name;
  Document::Kind kind;
  std::string (*write)(const std::string& text);  // the document, which holds the text and no other secret
};

std::span<const Surface> surfaces();

}  // namespace ocilint::bench
