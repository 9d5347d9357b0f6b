// Something readable but odd, met while an image is read: bytes behind the end of an archive, a media type
// unlike the bytes, a name that no runtime could create. The rule `image-integrity` turns each into a finding.
// (What is not what it claims to be is no oddity: it throws Error{corrupt} and the image is unreadable.)
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ocilint {

struct Oddity {
  static constexpr int whole_image = -1;

  std::string_view id;  // stable, kebab-case, a string literal: "data-after-end"
  std::string subject;  // the entry, blob or document, raw bytes
  std::string text;     // what is odd about it
  int layer = whole_image;
};

using Oddities = std::vector<Oddity>;

}  // namespace ocilint
